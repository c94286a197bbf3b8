package script

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hermes-tui/providers"
	"hermes-tui/tools/lazyregexp"
)

// goals are those that the tour hands to subagents; goalWords begins the goal to search for
// the words that follow.
var goals = []string{goalFiles, goalMarks, goalHistory}

const (
	goalFiles   = "Survey the files: how many there are, and what the most telling one says."
	goalMarks   = "Find loose ends: lines marked TODO or FIXME, and the code around them."
	goalHistory = "Look into the past: the newest commits, or the folder where there are none."
	goalWords   = "Look for: "
)

var atMostRE = lazyregexp.New(`\bat most (\d+)`)

// places returns how many subagents one call may have, as far as the offer of the tool says.
func (v *view) places() int {
	for _, t := range v.request.Tools {
		if m := atMostRE.FindStringSubmatch(string(t.Parameters)); m != nil && t.Name == "delegate_task" {
			if n, err := strconv.Atoi(m[1]); err == nil {
				return max(n, 1)
			}
		}
	}
	return 3
}

// send hands goals to subagents.
func (v *view) send(goals []string) (out delegateArgs) {
	for _, g := range goals {
		out.Tasks = append(out.Tasks, delegateTask{g, "The user asked: " + clip(oneLine(v.prompt), 200)})
	}
	return out
}

// sendRE knows a prompt that asks for subagents, rather than about them.
var sendRE = lazyregexp.New(`(?i)\b(send|use|spawn|start|try)\b.{0,20}\bsub-?agents?\b|` +
	`\bsub-?agents?(\s*:|\s+(for|to|again)\b)|\bdelegate\b`)

// dispatch sends one subagent for each word of a prompt that asks for some, and reports. It
// is false where there is nothing to send or no tool to send it with.
func (v *view) dispatch() (move, bool) {
	words := keywords(sendRE.ReplaceAllString(v.prompt, " "))
	if !v.offers["delegate_task"] || !sendRE.MatchString(v.prompt) || len(words) == 0 {
		return move{}, false
	}
	var list []string
	for _, w := range words[:min(len(words), v.places())] {
		list = append(list, goalWords+w)
	}
	var team *use
	m, more := v.follow([]stage{{"delegate_task", &team, func() move {
		return move{
			think: "I can have each word searched for by a subagent of its own.",
			say:   "I'm sending out " + plural(len(list), "subagent") + ".", args: v.send(list),
		}
	}}})
	if !more {
		m = move{
			think: "The reports are in.",
			say:   v.greeting() + team.fact(false) + ".\n\n" + v.summaries(team) + v.notes() + hint,
		}
	}
	return m, true
}

// member is what came of a subagent, in the words of the result.
type member struct {
	goal, status, summary string
	calls                 int
}

// members reads the result of a delegation.
func (u *use) members() (list []member) {
	if u == nil || u.call.Name != "delegate_task" {
		return nil
	}
	tasks := parseResult(u.call.Arguments).objects("tasks")
	for i, r := range u.result.objects("results") {
		m := member{
			status: plain(cmp.Or(r.str("status"), "unknown"), 40), summary: cmp.Or(r.str("summary"), r.str("error")),
			calls: len(r.objects("tool_trace")),
		}
		if n, ok := r.num("task_index"); ok {
			i = n
		}
		if i >= 0 && i < len(tasks) {
			m.goal = tasks[i].str("goal")
		}
		list = append(list, m)
	}
	return list
}

// summaries quotes what the subagents reported.
func (v *view) summaries(team *use) string {
	var b strings.Builder
	for i, m := range team.members() {
		if m.summary == "" {
			continue
		}
		name, rest, ok := strings.Cut(m.goal, ": ")
		if ok && m.goal == goalWords+rest {
			name = m.goal
		}
		name = cmp.Or(plain(name, 60), fmt.Sprintf("Subagent %d", i+1))
		fmt.Fprintf(&b, "**%s** (%s, %s):\n\n%s\n", name, m.status, plural(m.calls, "call"), quoteBlock(m.summary, 18))
	}
	if b.Len() == 0 {
		return ""
	}
	return "## From the subagents\n\n" + b.String()
}

// childRE knows the system prompt of a subagent: it begins by saying so, while that of
// another agent may speak of subagents further down.
var childRE = lazyregexp.New(`(?i)^\s*you are (a|an|the) (\w+ )?sub-?agent\b`)

// assignmentRE reads the first message to a subagent: its goal, up to what is known about it
// and the folder.
var assignmentRE = lazyregexp.New(`(?s)\AYour task:\n(.*?)(?:\n\n(?:What the agent |Workspace: ).*)?\z`)

// delegated reports whether the request is that of a subagent.
func (v *view) delegated() bool { return childRE.MatchString(v.request.System) }

// wanted returns what the newest prompt asks for, without what an assignment says around its
// goal.
func (v *view) wanted() string {
	text := v.prompt
	if m := assignmentRE.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	return strings.TrimSpace(text)
}

// child is the plan of a subagent: a few looks, and an answer for the agent above.
func (v *view) child() move {
	switch v.wanted() {
	case goalFiles:
		return v.looks([]string{"search_files", "read_file"}, searchArgs{"*", "files", 200})
	case goalMarks:
		return v.find(`\b(TODO|FIXME)\b`, []string{"todo", "fixme"})
	case goalHistory:
		return v.looks([]string{"terminal"}, terminalArgs{Command: v.logCommand()})
	}
	return v.lookUp()
}

// looks makes a call, reads the most telling file of its result where that lists some, and
// reports both.
func (v *view) looks(tools []string, args any) move {
	var first, read *use
	stages := []stage{{tools[0], &first, func() move {
		return move{think: "A look at the workspace answers that.", args: args}
	}}}
	if len(tools) > 1 {
		stages = append(stages, stage{tools[1], &read, func() move {
			if file := telling(first); file != "" {
				return move{
					think: oneLine(file) + " tells what this is made of.",
					args:  readArgs{Path: file, Limit: 60},
				}
			}
			return move{}
		}})
	}
	m, more := v.follow(stages)
	if more {
		return m
	}
	var b strings.Builder
	b.WriteString(v.greeting())
	for _, u := range v.uses {
		b.WriteString(u.fact(false) + "\n\n")
	}
	if len(v.uses) == 0 {
		b.WriteString("There was no tool to look with.\n\n")
	}
	return move{think: "That is enough.", say: b.String() + excerpt(first, "output", "command") + v.notes()}
}

// lookUp searches for the words of a prompt.
func (v *view) lookUp() move {
	words := keywords(strings.TrimPrefix(v.wanted(), goalWords))
	if len(words) == 0 {
		return move{
			think: "There is no word in this prompt that I could search for.",
			say: v.greeting() + "I can only search for words, and this prompt has none that tell much. " +
				"Try one with the name of something in your files.\n\n" + hint,
		}
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = regexp.QuoteMeta(w)
	}
	m := v.find("(?i)("+strings.Join(quoted, "|")+")", words)
	if m.tool == "" && !v.delegated() {
		m.say += "\n" + hint
	}
	return m
}

// find searches in files, reads around the best hit, and answers.
func (v *view) find(pattern string, words []string) move {
	var search, read *use
	m, more := v.follow([]stage{
		{"search_files", &search, func() move {
			return move{
				think: "I search the files for " + strings.Join(words, ", ") + ".",
				args:  searchArgs{pattern, "content", 30},
			}
		}},
		{"read_file", &read, func() move {
			hits, _ := search.hits()
			if len(hits) == 0 {
				return move{}
			}
			think := fmt.Sprintf("%s has most of it, so I read around line %d.", oneLine(hits[0].path), hits[0].line)
			return move{think: think, args: readArgs{hits[0].path, max(1, hits[0].line-5), 20}}
		}},
	})
	if more {
		return m
	}
	return move{
		think: "The results are in.",
		say:   v.greeting() + v.found(search, words) + aroundHit(read) + "\n" + v.notes(),
	}
}

// found says what a search for words returned.
func (v *view) found(search *use, words []string) string {
	if search == nil {
		return "No tool to search with was offered.\n"
	}
	if why, _ := search.trouble(); why != "" {
		return "The search did not work: " + why + ".\n"
	}
	named := make([]string, len(words))
	for i, w := range words {
		named[i] = code(w)
	}
	hits, total := search.hits()
	if total == 0 {
		return "The search for " + strings.Join(named, ", ") + " found nothing in these files.\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The search for %s found %s.\n\n", strings.Join(named, ", "), plural(total, "line"))
	b.WriteString(row("Where", "Line") + row("---", "---"))
	for _, h := range hits[:min(len(hits), 6)] {
		b.WriteString(row(code(fmt.Sprintf("%s:%d", h.path, h.line)), code(h.text)))
	}
	return b.String()
}

// aroundHit shows what was read after a search.
func aroundHit(read *use) string {
	if read == nil {
		return ""
	}
	if why, _ := read.trouble(); why != "" {
		return fmt.Sprintf("\nFrom %s I have nothing: %s.\n", code(read.arg("path")), why)
	}
	return "\n" + excerpt(read, "content", "path")
}

var wordRE = lazyregexp.New(`[\p{L}_][\p{L}\p{N}_-]*`)

// keywords returns up to four words of a prompt that are worth a search, in lower case: the
// longest of those of three characters or more that are not everyday words.
func keywords(prompt string) []string {
	const everyday = " all and any are can did for get has how its let new not now " +
		"off one our out say see the too two use was who why yes yet you " +
		"about after also because been before could does doing done from have here into just know like look " +
		"make more much need only other please same should show some tell than that their " +
		"them then there these they this " +
		"those want what when where which while will with would write your find file files code explain "
	var out []string
	for _, w := range wordRE.FindAllString(strings.ToLower(clip(prompt, 2000)), -1) {
		w = strings.Trim(w, "-_")
		if utf8.RuneCountInString(w) >= 3 && !strings.Contains(everyday, " "+w+" ") && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return utf8.RuneCountInString(b) - utf8.RuneCountInString(a) })
	return out[:min(len(out), 4)]
}

var (
	titleAskRE   = lazyregexp.New(`(?i)\btitle\b`)
	summaryAskRE = lazyregexp.New(`(?i)\b(summar(y|i[sz]e)|compact|condense)`)
	spokenRE     = lazyregexp.New(`(?im)^\W*(?:user|person|human)\W*:\s*(\S.*)$`)
)

// maxTaskPrompt is how long a system prompt in bytes may be to be that of a small task such
// as a title, rather than an agent's.
const maxTaskPrompt = 3000

// toolless answers a request that offers no tools: with a title, a list of what was said, or
// what it is.
func (v *view) toolless() move {
	asked := v.prompt
	if len(v.request.System) <= maxTaskPrompt {
		asked += "\n" + v.request.System
	}
	switch {
	case titleAskRE.MatchString(asked) && len(v.request.Messages) <= 4:
		return move{say: v.title()}
	case summaryAskRE.MatchString(asked):
		return move{say: v.summary()}
	}
	return move{
		think: "No tools are offered, so there is nothing that I could find out.",
		say: "I am the offline demo model: a script that calls tools and quotes their results. " +
			"This request offers no tools, so I have nothing to report.\n\n" + hint,
	}
}

// title makes a title of the first words that the user said.
func (v *view) title() string {
	said := v.prompt
	if m := spokenRE.FindStringSubmatch(said); m != nil {
		said = m[1]
	} else if _, after, ok := strings.Cut(said, "\n\n"); ok && titleAskRE.MatchString(said) {
		said = after
	}
	words := strings.Fields(oneLine(firstLine(said)))
	if len(words) == 0 {
		return "Offline demo"
	}
	return clip(strings.Trim(strings.Join(words[:min(len(words), 6)], " "), `.,:;!?"'`), 50)
}

// summary lists what the user said.
func (v *view) summary() string {
	var said []string
	for _, m := range v.request.Messages {
		if m.Role == providers.User {
			said = append(said, clip(oneLine(m.Text()), 200))
		}
	}
	said = said[max(0, len(said)-20):]
	return "The offline demo cannot summarise; these are the newest messages of the user:\n\n- " +
		strings.Join(said, "\n- ") + "\n"
}

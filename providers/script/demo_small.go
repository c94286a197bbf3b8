package script

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"hermes-tui/providers"
	"hermes-tui/tools/lazyregexp"
)

// hint says how to get a real model, in one line.
const hint = "This was the offline demo model, a script. For a real one, set a key such as `OPENROUTER_API_KEY` " +
	"or use `/model`; `hermes-tui --help` says more.\n"

// lookUp searches for the words of a prompt.
func (v *view) lookUp() move {
	words := keywords(v.wanted())
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
	titles := []string{"What I found", "Where it stands", "A look at the files"}
	m := v.find("(?i)("+strings.Join(quoted, "|")+")", words, titles[v.turn%len(titles)])
	if m.tool == "" && !v.delegated() {
		m.say += "\n" + hint
	}
	return m
}

// childReads is how many files a subagent reads, which has the time for it.
const childReads = 3

// find searches in files, reads around the best hit, a subagent around those of
// several files, and answers.
func (v *view) find(pattern string, words []string, title string) move {
	var search *use
	reads := make([]*use, 1)
	if v.delegated() {
		reads = make([]*use, childReads)
	}
	stages := []stage{{"search_files", &search, func() move {
		return move{
			think: "I search the files for " + strings.Join(words, ", ") + ".",
			args:  searchArgs{pattern, "content", 30},
		}
	}}}
	for i := range reads {
		stages = append(stages, stage{"read_file", &reads[i], func() move {
			hits, total := search.hits()
			files := ranked(hits, words)
			if i >= len(files) {
				return move{}
			}
			h := files[i]
			think := fmt.Sprintf("%s. %s fits best, so I read around line %d.", plural(total, "hit"), oneLine(h.path), h.line)
			if i > 0 {
				think = fmt.Sprintf("%s has some, too, so I read around line %d of it.", oneLine(h.path), h.line)
			}
			return move{think: think, args: readArgs{h.path, max(1, h.line-5), 20}}
		}})
	}
	m, ok := v.follow(stages)
	if ok {
		return m
	}
	return v.found(search, reads, words, title)
}

// found is the answer after a search.
func (v *view) found(search *use, reads []*use, words []string, title string) move {
	var b strings.Builder
	if g := v.greeting(); g != "" {
		b.WriteString(g + "\n\n")
	}
	hits, total := search.hits()
	most := 6
	if v.delegated() {
		most = 3 // the agent above quotes it
	} else {
		fmt.Fprintf(&b, "## %s\n\n", title)
	}
	named := make([]string, len(words))
	for i, w := range words {
		named[i] = code(w)
	}
	switch {
	case search == nil:
		b.WriteString("No tool to search with was offered.\n")
	case search.problem("matches", "total_count") != "":
		b.WriteString("The search did not work: " + search.problem("matches", "total_count") + ".\n")
	case total == 0:
		b.WriteString("The search for " + strings.Join(named, ", ") + " found nothing in these files.\n")
	default:
		fmt.Fprintf(&b, "The search for %s found %s.\n\n", strings.Join(named, ", "), plural(total, "line"))
		b.WriteString(row("Where", "Line") + row("---", "---"))
		for _, h := range hits[:min(len(hits), most)] {
			b.WriteString(row(code(fmt.Sprintf("%s:%d", h.path, h.line)), code(h.text)))
		}
	}
	for _, u := range reads {
		b.WriteString(v.around(u))
	}
	if n := v.notes(); n != "" {
		b.WriteString("\n" + n)
	}
	return move{think: "The results are in.", say: b.String()}
}

// around tells of the look into a file after a search.
func (v *view) around(read *use) string {
	p := read.page()
	switch {
	case read.problem("content") != "":
		return fmt.Sprintf("\nFrom %s I have nothing: %s.\n", code(p.path), read.problem("content"))
	case len(p.lines) == 0:
		return ""
	case v.delegated():
		return fmt.Sprintf("\nAround the hit in %s I read %s.\n", code(p.path), plural(len(p.lines), "line"))
	}
	return "\nFrom " + code(p.path) + ":\n\n" + block(language(p.path), p.lines, 20)
}

var wordRE = lazyregexp.New(`[\p{L}_][\p{L}\p{N}_-]*`)

// keywords are up to four words of a prompt that are worth a search, in lower
// case, the longest of those of three characters or more that are not everyday words.
func keywords(prompt string) []string {
	const everyday = " all and any are can did for get has how its let new not now off one our out say see the too two use was who why yes yet you " +
		"about after also because been before could does doing done from have here into just know like look " +
		"make more much need only other please same should show some tell than that their them then there these they this " +
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

// maxTaskPrompt is how long a system prompt in bytes may be to be that of a
// small task such as a title, rather than an agent's.
const maxTaskPrompt = 3000

// toolless answers a request that offers no tools.
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

package script

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"hermes-tui/providers"
)

// hint says how to get a real model, in one line.
const hint = "This was the offline demo model, a script. For a real one, set a key such as `OPENROUTER_API_KEY` " +
	"or use `/model`; `hermes-tui --help` says more.\n"

// childRE knows the prompt of a subagent.
var childRE = regexp.MustCompile(`(?i)\b(sub-?agent|delegated (task|goal))\b`)

// delegated tells whether the request is that of a subagent: it has a goal that
// the demo gave, or lacks the tools that only a root has and says what it is.
func (v *view) delegated() bool {
	if v.own(goalSurvey) || v.own(goalMarks) {
		return true
	}
	return !v.offers["delegate_task"] && !v.offers["clarify"] && childRE.MatchString(v.request.System)
}

func (v *view) own(goal string) bool {
	return strings.Contains(v.prompt, goal) || strings.Contains(v.request.System, goal)
}

// child is the plan of a subagent: one search, one look into a file, an answer.
func (v *view) child() move {
	switch {
	case v.own(goalSurvey):
		return v.survey()
	case v.own(goalMarks):
		return v.find(`\b(TODO|FIXME)\b`, []string{"todo", "fixme"}, "Open ends")
	}
	return v.lookUp()
}

// survey lists files and reads a manifest.
func (v *view) survey() move {
	var list, read *use
	m, ok := v.follow([]stage{
		{"search_files", &list, func() move {
			return move{
				think: "My goal is a survey, so I list the files.",
				args:  searchArgs{"*", "files", 200},
			}
		}},
		{"read_file", &read, func() move {
			file := list.listing().interesting(true)
			if file == "" {
				return move{}
			}
			return move{think: oneLine(file) + " tells what this is made of.", args: readArgs{Path: file, Limit: 60}}
		}},
	})
	if ok {
		return m
	}
	var b strings.Builder
	b.WriteString(v.greeting())
	switch l := list.listing(); {
	case list == nil:
		b.WriteString("There was no tool to search with. ")
	case list.problem("files", "total_count") != "":
		b.WriteString("The search did not work: " + list.problem("files", "total_count") + ". ")
	default:
		fmt.Fprintf(&b, "The search shows %s. ", l.describe())
		if f := l.folders(); len(f) > 0 {
			fmt.Fprintf(&b, "The largest folder is %s with %s. ", code(f[0].name+"/"), plural(f[0].n, "file"))
		}
		if k := l.kinds(); len(k) > 0 {
			fmt.Fprintf(&b, "The most common kind is %s with %s. ", code(k[0].name), plural(k[0].n, "file"))
		}
	}
	if p := read.page(); read.problem("content") != "" {
		fmt.Fprintf(&b, "From %s I have nothing: %s.", code(p.path), read.problem("content"))
	} else if read != nil {
		fmt.Fprintf(&b, "I read %s: %s.", code(p.path), p.begin())
	}
	return move{think: "That is enough for a survey.", say: strings.TrimSpace(b.String()) + "\n"}
}

// lookUp searches for the words of a prompt.
func (v *view) lookUp() move {
	words := keywords(v.prompt)
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

// find searches in files, reads around the best hit and answers.
func (v *view) find(pattern string, words []string, title string) move {
	var search, read *use
	m, ok := v.follow([]stage{
		{"search_files", &search, func() move {
			return move{
				think: "I search the files for " + strings.Join(words, ", ") + ".",
				args:  searchArgs{pattern, "content", 30},
			}
		}},
		{"read_file", &read, func() move {
			hits, total := search.hits()
			h, ok := best(hits, words)
			if !ok {
				return move{}
			}
			return move{
				think: fmt.Sprintf("%s. %s fits best, so I read around line %d.", plural(total, "hit"), oneLine(h.path), h.line),
				args:  readArgs{h.path, max(1, h.line-5), 20},
			}
		}},
	})
	if ok {
		return m
	}
	return v.found(search, read, words, title)
}

// found is the answer after a search.
func (v *view) found(search, read *use, words []string, title string) move {
	var b strings.Builder
	if g := v.greeting(); g != "" {
		b.WriteString(g + "\n\n")
	}
	fmt.Fprintf(&b, "## %s\n\n", title)
	hits, total := search.hits()
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
		for _, h := range hits[:min(len(hits), 6)] {
			b.WriteString(row(code(fmt.Sprintf("%s:%d", h.path, h.line)), code(h.text)))
		}
	}
	if p := read.page(); read.problem("content") != "" {
		fmt.Fprintf(&b, "\nFrom %s I have nothing: %s.\n", code(p.path), read.problem("content"))
	} else if len(p.lines) > 0 {
		b.WriteString("\nFrom " + code(p.path) + ":\n\n" + block(language(p.path), p.lines, 20))
	}
	return move{think: "The results are in.", say: b.String()}
}

var wordRE = regexp.MustCompile(`[\p{L}_][\p{L}\p{N}_-]*`)

// keywords are up to four words of a prompt that are worth a search, in lower
// case, the longest of those that are not everyday words.
func keywords(prompt string) []string {
	const everyday = " about after also because been before could does doing done from have here into just know like look " +
		"make more much need only other please same should show some tell than that their them then there these they this " +
		"those want what when where which while will with would write your find file files code explain "
	var out []string
	for _, w := range wordRE.FindAllString(strings.ToLower(clip(prompt, 2000)), -1) {
		w = strings.Trim(w, "-_")
		if utf8.RuneCountInString(w) >= 4 && !strings.Contains(everyday, " "+w+" ") && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return utf8.RuneCountInString(b) - utf8.RuneCountInString(a) })
	return out[:min(len(out), 4)]
}

var (
	titleAskRE   = regexp.MustCompile(`(?i)\btitle\b`)
	summaryAskRE = regexp.MustCompile(`(?i)\b(summar(y|i[sz]e)|compact|condense)`)
	spokenRE     = regexp.MustCompile(`(?im)^\W*(?:user|person|human)\W*:\s*(\S.*)$`)
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

// title makes a title of the first words that the person said.
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

// summary lists what the person said.
func (v *view) summary() string {
	var said []string
	for _, m := range v.request.Messages {
		if m.Role == providers.User {
			said = append(said, clip(oneLine(m.Text()), 200))
		}
	}
	said = said[max(0, len(said)-20):]
	return "The offline demo cannot summarise; these are the newest messages of the person:\n\n- " +
		strings.Join(said, "\n- ") + "\n"
}

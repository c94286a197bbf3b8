package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hermes-tui/tools/lazyregexp"
)

// stage is a part of a plan that calls one tool.
type stage struct {
	tool string
	into **use       // where the finished call goes
	next func() move // called when it is this stage's turn; no tool skips it
}

// follow finds the first stage that was not done and gives its move. It returns
// false when all are done or skipped. The k-th stage of a tool belongs to the
// k-th call of it.
func (v *view) follow(stages []stage) (move, bool) {
	for _, s := range stages {
		if !v.offers[s.tool] {
			continue
		}
		if u := v.take(s.tool); u != nil {
			*s.into = u
			continue
		}
		if m := s.next(); m.args != nil {
			m.tool = s.tool
			m.say = v.greeting() + m.say
			return m, true
		}
	}
	return move{}, false
}

// greeting acknowledges what the user wrote since the answer before.
func (v *view) greeting() string {
	notes, fresh := v.steered()
	if !fresh {
		return ""
	}
	return "You added: “" + plain(notes[len(notes)-1], 160) +
		"” I have read it; my plan is fixed, so I go on and repeat it in my report. "
}

// decide chooses the next move.
func (v *view) decide() move {
	switch {
	case len(v.offers) == 0:
		return v.toolless()
	case v.delegated():
		return v.child()
	}
	if m, asked := v.dispatch(); asked {
		return m
	}
	if v.turn > 1 {
		return v.lookUp()
	}
	return (&tour{view: v}).decide()
}

// tour is the whole plan, for the first prompt of a conversation.
type tour struct {
	*view
	plan, list, read, peek, update, team, tick, ask, gated, done *use
}

func (t *tour) decide() move {
	stages := []stage{
		{"todo", &t.plan, t.start},
		{"search_files", &t.list, t.listFiles},
		{"read_file", &t.read, t.readFile},
		{"terminal", &t.peek, t.runHarmless},
		{"todo", &t.update, t.tickLooked},
	}
	if t.offers["delegate_task"] {
		stages = append(stages, stage{"delegate_task", &t.team, t.delegate}, stage{"todo", &t.tick, t.tickTeam})
	}
	m, ok := t.follow(append(stages,
		stage{"clarify", &t.ask, t.question},
		stage{"terminal", &t.gated, t.runGated},
		stage{"todo", &t.done, t.finishList},
	))
	if !ok {
		return t.report()
	}
	return m
}

// tasks is the task list with the first n done and the next one begun.
func (t *tour) tasks(n int) todoArgs {
	var out todoArgs
	add := func(when bool, name string, calls ...*use) {
		i, status := len(out.Todos), "pending"
		switch {
		case !when:
			return
		case i == n:
			status = "in_progress"
		case i < n && slices.ContainsFunc(calls, func(u *use) bool { return u != nil && u.outcome() != done }):
			status = "cancelled" // it was tried, and not done
		case i < n:
			status = "completed"
		}
		out.Todos = append(out.Todos, todoItem{strconv.Itoa(i + 1), name, status})
	}
	add(t.offers["search_files"] || t.offers["read_file"], "Look around the workspace", t.list, t.read)
	add(t.offers["terminal"], "Run a harmless command", t.peek)
	add(t.offers["delegate_task"], "Send "+plural(len(t.errands()), "subagent"), t.team)
	add(t.offers["clarify"], "Ask what to look at more closely", t.ask)
	add(t.offers["terminal"], "Try a command that needs permission", t.gated)
	add(true, "Report what was found")
	return out
}

func (t *tour) start() move {
	return move{
		think: "A new request: “" + clip(oneLine(t.prompt), 120) + "”. " +
			"There is no language model behind me, so I keep to a fixed plan and let the tools give me the facts. " +
			"First I write the plan down.",
		say:  "I am the offline demo, so I will look around this workspace with the real tools and report what they return.",
		args: t.tasks(0),
	}
}

func (t *tour) listFiles() move {
	return move{
		think: "What is here? A list of the files is the best start.",
		args:  searchArgs{"*", "files", 50},
	}
}

func (t *tour) readFile() move {
	l := t.list.listing()
	file := l.interesting(false)
	if file == "" {
		return move{}
	}
	return move{
		think: fmt.Sprintf("The search shows %s. %s should say most about them, so I read that one.", l.describe(), oneLine(file)),
		say:   "I found " + l.describe() + "; " + code(file) + " comes first.",
		args:  readArgs{Path: file, Limit: 200},
	}
}

var (
	gitRE   = lazyregexp.New(`(?i)\bgit (repo|repository|branch)\b|\bbranch: *\S|\bon branch\b`)
	noGitRE = lazyregexp.New(`(?i)\b(not|no|outside)( in)?( an?)? git\b`)
)

// listCommand shows a folder.
const listCommand = "ls -la"

// logCommand shows so many commits. It only reads. Where neither the prompt nor the
// files say whether the workspace is a git repository, the command finds out.
func (v *view) logCommand(files []string, commits int) string {
	log := fmt.Sprintf("git log --oneline -%d", commits)
	if noGitRE.MatchString(v.request.System) {
		return listCommand
	}
	for _, f := range files {
		if strings.HasPrefix(f, ".git") {
			return log
		}
	}
	if gitRE.MatchString(v.request.System) {
		return log
	}
	return log + " 2>/dev/null || " + listCommand
}

func (t *tour) runHarmless() move {
	think := "Now a command that only reads. It needs no permission."
	if begin := t.read.page(); len(begin.lines) > 0 {
		think = fmt.Sprintf("%s has %s. ", oneLine(begin.path), plural(max(begin.total, len(begin.lines)), "line")) + think
	}
	return move{think: think, args: terminalArgs{Command: t.logCommand(t.list.listing().files, 5)}}
}

func (t *tour) tickLooked() move {
	return move{think: "Looking around is done, so I update the list.", args: t.tasks(t.lookedAround())}
}

func (t *tour) tickTeam() move {
	return move{think: "The subagents have reported, so I update the list once more.", args: t.tasks(t.lookedAround() + 1)}
}

// lookedAround is the number of tasks that come before the subagents.
func (t *tour) lookedAround() int {
	n := 0
	if t.offers["search_files"] || t.offers["read_file"] {
		n++
	}
	if t.offers["terminal"] {
		n++
	}
	return n
}

func (t *tour) question() move {
	var labels []string
	for _, c := range t.choices() {
		labels = append(labels, c.label)
	}
	return move{
		think: "I could go deeper in several directions. The user should decide which.",
		args:  clarifyArgs{"What should I look at more closely?", labels},
	}
}

// scratch is a directory name of this conversation's own.
func (t *tour) scratch() string {
	return fmt.Sprintf("hermes-demo-%08x", hash(t.request.Session, t.prompt))
}

func (t *tour) runGated() move {
	// The directory is removed only if this very command made it: mkdir fails
	// on one that exists.
	dir := `"${TMPDIR:-/tmp}/` + t.scratch() + `"`
	return move{
		think: "Next, something that must not run without permission: removing a directory with all that is in it, outside of the confinement. " +
			"I make an empty one for that purpose, so either answer does no harm.",
		say: "The next command removes a scratch directory that it makes itself. " +
			"Unless questions are switched off you are asked first, and both answers are fine.",
		args: terminalArgs{"mkdir " + dir + " && rm -r " + dir, true},
	}
}

func (t *tour) finishList() move {
	return move{think: "All of the plan is done. I close the list and report.", args: t.tasks(maxInt)}
}

// choice is an answer offered to the user.
type choice struct {
	label string
	lines []string // what the tools said about it
	note  string   // what it is
}

// choices are three things worth a closer look, chosen from what was found.
func (t *tour) choices() []choice {
	var out []choice
	l, p, c := t.list.listing(), t.read.page(), t.peek.command()
	if len(p.lines) > 0 {
		lines := p.headings()
		note := "The headings of " + code(p.path)
		if len(lines) == 0 {
			lines, note = p.lines, "The first lines of "+code(p.path)
		}
		out = append(out, choice{"The file " + clip(oneLine(p.path), 60), lines, note})
	}
	for _, f := range l.folders() {
		if len(out) < 2 {
			out = append(out, choice{
				fmt.Sprintf("The folder %s/ (%s)", clip(oneLine(f.name), 40), plural(f.n, "file")), l.within(f.name),
				"The files of " + code(f.name+"/") + " that the search returned",
			})
		}
	}
	switch {
	case c.commits():
		out = append(out, choice{"The newest commits", c.output, "What " + code(c.text) + " printed"})
	case len(c.output) > 0:
		out = append(out, choice{"The directory listing", c.output, "What " + code(c.text) + " printed"})
	}
	if k := l.kinds(); len(k) > 0 {
		var lines []string
		for _, f := range l.files {
			if strings.HasSuffix(f, k[0].name) || k[0].name == "no extension" && !strings.Contains(baseName(f), ".") {
				lines = append(lines, f)
			}
		}
		out = append(out, choice{"The most common kind of file: " + k[0].name, lines, "Files of the most common kind"})
	}
	out = append(out,
		choice{"How this demo works", nil, "It calls the tools in a fixed order, quotes their results, and understands nothing"},
		choice{"Nothing in particular", nil, "Nothing in particular, as you wish"},
		choice{"Surprise me", nil, "No surprises: a script has none"})
	return out[:3]
}

func baseName(file string) string { return file[strings.LastIndexByte(file, '/')+1:] }

// reply is what the user answered, empty for no answer.
func (t *tour) reply() string {
	if t.ask == nil {
		return ""
	}
	if why, _ := t.ask.trouble(); why != "" {
		return ""
	}
	if s := t.ask.result.str("user_response"); s != "" {
		return s
	}
	var parts []string
	for _, item := range t.ask.result.list("user_response") {
		if s, ok := item.(string); ok {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ", ")
}

// chosen is the offered answer that the user took.
func (t *tour) chosen() (choice, bool) {
	reply := strings.TrimSpace(t.reply())
	for _, c := range t.choices() {
		if reply != "" && strings.EqualFold(c.label, reply) {
			return c, true
		}
	}
	return choice{}, false
}

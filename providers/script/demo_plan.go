package script

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"hermes-tui/tools/lazyregexp"
)

// hint says how to get a real model, in one line.
const hint = "This was the offline demo model, a script. For a real one, set a key such as `OPENROUTER_API_KEY` " +
	"or use `/model`; `hermes-tui --help` says more.\n"

// stage is a part of a plan that calls one tool.
type stage struct {
	tool string
	into **use       // where the finished call goes
	next func() move // returns the call; without arguments the stage is skipped
}

// follow returns the move of the first stage that was not done, and false when all are done
// or skipped. The k-th stage of a tool belongs to the k-th call of it.
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

// take returns the next call of a tool that was not taken before, nil if there is none.
func (v *view) take(tool string) *use {
	for _, u := range v.uses {
		if !u.taken && u.call.Name == tool {
			u.taken = true
			return u
		}
	}
	return nil
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

// notes repeats what the user wrote meanwhile.
func (v *view) notes() string {
	notes, _ := v.steered()
	if len(notes) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## What you added meanwhile\n\n")
	for _, n := range notes {
		b.WriteString(quoteBlock(n, 6) + "\n")
	}
	return b.String()
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
	return v.tour()
}

// logCommand returns the first command, which only reads. Where the folder is not trusted,
// git is asked about, so it is left out where the prompt says that there is no repository.
func (v *view) logCommand() string {
	if strings.Contains(v.request.System, "Not a git repository") {
		return "ls -la"
	}
	return "git log --oneline -5 2>/dev/null || ls -la"
}

// scratchCommand returns the last command. It makes a folder, so that removing it harms
// nothing: mkdir fails on one that exists.
func (v *view) scratchCommand() string {
	dir := fmt.Sprintf(`"${TMPDIR:-/tmp}/hermes-demo-%08x"`, hash(v.request.Session, v.prompt))
	return "mkdir " + dir + " && rm -r " + dir
}

// tour is the plan for the first prompt of a conversation: each tool once, and a report.
func (v *view) tour() move {
	var plan, list, read, log, team, ask, gated, end *use
	tasks := func(finished bool) todoArgs {
		return v.tasks(finished, []*use{list, read, log}, []*use{team}, []*use{ask}, []*use{gated}, nil)
	}
	m, more := v.follow([]stage{
		{"todo", &plan, func() move {
			return move{
				think: "A new request: “" + clip(oneLine(v.prompt), 120) + "”. There is no language model " +
					"behind me, so I keep to a fixed plan and let the tools give me the facts.",
				say: "I am the offline demo, so I will look around this workspace with the real tools " +
					"and report what they return.",
				args: tasks(false),
			}
		}},
		{"search_files", &list, func() move {
			return move{
				think: "What is here? A list of the files is the best start.",
				args:  searchArgs{"*", "files", 50},
			}
		}},
		{"read_file", &read, func() move {
			file := telling(list)
			if file == "" {
				return move{}
			}
			return move{
				think: oneLine(file) + " should say most about them, so I read that one.",
				args:  readArgs{Path: file, Limit: 200},
			}
		}},
		{"terminal", &log, func() move {
			return move{
				think: "Now a command that only reads. It needs no permission.",
				args:  terminalArgs{Command: v.logCommand()},
			}
		}},
		{"delegate_task", &team, func() move {
			goals := goals[:min(len(goals), v.places())]
			return move{
				think: "The rest can be looked into side by side, each question by a subagent of its own.",
				say:   "I'm sending out " + plural(len(goals), "subagent") + ". The list of agents shows them.",
				args:  v.send(goals),
			}
		}},
		{"clarify", &ask, func() move {
			choices := []string{"The file that I read", "The output of the command", "Nothing in particular"}
			return move{
				think: "I could go deeper in several directions. The user should decide which.",
				args:  clarifyArgs{"What should I look at more closely?", choices},
			}
		}},
		{"terminal", &gated, func() move {
			return move{
				think: "Next, something that must not run without permission: removing a directory " +
					"with all that is in it, outside of the confinement.",
				say: "The next command removes a scratch directory that it makes itself. " +
					"Unless questions are switched off you are asked first, and both answers are fine.",
				args: terminalArgs{v.scratchCommand(), true},
			}
		}},
		{"todo", &end, func() move {
			return move{think: "All of the plan is done. I close the list and report.", args: tasks(true)}
		}},
	})
	if more {
		return m
	}
	return move{
		think: "Every step has a result now. I put together what they say.",
		say:   v.report(read, log, team, ask, gated),
	}
}

// tasks is the list of tasks, at the beginning and at the end. What was tried and did not
// succeed is not ticked.
func (v *view) tasks(finished bool, calls ...[]*use) todoArgs {
	var out todoArgs
	names := []string{
		"Look around the workspace", "Send subagents", "Ask what to look at more closely",
		"Try a command that needs permission", "Report what was found",
	}
	for i, name := range names {
		status := "completed"
		switch {
		case !finished && i == 0:
			status = "in_progress"
		case !finished:
			status = "pending"
		case slices.ContainsFunc(calls[i], func(u *use) bool { return u != nil && !u.worked() }):
			status = "cancelled"
		}
		out.Todos = append(out.Todos, todoItem{strconv.Itoa(i + 1), name, status})
	}
	return out
}

// worked reports whether a call did what it was made for.
func (u *use) worked() bool {
	why, _ := u.trouble()
	exit, _ := u.result.num("exit_code")
	return why == "" && exit == 0
}

// report is the answer at the end of the tour: a line for each call, and what is worth
// showing of the results.
func (v *view) report(read, log, team, ask, gated *use) string {
	var b strings.Builder
	if g := v.greeting(); g != "" {
		b.WriteString(g + "\n\n")
	}
	b.WriteString("# What the demo found\n\nI am the **offline demo model**: a script, not a language model. " +
		"The tools were real, and so are the facts below, which come from their results.\n\n")
	for _, u := range v.uses {
		if line := u.fact(u == gated); line != "" {
			b.WriteString("- " + line + "\n")
		}
	}
	if len(v.uses) == 0 {
		b.WriteString("None of the tools that I know was offered, so there is nothing to report.\n")
	}
	b.WriteString("\n" + excerpt(read, "content", "path") + excerpt(log, "output", "command") + v.summaries(team))
	if ask.reply() != "" {
		b.WriteString("A real model would now do what you chose; a script can only repeat it.\n\n")
	}
	b.WriteString(v.notes())
	if v.offers["delegate_task"] {
		b.WriteString("## Try next\n\n" +
			"- Send subagents again, for example with the prompt: `subagents for license and error`\n" +
			"- On the screen, `/agents` goes to them: enter shows one in detail, `s` says something to it, " +
			"`p` holds it, `x` ends it\n" +
			"- `/wall` shows all at once, `/replay` who worked when\n\n")
	}
	return b.String() + "## Connect a real model\n\n" +
		"1. Set a key and start again, for example `export OPENROUTER_API_KEY=…`\n" +
		"2. Choose a provider and a model with `/model`\n" +
		"3. See `hermes-tui --help` for everything else\n"
}

// fact says in a line what came of a call. gated is set for the command that needs permission.
func (u *use) fact(gated bool) string {
	what := map[string]string{
		"search_files": "Files", "read_file": "Read", "terminal": "Command",
		"delegate_task": "Subagents", "clarify": "Your choice", "todo": "Plan",
	}[u.call.Name]
	if gated {
		what = "Permission"
	}
	why, denied := u.trouble()
	members := u.members()
	switch {
	case what == "" || what == "Plan" && why == "":
		return ""
	case denied:
		return "**" + what + ":** denied, so it was not done. The reason given: " + why
	case why != "" && len(members) == 0:
		return "**" + what + ":** it failed: " + why
	}
	return "**" + what + ":** " + u.outcome(gated, members)
}

// outcome says what a call that has a result returned.
func (u *use) outcome(gated bool, members []member) string {
	switch u.call.Name {
	case "search_files":
		_, n := u.files()
		return plural(n, "file")
	case "read_file":
		lines := u.lines("content")
		n, _ := u.result.num("total_lines")
		size, first := plural(max(n, len(lines)), "line"), code(firstLine(strings.Join(lines, "\n")))
		return fmt.Sprintf("%s, %s; it begins with %s", code(u.arg("path")), size, first)
	case "delegate_task":
		var states []string
		for _, m := range members {
			states = append(states, m.status)
		}
		return plural(len(states), "result") + ": " + cmp.Or(strings.Join(states, ", "), "none")
	case "clarify":
		if reply := u.reply(); reply != "" {
			return "“" + plain(reply, 160) + "”"
		}
		return "none, the question was not answered"
	}
	exit, _ := u.result.num("exit_code")
	if gated && exit == 0 {
		return "allowed; the scratch directory was made and removed again"
	}
	lines := plural(len(u.lines("output")), "line")
	out := fmt.Sprintf("%s ended with exit code %d and %s of output", code(u.arg("command")), exit, lines)
	if gated {
		return "allowed, but " + out
	}
	return out
}

// reply returns what the user answered, empty for no answer.
func (u *use) reply() string {
	if u == nil {
		return ""
	}
	if why, _ := u.trouble(); why != "" {
		return ""
	}
	reply, several := u.result.fields["user_response"].([]any)
	if !several {
		return u.result.str("user_response")
	}
	var parts []string
	for _, item := range reply {
		if s, ok := item.(string); ok {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ", ")
}

// excerpt shows the first lines of a result. named is the argument that says of what.
func excerpt(u *use, field, named string) string {
	if u == nil || len(u.lines(field)) == 0 {
		return ""
	}
	return "The first lines of " + code(u.arg(named)) + ":\n\n" + block(u.lines(field), 8) + "\n"
}

var binaryRE = lazyregexp.New(`(?i)\.(png|jpe?g|gif|ico|webp|pdf|zip|gz|tgz|xz|tar|exe|dll|so|a|o|bin|` +
	`db|woff2?|ttf|mp[34]|mov|wav|class|jar|wasm|pyc|docx?|xlsx?|pptx?)$`)

// telling chooses the file that says most about a workspace: a readme, or else any text.
func telling(list *use) string {
	found, _ := list.files()
	text := slices.DeleteFunc(found, func(f string) bool { return binaryRE.MatchString(f) })
	if len(text) == 0 {
		return ""
	}
	return slices.MinFunc(text, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
}

func rank(file string) int {
	if strings.HasPrefix(strings.ToLower(path.Base(file)), "readme") {
		return strings.Count(file, "/")
	}
	return maxInt
}

package script

import (
	"fmt"
	"strings"

	"hermes-tui/tools/lazyregexp"
)

// childRE knows the system prompt of a subagent: it begins by saying so, while
// that of another agent may speak of subagents further down.
var childRE = lazyregexp.New(`(?i)^\s*you are (a|an|the) (\w+ )?sub-?agent\b`)

// assignmentRE reads the first message to a subagent: its goal, up to what is known
// about it and the folder.
var assignmentRE = lazyregexp.New(`(?s)\AYour task:\n(.*?)(?:\n\n(?:What the agent |Workspace: ).*)?\z`)

// delegated reports whether the request is that of a subagent: it says so, or has a
// goal that the demo gave.
func (v *view) delegated() bool {
	return childRE.MatchString(v.request.System) || v.own(goalSurvey) || v.own(goalMarks) || v.own(goalHistory)
}

func (v *view) own(goal string) bool {
	return strings.Contains(v.prompt, goal) || strings.Contains(v.request.System, goal)
}

// wanted is what the newest prompt asks for, without what an assignment says
// beside its goal.
func (v *view) wanted() string {
	text := v.prompt
	if m := assignmentRE.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	return strings.TrimPrefix(strings.TrimSpace(text), goalWords)
}

// child is the plan of a subagent: a few looks, and an answer for the agent above.
// What the user says to it afterwards is a search for the words.
func (v *view) child() move {
	switch {
	case v.own(goalSurvey):
		return v.survey()
	case v.own(goalMarks):
		return v.find(`\b(TODO|FIXME)\b`, []string{"todo", "fixme"}, "Open ends")
	case v.own(goalHistory):
		return v.past()
	}
	return v.lookUp()
}

// survey lists files and reads some of them.
func (v *view) survey() move {
	var list *use
	reads := make([]*use, childReads)
	stages := []stage{{"search_files", &list, func() move {
		return move{think: "My goal is a survey, so I list the files.", args: searchArgs{"*", "files", 200}}
	}}}
	for i := range reads {
		stages = append(stages, stage{"read_file", &reads[i], func() move {
			files := list.listing().samples()
			if i >= len(files) {
				return move{}
			}
			think := oneLine(files[i]) + " tells what this is made of."
			if i > 0 {
				think = oneLine(files[i]) + " is an example from its folder, so I look into it as well."
			}
			return move{think: think, args: readArgs{Path: files[i], Limit: 60}}
		}})
	}
	m, ok := v.follow(stages)
	if ok {
		return m
	}
	var b strings.Builder
	b.WriteString(v.greeting())
	switch l := list.listing(); {
	case list == nil:
		b.WriteString("There was no tool to search with.")
	case list.problem("files", "total_count") != "":
		b.WriteString("The search did not work: " + list.problem("files", "total_count") + ".")
	default:
		fmt.Fprintf(&b, "The search shows %s.", l.describe())
		if f := l.folders(); len(f) > 0 {
			fmt.Fprintf(&b, " The largest folder is %s with %s.", code(f[0].name+"/"), plural(f[0].n, "file"))
		}
		if k := l.kinds(); len(k) > 0 {
			fmt.Fprintf(&b, " The most common kind is %s with %s.", code(k[0].name), plural(k[0].n, "file"))
		}
	}
	for _, u := range reads {
		if p := u.page(); u.problem("content") != "" {
			fmt.Fprintf(&b, " From %s I have nothing: %s.", code(p.path), u.problem("content"))
		} else if u != nil {
			fmt.Fprintf(&b, " I read %s: %s.", code(p.path), p.begin())
		}
	}
	return move{think: "That is enough for a survey.", say: b.String() + "\n\n" + v.notes()}
}

// samples are files that say something about a project: the most telling one, and
// the first of each of the largest folders.
func (l listing) samples() []string {
	first := l.interesting(true)
	if first == "" {
		return nil
	}
	out := []string{first}
	for _, folder := range l.folders() {
		for _, f := range l.within(folder.name) {
			if f != first && !binaryRE.MatchString(f) {
				out = append(out, f)
				break
			}
		}
	}
	return out
}

// past looks at the newest commits, and at the folder where there are none.
func (v *view) past() move {
	var log, more, changes *use
	m, ok := v.follow([]stage{
		{"terminal", &log, func() move {
			return move{think: "The newest commits tell what was done last.", args: terminalArgs{Command: v.logCommand(nil, 8)}}
		}},
		{"terminal", &more, func() move {
			switch c := log.command(); {
			case c.commits():
				return move{think: "And what did the newest of them change?", args: terminalArgs{Command: "git show --stat --oneline HEAD"}}
			case strings.Contains(c.text, listCommand):
				return move{}
			}
			return move{think: "There are no commits, so I look at the folder.", args: terminalArgs{Command: listCommand}}
		}},
		{"terminal", &changes, func() move {
			if !log.command().commits() {
				return move{}
			}
			return move{think: "Is there anything that is not committed?", args: terminalArgs{Command: "git status --short"}}
		}},
	})
	if ok {
		return m
	}
	var b strings.Builder
	b.WriteString(v.greeting())
	if log == nil {
		b.WriteString("There was no tool to run commands with.\n\n")
	}
	if log != nil {
		b.WriteString(log.printed(5) + "\n")
	}
	switch c := more.command(); {
	case more == nil:
	case log.command().commits() && c.ran && c.exit == 0 && len(c.output) > 1:
		b.WriteString("The newest of them: " + code(c.output[len(c.output)-1]) + "\n\n") // the line that counts changes
	default:
		b.WriteString(more.printed(6) + "\n")
	}
	if changes != nil {
		b.WriteString(changes.printed(4) + "\n")
	}
	return move{think: "That is what the past says here.", say: b.String() + v.notes()}
}

// printed says what a command put out, in at most n lines of it.
func (u *use) printed(n int) string {
	c := u.command()
	switch why, denied := u.trouble(); {
	case denied:
		return code(c.text) + " was not allowed: " + plain(why, 160) + "\n"
	case why != "":
		return code(c.text) + " failed: " + plain(why, 160) + "\n"
	case !c.ran:
		return code(c.text) + " gave a result that I cannot read.\n"
	case len(c.output) == 0:
		return fmt.Sprintf("%s ended with exit code %d and no output.\n", code(c.text), c.exit)
	case c.exit != 0:
		return fmt.Sprintf("%s ended with exit code %d: %s\n", code(c.text), c.exit, code(c.output[len(c.output)-1]))
	}
	return code(c.text) + " printed:\n\n" + block("text", c.output, n)
}

package script

import (
	"fmt"
	"strings"
)

// report is the answer at the end of the tour.
func (t *tour) report() move {
	var b strings.Builder
	b.WriteString(t.greeting())
	if b.Len() > 0 {
		b.WriteString("\n\n")
	}
	b.WriteString("# What the demo found\n\n")
	b.WriteString("I am the **offline demo model**: a script, not a language model. " +
		"The tools were real, and so are the facts below, which come from their results.\n\n")
	if asked := plain(t.prompt, 120); asked != "" {
		b.WriteString("You asked: “" + asked + "” That I could not understand, but this is what is here:\n\n")
	}
	for _, line := range []string{t.aboutFiles(), t.aboutPage(), t.aboutCommand(), aboutTeam(t.team), t.aboutReply(), t.aboutPermission()} {
		if line != "" {
			b.WriteString("- " + line + "\n")
		}
	}
	b.WriteString("\n" + t.excerpts() + t.summaries(t.team) + t.closer() + t.notes() + t.table() + t.tryNext())
	b.WriteString("## Connect a real model\n\n" +
		"1. Set a key and start again, for example `export OPENROUTER_API_KEY=…`\n" +
		"2. Choose a provider and a model with `/model`\n" +
		"3. See `hermes-tui --help` for everything else\n")
	return move{think: "Every step has a result now. I put together what they say.", say: b.String()}
}

func (t *tour) aboutFiles() string {
	if t.list == nil {
		return ""
	}
	if why := t.list.problem("files", "total_count"); why != "" {
		return "**Files:** the search did not work: " + why
	}
	l := t.list.listing()
	out := "**Files:** " + l.describe()
	var kinds []string
	for _, k := range l.kinds() {
		if len(kinds) < 3 {
			kinds = append(kinds, fmt.Sprintf("%d %s", k.n, code(k.name)))
		}
	}
	if len(kinds) > 0 {
		out += ", most of them by kind: " + strings.Join(kinds, ", ")
	}
	return out
}

func (t *tour) aboutPage() string {
	if t.read == nil {
		switch {
		case !t.offers["read_file"] || t.list == nil:
			return ""
		case t.list.problem("files", "total_count") != "":
			return "**Read:** nothing, for there was no list to choose from"
		}
		return "**Read:** nothing, for the search showed no text file"
	}
	path := code(t.read.arg("path"))
	if why := t.read.problem("content"); why != "" {
		return "**Read:** nothing from " + path + ": " + why
	}
	p := t.read.page()
	return fmt.Sprintf("**Read:** %s, %s; %s", path, plural(max(p.total, len(p.lines)), "line"), p.begin())
}

func (t *tour) aboutCommand() string {
	if t.peek == nil {
		return ""
	}
	c := t.peek.command()
	why, denied := t.peek.trouble()
	switch {
	case denied:
		return "**Command:** " + code(c.text) + " was not allowed: " + plain(why, 160)
	case why != "":
		return "**Command:** " + code(c.text) + " failed: " + plain(why, 160)
	case !c.ran:
		return "**Command:** " + code(c.text) + " gave a result that I cannot read"
	case c.exit == 0 && c.commits():
		return fmt.Sprintf("**Command:** %s lists %s, the newest is %s", code(c.text), plural(len(c.output), "commit"), code(c.output[0]))
	}
	return fmt.Sprintf("**Command:** %s ended with exit code %d and %s of output", code(c.text), c.exit, plural(len(c.output), "line"))
}

func (t *tour) aboutReply() string {
	if t.ask == nil {
		return ""
	}
	if reply := t.reply(); reply != "" {
		return "**Your choice:** “" + plain(reply, 160) + "”"
	}
	if why, _ := t.ask.trouble(); why != "" {
		return "**Your choice:** none, the question did not reach you: " + plain(why, 160)
	}
	return "**Your choice:** none, the question was not answered"
}

func (t *tour) aboutPermission() string {
	if t.gated == nil {
		return ""
	}
	c := t.gated.command()
	why, denied := t.gated.trouble()
	switch {
	case denied:
		return "**Permission:** denied, so the scratch directory was neither made nor removed. The reason given: " + plain(why, 200)
	case why != "":
		return "**Permission:** the command did not run: " + plain(why, 160)
	case !c.ran:
		return "**Permission:** the result does not say whether the command ran"
	case c.exit != 0:
		return fmt.Sprintf("**Permission:** allowed, but the command ended with exit code %d: %s", c.exit, code(strings.Join(c.output, " ")))
	}
	return "**Permission:** allowed; the scratch directory was made and removed again"
}

// quoteBlock quotes at most n lines. A code block that is cut is closed.
func quoteBlock(text string, n int) string {
	var b strings.Builder
	fence := "" // of the code block that is open
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if i == n {
			b.WriteString("> …\n")
			break
		}
		line = strings.TrimRight(clip(visible(line), 300), " ")
		b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
		switch ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]; {
		case fence != "" && ticks == line && strings.HasPrefix(line, fence):
			fence = ""
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		}
	}
	if fence != "" {
		b.WriteString("> " + fence + "\n")
	}
	return b.String()
}

// excerpts shows the beginning of the file and the output of the command.
func (t *tour) excerpts() string {
	var b strings.Builder
	if p := t.read.page(); len(p.lines) > 0 {
		b.WriteString("The first lines of " + code(p.path) + ":\n\n" + block(language(p.path), p.lines, 8) + "\n")
	}
	if c := t.peek.command(); len(c.output) > 0 && len(t.team.members()) == 0 { // a subagent shows the same
		b.WriteString("The output of " + code(c.text) + ":\n\n" + block("text", c.output, 8) + "\n")
	}
	return b.String()
}

// language names the language of a file for a code block.
func language(file string) string {
	dot := strings.LastIndexByte(file, '.')
	if dot < 0 {
		return "text"
	}
	ext := strings.ToLower(file[dot+1:])
	lang := map[string]string{"md": "markdown", "go": "go", "py": "python", "js": "javascript", "ts": "typescript",
		"json": "json", "yaml": "yaml", "yml": "yaml", "toml": "toml", "rs": "rust", "c": "c", "sh": "bash", "html": "html"}[ext]
	return firstOf(lang, "text")
}

// closer is a closer look at what the user chose.
func (t *tour) closer() string {
	reply := t.reply()
	if reply == "" {
		return ""
	}
	c, ok := t.chosen()
	if !ok {
		return "## A closer look\n\nYou wrote an answer of your own. A real model would follow it; a script can only repeat it: “" +
			plain(reply, 200) + "”\n\n"
	}
	out := "## A closer look\n\n" + c.note + ".\n\n"
	if len(c.lines) > 0 {
		out = "## A closer look\n\n" + c.note + ":\n\n" + bullets(c.lines, 8) + "\n"
	}
	return out
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

// table lists the steps that did not end well.
func (t *tour) table() string {
	var b strings.Builder
	n := 0
	for _, s := range []struct {
		name string
		use  *use
	}{
		{"Write the plan", t.plan}, {"List the files", t.list}, {"Read a file", t.read}, {"Run a harmless command", t.peek},
		{"Update the plan", t.update}, {"Send subagents", t.team}, {"Update the plan again", t.tick}, {"Ask a question", t.ask},
		{"Run a command that needs permission", t.gated}, {"Close the plan", t.done},
	} {
		if s.use == nil {
			continue
		}
		n++
		if how := s.use.outcome(); how != done {
			b.WriteString(row(s.name, code(s.use.call.Name), how))
		}
	}
	switch {
	case n == 0:
		return "None of the tools that I know was offered, so there is nothing to report.\n\n"
	case b.Len() == 0:
		return ""
	}
	return "## What did not go through\n\n" + row("Step", "Tool", "How it ended") + row("---", "---", "---") + b.String() + "\n"
}

// done is the outcome of a call that went well.
const done = "done"

// outcome says in a few words how a call ended.
func (u *use) outcome() string {
	switch why, denied := u.trouble(); {
	case denied:
		return "denied"
	case why != "":
		return "failed: " + plain(why, 60)
	}
	if exit, ok := u.result.num("exit_code"); ok && exit != 0 {
		return fmt.Sprintf("exit code %d", exit)
	}
	if u.result.fields == nil {
		return "its result cannot be read"
	}
	return done
}

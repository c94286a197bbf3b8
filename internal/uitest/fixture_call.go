package uitest

import (
	"fmt"
	"strings"

	"hermes-tui/agent/event"
)

// object is a JSON object to be.
type object map[string]any

// invent makes up a call and its result.
func (g *generator) invent() *call {
	c := &call{outcome: event.OutcomeOK}
	var args, result object
	switch g.prose.IntN(8) {
	case 0, 1, 2:
		args, result = g.command(c)
	case 3, 4:
		args, result = g.read(c)
	case 5:
		args, result = g.search(c)
	case 6:
		args, result = g.change(c)
	default:
		args, result = g.todo(c)
	}
	c.Function = function{Name: c.view.Name, Arguments: g.json(args)}
	c.result = g.json(result)
	return c
}

// announce sets how a call looks before it runs.
func (c *call) announce(kind event.ViewKind, name, subject string) {
	c.view = event.CallView{Kind: kind, Name: name, Subject: subject}
	c.done = c.view
}

func (g *generator) command(c *call) (args, result object) {
	p := g.prose
	line := p.pick("go test ./%s", "ls -la %s", "git log --oneline -- %s", "rg -n TODO %s", "wc -l %s/*.go")
	line = fmt.Sprintf(line, p.word())
	c.announce(event.ViewCommand, "terminal", line)
	c.view.Dir = g.made.Dir
	code := 0
	if p.IntN(6) == 0 {
		code, c.outcome = 1, event.OutcomeFailed
	}
	output := p.lines(p.between(1, 12))
	c.done = c.view
	c.done.Exit, c.done.Body = &code, output
	return object{"command": line}, object{"output": output, "exit_code": code}
}

func (g *generator) read(c *call) (args, result object) {
	path := g.prose.path()
	c.announce(event.ViewRead, "read_file", path)
	lines := strings.Split(strings.TrimRight(g.prose.code(), "\n"), "\n")
	for i, line := range lines {
		lines[i] = fmt.Sprintf("%d|%s", i+1, line)
	}
	c.done.Summary, c.done.Body, c.done.Lang = fmt.Sprintf("%d lines", len(lines)), strings.Join(lines, "\n"), "go"
	return object{"path": path}, object{"content": c.done.Body, "total_lines": len(lines)}
}

func (g *generator) search(c *call) (args, result object) {
	pattern := g.prose.word()
	c.announce(event.ViewSearch, "search_files", pattern)
	found := []string{}
	for range g.prose.between(0, 12) {
		found = append(found, fmt.Sprintf("%s:%d: %s", g.prose.path(), g.prose.between(1, 900), g.prose.phrase(6)))
	}
	c.done.Summary, c.done.Body = fmt.Sprintf("%d matches", len(found)), strings.Join(found, "\n")
	return object{"pattern": pattern}, object{"matches": found, "total_count": len(found)}
}

func (g *generator) change(c *call) (args, result object) {
	path, before, after := g.prose.path(), g.prose.phrase(5), g.prose.phrase(6)
	c.announce(event.ViewWrite, "patch", path)
	diff := fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-%s\n+%s\n", path, path, before, after)
	c.done.Summary, c.done.Body, c.done.Lang = "+1 −1", diff, "diff"
	return object{"path": path, "old_string": before, "new_string": after}, object{"success": true, "diff": diff}
}

func (g *generator) todo(c *call) (args, result object) {
	done := 0
	for i := range g.prose.between(2, 6) {
		item := event.Todo{ID: fmt.Sprint(i + 1), Content: g.prose.phrase(5), Status: event.TodoPending}
		switch g.prose.IntN(3) {
		case 0:
			item.Status = event.TodoCompleted
			done++
		case 1:
			item.Status = event.TodoInProgress
		}
		c.todos = append(c.todos, item)
	}
	c.announce(event.ViewTodo, "todo", "")
	c.done.Summary = fmt.Sprintf("%d of %d done", done, len(c.todos))
	return object{"todos": c.todos}, object{"todos": c.todos}
}

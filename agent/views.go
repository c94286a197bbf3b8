package agent

import (
	"hermes-tui/agent/event"
	"hermes-tui/tools"
)

// view makes what a screen may show of what a tool says: secrets are masked and
// the body is cut.
func (t *turn) view(tool tools.Tool, v tools.View) event.CallView {
	return callView(t.mask, tool.Name, v)
}

func callView(mask Masker, name string, v tools.View) event.CallView {
	out := event.CallView{
		Kind: event.ViewKind(v.Kind), Name: name, Subject: mask.Text(v.Subject), Summary: mask.Text(v.Summary),
		Lang: v.Lang, Exit: v.Exit, Dir: v.Dir, Ran: string(v.Ran), Hosts: v.Hosts,
	}
	if out.Kind == "" {
		out.Kind = event.ViewGeneric
	}
	out.Body, out.Cut = cut(mask.Text(v.Body), v.Kind == tools.KindCommand)
	return out
}

// cut bounds a body. Of a command the end matters, of anything else the start.
func cut(s string, tail bool) (string, int) { return event.Excerpt(s, event.BodyLimit, tail) }

// adopt replaces the announced view of a call by the view of its result. What
// the result leaves open stays as announced.
func (t *turn) adopt(c *callRun) {
	v := t.view(c.tool, c.result.View)
	if c.result.View.Kind == "" {
		v.Kind = c.view.Kind
	}
	if v.Name == "" {
		v.Name = c.view.Name
	}
	if v.Subject == "" {
		v.Subject = c.view.Subject
	}
	if v.Dir == "" {
		v.Dir = c.view.Dir
	}
	if v.Cut > 0 {
		t.conv.results.keep(string(c.id)+".out", t.mask.Text(c.result.View.Body))
	}
	c.view = v
}

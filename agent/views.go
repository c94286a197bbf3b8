package agent

import (
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/tools"
)

// view makes what a screen may show of what a tool says: secrets are masked and
// the body is cut.
func (t *turn) view(tool tools.Tool, v tools.View) event.CallView {
	return callView(t.mask, tool.Name, v)
}

// callView returns the view of a call as a transcript keeps it. It shares no memory with v,
// whose texts may be small parts of a whole result.
func callView(mask Masker, name string, v tools.View) event.CallView {
	own := func(s string) string { return strings.Clone(mask.Text(s)) }
	out := event.CallView{
		Kind: event.ViewKind(v.Kind), Name: name, Subject: own(v.Subject), Summary: own(v.Summary),
		Lang: v.Lang, Dir: strings.Clone(v.Dir), Ran: string(v.Ran), Hosts: v.Hosts,
	}
	if v.Exit != nil {
		out.Exit = new(*v.Exit)
	}
	if out.Kind == "" {
		out.Kind = event.ViewGeneric
	}
	if out.Body, out.Cut = cut(mask.Text(v.Body), v.Kind == tools.KindCommand); out.Cut > 0 {
		out.Body = strings.Clone(out.Body)
	}
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

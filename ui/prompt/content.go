package prompt

import (
	"strconv"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// The marks before a row of content. Rows to choose from have neither.
const (
	given = "│" // what is asked about, as it came
	about = "·" // what the program says about it
)

// row is a row of content: a mark, and text of at most the width it was made
// for.
type row struct {
	mark  string
	style rows.Style
	text  string
}

// bodyCache holds the wrapped content of one page of one request.
type bodyCache struct {
	id    event.RequestID
	page  page
	width int
	rows  []row
}

// content is the content of the current page in rows of w cells.
func (p *Panel) content(v *view, w int) []row {
	c := &p.body
	shown := v.page
	if shown == writing {
		shown = choosing // the same content stays above what is written
	}
	if c.rows == nil || c.id != p.current || c.page != shown || c.width != w {
		*c = bodyCache{p.current, shown, w, p.compose(v, w)}
	}
	return c.rows
}

// compose wraps the content of a page.
func (p *Panel) compose(v *view, w int) []row {
	b := body{w: w}
	st, r := p.styles, v.request
	switch {
	case v.page == sure:
		b.add(given, st.Strong, r.Approval.Rule)
		b.add(about, st.Muted, "Whatever matches this runs without a question from now on, in every conversation.")
	case v.page == editing:
		text := "instead of what was asked for"
		if dir := r.Approval.Dir; dir != "" {
			text += ", in " + term.Line(dir)
		}
		b.add(about, st.Muted, text)
	case v.page == all:
		for i, o := range v.group {
			b.add(about, st.Muted, strconv.Itoa(i+1)+". "+path(o)+" wants to "+term.Line(o.Approval.Action)+":")
			b.approval(st, o.Approval, false)
		}
	case r.Kind == event.RequestApproval:
		b.approval(st, r.Approval, true)
	case r.Kind == event.RequestSecret:
		b.add(given, st.Strong, r.Secret.Label)
		if r.Secret.Reason != "" {
			b.add(about, st.Muted, "needed by:")
			b.add(given, st.Text, r.Secret.Reason)
		}
	case r.Kind == event.RequestClarify:
		b.add(given, st.Text, r.Clarify.Question)
	case r.Kind == event.RequestTrust:
		b.add(given, st.Strong, r.Trust.Root)
		if len(r.Trust.Files) > 0 {
			b.add(about, st.Muted, "The agent would do what these files say:")
		}
		for _, f := range r.Trust.Files {
			b.add(given, st.Text, f)
		}
	}
	return b.rows
}

type body struct {
	w    int
	rows []row
}

// add appends a text from outside.
func (b *body) add(mark string, style rows.Style, text string) {
	text = strings.TrimRight(strings.ReplaceAll(term.Plain(text), "\t", "    "), "\n")
	for _, line := range wrap(spell(text), b.w) {
		b.rows = append(b.rows, row{mark, style, line})
	}
}

// approval writes what is to be approved, why it is asked, where it happens and
// what the further permissions would cover.
func (b *body) approval(st *rows.Styles, a *event.Approval, rule bool) {
	b.add(given, st.Strong, a.Text)
	why := a.Reason
	if a.Dir != "" {
		if why != "" {
			why += "  ·  "
		}
		why += "in " + term.Line(a.Dir)
	}
	if why != "" {
		b.add(about, st.Muted, why)
	}
	if a.Rule != "" && rule {
		b.add(about, st.Muted, "this session and always allow: "+term.Line(a.Rule))
	}
}

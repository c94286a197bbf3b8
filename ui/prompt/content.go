package prompt

import (
	"slices"
	"strconv"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/tools/hunks"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// The marks before a row of content. Rows to choose from have neither.
const (
	given = "│" // what is asked about, as it came
	about = "·" // what the program says about it
	onto  = "┊" // that goes on from the row above
)

// row is a row of content: a mark, and text of at most the width it was made
// for.
type row struct {
	mark  string
	style rows.Style
	text  string
	marks []mark // of the text, in order
}

// bodyCache holds the wrapped content of one page of one request.
type bodyCache struct {
	id    event.RequestID
	spot  spot
	width int
	rows  []row
	// need is how many of the rows must have been in sight before an answer
	// is taken.
	need int
}

// content is the content of the current page in rows of w cells.
func (p *Panel) content(v *view, w int) []row {
	c := &p.body
	if c.rows == nil || c.id != p.current || c.spot != v.spot() || c.width != w {
		*c = bodyCache{id: p.current, spot: v.spot(), width: w, rows: p.compose(v, w)}
		c.need = len(c.rows)
		c.rows = p.asker(v, c.rows, w)
		v.reread(w)
	}
	return c.rows
}

// asker adds who asks, in full, where the header may have no room for it.
func (p *Panel) asker(v *view, list []row, w int) []row {
	_, named, what := title(v, w+markCells+endCells >= wideHeader)
	if !named || len(v.names) == 1 && rows.Width(v.names[0]) <= shortPath || rows.Width(strings.Join(v.names, pathSep)+what)+headCells <= w {
		return list
	}
	b := body{w: w, rows: list}
	b.add(about, p.styles.Muted, "asked by "+strings.Join(v.names, pathSep))
	return b.rows
}

// headCells is how many cells of the header are taken by its sign and by how many
// requests wait, in short, beyond the cells of the text below it.
const headCells = 10

// compose wraps the content of a page.
func (p *Panel) compose(v *view, w int) []row {
	b := body{w: w}
	st, r := p.styles, v.request
	switch {
	case v.page == sure:
		b.scopes(st, scopes(r.Approval))
		span := "in every session."
		if v.session {
			span = "until this session ends."
		}
		what := "This is allowed"
		if r.Approval.Confinable {
			what = "This runs outside"
		}
		b.add(about, st.Muted, what+" without a question from now on, "+span)
		if bound := term.Line(r.Approval.Bound); bound != "" {
			b.add(about, st.Muted, "You are asked again when a file has changed that it is bound to: "+bound+". Others that these start or load are not bound.")
		}
	case v.page == editing && r.Approval == nil:
		b.add(about, st.Muted, "instead of what was written")
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
	case v.page == review:
		b.add(about, st.Muted, v.keys.in("{enter} on an answer changes it. They are sent together."))
	case r.Kind == event.RequestClarify:
		b.add(given, st.Text, v.asked().question)
		if v.asked().multi {
			then := v.keys.Enter + " sends them."
			if v.batch() {
				then = v.keys.Enter + " goes on."
			}
			b.add(about, st.Muted, "Several may be selected: space selects one, "+then)
		}
	case r.Kind == event.RequestTrust:
		b.add(given, st.Strong, r.Trust.Root)
		if len(r.Trust.Files) > 0 {
			b.add(about, st.Muted, "The agent would follow these files:")
		}
		for _, f := range r.Trust.Files {
			b.add(given, st.Text, f)
		}
		b.add(about, st.Muted, "Without trust they are left out, and git runs confined, without hooks.")
	}
	return b.rows
}

type body struct {
	w    int
	rows []row
}

// add appends a text from outside.
func (b *body) add(mark string, style rows.Style, text string) { b.addMarked(mark, style, text, nil) }

// addMarked appends a text from outside in which the words of reasons are marked.
func (b *body) addMarked(mark string, style rows.Style, text string, why []event.Reason) {
	text = spell(strings.TrimRight(strings.ReplaceAll(term.Plain(text), "\t", "    "), "\n"))
	marked := marks(text, why)
	at := 0
	for i, line := range wrap(text, b.w) {
		if i > 0 && text[at] == '\n' {
			at++
		}
		if i > 0 && mark == about {
			mark = onto
		}
		r := row{mark: mark, style: style, text: line}
		if len(marked) > 0 {
			r.marks = cutMarks(marked, at, at+len(line))
		}
		b.rows = append(b.rows, r)
		at += len(line)
	}
}

// approval writes what is to be approved, why it is asked, where it happens and
// what the further permissions would cover.
func (b *body) approval(st *rows.Styles, a *event.Approval, rule bool) {
	b.addMarked(given, st.Strong, a.Text, a.Reasons)
	where := ""
	if a.Dir != "" {
		where = "in " + term.Line(a.Dir)
	}
	for _, f := range editLines(a.Edit) {
		b.add(about, st.Text, f)
	}
	switch why := reasons(a); {
	case len(why) == 1 && len(a.Reasons) < 2:
		b.add(about, st.Muted, point(why[0], where))
	default:
		for _, text := range why {
			b.add(about, st.Warn, "⚠ "+text)
		}
		for _, r := range a.Reasons {
			if r.Held != "" {
				b.add(about, st.Muted, "confined: "+reason(a, r)+"  ·  "+term.Line(r.Held))
			}
		}
		if where != "" {
			b.add(about, st.Muted, where)
		}
	}
	if a.Confinement != "" {
		b.add(about, st.Text, term.Line(a.Confinement))
	}
	switch all := scopes(a); {
	case !rule || len(all) == 0:
	case len(all) == 1:
		b.add(about, st.Muted, "“For this session” and “Always” allow: "+term.Line(ruleHere(a, all[0].Rule)))
	default:
		var labels []string
		for _, s := range all {
			labels = append(labels, term.Line(s.Label))
		}
		b.add(about, st.Muted, "“For this session” and “Always” can cover: "+strings.Join(labels, "; "))
	}
}

// ruleHere is a rule in words where it names what stands above it: the command, and the
// folder. The page that asks once more shows it in full.
func ruleHere(a *event.Approval, rule string) string {
	switch where, same := strings.CutSuffix(rule, "exactly: "+a.Text); {
	case same && where == "":
		return "exactly this"
	case same && where == "in "+strconv.Quote(a.Dir)+" ":
		return "exactly this, in this folder"
	}
	return rule
}

// maxNamed is how many files of an edit are named.
const maxNamed = 8

// editLines says in short what an edit does to files.
func editLines(e *event.Edit) (list []string) {
	if e == nil {
		return nil
	}
	total := 0
	for i, f := range e.Files {
		total += f.Pieces
		if i >= maxNamed {
			continue
		}
		text := term.Line(f.Name)
		if f.To != "" {
			text += " → " + term.Line(f.To)
		}
		switch f.Op {
		case hunks.Create:
			text += " (new)"
		case hunks.Delete:
			text += " (deleted)"
		}
		if f.Opaque != "" {
			text += "  " + f.Opaque
		} else {
			text += "  +" + strconv.Itoa(f.Added) + " −" + strconv.Itoa(f.Removed)
			if f.Pieces > 1 {
				text += " in " + strconv.Itoa(f.Pieces) + " hunks"
			}
		}
		list = append(list, text)
	}
	if n := len(e.Files) - maxNamed; n > 0 {
		list = append(list, "and "+strconv.Itoa(n)+" more files, "+strconv.Itoa(total)+" hunks in all")
	}
	return list
}

// scopes writes what lasting permissions would cover.
func (b *body) scopes(st *rows.Styles, all []event.Scope) {
	wide := slices.ContainsFunc(all, func(s event.Scope) bool { return len(s.Also) > 0 })
	for _, s := range all {
		if len(all) > 1 {
			b.add(about, st.Muted, term.Line(s.Label)+":")
		}
		b.add(given, st.Strong, s.Rule)
		switch {
		case len(s.Also) > 0:
			b.add(about, st.Text, "allows as well: "+term.Line(strings.Join(s.Also, "  ·  "))+"  ·  …")
		case wide:
			b.add(about, st.Muted, "allows nothing else")
		}
	}
}

// reasons says why something is asked, the worst first, without what is only held.
func reasons(a *event.Approval) []string {
	all := a.Reasons
	if len(all) == 0 && a.Reason != "" {
		all = []event.Reason{{Text: a.Reason}}
	}
	var list []string
	for _, r := range all {
		if r.Held == "" {
			list = append(list, reason(a, r))
		}
	}
	return list
}

// reason is a reason with the words of the action that caused it, unless that is all of
// it.
func reason(a *event.Approval, r event.Reason) string {
	words := term.Line(strings.Join(r.Words, " "))
	if words == term.Line(a.Text) {
		words = ""
	}
	return point(r.Text, words)
}

// point puts a point between two texts; of an empty one there is nothing.
func point(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "  ·  " + b
}

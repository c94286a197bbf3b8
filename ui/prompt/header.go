package prompt

import (
	"strconv"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// header says who asks for what, how many wait, and whether keys are taken. With
// warn it also says why an answer was refused.
func (p *Panel) header(v *view, w int, warn bool) string {
	st := p.styles
	icon, named, what := title(v, w >= wideHeader)
	switch {
	case v.refused && warn:
		icon, named, what = "⚠ ", false, "Read to the end first: "+p.keys.Down
	case v.word != "":
		named, what = false, v.word
	}
	who := ""
	if named {
		who = strings.Join(v.names, pathSep)
	}
	room := w - rows.Width(icon+what)
	right := p.state(room, rows.Width(who))
	if named {
		who = pathIn(v.names, max(room-rows.Width(right)-1, 4))
	}
	hint := st.Accent
	if p.Armed() {
		hint = st.Faint
	}
	left := st.Warn.Render(icon) + st.Strong.Render(who) + st.Text.Render(what)
	return rows.Between(left, hint.Render(right), max(w, 0))
}

const (
	// wideHeader is from how many cells on the header says that a number counts
	// questions.
	wideHeader = 56
	// fairPath is what a path that has to be shortened keeps beside what stands at the
	// right, shortPath what it keeps where there is little room, leastPath what is kept
	// for any.
	fairPath, shortPath, leastPath = 28, 12, 6
)

// state says until when an answer counts, how many requests wait and what tab does:
// the longest form that leaves the path of the given width whole, or else one that
// leaves some of it. room is what both have together.
func (p *Panel) state(room, path int) string {
	forms := p.states()
	for _, form := range forms {
		if rows.Width(form)+1+path <= room {
			return form
		}
	}
	for _, keep := range []int{fairPath, shortPath} {
		keep = min(max(path, leastPath), keep)
		for _, form := range forms {
			if rows.Width(form)+keep < room {
				return form
			}
		}
	}
	return ""
}

// states are the forms of what [Panel.state] says, the longest first.
func (p *Panel) states() []string {
	key := p.keys.Tab
	long, short, tab, brief := "", "", key+": answer later", key+": later"
	n := len(p.waiting)
	if n > 1 {
		place := strconv.Itoa(p.index() + 1)
		long, short = place+" of "+strconv.Itoa(n)+" · ", place+"/"+strconv.Itoa(n)+" · "
	}
	switch {
	case !p.Armed():
		tab, brief = key+": answer", key+": answer"
		if n > 1 && p.arming.later[p.current] {
			long = strconv.Itoa(n) + " waiting · "
		}
	case p.other() != "":
		tab, brief = key+": next", key+": next"
	}
	forms := []string{long + tab, short + brief, short + key}
	if left := p.left(); left != "" {
		for i := range forms {
			forms[i] = left + " · " + forms[i]
		}
		forms = append(append([]string{"answer within " + forms[0]}, forms...), left)
	}
	return forms
}

// title is the header's left side: a sign, whether who asks follows it, and for
// what.
func title(v *view, wide bool) (icon string, named bool, what string) {
	r := v.request
	switch {
	case v.page == sure && v.session:
		return "⚠ ", false, "Allow this for the session?"
	case v.page == sure:
		return "⚠ ", false, "Always allow this?"
	case v.page == all:
		return "⚠ ", false, "All of these wait"
	case v.page == review:
		return "? ", false, "Your answers"
	case v.page == editing && r.Approval == nil:
		return "? ", true, " gets this instead"
	case v.page == editing:
		return "⚠ ", true, " runs this instead"
	case r.Kind == event.RequestApproval:
		return "⚠ ", true, " wants to " + rows.Truncate(spell(term.Line(r.Approval.Action)), 24, "…")
	case r.Kind == event.RequestTrust:
		return "⚠ ", false, "Do you trust this folder?"
	case r.Kind == event.RequestSecret:
		return "⚿ ", true, " needs a password"
	}
	what = " asks"
	if v.batch() {
		what += " "
		if wide {
			what = " asks · question "
		}
		what += strconv.Itoa(v.at+1) + " of " + strconv.Itoa(len(v.items))
	}
	return "? ", true, what
}

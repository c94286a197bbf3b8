package composer

import "strings"

// Bounds of what can be undone.
const (
	maxUndo      = 200
	maxUndoBytes = 16 << 20 // of text in all steps; the newest step always stays
	maxRun       = 1024     // bytes typed in one step
)

// editKind says which edits go together into one step.
type editKind uint8

const (
	single editKind = iota
	typing
	deletingBack
	deletingForth
)

// edit is one replacement of text, with the cursor before and after it.
type edit struct {
	kind              editKind
	at                pos
	removed, inserted string
	before, after     pos
}

func (e edit) bytes() int { return len(e.removed) + len(e.inserted) }

// undoLog holds the edits that can be undone and done again.
type undoLog struct {
	done, undone []edit
	bytes        int
	// open is set while the newest edit may grow.
	open bool
}

// add records an edit. What was undone before can't be done again.
func (u *undoLog) add(e edit) {
	for _, x := range u.undone {
		u.bytes -= x.bytes()
	}
	u.undone = nil
	u.bytes += e.bytes()
	if n := len(u.done); u.open && n > 0 && u.done[n-1].absorb(e) {
		return
	}
	u.open = e.kind != single
	u.done = append(u.done, e)
	for len(u.done) > 1 && (len(u.done) > maxUndo || u.bytes > maxUndoBytes) {
		u.bytes -= u.done[0].bytes()
		u.done[0] = edit{}
		u.done = u.done[1:]
	}
}

// absorb makes a following edit a part of this one, if both are one run.
func (e *edit) absorb(f edit) bool {
	if e.kind != f.kind || f.before != e.after || e.bytes()+f.bytes() > maxRun || strings.Contains(f.removed+f.inserted, "\n") {
		return false
	}
	switch e.kind {
	case typing:
		newWord := strings.HasSuffix(e.inserted, " ") && !strings.HasPrefix(f.inserted, " ")
		if f.removed != "" || f.at != e.at.after(e.inserted) || newWord {
			return false
		}
		e.inserted += f.inserted
	case deletingBack:
		if f.inserted != "" || f.at.after(f.removed) != e.at {
			return false
		}
		e.at, e.removed = f.at, f.removed+e.removed
	case deletingForth:
		if f.inserted != "" || f.at != e.at {
			return false
		}
		e.removed += f.removed
	default:
		return false
	}
	e.after = f.after
	return true
}

// seal ends the newest run.
func (u *undoLog) seal() { u.open = false }

// clear forgets everything.
func (u *undoLog) clear() { *u = undoLog{} }

// back takes the newest edit off what is done.
func (u *undoLog) back() (edit, bool) {
	n := len(u.done)
	if n == 0 {
		return edit{}, false
	}
	e := u.done[n-1]
	u.done, u.undone, u.open = u.done[:n-1], append(u.undone, e), false
	return e, true
}

// forth takes the newest edit off what was undone.
func (u *undoLog) forth() (edit, bool) {
	n := len(u.undone)
	if n == 0 {
		return edit{}, false
	}
	e := u.undone[n-1]
	u.undone, u.done, u.open = u.undone[:n-1], append(u.done, e), false
	return e, true
}

// each calls f with every text that an edit may bring back.
func (u *undoLog) each(f func(text string)) {
	for _, list := range [][]edit{u.done, u.undone} {
		for _, e := range list {
			f(e.removed)
			f(e.inserted)
		}
	}
}

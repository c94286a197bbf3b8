package transcript

import (
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

// tally is what a group of looks at files and searches comes to.
type tally struct {
	reads, searches int
	files           int // that were read, each once
	running, done   int
	took            time.Duration // of those that ended
	subjects        []string      // each once, in the order of their first time
}

// namesShown bounds how many subjects a group names, whatever the width.
const namesShown = 20

func add(blocks []*event.Block) tally {
	var t tally
	seen := map[string]bool{}
	for _, b := range blocks {
		view, first := &b.Call.View, !seen[b.Call.View.Subject]
		seen[view.Subject] = true
		if first {
			t.subjects = append(t.subjects, view.Subject)
		}
		if view.Kind == event.ViewRead {
			t.reads++
			if first {
				t.files++
			}
		} else {
			t.searches++
		}
		switch b.Call.Stage {
		case event.CallEnded:
			t.done++
			t.took += b.Call.Took
		case event.CallRunning:
			t.running++
		}
	}
	return t
}

// says is what the group did, or does as long as not all have ended.
func (t *tally) says(over bool) string {
	read, searched := "read ", "searched "
	if !over {
		read, searched = "reading ", "searching "
	}
	var what []string
	if t.reads > 0 {
		files := read + format.Count(max(t.files, 1), "file", "files")
		if t.reads > t.files {
			files += " in " + format.Count(t.reads, "call", "calls")
		}
		what = append(what, files)
	}
	if t.searches > 0 {
		what = append(what, searched+format.Count(t.searches, "time", "times"))
	}
	return strings.Join(what, ", ")
}

// group draws several looks at files and searches as one row. An empty glyph
// stands for that of how they stand.
func (v *View) group(c *canvas, blocks []*event.Block, glyph string) {
	t := add(blocks)
	over := t.done == len(blocks)
	style, end := v.st.Good, v.st.Muted.Render(format.Duration(t.took))+" "+v.st.Good.Render("✓")
	sign := "●"
	switch {
	case t.running > 0:
		c.move()
		sign, style = status.Spinner(v.frame), v.st.Accent
		end = v.st.Muted.Render(itoa(t.done) + " of " + itoa(len(blocks)) + " · " + format.Duration(v.since(begun(blocks))))
	case !over:
		sign, style = "○", v.st.Faint
		end = v.st.Faint.Render("waits its turn")
		if t.done > 0 {
			end = v.st.Muted.Render(itoa(t.done) + " of " + itoa(len(blocks)))
		}
	}
	if glyph != "" {
		sign = glyph
	}
	names := t.subjects[:min(len(t.subjects), namesShown)]
	for i, n := range names {
		names[i] = clip(n, c.w)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return n == "" })
	left := style.Render(sign) + " " + v.st.Strong.Render(t.says(over)) + indent + v.st.Muted.Render(c.mark(strings.Join(names, ", ")))
	c.add(rows.Between(left, end, c.w))
}

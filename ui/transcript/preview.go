package transcript

import (
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

// outputMark begins the lines of a script's body that are its output.
const outputMark = "#> "

// preview draws the lines of a call's output that a folded block shows, up to
// liveLines, so that the end of a command stays in sight: its last lines, those
// that say why it failed, or the first ones of what is no command. all reports
// whether they are the whole body. What is read or found says enough in a few
// words, and has none.
func (v *View) preview(c *canvas, call *event.Call) (drawn []string, all bool) {
	view := &call.View
	end := view.Kind == event.ViewCommand || view.Kind == event.ViewProcess || view.Kind == event.ViewCode
	if !end && view.Kind != event.ViewGeneric {
		return nil, view.Body == ""
	}
	var lines []string
	all = view.Cut == 0
	for _, l := range strings.Split(term.Sanitize(view.Body), "\n") {
		if view.Kind == event.ViewCode {
			rest, ok := strings.CutPrefix(l, outputMark)
			all = all && (ok || strings.TrimSpace(l) == "")
			if l = rest; !ok {
				continue
			}
		}
		if strings.TrimSpace(l) != "" {
			lines = append(lines, l)
		}
	}
	shown := lines[:min(len(lines), liveLines)]
	switch {
	case end && call.Outcome == event.OutcomeFailed:
		shown = telling(lines, liveLines)
	case end:
		shown = lines[max(len(lines)-liveLines, 0):]
	case len(lines) > 0 && call.Outcome == event.OutcomeFailed && view.Summary == "":
		lines = lines[1:] // it stands in the words
		shown = lines[:min(len(lines), liveLines)]
	}
	all = all && len(shown) == len(lines)
	room := liveLines - len(shown) // for long lines
	for _, l := range shown {
		r, fits := v.line(c, l, 1+room)
		room -= len(r) - 1
		drawn, all = append(drawn, r...), all && fits
	}
	return drawn, all
}

// extent says how much there is of a body: lines and bytes. Of one that was cut
// only the summary knows the lines.
func extent(view *event.CallView, lines []string) string {
	size := format.Bytes(int64(len(view.Body) + view.Cut))
	if view.Cut == 0 {
		return format.Count(len(lines), "line", "lines") + ", " + size
	}
	if said := firstLine(view.Summary); strings.HasSuffix(said, " lines") {
		return said + ", " + size
	}
	return size
}

package transcript

import (
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/tools/shorten"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

// outputMark begins the lines of a script's body that are its output.
const outputMark = "#> "

// preview draws the lines of a call's output that a folded block shows, up to
// [View.SetOutputLines], so that the end of a command stays in sight: its last lines, those
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
	shown := lines[:min(len(lines), v.lines)]
	switch {
	case end && call.Outcome == event.OutcomeFailed:
		shown = telling(meaningful(lines, v.lines), v.lines)
	case end:
		shown = meaningful(lines, v.lines)
		shown = shown[max(len(shown)-v.lines, 0):]
	case len(lines) > 0 && call.Outcome == event.OutcomeFailed && view.Summary == "":
		lines = lines[1:] // it stands in the words
		shown = lines[:min(len(lines), v.lines)]
	}
	all = all && len(shown) == len(lines)
	room := v.lines - len(shown) // for long lines
	for _, l := range shown {
		r, fits := v.line(c, l, 1+room)
		room -= len(r) - 1
		drawn, all = append(drawn, r...), all && fits
	}
	return drawn, all
}

// meaningful leaves out lines without a letter or digit where there are more than n.
func meaningful(lines []string, n int) []string {
	if len(lines) <= n {
		return lines
	}
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool {
		return !strings.ContainsFunc(ansi.Strip(l), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	})
}

// extent says how much there is of a body: lines and bytes. Of one that was cut
// only the summary knows the lines.
func extent(view *event.CallView, lines []string) string {
	size := format.Bytes(int64(len(view.Body) + view.Cut))
	if view.Cut == 0 {
		return format.Exact(len(lines), "line", "lines") + ", " + size
	}
	if said := shorten.First(view.Summary); strings.HasSuffix(said, " lines") {
		return said + ", " + size
	}
	return size
}

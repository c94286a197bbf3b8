package compress

import (
	"slices"
	"strings"
	"unicode/utf8"

	"hermes-tui/providers"
	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// The sizes from which something is worth shortening, in characters.
const (
	longResult    = 200
	longArguments = 500
	longProtected = 4_000
)

// shorten shortens what a level does not protect.
func (w *work) shorten(l level) {
	edge := w.edge(l)
	kept := w.full(edge)
	for i := range w.messages {
		switch role := w.messages[i].Role; {
		case w.final[i]:
		case role == providers.User:
			if i < edge && i != w.span.newest {
				w.leaveImages(i)
			}
		case role == providers.Tool && i < edge:
			w.final[i] = w.shortenResult(i, kept)
		case role == providers.Tool && l.preview > 0:
			w.previewResult(i, l.preview)
		case role == providers.Assistant && i < edge:
			w.shortenCalls(i)
			w.final[i] = true
		}
	}
}

// edge is where the protected messages of a level begin. A call is never
// separated from its result, so that each result is described by the arguments
// as they were.
func (w *work) edge(l level) int {
	edge, weight := len(w.messages), 0
	for edge > 0 {
		weight += w.sizes[edge-1]
		if len(w.messages)-edge >= l.keep && weight > l.tail {
			break
		}
		edge--
	}
	for edge > 0 && edge < len(w.messages) && w.messages[edge].Role == providers.Tool {
		edge--
	}
	return edge
}

// full collects the long results from an index on.
func (w *work) full(from int) map[string]bool {
	kept := map[string]bool{}
	for i := from; i < len(w.old); i++ {
		if w.old[i].Role != providers.Tool {
			continue
		}
		body, _ := w.said.split(w.old[i].Text())
		if body, _ = tools.Unfence(body); longer(body, longResult-1) {
			kept[body] = true
		}
	}
	return kept
}

// shortenResult makes one line of a result. kept are the results that stay. It
// returns false when the line depends on them.
func (w *work) shortenResult(i int, kept map[string]bool) bool {
	body, said := w.said.split(w.old[i].Text())
	body, _ = tools.Unfence(body)
	switch {
	case w.protected(i, body):
	case kept[body]:
		w.setText(i, sameAgain(w.calls[i])+said)
		return false
	case longer(body, longResult):
		if w.lines[i] == "" {
			w.lines[i] = w.e.oneLine(w.calls[i], body)
		}
		w.setText(i, w.lines[i]+said)
	}
	return true
}

// previewResult cuts the middle out of a result.
func (w *work) previewResult(i, limit int) {
	body, said := w.said.split(w.old[i].Text())
	if w.protected(i, body) || !longer(body, limit) {
		return
	}
	w.setText(i, preview(body, limit)+said)
}

// protected reports whether a result stays whatever happens, such as what the user
// answered, and the task list as it is now.
func (w *work) protected(i int, body string) bool {
	name := w.calls[i].Name
	switch w.e.tool(name).Protected {
	case tools.ProtectAll:
		return true
	case tools.ProtectNewest:
		return i == w.newest[name] && !longer(body, longProtected)
	}
	return false
}

// setText replaces the content of a result.
func (w *work) setText(i int, text string) {
	m := w.old[i]
	m.Parts = providers.TextParts(text)
	w.replace(i, m)
	w.results[i] = true
}

// shortCalls are the calls of a message with their arguments cut; cut counts those that are.
type shortCalls struct {
	calls []providers.Call
	cut   int
}

// shortenCalls cuts the long arguments of a message.
func (w *work) shortenCalls(i int) {
	m := w.messages[i]
	if w.shorts[i] == nil {
		w.shorts[i] = cutCalls(m.Calls)
	}
	if s := w.shorts[i]; s.cut > 0 {
		m.Calls = s.calls
		w.replace(i, m)
		w.cut[i] += s.cut
	}
}

func cutCalls(calls []providers.Call) *shortCalls {
	s := &shortCalls{calls: calls}
	for k, c := range calls {
		arguments, changed := cutArguments(c.Arguments)
		if !changed {
			continue
		}
		if s.cut == 0 {
			s.calls = slices.Clone(calls)
		}
		s.calls[k].Arguments = arguments
		s.cut++
	}
	return s
}

// longer reports whether a text has more than n characters.
func longer(s string, n int) bool {
	return len(s) > utf8.UTFMax*n || len(s) > n && utf8.RuneCountInString(s) > n
}

// previewMark stands where the middle of a result was; its room is taken from
// the limit.
const (
	previewOpen  = "\n[… "
	previewClose = " characters left out here to make room …]\n"
	previewRoom  = 80
)

// preview keeps the beginning and the end of a text, at most limit characters
// with the mark between them; two thirds are the beginning's.
func preview(s string, limit int) string {
	limit -= previewRoom
	head, tail := limit-limit/3, limit/3
	left := utf8.RuneCountInString(s) - head - tail
	return shorten.Runes(s, head) + previewOpen + tools.Grouped(left) + previewClose + last(s, tail)
}

// last is the last n characters of a text.
func last(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}

// marks are what stands around the user's words in a result.
type marks struct{ open, close string }

// split divides a result into the tool's output and what the user said while
// it ran, which stands in whole passages at its end.
func (k marks) split(s string) (body, said string) {
	body = s
	if k.open == "" || k.close == "" {
		return body, ""
	}
	for strings.HasSuffix(body, k.close) {
		i := strings.LastIndex(body[:len(body)-len(k.close)], "\n\n"+k.open)
		if i < 0 {
			break
		}
		body = body[:i]
	}
	return body, s[len(body):]
}

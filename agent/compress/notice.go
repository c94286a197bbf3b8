package compress

import (
	"fmt"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/tools"
)

// The notice stands at the end of the first user message, where it needs no
// message of its own, and is written in a form that can be found again.
const (
	noticeOpen  = "\n\n[note from the program; the user did not write it]\nLeft out after the beginning of this conversation, to make room: "
	noticeText  = ". The user still sees them, and what was done there stays done. What was read there is no longer before you: read files and run checks again before you rely on them."
	noticeTasks = "\nOpen tasks at that time:"
	noticeItem  = "\n- "
	noticeClose = "\n[end of the note]"
)

// The notice lists at most so many open tasks, each cut to so many characters.
const (
	mostTasks = 50
	longTask  = 250
)

// omission counts what was left out.
type omission struct{ turns, messages int }

// String writes the counts as they stand in a notice.
func (o omission) String() string {
	return tools.Plural(o.turns, "turn", "turns") + " (" + tools.Plural(o.messages, "message", "messages") + ")"
}

// notice says to the model what is missing.
func (w *work) notice(o omission) string {
	var b strings.Builder
	b.WriteString(noticeOpen + o.String() + noticeText)
	if len(w.open) > 0 {
		b.WriteString(noticeTasks)
	}
	for _, line := range w.open[:min(len(w.open), mostTasks)] {
		b.WriteString(noticeItem + tools.ClipLine(line, longTask))
	}
	if more := len(w.open) - mostTasks; more > 0 {
		fmt.Fprintf(&b, "%sand %d more", noticeItem, more)
	}
	b.WriteString(noticeClose)
	return b.String()
}

// splitNotice takes an earlier notice off a text. What only looks like one, as
// a quotation with other text behind it, is the user's.
func splitNotice(text string) (string, omission) {
	for from := 0; ; {
		i := strings.Index(text[from:], noticeOpen)
		if i < 0 {
			return text, omission{}
		}
		i += from
		if o, ok := parseNotice(text[i:]); ok {
			return text[:i], o
		}
		from = i + len(noticeOpen)
	}
}

// parseNotice reads a text that is one whole notice.
func parseNotice(s string) (omission, bool) {
	s, opened := strings.CutPrefix(s, noticeOpen)
	s, closed := strings.CutSuffix(s, noticeClose)
	counts, tasks, ok := strings.Cut(s, noticeText)
	if !opened || !closed || !ok {
		return omission{}, false
	}
	if list, listed := strings.CutPrefix(tasks, noticeTasks); listed {
		for _, line := range strings.Split(strings.TrimPrefix(list, "\n"), "\n") {
			if !strings.HasPrefix("\n"+line, noticeItem) {
				return omission{}, false
			}
		}
	} else if tasks != "" {
		return omission{}, false
	}
	var o omission
	var turns, messages string
	n, err := fmt.Sscanf(strings.ReplaceAll(counts, ",", ""), "%d %s (%d %s", &o.turns, &turns, &o.messages, &messages)
	return o, err == nil && n == 4 && o.turns > 0 && o.messages > 0 && o.String() == counts
}

// withNotice is the first user message with a notice for the oldest n turns, in
// place of the one it may have.
func (w *work) withNotice(n int) providers.Message {
	m := withoutImages(w.messages[w.span.anchor])
	said, attached := tools.Detach(m.Text())
	text, o := splitNotice(said)
	o.turns += n
	o.messages += w.span.turns[n] - w.span.start()
	m.Parts = providers.TextParts(text + w.notice(o) + tools.Attach(attached))
	return m
}

// enough is how many of the oldest turns must be left out for the history to
// have a size, 0 if there are not enough.
func (w *work) enough(budget int) int {
	n, _ := w.weigh(budget)
	return n
}

// most is how many turns can be left out with some gain, 0 if there is none.
func (w *work) most() int {
	if _, least := w.weigh(-1); least >= w.total {
		return 0
	}
	return w.span.most()
}

// weigh leaves turns out in thought, one after the other, until the history has
// a size. It returns their number, 0 if they do not suffice, and the size then.
func (w *work) weigh(budget int) (turns, weight int) {
	weight = w.total
	if w.span.most() == 0 {
		return 0, weight
	}
	anchor := w.sizes[w.span.anchor]
	// The notices of few and of many turns differ by some digits. The longest
	// is taken for all, so that a large first message is measured once.
	noted := w.withNotice(w.span.most())
	with := size(&noted)
	for n := 1; n < len(w.span.turns); n++ {
		for i := w.span.turns[n-1]; i < w.span.turns[n]; i++ {
			weight -= w.sizes[i]
		}
		if weight-anchor+with <= budget {
			return n, weight - anchor + with
		}
	}
	return 0, weight - anchor + with
}

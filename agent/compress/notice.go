package compress

import (
	"fmt"
	"slices"
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
	noticePast  = "\nWhat was said and done there, in short. It is a record: nothing in it asks for anything.\n"
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

// notice is what a notice says.
type notice struct {
	omission
	tasks   string // as they stand in it
	summary string // of what was left out; empty for none
}

// write says to the model what is missing.
func (n notice) write() string {
	s := noticeOpen + n.omission.String() + noticeText + n.tasks
	if n.summary != "" {
		s += noticePast + n.summary
	}
	return s + noticeClose
}

// openTasks lists the tasks that are not done.
func openTasks(open []string) string {
	if len(open) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(noticeTasks)
	for _, line := range open[:min(len(open), mostTasks)] {
		b.WriteString(noticeItem + tools.ClipLine(line, longTask))
	}
	if more := len(open) - mostTasks; more > 0 {
		fmt.Fprintf(&b, "%sand %d more", noticeItem, more)
	}
	return b.String()
}

// splitNotice takes an earlier notice off a text. What only looks like one, as
// a quotation with other text behind it, is the user's.
func splitNotice(text string) (string, notice) {
	for from := 0; ; {
		i := strings.Index(text[from:], noticeOpen)
		if i < 0 {
			return text, notice{}
		}
		i += from
		if n, ok := parseNotice(text[i:]); ok {
			return text[:i], n
		}
		from = i + len(noticeOpen)
	}
}

// parseNotice reads a text that is one whole notice.
func parseNotice(s string) (n notice, ok bool) {
	s, opened := strings.CutPrefix(s, noticeOpen)
	s, closed := strings.CutSuffix(s, noticeClose)
	counts, rest, says := strings.Cut(s, noticeText)
	if !opened || !closed || !says {
		return notice{}, false
	}
	n.tasks, n.summary, _ = strings.Cut(rest, noticePast)
	if list, listed := strings.CutPrefix(n.tasks, noticeTasks); listed {
		for _, line := range strings.Split(strings.TrimPrefix(list, "\n"), "\n") {
			if !strings.HasPrefix("\n"+line, noticeItem) {
				return notice{}, false
			}
		}
	} else if n.tasks != "" {
		return notice{}, false
	}
	var turns, messages string
	words, err := fmt.Sscanf(strings.ReplaceAll(counts, ",", ""), "%d %s (%d %s", &n.turns, &turns, &n.messages, &messages)
	return n, err == nil && words == 4 && n.turns > 0 && n.messages > 0 && n.String() == counts
}

// withNotice is the first user message with a notice for the oldest n turns and a
// summary, in place of the notice it may have.
func (w *work) withNotice(n int, summary string) providers.Message {
	m := withoutImages(w.messages[w.span.anchor])
	return noted(m, func(o *notice) {
		more := w.omitted(n)
		o.turns += more.turns
		o.messages += more.messages
		o.tasks, o.summary = openTasks(w.open), summary
	})
}

// noted changes the notice of a message.
func noted(m providers.Message, change func(*notice)) providers.Message {
	said, attached := tools.Detach(m.Text())
	text, n := splitNotice(said)
	change(&n)
	m.Parts = providers.TextParts(text + n.write() + tools.Attach(attached))
	return m
}

// earlier is the summary of what was left out before.
func (w *work) earlier() string {
	if w.span.anchor < 0 {
		return ""
	}
	said, _ := tools.Detach(w.old[w.span.anchor].Text())
	_, n := splitNotice(said)
	return n.summary
}

// stays reports whether something in the nth turn is pinned, so that the whole of it
// stays: its messages are valid only together.
func (w *work) stays(n int) bool {
	return slices.ContainsFunc(w.old[w.span.turns[n]:w.span.turns[n+1]], func(m providers.Message) bool { return m.Pinned })
}

// omitted counts what goes with the oldest n turns.
func (w *work) omitted(n int) (o omission) {
	for i := range n {
		if !w.stays(i) {
			o.turns++
			o.messages += w.span.turns[i+1] - w.span.turns[i]
		}
	}
	return o
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
	if w.omitted(w.span.most()).turns == 0 {
		return 0, weight
	}
	anchor := w.sizes[w.span.anchor]
	// The notices of few and of many turns differ by some digits. The longest
	// is taken for all, so that a large first message is measured once.
	longest := w.withNotice(w.span.most(), "")
	with := size(&longest) + w.room
	for n := 1; n < len(w.span.turns); n++ {
		if w.stays(n - 1) {
			continue
		}
		for i := w.span.turns[n-1]; i < w.span.turns[n]; i++ {
			weight -= w.sizes[i]
		}
		if weight-anchor+with <= budget {
			return n, weight - anchor + with
		}
	}
	return 0, weight - anchor + with
}

package compress

import (
	"fmt"
	"slices"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
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

// omission counts what was left out. Messages are all, those of whole turns as well;
// late says that some were behind the newest message of the user.
type omission struct {
	turns, messages int
	late            bool
}

// lateMark stands behind the counts of an omission.
const lateMark = ", some of them after the message that was the user's newest then"

// String writes the counts as they stand in a notice.
func (o omission) String() string {
	s := tools.Plural(o.messages, "message", "messages")
	if o.turns > 0 {
		s = tools.Plural(o.turns, "turn", "turns") + " (" + s + ")"
	}
	if o.late {
		s += lateMark
	}
	return s
}

// parseOmission is the reverse of [omission.String].
func parseOmission(s string) (o omission, ok bool) {
	counts, late := strings.CutSuffix(s, lateMark)
	o.late = late
	counts = strings.ReplaceAll(counts, ",", "")
	var turns, messages string
	if n, err := fmt.Sscanf(counts, "%d %s (%d %s", &o.turns, &turns, &o.messages, &messages); err != nil || n != 4 {
		o.turns = 0
		n, err = fmt.Sscanf(counts, "%d %s", &o.messages, &messages)
		ok = err == nil && n == 2
	} else {
		ok = o.turns > 0
	}
	return o, ok && o.messages > 0 && o.String() == s
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
		b.WriteString(noticeItem + shorten.Line(line, longTask))
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
	n.omission, ok = parseOmission(counts)
	return n, ok
}

// withNotice is the first user message with a notice for the oldest n units and a
// summary, in place of the notice it may have.
func (w *work) withNotice(n int, summary string) providers.Message {
	m := w.messages[w.span.anchor]
	if w.span.newest > w.span.anchor {
		m = withoutImages(m)
	}
	return noted(m, func(o *notice) {
		more := w.omitted(n)
		o.turns, o.messages, o.late = o.turns+more.turns, o.messages+more.messages, o.late || more.late
		o.tasks, o.summary = openTasks(w.open), summary
	})
}

// noted changes the notice of a message.
func noted(m providers.Message, change func(*notice)) providers.Message {
	said, attached := tools.Detach(m.Text())
	text, n := splitNotice(said)
	change(&n)
	m.Parts = append(providers.TextParts(text+n.write()+tools.Attach(attached)), imagesOf(m)...)
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

// stays reports whether something in the nth unit is pinned, so that the whole of it
// stays: its messages are valid only together.
func (w *work) stays(n int) bool {
	return slices.ContainsFunc(w.old[w.span.units[n].from:w.span.units[n].to], func(m providers.Message) bool { return m.Pinned })
}

// omitted counts what goes with the oldest n units.
func (w *work) omitted(n int) (o omission) {
	for i, u := range w.span.units[:n] {
		if w.stays(i) {
			continue
		}
		if u.turn {
			o.turns++
		}
		o.messages += u.to - u.from
		o.late = o.late || u.late
	}
	return o
}

// enough is how many of the oldest units must be left out for the history to
// have a size, 0 if there are not enough.
func (w *work) enough(budget int) int {
	n, _ := w.weigh(budget)
	return n
}

// most is how many units can be left out with some gain, 0 if there is none.
func (w *work) most() int {
	if _, least := w.weigh(-1); least >= w.total {
		return 0
	}
	return len(w.span.units)
}

// weigh leaves units out in thought, one after the other, until the history has
// a size. It returns their number, 0 if they do not suffice, and the size then.
func (w *work) weigh(budget int) (units, weight int) {
	weight = w.total
	if w.omitted(len(w.span.units)).messages == 0 {
		return 0, weight
	}
	anchor := w.sizes[w.span.anchor]
	// The notices of few and of many messages differ by some digits. The longest
	// is taken for all, so that a large first message is measured once.
	longest := w.withNotice(len(w.span.units), "")
	with := size(&longest) + w.room
	for n, u := range w.span.units {
		if w.stays(n) {
			continue
		}
		for i := u.from; i < u.to; i++ {
			weight -= w.sizes[i]
		}
		if weight-anchor+with <= budget {
			return n + 1, weight - anchor + with
		}
	}
	return 0, weight - anchor + with
}

package prompt

import (
	"fmt"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/term"
)

// Tick tells the time, for the countdown of a request that counts as not answered
// after a while. It reports whether the screen shows something else now. The root
// calls it as long as [Panel.Animating]; once a second is enough.
func (p *Panel) Tick(now time.Time) bool {
	before := p.left()
	p.now = now
	return p.left() != before
}

// Animating reports whether time changes what is shown: while the request on the
// screen has an end that has not come.
func (p *Panel) Animating() bool {
	r, ok := p.Current()
	return ok && !r.Until.IsZero() && p.now.Before(r.Until)
}

// left is how long the request on the screen waits for an answer, rounded up to
// seconds; empty when it waits for ever or the time is not known.
func (p *Panel) left() string {
	r, ok := p.Current()
	if !ok || r.Until.IsZero() || p.now.IsZero() {
		return ""
	}
	s := int((max(r.Until.Sub(p.now), 0) + time.Second - 1) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Gone gives the request that disappeared from the screen without an answer of
// this panel: it was withdrawn, or ended otherwise. It gives it once.
func (p *Panel) Gone() (event.Request, bool) {
	if p.gone == nil {
		return event.Request{}, false
	}
	r := *p.gone
	p.gone = nil
	return r, true
}

// Cells that [Ended] spends on who asked and on what was asked.
const (
	endedPath = 32
	endedText = 60
)

// Ended says in one sentence that a request disappeared, and why; by is empty when
// that is not known.
func Ended(r event.Request, by event.Resolver) string {
	what := ""
	switch {
	case r.Approval != nil:
		what = "its question whether to " + term.Line(r.Approval.Action)
		text, _, _ := strings.Cut(r.Approval.Text, "\nfor: ")
		what += " " + subject(text)
	case r.Clarify != nil:
		what = "its question"
		if n := len(r.Clarify.More); n > 0 {
			what = fmt.Sprintf("its %d questions, the first", n+1)
		}
		what += " " + subject(r.Clarify.Question)
	case r.Secret != nil:
		what = "its question for " + subject(r.Secret.Label)
	case r.Trust != nil:
		return "The question whether to trust " + subject(r.Trust.Root) + " is withdrawn."
	}
	who := pathIn(names(r), endedPath)
	switch by {
	case event.ByTimeout:
		return who + " got no answer in time; " + what + " counts as not answered."
	case event.ByInterrupt:
		return who + " was stopped; " + what + " is withdrawn."
	case event.ByUser:
		return who + " got an answer elsewhere to " + what + "."
	}
	if by == event.ByAsker {
		return who + " needs no answer any more to " + what + ": what asked has ended, or has given up."
	}
	return who + " has withdrawn " + what + "."
}

// subject is a text of a request within a sentence.
func subject(text string) string {
	return "“" + cutMiddle(strings.TrimSpace(spell(term.Line(text))), endedText) + "”"
}

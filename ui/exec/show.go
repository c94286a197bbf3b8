package exec

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"hermes-tui/agent/event"
)

// show writes an event as it comes.
func (r *run) show(e event.Event) error {
	if r.o.JSON {
		line, err := event.Marshal(e)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(r.o.Out, "%s\n", inert(line))
		return err
	}
	switch e := e.(type) {
	case *event.NoticeRaised:
		return r.tell(r.speaker(e) + e.Text)
	case *event.RetryScheduled:
		return r.tell(r.speaker(e) + retrying(e))
	case *event.Requested:
		r.asked[e.Request.ID] = e.Request
	case *event.RequestResolved:
		if e.By == event.ByPolicy {
			q := r.asked[e.Request]
			if r.o.Denies && q.Approval != nil {
				return r.tell(r.speaker(e) + "Denied by --approve deny: " + asks(q.Approval) + ".")
			}
			return r.tell(decided(q, e.Answer, r.family.who(q.Agent)))
		}
	}
	return nil
}

// retrying says why and when a model call is made again.
func retrying(e *event.RetryScheduled) string {
	in := ""
	if d := e.Until.Sub(e.At).Round(time.Second); d > 0 {
		in = " in " + d.String()
	}
	return fmt.Sprintf("%s; retrying%s (%d of %d)", upper(e.Reason), in, e.Attempt, e.Max)
}

// speaker says before a sentence which subagent it is about.
func (r *run) speaker(e event.Event) string {
	if who := r.family.who(e.Head().Agent); who != "" {
		return upper(who) + ": "
	}
	return ""
}

// inert spells what JSON leaves as it is and a terminal that shows the line would
// obey: 8-bit controls, and characters that reorder or hide text. All of them can
// only be within the strings of a document, where the spelling means the same.
func inert(line []byte) []byte {
	if !bytes.ContainsFunc(line, obeyed) {
		return line
	}
	out := make([]byte, 0, len(line)+64)
	for _, r := range string(line) {
		switch {
		case !obeyed(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

func obeyed(r rune) bool { return r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf) }

// tell writes a sentence for the user.
func (r *run) tell(text string) error {
	if r.o.JSON {
		return nil // the events say it
	}
	_, err := fmt.Fprintln(r.o.Err, r.o.Clean(text))
	return err
}

// phase takes note that the store refuses, and says so once for each reason. It
// refuses one agent at a time; what the others are doing says nothing about it.
func (r *run) phase(e *event.PhaseChanged) error {
	was := r.blocked
	switch {
	case e.Phase == event.PhaseStopping:
		return nil
	case e.Phase == event.PhaseBlocked:
		r.blocked, r.blocker = e.Detail, e.Agent
	case e.Agent == r.blocker:
		r.blocked = ""
	}
	if r.blocked == "" || r.blocked == was {
		return nil
	}
	return r.tell(r.blocked)
}

// decided says how a question was answered without the user. who is the subagent
// that it comes from, empty for the root agent.
func decided(r event.Request, a event.Answer, who string) string {
	if r.Approval != nil && who != "" {
		how := ""
		switch {
		case a.Choice != event.ChoiceDeny:
			how = "Allowed"
		case a.Text != "":
			how = "Denied"
		}
		if how != "" {
			return fmt.Sprintf("%s to %s by the setting delegation.approvals: %s.", how, who, asks(r.Approval))
		}
	}
	return refused(r, who)
}

// asks repeats what someone is asked to allow.
func asks(a *event.Approval) string {
	return fmt.Sprintf("%s %s (it %s)", a.Action, oneLine(a.Text), a.Reason)
}

// refused says what was not done because no one can be asked here, and how it can
// be done.
func refused(r event.Request, who string) string {
	to := ""
	if who != "" {
		to = " to " + who
	}
	switch {
	case r.Approval != nil:
		answer := "answer the question there"
		if r.Approval.Rule != "" {
			answer = "answer \"always\" there"
		}
		if strings.HasPrefix(r.Approval.Rule, "connect to ") {
			answer += ", list the host under approvals.hosts"
		}
		return fmt.Sprintf("Denied%s, because no one can be asked here: %s. To allow it, have it done in hermes-tui and %s, or start with --yolo.",
			to, asks(r.Approval), answer)
	case r.Clarify != nil:
		question := oneLine(r.Clarify.Question)
		if len(r.Clarify.Choices) > 0 {
			question += " (" + oneLine(strings.Join(r.Clarify.Choices, ", ")) + ")"
		}
		if n := len(r.Clarify.More); n > 0 {
			question += fmt.Sprintf(" [and %d more]", n)
		}
		return "Not answered" + to + ", because no one can be asked here: " + question + " Say it in the prompt, or use hermes-tui, where you are asked."
	case r.Trust != nil:
		return fmt.Sprintf("What %s has for agents (%s) is left out, because no one is there to say whether to trust it: start with --trust, or answer that once in hermes-tui.",
			oneLine(r.Trust.Root), oneLine(strings.Join(r.Trust.Files, ", ")))
	}
	return "A question was answered with no, because no one can be asked here."
}

// maxLine is how much of a text is repeated in a sentence, in characters.
const maxLine = 300

// oneLine brings a text into a sentence: its first line, and a mark where more
// follows.
func oneLine(text string) string {
	text = strings.TrimSpace(text)
	first, rest, more := strings.Cut(text, "\n")
	runes := []rune(first)
	if len(runes) > maxLine {
		return string(runes[:maxLine]) + "…"
	}
	if more && strings.TrimSpace(rest) != "" {
		return strings.TrimSpace(first) + " …"
	}
	return first
}

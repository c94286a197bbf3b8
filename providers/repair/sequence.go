package repair

import (
	"slices"
	"strings"

	"hermes-tui/providers"
)

// Turn is what [Sequence] needs to know of a message.
type Turn struct {
	// Kind is the part the message plays.
	Kind Kind
	// Text is the content when Plain says that it is one text. Content that is
	// missing or has several parts is not plain and never merged.
	Text  string
	Plain bool
	// Calls are the ids of the calls of an [Asks] turn.
	Calls []string
	// CallID is the one that an [Answers] turn belongs to.
	CallID string
}

// Kind is the part a message plays in a history.
type Kind int

// The kinds of turns.
const (
	// Other turns, such as system messages, are left where they are.
	Other Kind = iota
	// Says is a turn of the user.
	Says
	// Asks is a turn of the assistant, with or without calls.
	Asks
	// Answers is the result of a call.
	Answers
)

// Sequence mends the order of a history and returns what a provider accepts,
// with the number of repairs. It drops results that answer no call of the
// assistant turn directly before them, second results of a call and results
// without an id; then it merges neighbouring user turns with plain text, joined
// by a blank line, where empty ones vanish. A user turn and another assistant
// turn end the results of a turn, other turns do not. Nothing is trimmed. The
// history passed in is not changed; without repairs it is returned itself.
//
// The messages may have any form: view tells what a message is, and withText
// returns a copy of one with another text.
func Sequence[M any](history []M, view func(M) Turn, withText func(M, string) M) ([]M, int) {
	out := make([]M, 0, len(history))
	due := map[string]int{} // calls of the last assistant turn without a result
	var texts []string      // of the user turns at the end of out
	repairs := 0
	merge := func() {
		if len(texts) > 1 {
			out[len(out)-1] = withText(out[len(out)-1], join(texts))
		}
		texts = texts[:0]
	}
	for _, m := range history {
		t := view(m)
		switch t.Kind {
		case Asks, Says:
			clear(due)
			for _, id := range t.Calls {
				due[id]++
			}
		case Answers:
			if t.CallID == "" || due[t.CallID] == 0 {
				repairs++
				continue
			}
			due[t.CallID]--
		}
		if t.Kind == Says && t.Plain && len(texts) > 0 {
			repairs++
			texts = append(texts, t.Text)
			continue
		}
		merge()
		out = append(out, m)
		if t.Kind == Says && t.Plain {
			texts = append(texts, t.Text)
		}
	}
	merge()
	if repairs == 0 {
		return history, 0
	}
	return out, repairs
}

// join puts blank lines between the texts that are not empty.
func join(texts []string) string {
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	return strings.Join(texts, "\n\n")
}

// Unanswered stands for an answer between results and what the user says behind them.
const Unanswered = "(no answer)"

// Alternate is a history for services whose roles must take turns: a message of the user
// does not stand right behind a result, images of results follow in a message of their own,
// and neighbouring answers without calls are one.
func Alternate(history []providers.Message) []providers.Message {
	var out []providers.Message
	var shown []providers.Part
	answer := func(text string) {
		out = append(out, providers.Message{Role: providers.Assistant, Parts: providers.TextParts(text)})
	}
	if len(history) > 0 && history[0].Role == providers.Assistant {
		out = append(out, providers.Message{Role: providers.User, Parts: providers.TextParts("(the session goes on)")})
	}
	flush := func() {
		if len(shown) > 0 {
			answer(Unanswered)
			out = append(out, providers.Message{Role: providers.User, Parts: shown})
			shown = nil
		}
	}
	for _, m := range history {
		n := len(out) - 1
		switch {
		case m.Role == providers.Tool:
			text := m.Text()
			for _, p := range m.Parts {
				if p.Image != nil {
					shown = append(shown, providers.Part{Text: "An image of the result of " + m.CallName + ":\n"}, p)
				}
			}
			if m.Parts = providers.TextParts(text); text == "" {
				m.Parts = providers.TextParts("(the image follows)")
			}
		case len(shown) > 0 && m.Role == providers.User: // it comes with the images
			m.Parts = slices.Concat(shown, m.Parts)
			shown = nil
			answer(Unanswered)
		case len(shown) > 0:
			flush()
		case m.Role == providers.User && n >= 0 && out[n].Role == providers.Tool:
			answer(Unanswered)
		case m.Role == providers.Assistant && n >= 0 && out[n].Role == providers.Assistant && len(out[n].Calls) == 0:
			m.Parts = slices.Concat(out[n].Parts, providers.TextParts("\n\n"), m.Parts)
			out = out[:n]
		}
		out = append(out, m)
	}
	flush()
	return out
}

// Messages is [Sequence] for canonical messages. A merged message keeps the
// identity and time of its first; one with images is not plain.
func Messages(history []providers.Message) ([]providers.Message, int) {
	image := func(p providers.Part) bool { return p.Image != nil }
	view := func(m providers.Message) Turn {
		switch m.Role {
		case providers.User:
			return Turn{Kind: Says, Text: m.Text(), Plain: !slices.ContainsFunc(m.Parts, image)}
		case providers.Assistant:
			t := Turn{Kind: Asks}
			for _, c := range m.Calls {
				t.Calls = append(t.Calls, c.ID)
			}
			return t
		case providers.Tool:
			return Turn{Kind: Answers, CallID: m.CallID}
		}
		return Turn{}
	}
	return Sequence(history, view, func(m providers.Message, text string) providers.Message {
		m.Parts = providers.TextParts(text)
		return m
	})
}

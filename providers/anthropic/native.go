package anthropic

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// itemOrder is the kind of a native item that is no block of the provider: it
// says how texts and calls follow each other where that is not the usual order,
// one text and then the calls. Its raw form is a list of [slot].
const itemOrder = "hermes_order"

// slot is a text of a number of bytes, or a call if that is 0.
type slot struct {
	Text int `json:"text,omitempty"`
}

// isThinking reports whether a kind of block is thinking.
func isThinking(kind string) bool { return kind == "thinking" || kind == "redacted_thinking" }

// native gives the blocks of a message that go back to where the request goes, in
// their order, and the order of the others if it is known.
func (h *history) native(m providers.Message) (blocks []providers.Item, order []slot) {
	for _, item := range m.Native {
		if item.Issuer != h.issuer || item.Model != h.model || item.Kind == transport.ItemPrefix || item.Kind == transport.ItemEffort {
			continue
		}
		if item.Kind == itemOrder {
			if json.Unmarshal(item.Raw, &order) != nil {
				order = nil
			}
			continue
		}
		if json.Valid(item.Raw) {
			blocks = append(blocks, item)
		}
	}
	slices.SortStableFunc(blocks, func(a, b providers.Item) int { return cmp.Compare(a.At, b.At) })
	return blocks, order
}

// blanks are what may be lost around the text of a message that is kept.
const blanks = " \t\r\n"

// splitText takes the text of a message apart as an order says. It is nil if the
// order does not fit, because the message was changed.
func splitText(m providers.Message, order []slot) []string {
	calls, size := 0, 0
	for _, s := range order {
		if s.Text < 0 {
			return nil
		}
		if s.Text == 0 {
			calls++
		}
		size += s.Text
	}
	text := strings.Trim(m.Text(), blanks)
	if len(order) == 0 || calls != len(m.Calls) || size != len(text) {
		return nil
	}
	texts := []string{}
	for _, s := range order {
		if s.Text > 0 {
			texts = append(texts, text[:s.Text])
			text = text[s.Text:]
		}
	}
	return texts
}

// layout collects the order of texts and calls in an answer. Texts that are empty
// or blank do not count, since they are not sent back.
type layout struct {
	order  []slot
	text   strings.Builder
	blocks int // texts, calls and native blocks
}

// say adds a text.
func (l *layout) say(text string) {
	l.text.WriteString(text)
	if text != "" {
		l.order = append(l.order, slot{Text: len(text)})
	}
	if !isBlank(text) {
		l.blocks++
	}
}

// call adds a call.
func (l *layout) call() {
	l.order = append(l.order, slot{})
	l.blocks++
}

// item gives the order if it is not the usual one. Blanks around the text do not
// count.
func (l *layout) item(issuer, model string) (*providers.Item, error) {
	whole := l.text.String()
	order := trim(l.order, len(whole)-len(strings.TrimLeft(whole, blanks)))
	if !isBlank(whole) {
		slices.Reverse(order)
		order = trim(order, len(whole)-len(strings.TrimRight(whole, blanks)))
		slices.Reverse(order)
	}
	usual := true
	for i, s := range order {
		usual = usual && (s.Text == 0 || i == 0)
	}
	if usual {
		return nil, nil
	}
	raw, err := json.Marshal(order)
	if err != nil {
		return nil, err
	}
	return &providers.Item{Issuer: issuer, Model: model, Kind: itemOrder, At: l.blocks, Raw: raw}, nil
}

// trim takes bytes off the first texts and drops those that are empty then.
func trim(order []slot, n int) []slot {
	var out []slot
	for _, s := range order {
		off := min(n, s.Text)
		n -= off
		if s.Text == 0 || s.Text > off {
			out = append(out, slot{s.Text - off})
		}
	}
	return out
}

package responses

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sashabaranov/go-openai"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// The names of events that the library does not have.
const (
	eventDone      = "response.done"
	eventCancelled = "response.cancelled"
)

// decoder turns the events of one answer into deltas. Its errors lack the endpoint.
type decoder struct {
	issuer, model string
	effort        *providers.Item // what the answer was asked for, nil where that cannot change

	slots    []*slot
	byOutput map[number]*slot // the newest of each place in the output
	calls    int              // that were announced
	speaker  *slot            // the message that said something last
	thinker  thought          // what was thought last
	refused  bool
	id       string // of an item, spelled last
	spoke    bool   // an event of a protocol like ours was there
	usage    providers.Usage
	finish   providers.Finish // empty before the terminal event
}

// Event implements [transport.Decoder].
func (d *decoder) Event(name string, raw []byte, out []providers.Delta) ([]providers.Delta, error) {
	named := name == "error"
	if string(raw) == "[DONE]" && d.finish == "" && d.answered() { // of gateways
		return d.terminal("", &response{}, out)
	}
	if len(raw) == 0 || raw[0] != '{' && !named && (string(raw) == "[DONE]" || json.Valid(raw)) {
		return out, nil // an event that is none of the protocol
	}
	if !named {
		var piece event // of its own, so that it need not be allocated
		if d.scan(raw, &piece) {
			d.spoke = true
			return d.delta(&piece, out), nil
		}
	}
	return d.decode(raw, named, out)
}

// decode takes the events that are not read quickly.
func (d *decoder) decode(raw []byte, named bool, out []providers.Delta) ([]providers.Delta, error) {
	var e event
	if err := json.Unmarshal(raw, &e); err != nil {
		if named {
			return out, stated(raw)
		}
		return out, transport.Malformed(raw, err)
	}
	if named || e.Type == text(openai.ResponseStreamEventError) || e.Type == "" && transport.Given(e.Error) {
		return out, stated(raw)
	}
	d.spoke = d.spoke || e.Type != ""
	return d.typed(&e, raw, out)
}

// typed goes by the type of an event that is no error.
func (d *decoder) typed(e *event, raw []byte, out []providers.Delta) ([]providers.Delta, error) {
	switch openai.ResponseStreamEventType(e.Type) {
	case openai.ResponseStreamEventOutputItemAdded, openai.ResponseStreamEventOutputItemDone:
		var item wireItem
		if err := json.Unmarshal(e.Item, &item); err != nil {
			return out, transport.Malformed(raw, err)
		}
		s := d.begin(e, &item)
		if e.Type == text(openai.ResponseStreamEventOutputItemAdded) {
			return out, nil
		}
		return d.done(s, &item, e.Item, out)
	case openai.ResponseStreamEventCompleted, openai.ResponseStreamEventIncomplete, openai.ResponseStreamEventFailed,
		eventDone, eventCancelled:
		r := &response{}
		if err := json.Unmarshal(e.Response, &r); err != nil || r == nil {
			return out, transport.Malformed(raw, cmp.Or(err, errNoResponse))
		}
		return d.terminal(string(e.Type), r, d.count(r.Usage, out))
	}
	return d.delta(e, out), nil
}

// delta takes a piece of text, reasoning or arguments, and the closing events that
// repeat them whole.
func (d *decoder) delta(e *event, out []providers.Delta) []providers.Delta {
	switch openai.ResponseStreamEventType(e.Type) {
	case openai.ResponseStreamEventOutputTextDelta:
		return d.say(d.slot(e, itemMessage), e.Content, string(e.Delta), false, out)
	case openai.ResponseStreamEventOutputTextDone:
		return d.say(d.slot(e, itemMessage), e.Content, string(e.Text), true, out)
	case openai.ResponseStreamEventRefusalDelta:
		d.refused = true
		return d.say(d.slot(e, itemMessage), e.Content, string(e.Delta), false, out)
	case openai.ResponseStreamEventRefusalDone:
		d.refused = true
		return d.say(d.slot(e, itemMessage), e.Content, string(e.Refusal), true, out)
	case openai.ResponseStreamEventReasoningSummaryTextDelta:
		return d.think(thought{d.slot(e, itemReasoning), true, e.Summary}, string(e.Delta), false, out)
	case openai.ResponseStreamEventReasoningSummaryTextDone:
		return d.think(thought{d.slot(e, itemReasoning), true, e.Summary}, string(e.Text), true, out)
	case openai.ResponseStreamEventReasoningTextDelta:
		return d.think(thought{d.slot(e, itemReasoning), false, e.Content}, string(e.Delta), false, out)
	case openai.ResponseStreamEventReasoningTextDone:
		return d.think(thought{d.slot(e, itemReasoning), false, e.Content}, string(e.Text), true, out)
	case openai.ResponseStreamEventFunctionArgumentsDelta:
		return d.write(d.slot(e, itemCall), string(e.Delta), false, out)
	case openai.ResponseStreamEventFunctionArgumentsDone:
		return d.write(d.slot(e, itemCall), string(e.Args), true, out)
	}
	return out
}

// count takes a usage object. Those that say nothing new are no news.
func (d *decoder) count(raw json.RawMessage, out []providers.Delta) []providers.Delta {
	u := usageOf(raw)
	if u == nil || *u == d.usage {
		return out
	}
	d.usage = *u
	return append(out, providers.Delta{Kind: providers.DeltaUsage, Usage: u})
}

// Progress implements [transport.Decoder].
func (d *decoder) Progress() transport.Progress {
	switch {
	case d.finish != "":
		return transport.Complete
	case !d.spoke:
		return transport.Foreign
	}
	return transport.Begun
}

// End implements [transport.Decoder]: the terminal event has said everything.
func (d *decoder) End(out []providers.Delta) ([]providers.Delta, error) { return out, nil }

// answered reports whether something was said or called.
func (d *decoder) answered() bool {
	return slices.ContainsFunc(d.slots, func(s *slot) bool { return s.kind == itemCall || s.kind == itemMessage && s.any })
}

// Document implements [transport.Decoder]: a whole response, or an error.
func (d *decoder) Document(body []byte, out []providers.Delta) ([]providers.Delta, error) {
	var r response
	if err := json.Unmarshal(body, &r); err != nil || r.Output == nil && !transport.Given(r.Error) {
		return out, transport.ErrForeign
	}
	if transport.Given(r.Error) && len(r.Output) == 0 {
		return out, stated(body)
	}
	return d.terminal("", &r, d.count(r.Usage, out))
}

// terminal takes the event that ends an answer. What only it holds is taken from it;
// some servers leave the output in it empty.
func (d *decoder) terminal(kind string, r *response, out []providers.Delta) ([]providers.Delta, error) {
	finish, err := outcome(kind, r)
	if err != nil {
		return out, err
	}
	if out, err = d.rest(r.Output, out); err != nil {
		return out, err
	}
	if out, err = d.close(out); err != nil {
		return out, err
	}
	switch {
	case d.refused:
		finish = providers.FinishFilter
	case finish == providers.FinishStop && d.calls > 0:
		finish = providers.FinishToolCalls
	case finish == providers.FinishStop && d.announcesOnly():
		finish = providers.FinishLength // there is more to come
	}
	d.finish = finish
	if d.effort != nil {
		out = append(out, providers.Delta{Kind: providers.DeltaItem, Item: d.effort})
	}
	return append(out, providers.Delta{Kind: providers.DeltaFinish, Finish: finish}), nil
}

// announcesOnly reports whether all messages say only what comes next. Nothing came.
func (d *decoder) announcesOnly() bool {
	aside := false
	for _, s := range d.slots {
		if s.kind == itemMessage && s.any && !s.aside {
			return false
		}
		aside = aside || s.aside
	}
	return aside
}

// rest takes the items that no event told of: calls by their id, and messages and
// reasoning where nothing was said or thought at all.
func (d *decoder) rest(output []json.RawMessage, out []providers.Delta) ([]providers.Delta, error) {
	had := len(d.slots)
	for _, raw := range output {
		var item wireItem
		if err := json.Unmarshal(raw, &item); err != nil {
			return out, transport.Malformed(raw, err)
		}
		s, known := d.told(&item, d.slots[:had])
		if known {
			continue
		}
		if s == nil {
			s = d.open(&event{}, string(item.Type))
		}
		s.learn(&item)
		var err error
		if out, err = d.done(s, &item, raw, out); err != nil {
			return out, err
		}
	}
	return out, nil
}

// told reports whether events told of an item, or gives the slot that was opened for
// it and never filled.
func (d *decoder) told(item *wireItem, slots []*slot) (empty *slot, known bool) {
	for _, s := range slots {
		switch {
		case s.kind != string(item.Type), s.kind == itemCall && s.callID != item.call():
		case s.any || s.ended:
			return nil, true
		case empty == nil:
			empty = s
		}
	}
	return empty, false
}

// close announces calls whose name never came, since whoever runs the calls has to
// tell the model about it, and hands out the native items.
func (d *decoder) close(out []providers.Delta) ([]providers.Delta, error) {
	at := 0
	for _, s := range d.slots {
		if s.kind == itemCall {
			out = d.announce(s, out)
		}
		raw := s.native
		if s.kind == itemCall {
			var err error
			if raw, err = json.Marshal(callMark{ID: text(s.id), CallID: text(s.callID)}); err != nil {
				return out, fmt.Errorf("keep the place of a call: %w", err)
			}
		}
		if raw == nil {
			continue
		}
		item := providers.Item{Issuer: d.issuer, Model: d.model, Kind: s.kind, At: at, Raw: raw}
		out = append(out, providers.Delta{Kind: providers.DeltaItem, Item: &item})
		at++
	}
	return out, nil
}

// keep copies an item that may be replayed.
func keep(s *slot, item *wireItem, raw json.RawMessage) json.RawMessage {
	switch {
	case s.kind == itemMessage:
	case s.kind == itemReasoning && item.Encrypted != "" && !item.passing():
	default:
		return nil
	}
	return bytes.Clone(raw)
}

package transport

import (
	"encoding/json"

	"hermes-tui/providers"
)

// ItemEffort is the kind of a native item that no service has sent: the effort that an
// answer was asked for, of a model whose effort can change within a conversation.
const ItemEffort = "hermes_effort"

// Steering is how a conversation asks for effort so that a change of it leaves the prompt
// cache of what stands before as it is.
type Steering struct {
	// Base is the effort of the request as a whole.
	Base string
	// Changes are efforts by the answer from which they hold: its index among the messages,
	// their number for the answer that is asked for.
	Changes map[int]string
	// Note is kept with the answer, for the requests that follow.
	Note *providers.Item
}

// Steer returns how a request asks for an effort, by what the answers in it were asked for.
// No change leads back to the effort that is asked for by saying nothing, so that begins
// anew.
func Steer(r *providers.Request, issuer, effort string) Steering {
	var s Steering
	now, known := "", false
	add := func(at int, e string) {
		switch {
		case !known || e == "":
			s.Base, s.Changes = e, map[int]string{}
		case e != now:
			s.Changes[at] = e
		}
		now, known = e, true
	}
	for k := range r.Messages {
		var was string
		for _, i := range r.Messages[k].Native {
			if i.Kind == ItemEffort && i.Issuer == issuer && i.Model == r.Model && json.Unmarshal(i.Raw, &was) == nil {
				add(k, was)
			}
		}
	}
	add(len(r.Messages), effort)
	s.Note = Own(ItemEffort, issuer, r.Model, effort, 0)
	return s
}

// Own is an item of this program, to be kept with an answer at a place among its items.
// value needs no escapes in JSON.
func Own(kind, issuer, model, value string, at int) *providers.Item {
	return &providers.Item{Issuer: issuer, Model: model, Kind: kind, At: at, Raw: json.RawMessage(`"` + value + `"`)}
}

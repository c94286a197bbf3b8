package responses

import (
	"encoding/json"
	"strings"

	"hermes-tui/providers"
)

// mostHeld is how many bytes of arguments wait for the name of their call.
const mostHeld = 1 << 20

// slot is an item of the answer while it is streamed.
type slot struct {
	kind   string
	id     string
	ended  bool // its closing event was there
	native json.RawMessage
	aside  bool // it is a message that only says what comes next

	// heard are the parts of which pieces came: their place in the content, or, for
	// reasoning, in the summary.
	heard map[number]bool
	last  number
	// any reports whether there are some.
	any bool
	raw bool // of reasoning: it comes as it is and not as a summary

	// callID, name and index belong to a call. It is announced when its name is
	// known; until then its arguments are held.
	callID, name string
	index        int
	announced    bool
	held         strings.Builder
}

// phaseCommentary marks a message that the model writes on its way to the answer.
const phaseCommentary = "commentary"

// thought is a part of reasoning.
type thought struct {
	slot    *slot
	summary bool
	part    number
}

// call is the id of a call.
func (i *wireItem) call() string {
	if i.CallID != "" {
		return string(i.CallID)
	}
	return string(i.ID)
}

// passing tells reasoning that the service itself will not recognise again.
func (i *wireItem) passing() bool { return strings.HasPrefix(string(i.ID), "rs_tmp_") }

// learn takes what an item says about itself.
func (s *slot) learn(item *wireItem) {
	for _, f := range []struct {
		to   *string
		from string
	}{{&s.id, string(item.ID)}, {&s.callID, item.call()}, {&s.name, string(item.Name)}} {
		if f.from != "" && !s.announced {
			*f.to = f.from
		}
	}
}

// begin finds the slot of an item that begins or ends, or opens it: a place in the
// output may be used again by servers that count nothing.
func (d *decoder) begin(e *event, item *wireItem) *slot {
	s := d.find(e)
	if s == nil || s.ended || s.kind != string(item.Type) || s.differs(item) {
		s = d.open(e, string(item.Type))
	}
	s.learn(item)
	return s
}

// differs reports whether a slot is known to be that of another call.
func (s *slot) differs(item *wireItem) bool {
	return s.kind == itemCall && s.callID != "" && item.CallID != "" && s.callID != string(item.CallID)
}

// slot finds the slot that an event is about, or opens it.
func (d *decoder) slot(e *event, kind string) *slot {
	if s := d.find(e); s != nil && s.kind == kind {
		return s
	}
	return d.open(e, kind)
}

// find goes by the place in the output where an event gives one, else by the id of
// the item, else to the last slot. Ids alone will not do: some gateways give each
// event another one.
func (d *decoder) find(e *event) *slot {
	if e.Output != nil {
		return d.byOutput[*e.Output]
	}
	id := string(e.ItemID)
	for i := len(d.slots) - 1; i >= 0; i-- {
		if s := d.slots[i]; id == "" || s.id == id {
			return s
		}
	}
	return nil
}

// open makes a slot.
func (d *decoder) open(e *event, kind string) *slot {
	s := &slot{kind: kind, id: string(e.ItemID)}
	d.slots = append(d.slots, s)
	if e.Output != nil {
		if d.byOutput == nil {
			d.byOutput = map[number]*slot{}
		}
		d.byOutput[*e.Output] = s
	}
	return s
}

// hear notes that a part was heard, and reports whether that is news.
func (s *slot) hear(part number) bool {
	if s.any && s.last == part {
		return false
	}
	news := !s.heard[part]
	if s.heard == nil {
		s.heard = map[number]bool{}
	}
	s.heard[part], s.last, s.any = true, part, true
	return news
}

// say adds text to the answer. Text that is the whole of a part counts only if no
// piece of it came.
func (d *decoder) say(s *slot, part number, said string, whole bool, out []providers.Delta) []providers.Delta {
	if said == "" || !s.hear(part) && whole {
		return out
	}
	if d.speaker != nil && d.speaker != s {
		out = append(out, providers.Delta{Kind: providers.DeltaText, Text: between})
	}
	d.speaker = s
	return append(out, providers.Delta{Kind: providers.DeltaText, Text: said})
}

// think adds reasoning. Where it comes both as it is and as a summary, what came
// first counts.
func (d *decoder) think(t thought, said string, whole bool, out []providers.Delta) []providers.Delta {
	s := t.slot
	if said == "" || s.any && s.raw == t.summary || !s.hear(t.part) && whole {
		return out
	}
	s.raw = !t.summary
	if d.thinker.slot != nil && d.thinker != t {
		said = between + said
	}
	d.thinker = t
	return append(out, providers.Delta{Kind: providers.DeltaReasoning, Text: said})
}

// write adds to the arguments of a call.
func (d *decoder) write(s *slot, args string, whole bool, out []providers.Delta) []providers.Delta {
	if args == "" || !s.hear(0) && whole {
		return out
	}
	if s.name == "" && s.held.Len() < mostHeld {
		s.held.WriteString(args)
		return out
	}
	out = d.announce(s, out)
	return append(out, providers.Delta{Kind: providers.DeltaArguments, Index: s.index, Text: args})
}

// announce opens a call for whoever reads the stream.
func (d *decoder) announce(s *slot, out []providers.Delta) []providers.Delta {
	if s.announced {
		return out
	}
	s.announced, s.index = true, d.calls
	d.calls++
	out = append(out, providers.Delta{Kind: providers.DeltaCall, Index: s.index, CallID: s.callID, Name: s.name})
	if s.held.Len() > 0 {
		out = append(out, providers.Delta{Kind: providers.DeltaArguments, Index: s.index, Text: s.held.String()})
		s.held.Reset()
	}
	return out
}

// done takes the end of an item, which repeats all of it. What came in pieces does
// not come again.
func (d *decoder) done(s *slot, item *wireItem, raw json.RawMessage, out []providers.Delta) ([]providers.Delta, error) {
	heard := s.any
	switch s.kind {
	case itemMessage:
		s.aside = item.Phase == phaseCommentary
		for i, p := range item.Content {
			d.refused = d.refused || p.Refusal != ""
			if !heard {
				out = d.say(s, number(i), p.said(), true, out)
			}
		}
	case itemReasoning:
		if !heard {
			out = d.recall(s, item, out)
		}
	case itemCall:
		if s.name != "" {
			out = d.announce(s, out)
		}
		out = d.write(s, string(item.Args), true, out)
	}
	s.ended, s.native = true, keep(s, item, raw)
	return out, nil
}

// recall shows reasoning that came in one piece.
func (d *decoder) recall(s *slot, item *wireItem, out []providers.Delta) []providers.Delta {
	parts, summary := item.Summary, true
	if len(parts) == 0 {
		parts, summary = item.Content, false
	}
	for i, p := range parts {
		out = d.think(thought{s, summary, number(i)}, string(p.Text), true, out)
	}
	return out
}

package chat

import (
	"encoding/json"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// mostHeld is how many bytes of arguments wait for the name of their call.
const mostHeld = 1 << 20

// slot is a call that is being streamed. It is opened, that is, announced, when
// its name is known and its arguments begin, or when something else follows;
// until then its id, name and extra are what was said last.
type slot struct {
	index int
	id    string
	name  string
	extra json.RawMessage
	open  bool
	// held are arguments that came before the name.
	held strings.Builder
	// text collects the arguments where only they can tell whether the call is
	// complete, see [calls.unnumbered].
	text strings.Builder
}

// calls sorts the pieces of parallel calls into slots.
type calls struct {
	slots   []*slot
	byIndex map[json.Number]*slot // the newest of each wire index
}

// add takes one piece and appends what it makes known.
func (c *calls) add(p *callPiece, out []providers.Delta) []providers.Delta {
	s := c.find(p)
	if s == nil {
		out = c.flush(out)
		s = &slot{index: len(c.slots)}
		c.slots = append(c.slots, s)
	}
	if p.Index != "" {
		if c.byIndex == nil {
			c.byIndex = map[json.Number]*slot{}
		}
		c.byIndex[p.Index] = s
	} else {
		s.text.WriteString(string(p.Function.Arguments))
	}
	return s.add(p, out)
}

// find gives the slot a piece belongs to, nil if it begins a new call. An index
// leads to its newest slot unless the piece brings another id: some servers give
// all calls the same index.
func (c *calls) find(p *callPiece) *slot {
	if p.Index == "" {
		return c.unnumbered(p)
	}
	s := c.byIndex[p.Index]
	if s == nil || p.ID != "" && s.id != "" && s.id != string(p.ID) {
		return nil
	}
	return s
}

// unnumbered finds the slot of a piece without index: by its id, else the last
// one, unless the piece has a name and the last call has all it needs.
func (c *calls) unnumbered(p *callPiece) *slot {
	if len(c.slots) == 0 {
		return nil
	}
	last := c.slots[len(c.slots)-1]
	if p.ID != "" {
		for _, s := range c.slots {
			if s.id == string(p.ID) {
				return s
			}
		}
		if last.id != "" {
			return nil
		}
	}
	name := string(p.Function.Name)
	if name != "" && last.name != "" && (name != last.name || last.complete()) {
		return nil
	}
	return last
}

// complete reports whether the collected arguments are a whole object. Most that
// are not are told apart without reading them.
func (s *slot) complete() bool {
	text := s.text.String()
	return strings.HasSuffix(text, "}") && json.Valid([]byte(text))
}

// add takes one piece of the slot's call.
func (s *slot) add(p *callPiece, out []providers.Delta) []providers.Delta {
	if !s.open {
		if p.ID != "" {
			s.id = string(p.ID)
		}
		if p.Function.Name != "" {
			s.name = string(p.Function.Name)
		}
	}
	if transport.Given(p.Extra) {
		s.extra = p.Extra
		if s.open {
			out = append(out, providers.Delta{Kind: providers.DeltaExtra, Index: s.index, Extra: s.extra})
		}
	}
	args := string(p.Function.Arguments)
	if args == "" {
		return out
	}
	if s.name == "" && s.held.Len() < mostHeld {
		s.held.WriteString(args)
		return out
	}
	out = s.announce(out)
	return append(out, providers.Delta{Kind: providers.DeltaArguments, Index: s.index, Text: args})
}

// announce opens the slot.
func (s *slot) announce(out []providers.Delta) []providers.Delta {
	if s.open {
		return out
	}
	s.open = true
	out = append(out, providers.Delta{Kind: providers.DeltaCall, Index: s.index, CallID: s.id, Name: s.name, Extra: s.extra})
	if s.held.Len() > 0 {
		out = append(out, providers.Delta{Kind: providers.DeltaArguments, Index: s.index, Text: s.held.String()})
		s.held.Reset()
	}
	return out
}

// flush opens all slots that are not yet, those without a name as well: whoever
// runs the calls has to tell the model about it.
func (c *calls) flush(out []providers.Delta) []providers.Delta {
	for _, s := range c.slots {
		out = s.announce(out)
	}
	return out
}

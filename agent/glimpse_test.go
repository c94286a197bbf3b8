package agent

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
)

// past makes up a journal: turns with calls, questions, subagents and notices, some of
// them cut off, with compressions and rewinds between them.
type past struct {
	rng     *rand.Rand
	n       int
	events  []event.Event
	turns   []event.TurnID // that are shown
	rewound []string       // that can be undone
	gone    [][]event.TurnID
}

func (p *past) id() string { p.n++; return fmt.Sprint("x", p.n) }

func (p *past) add(agent event.AgentID, turn event.TurnID, e event.Event) {
	*e.Head() = event.Meta{Agent: agent, Turn: turn, Seq: uint64(len(p.events) + 1), At: time.Unix(int64(p.n), 0).UTC()}
	event.Stamp(e)
	p.events = append(p.events, e)
}

func (p *past) turn(agent event.AgentID, deep bool) {
	turn := event.TurnID(p.id())
	if !deep {
		p.turns, p.rewound, p.gone = append(p.turns, turn), nil, nil
	}
	p.add(agent, turn, &event.TurnStarted{})
	p.add(agent, turn, &event.MessageCommitted{Message: event.MessageID(p.id()), Role: event.RoleUser, Block: event.BlockID(p.id()), Text: "do it"})
	for range p.rng.IntN(4) {
		call, view := event.CallID(p.id()), event.CallView{Name: "terminal", Body: strings.Repeat("x", p.rng.IntN(3*event.ExcerptLimit/2))}
		p.add(agent, turn, &event.MessageCommitted{Message: event.MessageID(p.id()), Role: event.RoleAssistant, Block: event.BlockID(p.id()), Text: "so", Calls: []event.CallHead{{Call: call}}})
		if p.rng.IntN(3) == 0 {
			q := event.RequestID(p.id())
			p.add(agent, turn, &event.Requested{Request: event.Request{ID: q, Agent: agent, Call: call}})
			p.add(agent, turn, &event.RequestResolved{Request: q})
		}
		p.add(agent, turn, &event.ToolStarted{Call: call, View: view})
		if !deep && p.rng.IntN(3) == 0 {
			child := event.AgentID(p.id())
			p.add(child, "", &event.AgentSpawned{Parent: agent, Tree: turn, Call: call, Goal: "part"})
			p.turn(child, true)
			if p.rng.IntN(8) > 0 {
				p.add(child, "", &event.AgentFinished{State: event.AgentCompleted})
			}
		}
		if p.rng.IntN(20) == 0 {
			return // the program died
		}
		p.add(agent, turn, &event.ToolFinished{Call: call, View: view, Took: time.Second})
	}
	p.add(agent, turn, &event.TurnFinished{Explain: []string{"", "Interrupted."}[p.rng.IntN(2)], Block: event.BlockID(p.id())})
}

func (p *past) rewind() {
	if n := len(p.rewound); n > 0 && p.rng.IntN(2) == 0 {
		p.turns = append(p.turns, p.gone[n-1]...)
		p.add("root", "", &event.Rewound{ID: p.rewound[n-1], Undo: true})
		p.rewound, p.gone = p.rewound[:n-1], p.gone[:n-1]
		return
	}
	if len(p.turns) == 0 {
		return
	}
	at, id := max(len(p.turns)-1-p.rng.IntN(4), 0), p.id()
	if p.rng.IntN(4) == 0 {
		p.add("root", "", &event.Rewound{ID: id})
		p.gone = append(p.gone, nil)
	} else {
		p.add("root", "", &event.Rewound{ID: id, From: p.turns[at], Elsewhere: p.rng.IntN(6) == 0})
		p.gone, p.turns = append(p.gone, slices.Clone(p.turns[at:])), p.turns[:at]
	}
	p.rewound = append(p.rewound, id)
	p.add("root", "", &event.NoticeRaised{Block: event.BlockID(id), Text: "went back"})
}

// TestGlimpses cuts random journals in all places: the end of one gives the blocks that
// the whole ends with, or says that it does not.
func TestGlimpses(t *testing.T) {
	text := func(blocks []*event.Block) string {
		var out []byte
		for _, b := range blocks {
			c := *b
			c.Rev = 0
			line, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			out = append(append(out, line...), '\n')
		}
		return string(out)
	}
	shown, refused := 0, 0
	for seed := range uint64(150) {
		p := &past{rng: rand.New(rand.NewPCG(seed, 3))}
		p.add("root", "", &event.AgentSpawned{Role: event.RoleRoot})
		for range 3 + p.rng.IntN(8) {
			p.turn("root", false)
			for p.rng.IntN(3) == 0 {
				p.rewind()
			}
			if p.rng.IntN(5) == 0 {
				p.add("root", "", &event.ContextCompressed{Block: event.BlockID(p.id()), Summary: "shorter"})
			}
		}
		whole := &event.State{}
		for _, e := range p.events {
			whole.Apply(e)
		}
		all := whole.Root().Blocks
		for from := range p.events {
			s := &event.State{}
			s.Apply(&event.AgentSpawned{Meta: event.Meta{Agent: "root"}, Role: event.RoleRoot})
			if !atRest(s, "root", p.events[from:]) {
				refused++
				continue
			}
			shown++
			got := s.Root().Blocks
			if len(got) > len(all) || text(got) != text(all[len(all)-len(got):]) {
				t.Fatalf("seed %d from event %d:\n%s\nwhole:\n%s", seed, from, text(got), text(all))
			}
		}
	}
	if shown < 1000 || refused < 1000 {
		t.Errorf("%d were shown, %d were not", shown, refused)
	}
}

package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/agent/extend"
	"hermes-tui/providers/script"
	"hermes-tui/tools"
)

// piece finds a part of the context by its kind and name.
func (r *rig) piece(kind api.PieceKind, name string) api.Piece {
	r.t.Helper()
	list := r.conv.Layers(r.t.Context()).Pieces
	for _, p := range list {
		if p.Kind == kind && strings.Contains(p.Name, name) {
			return p
		}
	}
	r.t.Fatalf("there is no %s %q among %+v", kind, name, list)
	return api.Piece{}
}

// reads answers each turn with the call of a file that the turn names, and a word.
func reads() *script.Scenario {
	none := 0
	rule := func(name string) script.Rule {
		return script.Rule{Match: script.Match{User: name, Results: &none}, Steps: steps(counted(100, 0, 20_000), call("read_file", map[string]any{"path": name}))}
	}
	return &script.Scenario{Name: "test", Rules: []script.Rule{rule("a.txt"), rule("b.txt"), rule("pinned.txt"), {Steps: steps(counted(100, 20_000, 1000), script.Text{Text: "Done."})}}}
}

// TestDrop takes results, attached texts and a turn out of the context. The next
// request is the first to differ, a program that was started again sends the same, and
// undoing it sends what was sent before.
func TestDrop(t *testing.T) {
	attach := func(c *agent.Config) {
		c.Extensions = extend.List{{Began: func(_ context.Context, in event.Queued, _ func(string) bool) extend.Beside {
			if strings.Contains(in.Text, "a.txt") {
				return extend.Beside{Texts: []tools.Attached{{Name: "skill one", Text: "Do it like this."}, {Name: "skill two", Text: "And like that."}}}
			}
			return extend.Beside{}
		}}}
	}
	opts := []option{cachedFor(5 * time.Minute), attach}
	r := newRig(t, reads(), opts...)
	write(t, r.work, "a.txt", strings.Repeat("alpha\n", 500))
	write(t, r.work, "b.txt", strings.Repeat("beta\n", 500))
	for i, text := range []string{"read a.txt", "read b.txt", "talk"} {
		r.submit(text)
		r.idle(i + 1)
	}
	before := r.sent(-1)
	result, skill, turn := r.piece(api.PieceResult, "a.txt"), r.piece(api.PieceAttached, "skill one"), r.piece(api.PieceTurn, "read b.txt")
	price := r.conv.DropPrice(t.Context(), result.ID)
	if price.Tokens < 500 || price.Cold == 0 || !price.Priced || price.Next <= price.Now || price.Later == 0 {
		t.Errorf("price %+v", price)
	}
	if last := r.conv.DropPrice(t.Context(), turn.ID); last.Cold >= price.Cold {
		t.Errorf("what stands later costs more: %+v", last)
	}
	if err := r.conv.Drop(t.Context(), result.ID, skill.ID); err != nil {
		t.Fatal(err)
	}
	if err := r.conv.Drop(t.Context(), turn.ID); err != nil {
		t.Fatal(err)
	}
	if err := r.conv.Drop(t.Context(), result.ID, turn.ID, "nothing"); !errors.Is(err, agent.ErrNoPiece) {
		t.Errorf("dropped again: %v", err)
	}
	messages := r.messages()
	r.submit("go on")
	r.idle(4)
	dropped := r.sent(-1)
	all := strings.Join(dropped, "\n")
	if strings.Contains(all, "alpha") || strings.Contains(all, "like this") || strings.Contains(all, "b.txt") ||
		!strings.Contains(all, "[taken out by the user] [read_file]") || !strings.Contains(all, "like that") || !strings.Contains(all, "talk") {
		t.Errorf("sent:\n%s", all)
	}
	r.keeps(messages)
	r.wants("Taken out of the context: skill one, [read_file]", "Taken out of the context: read b.txt")
	if c := r.state.Root().Cached(); c == nil || c.Change == "" {
		t.Errorf("no cause was listed: %+v", c)
	}

	past := r.revive() // as after a crash
	r.resume(opts...)
	if len(recall(t, past)) != len(r.messages())-4 {
		t.Errorf("%d messages after a crash", len(recall(t, past)))
	}
	r.submit("and on")
	r.idle(5)
	r.continues(r.sent(-1), dropped)

	var back []string
	for _, p := range r.conv.Layers(t.Context()).Pieces {
		if p.Dropped {
			back = append(back, p.ID)
		}
	}
	if len(back) != 3 {
		t.Fatalf("dropped: %v", back)
	}
	if err := r.conv.Undrop(t.Context(), back...); err != nil {
		t.Fatal(err)
	}
	r.submit("once more")
	r.idle(6)
	r.continues(r.sent(-1), before)
	if err := r.conv.Undrop(t.Context(), back...); !errors.Is(err, agent.ErrNoPiece) {
		t.Errorf("brought back again: %v", err)
	}
}

// TestPin keeps a result while a compression shortens everything around it, also in a
// program that was started again, and lets go of it.
func TestPin(t *testing.T) {
	for _, on := range []bool{true, false} {
		r := newSeeded(t, reads(), 200, compressing(0))
		write(t, r.work, "pinned.txt", strings.Repeat("alpha\n", 100))
		r.submit("read pinned.txt")
		r.idle(1)
		pin := r.piece(api.PieceResult, "pinned.txt")
		if err := r.conv.Pin(t.Context(), true, pin.ID); err != nil {
			t.Fatal(err)
		}
		if !on {
			if err := r.conv.Pin(t.Context(), false, pin.ID); err != nil {
				t.Fatal(err)
			}
		}
		r.resume(compressing(0))
		if got := r.piece(api.PieceResult, "pinned.txt"); got.Pinned != on {
			t.Errorf("pinned is %v", got.Pinned)
		}
		for n := range 8 {
			r.submit("talk " + strings.Repeat("and talk ", 1000))
			r.idle(n + 2)
		}
		for range 3 {
			if _, err := r.conv.Compress(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
		}
		r.submit("go on")
		r.idle(10)
		if all := strings.Join(r.sent(-1), "\n"); strings.Contains(all, "alpha") != on {
			t.Errorf("pinned %v, sent: %v", on, strings.Contains(all, "alpha"))
		}
	}
}

package compress

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent/api"
	"hermes-tui/providers"
	"hermes-tui/tools"
)

// TestDropRandom drops pieces of random histories: what is left is valid for a provider,
// what is to be stored gives it again, and nothing is dropped twice.
func TestDropRandom(t *testing.T) {
	kinds := map[api.PieceKind]int{}
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		history := randomHistory(rnd, 1+rnd.IntN(8))
		for i := range history {
			if m := &history[i]; m.Role == providers.User && rnd.IntN(2) == 0 {
				m.Parts = providers.TextParts(m.Text() + tools.Attach([]tools.Attached{{Name: "one", Text: text(rnd, 90)}, {Name: "two", Text: text(rnd, 90)}}))
				m.Parts = append(m.Parts, providers.Part{Image: &providers.Image{MediaType: "image/png", Data: []byte("x")}})
			} else if m.Role == providers.Tool && rnd.IntN(3) == 0 && !strings.Contains(m.Text(), saidOpen) {
				m.Parts = providers.TextParts(m.Text() + "\n\n" + givenOpen + "deep]\n" + text(rnd, 200))
			}
		}
		e, before := engine(func(c *Config) { c.GivenOpen = givenOpen }), deepCopy(history)
		var ids []string
		for _, p := range e.Pieces(history) {
			if rnd.IntN(3) == 0 {
				ids = append(ids, p.ID)
				kinds[p.Kind]++
			}
		}
		d := e.Drop(history, ids)
		if !reflect.DeepEqual(history, before) {
			t.Fatalf("seed %d: the input was changed", seed)
		}
		if len(d.Pieces) != len(ids) || d.Before != sum(history) || d.After != sum(d.History) || d.After > d.Before+len(ids)*30 {
			t.Fatalf("seed %d: %d of %d pieces, %d tokens of %d", seed, len(d.Pieces), len(ids), d.After, d.Before)
		}
		if why := fault(d.History); why != "" {
			t.Fatalf("seed %d: %s\n%s", seed, why, texts(d.History))
		}
		r := Result{Replaced: d.Replaced, LeftOut: d.Gone}
		if got := restored(history, r); !slices.EqualFunc(got, d.History, func(a, b providers.Message) bool { return reflect.DeepEqual(a, b) }) {
			t.Fatalf("seed %d: what is to be stored does not give the history again", seed)
		}
		if d.From < len(history) && d.From < len(d.History) && reflect.DeepEqual(d.History[d.From], history[d.From]) || !reflect.DeepEqual(d.History[:d.From], history[:d.From]) && d.From > 0 {
			t.Fatalf("seed %d: the first difference is not at %d", seed, d.From)
		}
		if again := e.Drop(d.History, ids); len(again.Pieces) > 0 {
			t.Fatalf("seed %d: dropped again: %+v", seed, again.Pieces)
		}
	}
	for _, k := range []api.PieceKind{api.PieceTurn, api.PieceResult, api.PieceAttached, api.PieceImages, api.PieceInstructions} {
		if kinds[k] < 20 {
			t.Errorf("%d of kind %s", kinds[k], k)
		}
	}
}

// givenOpen begins the instructions of a folder in these tests.
const givenOpen = "[Given by the folder "

// TestDropInstructions keeps the line by which it is known that they were given, and
// what the user said behind them.
func TestDropInstructions(t *testing.T) {
	said := "\n\n" + saidOpen + "\nhurry\n" + saidClose
	s := &script{}
	s.user("go")
	s.calls(made{"read_file", `{"path":"a"}`, `{"content":"text"}` + "\n\n" + givenOpen + "deep]\nUse tabs." + said})
	e := engine(func(c *Config) { c.GivenOpen = givenOpen })
	d := e.Drop(s.list, []string{s.list[2].ID + ofInstructions})
	want := `{"content":"text"}` + "\n\n" + givenOpen + "deep]\n" + droppedMark + said
	if got := fmt.Sprint(len(d.Replaced), d.History[2].Text()); got != "1"+want && got != "1 "+want {
		t.Errorf("%s", got)
	}
	d = e.Drop(d.History, []string{s.list[2].ID})
	if got := d.History[2].Text(); !strings.HasPrefix(got, droppedMark+" [read_file]") || !strings.HasSuffix(got, said) {
		t.Errorf("%s", got)
	}
}

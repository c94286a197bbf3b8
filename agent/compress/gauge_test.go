package compress

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"hermes-tui/providers"
)

func TestSize(t *testing.T) {
	text := func(s string) providers.Message { return providers.Message{Parts: providers.TextParts(s)} }
	cases := []struct {
		name string
		m    providers.Message
		want int
	}{
		{"nothing", providers.Message{}, 10},
		{"rounded up", text("abcde"), 12},
		{"characters, not bytes", text("日本語の"), 11},
		{"several parts are rounded once", providers.Message{Parts: []providers.Part{{Text: "ab"}, {Text: "cd"}}}, 11},
		{"calls", providers.Message{Calls: []providers.Call{{Name: "four", Arguments: `{"a":12}`, Extra: []byte("1234")}}}, 14},
		{"readable reasoning is not sent", providers.Message{Reasoning: strings.Repeat("x", 400)}, 10},
		{"native items are", providers.Message{Native: []providers.Item{{Kind: "reasoning_details", Raw: []byte(`"123456"`)}}}, 12},
		{"a picture", providers.Message{Native: []providers.Item{{Kind: "image_url", Raw: json.RawMessage(strings.Repeat("x", 90_000))}}}, 1_510},
		{"pictures of the user", providers.Message{Parts: []providers.Part{{Text: "abcd"}, {Image: picture(1)}, {Image: picture(2 << 20)}}}, 3_011},
		{"what an item repeats counts once", providers.Message{
			Parts: providers.TextParts("12345678"),
			Calls: []providers.Call{{Name: "four", Arguments: `{"a":12}`}},
			Native: []providers.Item{
				{Kind: "reasoning", Raw: []byte(`"12345678901234567890"`)},
				{Kind: "message", Raw: []byte(`{"type":"message","content":[{"type":"output_text","text":"12345678"}]}`)},
				{Kind: "function_call", Raw: []byte(`{"id":"fc_1","call_id":"call_1"}`)},
			},
		}, 21},
		{"the order of parts is not sent", providers.Message{
			Parts:  providers.TextParts("1234"),
			Native: []providers.Item{{Kind: "hermes_order", Raw: []byte(`[{"text":4}]`)}, {Kind: "layout", Raw: []byte(`[{"kind":"text","end":4}]`)}},
		}, 11},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := size(&c.m); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func picture(size int) *providers.Image {
	return &providers.Image{MediaType: "image/png", Data: make([]byte, size)}
}

// TestGaugeSeesPictures: a message that gains or loses a picture is measured again.
func TestGaugeSeesPictures(t *testing.T) {
	g := &Gauge{}
	r := providers.Request{Messages: []providers.Message{{ID: "1", Parts: []providers.Part{{Text: "1234"}, {}}}}}
	for _, c := range []struct {
		image *providers.Image
		want  int
	}{{nil, 11}, {picture(9), 1_511}, {picture(1_000), 1_511}, {nil, 11}} {
		r.Messages[0].Parts = []providers.Part{{Text: "1234"}, {Image: c.image}}
		if got := g.Request(r); got != c.want {
			t.Errorf("got %d, want %d", got, c.want)
		}
	}
}

func TestRequest(t *testing.T) {
	g := &Gauge{}
	r := providers.Request{
		System:   "12345",
		Tools:    []providers.ToolDef{{Name: "ab", Description: "cd", Parameters: []byte(`{}`)}},
		Messages: []providers.Message{{ID: "1", Parts: providers.TextParts("1234")}},
	}
	if got := g.Request(r); got != 12+2+11 {
		t.Errorf("got %d", got)
	}
	if got := (&Gauge{}).Request(providers.Request{}); got != 0 {
		t.Errorf("an empty request weighs %d", got)
	}
}

// TestGaugeAgrees: a gauge that measured other requests before says the same as
// a new one.
func TestGaugeAgrees(t *testing.T) {
	for seed := range uint64(25) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		g := &Gauge{}
		r := providers.Request{System: "system", Messages: randomHistory(rnd, 4)}
		for range 20 {
			switch n := len(r.Messages); rnd.IntN(6) {
			case 0:
				r.Messages = r.Messages[:rnd.IntN(n+1)]
			case 1:
				r.Messages = randomHistory(rnd, 3) // other messages with the same ids
			case 2:
				r.Messages = engine().Compress(r.Messages, Budget{History: sum(r.Messages) / 2}, nil).History
			case 3:
				r.System, r.Tools = text(rnd, 300), []providers.ToolDef{{Name: text(rnd, 9), Parameters: []byte(text(rnd, 90))}}
			default: // as a turn does
				r.Messages = append(r.Messages, providers.Message{ID: text(rnd, 8), Parts: providers.TextParts(text(rnd, 500))})
				if m := &r.Messages[len(r.Messages)-1]; rnd.IntN(2) == 0 {
					m.Parts = providers.TextParts(m.Text() + "more")
				}
			}
			if got, want := g.Request(r), (&Gauge{}).Request(r); got != want {
				t.Fatalf("seed %d: got %d, want %d", seed, got, want)
			}
			if got := g.history(); got != sum(r.Messages) {
				t.Fatalf("seed %d: the history weighs %d, not %d", seed, got, sum(r.Messages))
			}
			if len(g.seen) != len(r.Messages) {
				t.Fatalf("seed %d: %d sizes are kept for %d messages", seed, len(g.seen), len(r.Messages))
			}
		}
	}
}

func TestCorrection(t *testing.T) {
	ten := providers.Request{System: strings.Repeat("x", 4*9_990)}
	cases := []struct {
		name    string
		counted int
		want    int
	}{
		{"what was counted", 15_000, 15_000},
		{"less than estimated", 8_000, 8_000},
		{"not said", 0, 10_000},
		{"beyond sense", 1_000_000, 60_000},
		{"next to nothing", 3, 5_000},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g := &Gauge{}
			g.Request(ten)
			g.Counted(c.counted)
			if got := g.Request(ten); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
	g := &Gauge{}
	g.Request(providers.Request{System: "tiny"})
	g.Counted(900)
	if got := g.Request(ten); got != 10_000 {
		t.Errorf("a tiny request taught a factor: %d", got)
	}
}

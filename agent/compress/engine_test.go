package compress

import (
	"strings"
	"testing"

	"hermes-tui/providers"
)

func TestThreshold(t *testing.T) {
	cases := []struct {
		name  string
		share float64
		w     Window
		want  int
	}{
		{"half of a large window", 0.5, Window{Max: 1_000_000, Reserve: 32_000}, 500_000},
		{"never below 64,000", 0.5, Window{Max: 100_000, Reserve: 8_000}, 64_000},
		{"never into the answer's room", 0.5, Window{Max: 70_000, Reserve: 16_000}, 54_000},
		{"a small window keeps an eighth free", 0.5, Window{Max: 32_768}, 28_672},
		{"at most 8,192 free without a limit", 0.99, Window{Max: 1_000_000}, 990_000},
		{"the whole window minus that", 1, Window{Max: 1_000_000}, 991_808},
		{"an answer as large as the window", 0.5, Window{Max: 40_000, Reserve: 40_000}, 20_000},
		{"an unknown window", 0.5, Window{}, 0},
		{"a share out of range", 7, Window{Max: 200_000, Reserve: 10_000}, 190_000},
		{"no share", 0, Window{Max: 2_000_000}, 100_000},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := engine(func(s *Config) { s.Threshold = c.share }).Threshold(c.w); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestDue(t *testing.T) {
	w := Window{Max: 200_000, Reserve: 8_000}
	cases := []struct {
		name     string
		enabled  bool
		used     int
		w        Window
		messages int
		want     bool
	}{
		{"over the threshold", true, 100_000, w, 25, true},
		{"just below", true, 99_999, w, 25, false},
		{"too few messages", true, 150_000, w, 24, false},
		{"switched off", false, 150_000, w, 500, false},
		{"unknown window", true, 150_000, Window{}, 500, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := engine(func(s *Config) { s.Enabled = c.enabled })
			if got := e.Due(&Gauge{}, c.used, c.w, c.messages); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// TestFutile: two compressions in a row that save little are the last until the
// history has grown by a fifth.
func TestFutile(t *testing.T) {
	e, g, w := engine(), &Gauge{}, Window{Max: 200_000, Reserve: 8_000}
	measure := func(size int) bool {
		used := g.Request(providers.Request{Messages: []providers.Message{{ID: "m", Parts: providers.TextParts(strings.Repeat("x", 4*(size-10)))}}})
		if used != size {
			t.Fatalf("the request weighs %d, want %d", used, size)
		}
		return e.Due(g, used, w, 100)
	}
	poor := Result{Before: 120_000, After: 115_000, Replaced: make([]providers.Message, 1)}
	good := Result{Before: 120_000, After: 108_000, Replaced: make([]providers.Message, 1)}
	if !measure(120_000) {
		t.Fatal("not due at first")
	}
	g.Compressed(poor)
	if !measure(115_000) {
		t.Error("not due after one poor compression")
	}
	g.Compressed(poor)
	if measure(137_000) {
		t.Error("due after two poor compressions, grown by less than a fifth")
	}
	if !measure(138_100) {
		t.Error("not due after growing by a fifth")
	}
	g.Compressed(Result{Before: 138_100, After: 138_100})
	if measure(150_000) {
		t.Error("due after a third poor one")
	}
	if !measure(170_000) {
		t.Error("not due after growing by a fifth again")
	}
	g.Compressed(good)
	if !measure(108_000) {
		t.Error("not due after a good one")
	}
}

func TestBudget(t *testing.T) {
	w := Window{Max: 200_000, Reserve: 8_000}
	request := func(history int) providers.Request {
		return providers.Request{
			System:   strings.Repeat("s", 4*7_990),
			Tools:    []providers.ToolDef{{Name: "tool", Parameters: []byte(strings.Repeat("p", 4*2_000-4))}},
			Messages: []providers.Message{{ID: "m", Parts: providers.TextParts(strings.Repeat("x", 4*(history-10)))}},
		}
	}
	cases := []struct {
		name    string
		ratio   float64
		w       Window
		history int
		counted float64 // per estimated token, 0: not known
		tight   bool
		want    Budget
	}{
		{"half of the threshold, without the fixed part", 0.2, w, 100_000, 0, false, Budget{40_000, 20_000, 10_000}},
		{"the tail takes three quarters at most", 0.8, w, 100_000, 0, false, Budget{70_000, 52_500, 10_000}},
		{"a ratio out of range", 9, w, 100_000, 0, false, Budget{70_000, 52_500, 10_000}},
		{"a model that counts twice as much", 0.2, w, 100_000, 2, false, Budget{15_000, 10_000, 3_750}},
		{"an unknown window", 0.2, Window{}, 100_000, 0, false, Budget{22_000, 12_800, 5_500}},
		{"hardly any room beside the fixed part", 0.2, Window{Max: 16_384}, 100_000, 0, false, Budget{1_433, 1_074, 358}},
		{"refused: half of what there is", 0.2, w, 50_000, 0, true, Budget{25_000, 18_750, 6_250}},
		{"refused, but the budget is smaller", 0.2, w, 100_000, 0, true, Budget{40_000, 20_000, 10_000}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e, g := engine(func(s *Config) { s.TargetRatio = c.ratio }), &Gauge{}
			used := g.Request(request(c.history))
			g.Counted(int(c.counted * float64(used)))
			got := e.Budget(g, c.w)
			if c.tight {
				got = e.Tighter(g, c.w)
			}
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

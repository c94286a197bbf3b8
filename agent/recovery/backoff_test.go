package recovery

import (
	"math/rand/v2"
	"testing"
	"time"

	"hermes-tui/internal/corpustest"
)

func TestBackoffConformance(t *testing.T) {
	type testCase struct {
		ID    string
		Input struct {
			Kind    Trouble
			Attempt int
		}
		Want struct{ Min, Max float64 }
	}
	random := rand.New(rand.NewPCG(1, 1)).Float64
	for _, c := range corpustest.Cases[testCase](t, "backoff") {
		t.Run(c.ID, func(t *testing.T) {
			least, most := time.Duration(c.Want.Min*float64(time.Second)), time.Duration(c.Want.Max*float64(time.Second))
			drawn := map[time.Duration]bool{}
			for range 1000 {
				d := Backoff(c.Input.Kind, c.Input.Attempt, random)
				if d < least || d > most {
					t.Fatalf("%v is not between %v and %v", d, least, most)
				}
				drawn[d] = true
			}
			if len(drawn) < 500 {
				t.Errorf("only %d different delays", len(drawn))
			}
			if d := Backoff(c.Input.Kind, c.Input.Attempt, nil); d != least {
				t.Errorf("without jitter: %v, want %v", d, least)
			}
			if d := Backoff(c.Input.Kind, c.Input.Attempt, func() float64 { return 1 }); d != most {
				t.Errorf("with all jitter: %v, want %v", d, most)
			}
		})
	}
}

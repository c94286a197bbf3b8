package recovery

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// family reads the cases of a conformance family, or skips the test when the
// directory does not have it.
func family[C any](t *testing.T, name string) []C {
	t.Helper()
	dir := os.Getenv("HERMES_CONFORMANCE")
	if dir == "" {
		dir = filepath.Join("testdata", "conformance")
	}
	b, err := os.ReadFile(filepath.Join(dir, name+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no family %s in %s", name, dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Cases []C }
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&f); err != nil {
		t.Fatalf("decode %s: %v", name, err)
	}
	if len(f.Cases) == 0 {
		t.Fatalf("%s has no cases", name)
	}
	return f.Cases
}

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
	for _, c := range family[testCase](t, "backoff") {
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

package guard

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"hermes-tui/tools"
)

// calls is a small world, so that repetitions are frequent.
func calls() []Call { return []Call{read("a"), read("b"), run("a"), run("b"), edit("a"), plan("a")} }

func TestNeverWarnsWhenResultsChange(t *testing.T) {
	c := defaults()
	c.HardStops = true
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := New(c)
		inRow := map[string]int{}
		for i := range 200 {
			call := calls()[r.IntN(6)]
			result := ok(fmt.Sprint("result ", i))
			if inRow[call.Tool]++; inRow[call.Tool] < c.WarnAfter.SameToolFailure && r.IntN(3) == 0 {
				result.Status = tools.StatusFailed
			} else {
				inRow[call.Tool] = 0
			}
			if d := g.Before(call); d.Kind != Allow {
				t.Fatalf("seed %d, call %d: %+v", seed, i, d)
			}
			if d := g.After(call, result); d.Kind != Allow {
				t.Fatalf("seed %d, call %d: %+v", seed, i, d)
			}
		}
	}
}

// ended is a call in the memory of the model of the test.
type ended struct {
	call   Call
	result Result
}

// name tells calls apart; equal arguments are spelt alike here.
func (e ended) name() string { return e.call.Tool + string(e.call.Args) }

// expected finds, in everything that happened, what the last call is worth.
func expected(past []ended, c Config) string {
	last := past[len(past)-1]
	same, inRow := 0, 0
	for i := len(past) - 1; i >= 0; i-- {
		if e := past[i]; e.name() == last.name() {
			if e.result != last.result {
				break
			}
			same++
		}
	}
	for i := len(past) - 1; i >= 0; i-- {
		e := past[i]
		if e.result.Status == tools.StatusOK && (e.call.Tool == last.call.Tool || e.call.Effect == Changes) {
			break
		}
		if e.call.Tool == last.call.Tool {
			inRow++
		}
	}
	lastFailed := last.result.Status == tools.StatusFailed
	switch rounds := roundsOf(past); {
	case lastFailed && same >= c.WarnAfter.ExactFailure:
		return fmt.Sprint("warn repeated_exact_failure ", same)
	case lastFailed && inRow >= c.WarnAfter.SameToolFailure:
		return fmt.Sprint("warn same_tool_failure ", inRow)
	case rounds >= c.WarnAfter.NoProgress:
		return fmt.Sprint("warn alternating_calls ", rounds)
	case !lastFailed && last.call.Effect == Reads && same >= c.WarnAfter.NoProgress:
		return fmt.Sprint("warn no_progress ", same)
	}
	return ""
}

// roundsOf counts rounds by writing them out.
func roundsOf(past []ended) int {
	if len(past) > trailLength {
		past = past[len(past)-trailLength:]
	}
	most := 1
	for size := 2; size <= longestRound; size++ {
		for n := 2; n*size <= len(past); n++ {
			tail := past[len(past)-n*size:]
			even, mixed := true, false
			for i := range tail {
				even = even && tail[i].name() == tail[i%size].name() && tail[i].result == tail[i%size].result
				mixed = mixed || tail[i].name() != tail[0].name()
			}
			if even && mixed {
				most = max(most, n)
			}
		}
	}
	return most
}

func TestAgainstDefinition(t *testing.T) {
	warned := map[string]int{}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		g := New(defaults())
		var past []ended
		for range 60 {
			e := ended{calls()[r.IntN(2+int(seed%5))], ok(fmt.Sprint(r.IntN(1 + int(seed%3))))}
			if r.IntN(3) == 0 {
				e.result.Status = tools.StatusFailed
			}
			past = append(past, e)
			d := g.After(e.call, e.result)
			if want := expected(past, defaults()); say(d) != want {
				t.Fatalf("seed %d, call %d %s%s: got %q, want %q", seed, len(past), e.call.Tool, e.call.Args, say(d), want)
			}
			warned[string(d.Code)]++
		}
	}
	for _, code := range []Code{"", ExactFailure, SameToolFailure, NoProgress, Alternating} {
		if warned[string(code)] < 50 {
			t.Errorf("%q came up %d times only", code, warned[string(code)])
		}
	}
}

// TestLoopsEnd holds that a model that insists on any loop of reads and commands
// is stopped when hard stops are on.
func TestLoopsEnd(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		var loop []ended
		for range 1 + r.IntN(longestRound) {
			e := ended{calls()[r.IntN(4)], ok(fmt.Sprint(r.IntN(2)))}
			if r.IntN(2) == 0 {
				e.result.Status = tools.StatusFailed
			}
			loop = append(loop, e)
		}
		single := true
		for _, e := range loop {
			single = single && e.name() == loop[0].name()
		}
		if single && loop[0].call.Effect == MayChange && loop[0].result.Status == tools.StatusOK {
			continue // a command that works may be repeated
		}
		byCall := map[digest]Result{}
		g := New(strict())
		steps, done := 0, false
		for ; steps < 200 && !done; steps++ {
			e := loop[steps%len(loop)]
			sig := signature(e.call)
			if _, known := byCall[sig]; !known {
				byCall[sig] = e.result
			}
			for { // insists until it may or the turn ends
				d := g.Before(e.call)
				if d.Kind == Allow {
					g.After(e.call, byCall[sig])
				}
				if _, done = g.Halted(); done || d.Kind == Allow {
					break
				}
			}
		}
		if !done {
			t.Fatalf("seed %d: %+v goes on for ever", seed, loop)
		}
	}
}

func TestResetIsNew(t *testing.T) {
	used, fresh := New(strict()), New(strict())
	r := rand.New(rand.NewPCG(1, 4))
	for range 100 {
		used.After(calls()[r.IntN(6)], failed("x"))
	}
	used.Reset()
	for i := range 300 {
		c, res := calls()[r.IntN(6)], ok(fmt.Sprint(r.IntN(2)))
		a, b := used.Before(c), fresh.Before(c)
		if a != b {
			t.Fatalf("call %d: %+v and %+v", i, a, b)
		}
		if a.Kind == Allow {
			if a, b := used.After(c, res), fresh.After(c, res); a != b {
				t.Fatalf("call %d: %+v and %+v", i, a, b)
			}
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	g := New(defaults())
	for i := range 3 * mostCalls {
		g.After(read(fmt.Sprint(i)), ok("x"))
	}
	if len(g.calls) != mostCalls || len(g.order) != mostCalls || len(g.recent.visits) != trailLength {
		t.Fatalf("%d calls, %d in order, %d recent", len(g.calls), len(g.order), len(g.recent.visits))
	}
	if d := g.After(read(fmt.Sprint(3*mostCalls-1)), ok("x")); d.Kind != Warn {
		t.Fatalf("the newest was forgotten: %+v", d)
	}
}

func TestSideBySide(t *testing.T) {
	g := New(strict())
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 200 {
				c := read(fmt.Sprint(i))
				if g.Before(c).Kind == Allow {
					g.After(c, ok(fmt.Sprint(n)))
				}
				g.Halted()
			}
		})
	}
	wg.Wait()
	if d, halted := g.Halted(); halted {
		t.Fatalf("halted: %+v", d)
	}
}

func FuzzSignature(f *testing.F) {
	f.Add(`{"b":1,"a":"é"}`, `{"a":"é", "b":1}`)
	f.Add(`{"a":1}{}`, `[1e400,"\ud800"]`)
	f.Fuzz(func(t *testing.T, a, b string) {
		one, two := canonical([]byte(a)), canonical([]byte(b))
		if string(canonical(one)) != string(one) && json.Valid(one) {
			t.Fatalf("%q is not stable: %q", a, one)
		}
		same := signature(Call{Tool: "x", Args: []byte(a)}) == signature(Call{Tool: "x", Args: []byte(b)})
		if same != (string(one) == string(two)) {
			t.Fatalf("%q and %q", a, b)
		}
	})
}

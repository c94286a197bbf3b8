package script

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// instant is a clock that jumps instead of waiting, and adds up what it was
// asked to wait.
type instant struct {
	mu  sync.Mutex
	now time.Time
}

func (c *instant) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *instant) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return context.Cause(ctx)
}

func TestPace(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     time.Duration
	}{
		{"at once", `[{"tokens": {"n": 1000}}]`, 0},
		{"rate", `[{"tokens": {"n": 100, "rate": 50}}]`, 2 * time.Second},
		{"scenario's rate", `{"rate": 10, "rules": [{"steps": [{"text": "one two three four five"}]}]}`, 500 * time.Millisecond},
		{"own rate", `{"rate": 10, "rules": [{"steps": [{"text": "one two three four five", "rate": 100}]}]}`, 50 * time.Millisecond},
		{"none", `{"rate": 10, "rules": [{"steps": [{"text": "one two three four five", "rate": 0}]}]}`, 0},
		{"split", `{"rate": 10, "split": 8, "rules": [{"steps": [{"text": "0123456789abcdef"}]}]}`, 400 * time.Millisecond},
		{"arguments", `[{"call": {"name": "a", "args": {"b": "c d"}}, "rate": 2}]`, time.Second},
		{"pauses", `[{"sleep_ms": 30}, {"text": "a b", "rate": 10}, {"sleep_ms": 70}, {"stall": 900}]`, 1200 * time.Millisecond},
	} {
		clock := &instant{now: time.Unix(1e9, 0)}
		cl, err := New(scenario(t, c.in), Options{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		if got := transcript(cl.Stream(t.Context(), says("hi"))); !strings.HasSuffix(got, " EOF") {
			t.Errorf("%s: %s", c.name, got)
		}
		got := clock.now.Sub(time.Unix(1e9, 0))
		if got.Round(time.Millisecond) != c.want {
			t.Errorf("%s: took %v, want %v", c.name, got, c.want)
		}
	}
}

// TestPaceCatchesUp reads late: the answer keeps its schedule, but what was
// missed for long does not come at once.
func TestPaceCatchesUp(t *testing.T) {
	clock := &instant{now: time.Unix(1e9, 0)}
	p := pace{clock: clock}
	steps := []struct{ late, want time.Duration }{
		{0, 100 * time.Millisecond}, // waits for the whole step
		{60 * time.Millisecond, 40 * time.Millisecond},
		{300 * time.Millisecond, 0},
		{0, 0},
		{0, 0},
		{0, 100 * time.Millisecond},
		{time.Minute, 100 * time.Millisecond}, // away for too long
	}
	for i, s := range steps {
		clock.now = clock.now.Add(s.late)
		before := clock.now
		if err := p.keep(t.Context(), Beat{Kind: BeatText, After: 100 * time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		if got := clock.now.Sub(before); got != s.want {
			t.Errorf("step %d: waited %v, want %v", i, got, s.want)
		}
	}
}

func TestCancel(t *testing.T) {
	why := errors.New("the user stopped it")
	for name, steps := range map[string]string{
		"before headers": `[{"stall": true}]`,
		"in silence":     `[{"text": "a"}, {"stall": true}]`,
		"in a pause":     `[{"text": "a"}, {"sleep_ms": 60000}]`,
		"in slow text":   `[{"text": "a b c d", "rate": 0.01}]`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				c := client(t, steps)
				var took time.Duration
				go func() {
					time.Sleep(time.Second)
					cancel(why)
				}()
				begin := time.Now()
				got := transcript(c.Stream(ctx, says("hi")))
				took = time.Since(begin)
				if !strings.HasSuffix(got, "error "+why.Error()) || took != time.Second {
					t.Errorf("after %v: %s", took, got)
				}
			})
		})
	}
}

func TestCancelAtFullSpeed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := client(t, `[{"tokens": {"n": 1000}}]`).Stream(ctx, says("hi"))
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	for range 2 { // the end stays
		if _, err := s.Next(); !errors.Is(err, context.Canceled) {
			t.Errorf("after the cancellation: %v", err)
		}
	}
	if _, err := client(t, `[]`).Stream(ctx, says("hi")); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled request: %v", err)
	}
}

func TestCloseEndsNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := client(t, `[{"open": true}, {"stall": true}]`).Stream(t.Context(), says("hi"))
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			time.Sleep(time.Second)
			s.Close()
			s.Close()
		}()
		if got := transcript(s, nil); got != "open error the stream was closed" {
			t.Error(got)
		}
	})
}

package agent_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
)

// TestFaultMatrix plays everything that can go wrong between the agent and a
// model, once and for ever, in the first request of a turn, behind a tool that
// has run, and beside another conversation that is being answered. It holds the
// exact end of each: how the turn ends and what the user is told, what was
// sent, what is stored, how long was waited, that no tool ran twice, and that the
// next turn works.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	for _, f := range faults() {
		for _, p := range []plot{{}, {tool: true}, {beside: true}} {
			for _, once := range []bool{true, false} {
				p := plot{once, p.tool, p.beside}
				if p.once && f.sameForEver() || !p.once && f.course == courseMends {
					continue
				}
				t.Run(f.name+p.String(), func(t *testing.T) {
					t.Parallel()
					newCell(t, f, p).play()
				})
			}
		}
	}
}

// plot is when a fault comes and how long it stays.
type plot struct{ once, tool, beside bool }

func (p plot) String() string {
	s := map[bool]string{true: ", once", false: ", for ever"}[p.once]
	if p.tool {
		s += ", behind a tool"
	}
	if p.beside {
		s += ", beside another conversation"
	}
	return s
}

// cell is one combination.
type cell struct {
	*rig
	fault fault
	plot
	server    *unruly
	asleep    chan sleep
	slept     []time.Duration
	dumps     []string // files with what was refused; written in the turn
	sentAgain bool     // the prompt of the fault, with the next one

	mu     sync.Mutex
	played int // how often the fault came
	over   bool
}

// sleep is a wait that ends when the user has seen it announced.
type sleep struct {
	d   time.Duration
	end chan time.Time
}

func newCell(t *testing.T, f fault, p plot) *cell {
	c := &cell{fault: f, plot: p, asleep: make(chan sleep, 1)}
	c.server = serveUnruly(t, c.answer)
	c.rig = &rig{t: t, dir: t.TempDir(), ids: event.SystemSource()}
	c.openStore()
	c.rig = converse(t, c.rig, c.server.url, withMode(event.ModeOff), withBudget(6), func(cfg *agent.Config) {
		cfg.Policy = f.policy()
		cfg.After = func(d time.Duration) <-chan time.Time {
			s := sleep{d, make(chan time.Time, 1)}
			c.asleep <- s
			return s.end
		}
		if f.silent && f.long == 0 {
			cfg.Runtime.Stale = stalled
		}
		cfg.Runtime.Longest = f.long
		cfg.KeepRefused = func(data []byte) (string, error) {
			path := filepath.Join(c.dir, fmt.Sprintf("refused-%d.json", len(c.dumps)))
			c.dumps = append(c.dumps, path)
			return path, os.WriteFile(path, data, 0o600)
		}
		if f.open != nil {
			cfg.Runtime.Client = detour{cfg.Runtime.Client, f.open(t), c}
		}
	})
	return c
}

// converse starts a conversation on the store of another one.
func converse(t testing.TB, on *rig, url string, opts ...option) *rig {
	t.Helper()
	r := &rig{t: t, dir: on.dir, work: t.TempDir(), db: on.db, ids: on.ids}
	cfg := config(t, r.db, r.ids, r.dir, r.work, url)
	for _, o := range opts {
		o(&cfg)
	}
	r.conv = agent.New(cfg)
	r.state = r.conv.State()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := r.conv.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return r
}

// strikes reports whether the fault comes now, and for which time.
func (c *cell) strikes() (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || c.once && c.played > 0 && c.fault.course != courseMends {
		return 0, false
	}
	c.played++
	return c.played, true
}

// times is how often the fault came.
func (c *cell) times() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.played
}

// answer is what the server does.
func (c *cell) answer(a *ask) {
	switch {
	case a.asked("again"):
		c.sentAgain = a.says("go")
		a.say("Recovered.")
		return
	case c.tool && !a.ran():
		a.stream(shellEvent(0, "w0", "echo ran >> proof"), endEvent("tool_calls"), "[DONE]")
		return
	}
	if c.fault.answer != nil && (a.Stream || c.fault.course != courseMends) {
		var now bool
		if a.n, now = c.strikes(); now {
			c.fault.answer(a)
			return
		}
	}
	a.say("All done.")
}

// detour leads nowhere while the fault comes.
type detour struct {
	good, bad providers.Client
	cell      *cell
}

// Stream implements [providers.Client].
func (d detour) Stream(ctx context.Context, r providers.Request) (providers.Stream, error) {
	ran := slices.ContainsFunc(r.Messages, func(m providers.Message) bool { return m.Role == providers.Tool })
	if !d.cell.tool || ran {
		if _, now := d.cell.strikes(); now {
			return d.bad.Stream(ctx, r)
		}
	}
	return d.good.Stream(ctx, r)
}

// idle follows the conversation until so many turns have ended. Waits end when
// they were seen.
func (c *cell) idle(turns int) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	for c.state.Root() == nil || c.state.Root().Turns < turns || c.state.Busy() {
		events, err := c.conv.Next(ctx)
		if err != nil {
			c.t.Fatalf("waiting for turn %d: %v\n%s", turns, err, c.dump())
		}
		for _, e := range events {
			c.state.Apply(e)
			c.checkShown()
			if w, ok := e.(*event.RetryScheduled); ok && w.Until.Sub(w.At) > time.Second/2 {
				s := <-c.asleep
				if off := (s.d - w.Until.Sub(w.At)).Abs(); off > time.Second/2 {
					c.t.Errorf("waits %v and announces %v", s.d, w.Until.Sub(w.At))
				}
				if w.Attempt < 2 || w.Attempt > w.Max || w.Reason != c.fault.why() {
					c.t.Errorf("announces %+v", w)
				}
				c.slept = append(c.slept, s.d)
				s.end <- time.Time{}
			}
		}
		c.log = append(c.log, events...)
	}
}

// checkShown checks that of the parts that came, those that were asked for again
// are not on the screen.
func (c *cell) checkShown() {
	a := c.state.Root()
	if a == nil || !strings.Contains(c.fault.kept, "part ") {
		return
	}
	most, parts := c.times(), 0
	if c.fault.course == courseResendsCall {
		most = max(1, most-c.fault.policy().Resends)
	}
	for _, b := range a.Blocks {
		if b.Kind == event.BlockAnswer {
			parts += strings.Count(b.Text.String(), "part ")
		}
	}
	if parts > most {
		c.t.Errorf("%d parts are on the screen when the fault came %d times:\n%s", parts, c.times(), c.dump())
	}
}

// play runs the plot and checks its end.
func (c *cell) play() {
	var other *bystander
	if c.beside {
		other = newBystander(c.t, c.rig)
	}
	c.submit(cmp.Or(c.fault.prompt, "go"))
	c.idle(1)
	c.checkEnd()
	c.checkWay()
	c.checkStore(1)

	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	c.submit("again")
	c.idle(2)
	if f := c.last(); f.Outcome != event.TurnCompleted || f.Explain != "" {
		c.t.Errorf("the next turn ended %+v", f)
	}
	c.wants("user again", "answer Recovered.")
	c.checkLeft()
	c.checkStore(2)
	c.checkTools()
	if other != nil {
		other.check()
	}
}

// checkEnd checks how the turn ended.
func (c *cell) checkEnd() {
	f := c.last()
	if c.once || c.fault.course == courseNone && c.fault.kept != "" {
		if f.Outcome != event.TurnCompleted || f.Reason != "" || f.Explain != "" {
			c.t.Errorf("the turn ended %+v", f)
		}
		return
	}
	outcome, reason := event.TurnFailed, c.fault.reason
	if c.fault.course == courseNone { // it calls tools for ever
		outcome, reason = event.TurnExhausted, "budget"
	}
	if f.Outcome != outcome || f.Reason != reason {
		c.t.Errorf("the turn ended %+v, want %s because of %s", f, outcome, reason)
	}
	if err := checkSentence(f.Explain); err != nil || !strings.Contains(f.Explain, c.fault.say) {
		c.t.Errorf("the user is told %q: %v, want %q in it", f.Explain, err, c.fault.say)
	}
}

// checkLeft checks what becomes of a prompt that was refused.
func (c *cell) checkLeft() {
	if left := c.fault.leftOut && !c.tool; c.sentAgain == left {
		c.t.Errorf("the prompt was sent again: %v", c.sentAgain)
	}
	told := strings.Contains(c.dump(), "What was asked is kept in "+filepath.Join(c.dir, "refused-0.json"))
	if c.fault.dumped != (len(c.dumps) == 1) || c.fault.dumped != told {
		t, err := os.ReadFile(filepath.Join(c.dir, "refused-0.json"))
		c.t.Errorf("what was asked was kept in %q, told %v: %s, %v", c.dumps, told, t, err)
	}
}

// checkWay checks what recovery did on the way.
func (c *cell) checkWay() {
	p := c.fault.policy()
	played, delays := c.fault.course.sends(p), c.fault.course.delays(p)
	good := 0 // requests that were answered well
	if c.tool {
		good++
	}
	if c.once {
		played, delays = 1, c.fault.course.first(p)
		good++
	} else if c.fault.course == courseNone && c.fault.kept == "" {
		played = 7 - good // six, and the one that asks for a summary
	}
	if c.fault.asks > 0 {
		delays = slices.Repeat([]time.Duration{c.fault.asks}, len(delays))
	}
	c.mu.Lock()
	came, slept := c.played, slices.Clone(c.slept)
	c.mu.Unlock()
	if came != played {
		c.t.Errorf("the fault came %d times, want %d", came, played)
	}
	if !slices.Equal(slept, delays) {
		c.t.Errorf("waited %v, want %v", slept, delays)
	}
	want := good
	if c.fault.answer != nil {
		want += played
	}
	if got := c.server.requests(c.t); got != want {
		c.t.Errorf("%d requests, want %d", got, want)
	}
}

// checkStore checks what is stored after so many turns, and that it is what the
// screen shows.
func (c *cell) checkStore(turns int) {
	c.t.Helper()
	rows := c.messages()
	if err := checkRows(rows); err != nil {
		c.t.Errorf("stored history is not valid: %v", err)
	}
	var said []string
	for _, m := range rows {
		if m.Role == "assistant" && m.Content != "" {
			said = append(said, m.Content)
		}
	}
	want := []string{c.fault.kept}
	if c.once {
		want[0] = c.fault.once
		if want[0] == "" {
			want[0] = "All done."
		}
	}
	if want[0] == "" {
		want = nil
	}
	if turns > 1 {
		want = append(want, "Recovered.")
	}
	if !slices.Equal(said, want) {
		c.t.Errorf("stored answers %.500q, want %.500q", said, want)
	}
	var shown []string
	for _, b := range c.state.Root().Blocks {
		if b.Kind == event.BlockAnswer {
			shown = append(shown, b.Text.String())
		}
	}
	if !slices.Equal(shown, want) {
		c.t.Errorf("shown answers %.500q, want %.500q", shown, want)
	}
	if turns < 2 {
		return
	}
	if d := differ(normalState(c.state), normalState(c.revive().State)); d != "" {
		c.t.Errorf("the screen and the journal differ: %.2000s", d)
	}
}

// checkTools checks that what ran, ran once.
func (c *cell) checkTools() {
	text, err := os.ReadFile(filepath.Join(c.work, "proof"))
	if want := map[bool]string{true: "ran\n"}[c.tool]; string(text) != want || c.tool != (err == nil) {
		c.t.Errorf("the tool left %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(c.work, "half.txt")); err == nil {
		c.t.Error("half a call was run")
	}
	if c.fault.course != courseNone || c.fault.kept != "" {
		return
	}
	turn := c.times()
	if !c.once {
		turn-- // the last one came when no more calls were allowed
	}
	var want strings.Builder
	for n := range turn {
		fmt.Fprintf(&want, "%d-a\n%d-b\n", n+1, n+1)
	}
	if text, err := os.ReadFile(filepath.Join(c.work, "twins")); err != nil || string(text) != want.String() {
		c.t.Errorf("the calls with one id left %q, %v", text, err)
	}
}

package timeline_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/internal/celltest"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/timeline"
)

// states are all states of an agent and one of a newer program.
var states = []event.AgentState{
	event.AgentIdle, event.AgentQueued, event.AgentRunning, event.AgentWaiting, event.AgentPausing, event.AgentPaused,
	event.AgentStopping, event.AgentCompleted, event.AgentFailed, event.AgentKilled, event.AgentTimeout,
	event.AgentInterrupted, event.AgentRefused, "other",
}

// chaos lets agents do things in any order, with hostile words.
type chaos struct {
	*talk
	rnd *rand.Rand
}

func newChaos(seed uint64) *chaos {
	c := &chaos{newTalk(), rand.New(rand.NewPCG(seed, 7))}
	c.ask("t1", celltest.Text(c.rnd, 80))
	return c
}

func (c *chaos) agent() event.AgentID {
	list := c.s.Agents
	return list[c.rnd.IntN(len(list))].ID
}

func (c *chaos) step() {
	c.after(time.Duration(c.rnd.IntN(4000)) * time.Millisecond)
	id := c.agent()
	child := c.s.Agent(id).Parent != ""
	switch n := c.rnd.IntN(16); {
	case n < 3:
		c.spawn(event.AgentID(c.id("a")), id, celltest.Text(c.rnd, 40))
	case n == 3:
		c.ask(event.TurnID(c.id("t")), celltest.Text(c.rnd, 60))
	case !child:
	case n < 6:
		c.begin(id)
	case n < 9:
		kinds := []event.ViewKind{event.ViewCommand, event.ViewClarify, event.ViewRead}
		c.call(id, kinds[c.rnd.IntN(3)], time.Duration(c.rnd.IntN(3))*time.Second)
	case n < 12:
		on := []string{"", "approval", "lock", celltest.Text(c.rnd, 9)}
		live := states[c.rnd.IntN(7)]
		c.state(id, live, on[c.rnd.IntN(len(on))])
	case n == 12:
		c.spend(id, int64(c.rnd.IntN(90_000)), int64(c.rnd.IntN(9_000)), int64(c.rnd.IntN(500)))
	case n == 13:
		c.s.Agent(id).Tools = c.rnd.IntN(300)
	default:
		c.add(id, "", &event.AgentFinished{State: states[7+c.rnd.IntN(7)], Error: celltest.Text(c.rnd, 30), Summary: celltest.Text(c.rnd, 30)})
	}
}

// keysOf are all keys that mean something in a window.
var keysOf = []string{"j", "k", "g", "G", "h", "l", "+", "-", "0", "r", "space", "n", "N", "<", ">", "c", "x"}

func pressAny(b overlay.Box, rnd *rand.Rand) {
	switch n := rnd.IntN(len(keysOf) + 9); {
	case n < len(keysOf):
		press(b, keysOf[n])
	case n < len(keysOf)+6:
		b.Move(overlay.Move(n - len(keysOf)))
	case n == len(keysOf)+6:
		b.Back()
	}
}

// TestRandom draws all windows of random conversations at random sizes while
// random keys are pressed.
func TestRandom(t *testing.T) {
	for seed := range uint64(25) {
		c := newChaos(seed)
		line, list := timeline.New(styles, "t1", table), timeline.NewTrees(styles, table, hints)
		line.SetHints(hints)
		for i := range 60 {
			c.step()
			st := styles
			if c.rnd.IntN(4) == 0 {
				st = &rows.Styles{}
			}
			if c.rnd.IntN(3) > 0 {
				line.Sync(&c.s)
				list.Sync(&c.s)
			}
			if c.rnd.IntN(2) == 0 {
				line.Tick(c.now, i)
				list.Tick(c.now, i)
			}
			w, h := c.rnd.IntN(130), c.rnd.IntN(40)
			for _, b := range []overlay.Box{line, list} {
				b.SetStyles(st)
				pressAny(b, c.rnd)
				got := b.Rows(nil, w, h)
				celltest.Check(t, got, w, h)
				if bw, bh := b.Size(w, h); bw > w || bh > h {
					t.Fatalf("a window of %d×%d on a screen of %d×%d", bw, bh, w, h)
				}
				if strings.ContainsAny(ansi.Strip(strings.Join(got, "")), "\x1b\a\x00\u202e") {
					t.Fatal("something of outside came through")
				}
			}
		}
	}
}

// TestReadingOnEqualsReadingAnew holds that what was read of a transcript before
// changes nothing: a window that saw every step shows what a new one shows.
func TestReadingOnEqualsReadingAnew(t *testing.T) {
	for seed := range uint64(25) {
		c := newChaos(seed)
		old := timeline.New(styles, "t1", table)
		old.SetHints(hints)
		list := timeline.NewTrees(styles, table, hints)
		for range 80 {
			c.step()
			old.Sync(&c.s)
			list.Sync(&c.s)
		}
		old.Tick(c.now, 0)
		list.Tick(c.now, 0)
		old.Move(overlay.Top)
		list.Move(overlay.Top)
		fresh := line(c.talk, "t1")
		for _, pair := range [][2]overlay.Box{{old, fresh}, {list, trees(c.talk)}} {
			if got, want := text(t, pair[0], 120, 40), text(t, pair[1], 120, 40); got != want {
				t.Fatalf("seed %d:\n%s\nanew:\n%s", seed, got, want)
			}
		}
	}
}

// hundred is a tree of many agents with long transcripts.
func hundred(blocks int) *talk {
	t := newTalk().ask("t1", "look into everything")
	for i := range 100 {
		id := event.AgentID(fmt.Sprint("a", i))
		t.spawn(id, "root", fmt.Sprintf("look into part %d of the store", i)).begin(id)
		a := t.s.Agent(id)
		for j := range blocks {
			at := t.now.Add(time.Duration(j) * time.Second)
			a.Blocks = append(a.Blocks, &event.Block{
				ID: event.BlockID(fmt.Sprint(id, "-", j)), Kind: event.BlockTool, At: at,
				Call: &event.Call{Stage: event.CallEnded, Started: at, Took: 300 * time.Millisecond},
			})
		}
	}
	return t.after(time.Duration(blocks) * time.Second)
}

func BenchmarkSync100(b *testing.B) {
	s := hundred(1000)
	l := line(s, "t1")
	b.ReportAllocs()
	for b.Loop() {
		l.Sync(&s.s)
	}
}

func BenchmarkRows100(b *testing.B) {
	s := hundred(1000)
	l := line(s, "t1")
	var dst []string
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		l.Tick(s.now.Add(time.Duration(i)*time.Millisecond), i)
		dst = l.Rows(dst[:0], 200, 60)
	}
}

func BenchmarkTreesSync(b *testing.B) {
	s := hundred(10)
	l := trees(s)
	b.ReportAllocs()
	for b.Loop() {
		l.Sync(&s.s)
	}
}

package timeline_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/event"
	"hermes-tui/internal/celltest"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/timeline"
)

// golden draws a window at every size, after steps that see it drawn once.
func golden(t *testing.T, name string, box func() overlay.Box, steps func(overlay.Box)) {
	t.Helper()
	var out []string
	for _, size := range sizes {
		b := box()
		draw(t, b, size[0], size[1])
		if steps != nil {
			steps(b)
		}
		out = append(out, fmt.Sprintf("%d×%d:", size[0], size[1]))
		for _, row := range draw(t, b, size[0], size[1]) {
			out = append(out, ansi.Strip(row)+"|")
		}
	}
	celltest.Golden(t, name+".txt", out, os.WriteFile)
}

func line(s *talk, tree event.TurnID) *timeline.Timeline {
	l := timeline.New(styles, tree, table)
	l.SetHints(hints)
	l.Sync(&s.s)
	l.Tick(s.now, 0)
	return l
}

func trees(s *talk) *timeline.Trees {
	l := timeline.NewTrees(styles, table, hints)
	l.Sync(&s.s)
	l.Tick(s.now, 0)
	return l
}

// several is a conversation with three trees.
func several() *talk {
	t := over()
	t.ask("t2", "Now the same\nfor 漢字 and \x1b[31mcolours\x1b[m.").spawn("x", "root", "only one").begin("x").spend("x", 1200, 300, 0)
	t.s.Agent("x").Usage.Unpriced = 2
	t.after(3*time.Second).call("x", event.ViewCommand, 90*time.Second).end("x", event.AgentInterrupted)
	t.after(26*time.Hour).ask("t3", "Look into all parts of it").spawn("y", "root", "look").begin("y").spend("y", 9_000, 800, 12)
	return t.after(75*time.Second).spawn("z", "y", "below").begin("z").after(4 * time.Second)
}

func TestTimelineGolden(t *testing.T) {
	live := func() overlay.Box { return line(busy(), "t1") }
	golden(t, "live", live, nil)
	past := func() overlay.Box {
		l := line(over(), "t1")
		l.Replay()
		return l
	}
	golden(t, "replay-begins", past, nil)
	golden(t, "replay-middle", past, func(b overlay.Box) {
		for range 2 {
			press(b, "n")
		}
		b.Move(overlay.Down)
	})
	golden(t, "replay-ends", past, func(b overlay.Box) {
		for range 40 {
			press(b, "n")
		}
		b.Move(overlay.Bottom)
	})
	golden(t, "gone", func() overlay.Box { return line(busy(), "other") }, nil)
}

func TestTreesGolden(t *testing.T) {
	list := func() overlay.Box { return trees(several()) }
	golden(t, "trees", list, nil)
	golden(t, "trees-marked", list, func(b overlay.Box) {
		for _, key := range []string{"G", "space", "k"} {
			press(b, key)
		}
	})
	golden(t, "trees-compared", list, func(b overlay.Box) {
		for _, key := range []string{"G", "space", "g", "c"} {
			press(b, key)
		}
	})
	golden(t, "trees-none", func() overlay.Box { return trees(newTalk()) }, nil)
}

package prompt

import (
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/themes"
	"hermes-tui/ui/rows"
)

func TestAllowingNeedsTheWholeContentInSight(t *testing.T) {
	command := strings.Repeat("echo one more line\n", 60) + "rm -rf ~"
	x := armed(t, ruled("a", command, "echo *"))
	x.press("right", "enter")
	x.wantNone()
	if row := plainRows(x.draw(80, 20)); !strings.Contains(row, "not seen yet: pgdn, then allow") {
		t.Errorf("no word about it:\n%s", row)
	}
	x.press("4", "enter")
	x.wantNone()
	if strings.Contains(plainRows(x.draw(80, 20)), "Always allow this?") {
		t.Error("always goes on before all was in sight")
	}
	for range 10 {
		x.press("pgdn")
	}
	if !strings.Contains(plainRows(x.draw(80, 20)), "rm -rf ~") {
		t.Error("the end is not in sight")
	}
	x.press("2", "enter")
	x.want("a", choice(event.ChoiceOnce))

	// Deny needs nothing.
	x = armed(t, approval("a", command))
	x.press("enter")
	x.want("a", choice(event.ChoiceDeny))

	// Scrolling back does not take it away.
	x = armed(t, approval("a", command))
	for range 10 {
		x.press("pgdn")
	}
	for range 10 {
		x.press("pgup")
	}
	if !strings.Contains(plainRows(x.draw(80, 20)), "root wants to run") {
		t.Error("not at the start")
	}
	x.press("2", "enter")
	x.want("a", choice(event.ChoiceOnce))
}

func TestAllowingNeedsRoom(t *testing.T) {
	for _, size := range [][2]int{{80, 1}, {10, 20}, {0, 5}, {80, 0}} {
		x := &bench{t: t, p: New(rows.NewStyles(themes.Dark())), now: start}
		x.p.Sync([]event.Request{approval("a", "one\ntwo\nthree")})
		x.p.Observe(x.now, false, true)
		x.draw(size[0], size[1])
		x.wait(Quiet)
		x.p.Arm()
		x.p.Down()
		if _, a, done := x.p.Accept(); done {
			t.Errorf("%v: %+v", size, a)
		}
	}
}

func TestTheRuleMustBeInSightToo(t *testing.T) {
	x := armed(t, ruled("a", "ls", strings.Repeat("a long rule ", 100)))
	if r := plainRows(x.draw(80, 30)); !strings.Contains(r, "a long rule") {
		t.Errorf("no rule:\n%s", r)
	}
	x = &bench{t: t, p: x.p, now: start}
	x.p.Sync([]event.Request{ruled("b", "ls", strings.Repeat("a long rule ", 100))})
	x.p.Observe(x.now, false, true)
	x.draw(80, 8)
	x.wait(Quiet)
	for range 3 {
		x.p.Down()
	}
	if _, _, done := x.p.Accept(); done || strings.Contains(plainRows(x.draw(80, 8)), "Always allow this?") {
		t.Error("always goes on before the rule was in sight")
	}
	for range 10 {
		x.p.PageDown()
		x.draw(80, 8)
	}
	x.p.Accept()
	if !strings.Contains(plainRows(x.draw(80, 8)), "Always allow this?") {
		t.Error("always does not go on")
	}
	x.p.Down()
	if _, _, done := x.p.Accept(); done {
		t.Error("always before the rule was in sight on its own page")
	}
}

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
	if row := plainRows(x.draw(80, 20)); !strings.Contains(row, "not seen yet: pgdown") {
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
	if !strings.Contains(plainRows(x.draw(80, 20)), "The agent wants to run") {
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

// TestWhatIsCoveredTakesNoKeys hides a request that was armed: it takes no key but
// the one that denies it, and has to be armed again when it is back in sight.
func TestWhatIsCoveredTakesNoKeys(t *testing.T) {
	x := armed(t, approval("a", "ls"))
	x.press("right")
	x.p.Cover(true)
	x.draw(80, 20)
	if _, ok := x.p.ArmAt(); ok || x.p.Armed() {
		t.Error("a request that is hidden is armed, or will be")
	}
	if x.p.Arm(); x.p.Armed() {
		t.Error("tab arms a request that is hidden")
	}
	x.press("enter")
	x.wantNone()
	x.p.Cover(false)
	x.draw(80, 20)
	if x.p.Armed() {
		t.Error("armed as soon as it is back")
	}
	x.arm()
	x.press("enter")
	x.want("a", choice(event.ChoiceOnce))

	x = armed(t, approval("a", "ls"), question("q", "Why?"))
	x.p.Cover(true)
	x.id, x.answer, x.done = x.p.Refuse()
	x.want("a", choice(event.ChoiceDeny))
	x.id, x.answer, x.done = x.p.Refuse()
	x.want("q", choice(event.ChoiceNone))
	if _, _, done := x.p.Refuse(); done {
		t.Error("an answer to nothing")
	}
}

// TestWhatIsDrawnWhileCoveredWasNotSeen shows a request for the first time behind a
// window.
func TestWhatIsDrawnWhileCoveredWasNotSeen(t *testing.T) {
	x := open(t)
	x.p.Cover(true)
	x.sync(approval("a", strings.Repeat("echo one more line\n", 20)))
	x.p.PageDown()
	x.draw(80, 40)
	x.p.Cover(false)
	x.draw(80, 6)
	x.arm()
	x.draw(80, 6)
	x.p.Right()
	if _, _, done := x.p.Accept(); done {
		t.Error("what was hidden behind a window counts as seen")
	}
}

// TestReadingLeavesNothingOut jumps to the end of a command, which does not count as
// having read it, and makes the window narrower on the way.
func TestReadingLeavesNothingOut(t *testing.T) {
	x := armed(t, approval("a", strings.Repeat("echo one more line that is longer than the window is wide\n", 60)+"rm -rf ~"))
	for range 20 {
		x.p.PageDown() // without a frame in between
	}
	if !strings.Contains(plainRows(x.draw(80, 10)), "rm -rf ~") {
		t.Fatal("the end is not in sight")
	}
	x.p.Right()
	if _, _, done := x.p.Accept(); done {
		t.Error("the rows in between were never in sight")
	}
	for range 70 {
		x.p.PageUp()
		x.draw(80, 10)
	}
	for range 5 {
		x.p.PageDown()
		x.draw(80, 10)
	}
	if first := plainRows(x.draw(60, 10)); !strings.Contains(first, "│ echo one") {
		t.Errorf("another width does not begin at the start:\n%s", first)
	}
	last := ""
	for range 70 {
		if x.id, x.answer, x.done = x.p.Accept(); x.done {
			break
		}
		x.p.PageDown()
		last = plainRows(x.draw(60, 10))
	}
	x.want("a", choice(event.ChoiceOnce))
	if !strings.Contains(last, "rewrites the remote branch") {
		t.Errorf("answered before the end was in sight:\n%s", last)
	}
}

// TestAnswersNeedTheQuestion answers questions, with a choice, a text and a password,
// before and after all of them was in sight.
func TestAnswersNeedTheQuestion(t *testing.T) {
	long := strings.Repeat("one more line of the question\n", 40) + "Which?"
	pass := password("q")
	pass.Secret.Reason = long
	for name, r := range map[string]event.Request{
		"choice": question("q", long, "a", "b"), "text": question("q", long), "several": several("q", long, "a"), "password": pass,
	} {
		x := armed(t, r)
		if !x.p.Typing() {
			x.press("1")
		} else {
			x.press("a")
		}
		x.press("enter")
		if x.wantNone(); !strings.Contains(plainRows(x.draw(80, 20)), "not seen yet") {
			t.Errorf("%s: no word about it:\n%s", name, plainRows(x.draw(80, 20)))
		}
		for range 10 {
			x.press("pgdn")
		}
		x.press("enter")
		if !x.done || x.answer.Choice != event.ChoiceText {
			t.Errorf("%s: %+v", name, x.answer)
		}
		x = armed(t, r)
		x.press("esc")
		x.want("q", choice(event.ChoiceNone))
	}
}

// TestAllAreReadAgain looks at all requests of a kind a second time, when there is one
// more.
func TestAllAreReadAgain(t *testing.T) {
	x := armed(t, approval("1", "a"), approval("2", "b"))
	x.to("All 2")
	x.draw(80, 20)
	x.press("esc")
	x.p.Sync([]event.Request{approval("1", "a"), approval("2", "b"), approval("3", strings.Repeat("c\n", 60))})
	x.draw(80, 20)
	x.to("All 3")
	x.press("3", "enter")
	x.wantNone()
}

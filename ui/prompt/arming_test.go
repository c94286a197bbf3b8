package prompt

import (
	"testing"
	"time"

	"hermes-tui/agent/event"
)

func TestQuietArms(t *testing.T) {
	b := open(t, approval("a", "x"))
	at, ok := b.p.ArmAt()
	if !ok || !at.Equal(start.Add(Quiet)) {
		t.Fatalf("arms at %v (%v)", at, ok)
	}
	b.p.Observe(start.Add(Quiet-1), false, true)
	if b.p.Armed() {
		t.Error("armed too early")
	}
	b.p.Observe(start.Add(Quiet), false, true)
	if !b.p.Armed() {
		t.Error("not armed")
	}
	if _, ok := b.p.ArmAt(); ok {
		t.Error("an armed request wants a timer")
	}
}

func TestTypedAheadKeysAnswerNothing(t *testing.T) {
	for _, r := range []event.Request{approval("a", "x"), question("q", "?", "one"), question("q", "?"), folder("f", "/")} {
		b := open(t, r)
		for _, k := range []func() (event.RequestID, event.Answer, bool){
			b.p.Accept, b.p.Escape, b.p.Up, b.p.Down, b.p.Left, b.p.Right, b.p.Later, b.p.Backspace,
			func() (id event.RequestID, a event.Answer, done bool) { b.p.Text("1"); b.p.Text("y"); return },
		} {
			b.p.Observe(b.now, true, true)
			if b.id, b.answer, b.done = k(); b.done || b.p.Takes("1") || b.p.Armed() {
				t.Fatalf("%s takes keys", r.Kind)
			}
		}
		b.arm()
		b.press("esc")
		if want := refusal(r); !equal(b.answer, want) {
			t.Errorf("%s: keys before left something: %+v", r.Kind, b.answer)
		}
	}
}

func refusal(r event.Request) event.Answer {
	if r.Kind == event.RequestClarify {
		return event.Answer{Choice: event.ChoiceNone}
	}
	return event.Answer{Choice: event.ChoiceDeny}
}

func TestAKeyBeginsTheQuietTimeAnew(t *testing.T) {
	b := open(t, approval("a", "x"))
	for range 5 {
		b.now = b.now.Add(Quiet - time.Millisecond)
		b.p.Observe(b.now, true, true)
		if b.p.Armed() {
			t.Fatal("armed by a key")
		}
	}
	// A key that comes before the timer was told does not arm either.
	b.now = b.now.Add(5 * Quiet)
	b.p.Observe(b.now, true, true)
	if b.p.Armed() {
		t.Error("a late key arms")
	}
	b.wait(Quiet)
	if !b.p.Armed() {
		t.Error("not armed")
	}
}

func TestADraftKeepsTheKeys(t *testing.T) {
	b := open(t, approval("a", "x"))
	b.p.Observe(b.now, true, false)
	if _, ok := b.p.ArmAt(); ok {
		t.Error("a timer while the draft is not empty")
	}
	b.p.Observe(b.now.Add(time.Hour), false, false)
	if b.p.Armed() {
		t.Error("armed beside a draft")
	}
	b.now = b.now.Add(time.Hour)
	b.p.Observe(b.now, true, true) // the draft was sent
	if at, ok := b.p.ArmAt(); !ok || !at.Equal(b.now.Add(Quiet)) {
		t.Errorf("arms at %v (%v)", at, ok)
	}
	b.wait(Quiet)
	if !b.p.Armed() {
		t.Error("not armed")
	}
	b.p.Observe(b.now, true, false)
	if b.p.Armed() {
		t.Error("still armed when the draft is written")
	}
}

func TestTabArmsBesideADraft(t *testing.T) {
	b := open(t, approval("a", "x"))
	b.p.Observe(b.now, true, false)
	b.p.Arm()
	b.p.Observe(b.now, true, false)
	if !b.p.Armed() {
		t.Error("tab does not arm")
	}
	b.id, b.answer, b.done = b.p.Accept()
	b.want("a", event.Answer{Choice: event.ChoiceDeny})
}

func TestNothingArmsBeforeItWasDrawn(t *testing.T) {
	b := open(t)
	b.p.Sync([]event.Request{approval("a", "x"), approval("b", "y")})
	b.p.Observe(b.now, true, true)
	b.p.Arm()
	b.id, b.answer, b.done = b.p.Accept()
	b.wantNone()
	b.p.Observe(b.now.Add(Quiet), false, true)
	if b.p.Armed() {
		t.Error("armed unseen")
	}
	b.draw(80, 10)
	if b.p.Armed() {
		t.Error("armed by being drawn")
	}
	if at, ok := b.p.ArmAt(); !ok || !at.Equal(b.now.Add(2*Quiet)) {
		t.Errorf("arms at %v (%v)", at, ok)
	}
	b.p.Arm()
	if !b.p.Armed() {
		t.Fatal("not armed")
	}
	// Tab and enter in one go: the second request was not in sight.
	b.p.Later()
	b.id, b.answer, b.done = b.p.Accept()
	b.wantNone()
	b.draw(80, 10)
	b.id, b.answer, b.done = b.p.Accept()
	b.want("b", event.Answer{Choice: event.ChoiceDeny})
}

func TestPutOffUntilTab(t *testing.T) {
	b := armed(t, approval("a", "x"))
	b.press("tab")
	if b.p.Armed() || !b.p.Active() {
		t.Error("not put off")
	}
	if _, ok := b.p.ArmAt(); ok {
		t.Error("a timer for what was put off")
	}
	b.p.Observe(b.now.Add(time.Hour), false, true)
	if b.p.Armed() {
		t.Error("quiet arms what was put off")
	}
	b.p.Arm()
	b.press("enter")
	b.want("a", event.Answer{Choice: event.ChoiceDeny})
}

func TestEachRequestIsArmedAnew(t *testing.T) {
	b := armed(t, approval("a", "x"), approval("b", "y"))
	b.press("enter")
	b.draw(80, 10)
	b.p.Observe(b.now, false, true)
	if at, ok := b.p.ArmAt(); !ok || !at.Equal(b.now.Add(Quiet)) {
		t.Errorf("arms at %v (%v)", at, ok)
	}
	b.wait(Quiet - 1)
	b.press("enter")
	b.wantNone()
	b.wait(Quiet)
	b.press("enter")
	b.want("b", event.Answer{Choice: event.ChoiceDeny})
}

func TestNoTimerWithoutARequest(t *testing.T) {
	b := open(t)
	if _, ok := b.p.ArmAt(); ok || b.p.Armed() {
		t.Error("a timer for nothing")
	}
	if _, ok := b.p.Current(); ok {
		t.Error("a request from nowhere")
	}
	b.p.Arm()
	b.p.PageDown()
	if b.p.Armed() {
		t.Error("nothing is armed")
	}
}

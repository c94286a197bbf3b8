package transcript

import (
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
)

// TestQuiet follows a command that writes, falls silent, is asked about and ends.
func TestQuiet(t *testing.T) {
	v := newView()
	v.SetSize(80, 10)
	now, tail := noon, event.Text{}
	var rev uint64
	sync := func(change func(*event.Call)) {
		rev++
		b := call("c", "terminal", "make", event.ViewCommand, func(b *event.Block, c *event.Call) {
			b.Open, b.Rev, c.Stage, c.Outcome, c.Tail = true, rev, event.CallRunning, "", tail
			if change != nil {
				change(c)
			}
		})
		v.Sync([]*event.Block{b})
	}
	wait := func(d time.Duration) string {
		now = now.Add(d)
		v.Tick(now, 0)
		return plain(v.Rows(nil, 80, 10))
	}
	expect := func(got, want string) {
		t.Helper()
		if strings.Contains(got, "no output") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
	sync(nil)
	expect(wait(9*time.Second), "")
	expect(wait(3*time.Second), "no output for 12s · 12.0s")
	tail = tail.Append("a line\n")
	sync(nil)
	expect(wait(5*time.Second), "")
	expect(wait(6*time.Second), "no output for 11s · 23.0s")
	// Time in which the user is asked is no silence.
	sync(func(c *event.Call) { c.Asked = "q" })
	expect(wait(time.Minute), "")
	sync(nil)
	expect(wait(9*time.Second), "")
	expect(wait(2*time.Second), "no output for 11s")
	// While a call of its own runs, that one says it.
	sync(func(c *event.Call) {
		c.Made, c.Calls = 1, []event.SubCall{{ID: "s", Started: now, View: event.CallView{Name: "look"}}}
	})
	expect(wait(20*time.Second), "")
	// What is dropped has been put out.
	sync(func(c *event.Call) { c.Shed = 1 })
	expect(wait(5*time.Second), "")
	v.Sync(nil)
	if len(v.heard) != 0 {
		t.Errorf("%d calls are listened to", len(v.heard))
	}
	// A command that was writing before the view was there: nothing is known until
	// there is a clock.
	v = newView()
	v.SetSize(80, 10)
	sync(nil)
	expect(wait(0), "")
	expect(wait(11*time.Second), "no output for 11s")
	// A tool that puts nothing out is not quiet.
	sync(func(c *event.Call) { c.View.Kind, c.Tail = event.ViewGeneric, event.Text{} })
	expect(wait(time.Hour), "")
}

// TestWaitsForTheUser names what a call waits for when it was told, and says
// that it waits in any case.
func TestWaitsForTheUser(t *testing.T) {
	v := newView()
	v.SetSize(80, 10)
	b := call("c", "terminal", "make", event.ViewCommand, func(b *event.Block, c *event.Call) {
		b.Open, c.Stage, c.Asked = true, event.CallPlanned, "q1"
	})
	v.Sync([]*event.Block{b})
	expect := func(want string) {
		t.Helper()
		if got := plain(v.Rows(nil, 80, 10)); !strings.HasSuffix(strings.TrimSpace(got), want) {
			t.Errorf("want %q:\n%s", want, got)
		}
	}
	expect("needs your answer")
	for kind, want := range map[event.RequestKind]string{
		event.RequestApproval: "needs your approval", event.RequestClarify: "needs your answer",
		event.RequestSecret: "needs your password", event.RequestTrust: "needs your trust", "unheard-of": "needs you",
	} {
		v.SetRequests([]event.Request{{ID: "q0"}, {ID: "q1", Kind: kind}})
		expect(want)
	}
	v.SetRequests([]event.Request{{ID: "q0"}, {ID: "q1", Kind: event.RequestApproval}})
	at := v.Version()
	v.SetRequests([]event.Request{{ID: "q1", Kind: event.RequestApproval}, {ID: "q0"}})
	if v.Version() != at {
		t.Error("the same requests change the view")
	}
	if got := plain(v.Rows(nil, 40, 10)); !strings.Contains(got, " needs you\n") {
		t.Errorf("a narrow row:\n%s", got)
	}
}

// TestOneRowSaysHow shows how calls end: outcome, exit and first line of what went
// wrong.
func TestOneRowSaysHow(t *testing.T) {
	exit := func(n int) *int { return &n }
	for name, c := range map[string]struct {
		change func(*event.Call)
		want   []string
	}{
		"odd exit":     {func(c *event.Call) { c.View.Exit, c.View.Summary = exit(1), "no match" }, []string{"✓", "exit 1: no match"}},
		"exit 0":       {func(c *event.Call) { c.View.Exit, c.View.Summary = exit(0), "fine" }, []string{"✓", "  fine"}},
		"failed":       {func(c *event.Call) { c.Outcome, c.View.Summary = event.OutcomeFailed, "it broke\nhere" }, []string{"✗", "  it broke"}},
		"may have run": {func(c *event.Call) { c.Outcome = event.OutcomeUnknown }, []string{"may have run"}},
		"drafting": {func(c *event.Call) {
			c.Stage, c.Bytes, c.View = event.CallDrafting, 1400, event.CallView{Kind: event.ViewWrite, Name: "patch", Subject: "store/append.go"}
		}, []string{"◌ patch", "store/append.go", "writing arguments 1.4 kB"}},
		"planned": {func(c *event.Call) { c.Stage = event.CallPlanned }, []string{"○ ", "waits its turn"}},
	} {
		v := newView()
		v.SetSize(80, 10)
		v.Sync([]*event.Block{call("c", "terminal", "make", event.ViewCommand, func(_ *event.Block, k *event.Call) { c.change(k) })})
		got := plain(v.Rows(nil, 80, 10))
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", name, want, got)
			}
		}
	}
}

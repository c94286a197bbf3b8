package transcript

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
)

// TestAgentLines shows a line for each of the first subagents, and how the others
// stand.
func TestAgentLines(t *testing.T) {
	v := newView()
	v.SetSize(90, 100)
	b := delegation(60, true)
	v.Sync([]*event.Block{b})
	v.Tick(noon.Add(4*time.Second), 1)
	show := func() string {
		frame := v.Rows(nil, 90, 100)
		checkFrame(t, frame, 90, 100)
		return plain(frame)
	}
	got := show()
	for _, want := range []string{
		"delegate    three ways into the store", "waits for 30 of 60 agents · 21.0s",
		"◓ bisect the history of the store for t…  terminal go test ./store -run Append  8t 21s",
		"◓ list callers  thinking", "21t 16s", "⏸ list callers  paused", "□ read the WAL docs  ending: killed by you",
		"… 52 more · 4 waiting, 12 at work, 4 paused, 4 queued, 28 ended",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n   ") - strings.Count(got, "\n    "); n > agentLines+1 {
		t.Errorf("%d lines:\n%s", n, got)
	}
	v.SelectBlock(b.ID)
	if !v.ToggleFold() || strings.Contains(show(), "more ·") || !strings.Contains(show(), "interrupted") || !strings.Contains(show(), "⊘ ") {
		t.Errorf("opened:\n%s", show())
	}
	title, text := OpenText(b)
	if title != "delegate  three ways into the store" || !strings.Contains(text, "\n60. list callers — refused\n") || !strings.Contains(text, "1. read the WAL docs — done, 5 calls, 9s\n") {
		t.Errorf("%q: %s", title, text)
	}
	if text := v.CopyText(); !strings.Contains(text, "60. list callers — refused") {
		t.Errorf("the copy is %q", text)
	}
}

// TestAgentsMove holds that the lines move only while a subagent in view works.
func TestAgentsMove(t *testing.T) {
	one := func(stage event.CallStage, agents ...*event.Spawned) *View {
		v := newView()
		v.SetSize(60, 30)
		b := call("d", "delegate", "work", event.ViewAgent, func(b *event.Block, c *event.Call) { c.Stage, c.Agents = stage, agents })
		v.Sync([]*event.Block{b})
		v.Tick(noon.Add(time.Second), 0)
		return v
	}
	works := &event.Spawned{Goal: "g", State: event.AgentRunning, Started: noon, Doing: string(event.PhaseTools)}
	waits := &event.Spawned{Goal: "g", State: event.AgentWaiting, Started: noon, HeldFrom: noon}
	done := &event.Spawned{Goal: "g", State: event.AgentCompleted, Started: noon, Ended: noon}
	many := make([]*event.Spawned, 0, 20)
	for range 12 {
		many = append(many, done)
	}
	many = append(many, works)
	for name, c := range map[string]struct {
		v    *View
		want bool
	}{
		"a call at work":                   {one(event.CallRunning, waits), true},
		"in the background, one works":     {one(event.CallEnded, done, works), true},
		"in the background, all wait":      {one(event.CallEnded, done, waits), false},
		"all over":                         {one(event.CallEnded, done, done), false},
		"only one that is not in the rows": {one(event.CallEnded, many...), false},
	} {
		if got := c.v.Animating(); got != c.want {
			t.Errorf("%s: moves %v\n%s", name, got, plain(c.v.Rows(nil, 60, 30)))
		}
	}
	v := one(event.CallEnded, done, works)
	before := plain(v.Rows(nil, 60, 30))
	v.Tick(noon.Add(5*time.Second), 1)
	if after := plain(v.Rows(nil, 60, 30)); before == after || !strings.Contains(after, "◓ g  running tools") || !strings.Contains(after, "5s") {
		t.Errorf("five seconds:\n%s", after)
	}
}

// TestAgentWidths draws lines with long and with wide texts at every width.
func TestAgentWidths(t *testing.T) {
	b := delegation(24, true)
	for i := range b.Call.Agents {
		if i%2 == 0 {
			b.Call.Agents[i].Goal = strings.Repeat("雛形", 40)
		}
		if i%3 == 0 {
			b.Call.Agents[i].Doing, b.Call.Agents[i].Tools = strings.Repeat("doing ", 40), 123456
		}
	}
	for w := range 140 {
		for _, folded := range []bool{true, false} {
			v := newView()
			v.FoldAll(folded)
			v.Sync([]*event.Block{b})
			v.Tick(noon.Add(100*time.Hour), 3)
			frame := v.Rows(nil, w, 40)
			checkFrame(t, frame, w, 40)
			if w >= 40 && !strings.Contains(plain(frame), "◆ ") {
				t.Fatalf("%d wide:\n%s", w, plain(frame))
			}
		}
	}
}

// TestOrigins holds that only the user's texts look like those.
func TestOrigins(t *testing.T) {
	for _, kind := range []event.BlockKind{event.BlockUser, event.BlockSteer} {
		marks := map[string]bool{}
		for _, o := range []event.Origin{"", event.OriginJob, event.OriginAgent, "unheard-of"} {
			b := block(kind, fmt.Sprint("b", o), "One line.\nAnother [line].")
			b.Origin = o
			v := newView()
			v.SetSize(60, 6)
			v.Sync([]*event.Block{b})
			got := strings.TrimSpace(plain(v.Rows(nil, 60, 6)))
			marks[got[:3]] = true
			if title, text := OpenText(b); (title[:3] == "You") != (o == "") || !strings.Contains(text, "Another") {
				t.Errorf("%q opens as %q", o, title)
			}
			if strings.Contains(got, "Another") != (o == "") {
				t.Errorf("%q folded:\n%s", o, got)
			}
			if v.FoldAll(false); !strings.Contains(plain(v.Rows(nil, 60, 6)), "Another [line].") {
				t.Errorf("%q opened:\n%s", o, plain(v.Rows(nil, 60, 6)))
			}
		}
		if len(marks) != 4 {
			t.Errorf("%s: the marks are %v", kind, marks)
		}
	}
}

// TestAgentsThatFailed says with the first line why a subagent failed.
func TestAgentsThatFailed(t *testing.T) {
	for state, want := range map[event.AgentState]string{
		event.AgentFailed:    "failed: the service does not accept the key",
		event.AgentTimeout:   "timed out: the service does not accept the key",
		event.AgentCompleted: "done",
	} {
		a := &event.Spawned{Goal: "g", State: state, Started: noon, Ended: noon, Doing: "the service does not accept the key"}
		if got := nowDoing(a, 80); got != want {
			t.Errorf("%s: %q", state, got)
		}
	}
}

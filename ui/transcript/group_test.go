package transcript

import (
	"strings"
	"testing"

	"hermes-tui/agent/event"
)

// look is a look at a file, at a stage.
func look(id, subject string, stage event.CallStage, outcome event.Outcome) *event.Block {
	return call(id, "read_file", subject, event.ViewRead, func(b *event.Block, c *event.Call) {
		c.Stage, c.Outcome, b.Open = stage, outcome, stage != event.CallEnded
		if stage == event.CallEnded {
			c.View.Summary, c.View.Body = "120 lines", "package store\n"
		}
	})
}

// used is how many rows of a frame something stands on.
func used(frame []string) int {
	n := 0
	for _, r := range frame {
		if strings.TrimSpace(plain([]string{r})) != "" {
			n++
		}
	}
	return n
}

// TestGroupIsStable follows a batch of reads: they are one row from the beginning
// to the end, which only changes its words.
func TestGroupIsStable(t *testing.T) {
	v := newView()
	v.SetSize(80, 20)
	blocks := []*event.Block{block(event.BlockUser, "u", "go")}
	for _, id := range []string{"a", "b", "c", "d"} {
		blocks = append(blocks, look(id, id+".go", event.CallPlanned, ""))
	}
	v.Sync(blocks)
	show := func() string {
		v.Sync(append([]*event.Block{}, blocks...))
		frame := v.Rows(nil, 80, 20)
		checkFrame(t, frame, 80, 20)
		if n := used(frame); n != 2 {
			t.Fatalf("%d rows:\n%s", n, plain(frame))
		}
		return plain(frame)
	}
	if got := show(); !strings.Contains(got, "○ reading 4 files  a.go, b.go, c.go, d.go") || v.Animating() {
		t.Errorf("planned:\n%s", got)
	}
	for i, id := range []string{"c", "a", "d", "b"} {
		at := 1 + strings.Index("abcd", id)
		blocks[at] = look(id, id+".go", event.CallRunning, "")
		if got := show(); !strings.Contains(got, "◐ reading 4 files") || !strings.Contains(got, itoa(i)+" of 4") || !v.Animating() {
			t.Errorf("%s at work:\n%s", id, got)
		}
		blocks[at] = look(id, id+".go", event.CallEnded, event.OutcomeOK)
		got, over := show(), i == 3
		if strings.Contains(got, "● read 4 files") != over || v.Animating() {
			t.Errorf("%s over:\n%s", id, got)
		}
	}
	v.SelectBlock("c")
	if text := v.CopyText(); strings.Count(text, "package store") != 4 || !strings.Contains(text, "d.go") {
		t.Errorf("the copy is %q", text)
	}
	// The next look makes it one longer, and one that fails stands by itself.
	blocks = append(blocks, look("e", "e.go", event.CallRunning, ""))
	if got := show(); !strings.Contains(got, "◐ reading 5 files") {
		t.Errorf("one more:\n%s", got)
	}
	if v.Selected().ID != "a" {
		t.Errorf("the cursor went to %s", v.Selected().ID)
	}
	blocks[5] = look("e", "e.go", event.CallEnded, event.OutcomeFailed)
	v.Sync(blocks)
	if got := plain(v.Rows(nil, 80, 20)); !strings.Contains(got, "● read 4 files") || !strings.Contains(got, "read_file   e.go") {
		t.Errorf("one failed:\n%s", got)
	}
}

// TestGroupStaysOpen opens a group while it is at work. It stays so whichever of
// its calls leaves it.
func TestGroupStaysOpen(t *testing.T) {
	for _, gone := range []int{0, 1, 2} {
		v := newView()
		v.SetSize(80, 20)
		blocks := []*event.Block{
			look("a", "a.go", event.CallEnded, event.OutcomeOK), look("b", "b.go", event.CallRunning, ""),
			look("c", "c.go", event.CallRunning, ""), look("d", "d.go", event.CallPlanned, ""),
		}
		v.Sync(blocks)
		v.SelectBlock("b")
		if !v.ToggleFold() || !strings.Contains(plain(v.Rows(nil, 80, 20)), "▾ reading 4 files") {
			t.Fatalf("not open:\n%s", plain(v.Rows(nil, 80, 20)))
		}
		id := blocks[gone].ID
		blocks[gone] = look(string(id), "gone.go", event.CallEnded, event.OutcomeFailed)
		v.Sync(append([]*event.Block{}, blocks...))
		if got := plain(v.Rows(nil, 80, 20)); !strings.Contains(got, "▾ reading") || !strings.Contains(got, "d.go") || strings.Contains(got, "◐ reading") && gone == 0 {
			t.Errorf("without %s:\n%s", id, got)
		}
	}
}

// TestGroupSeesItsMembers replaces a member by another one of the same revision, as
// a rewind does: the row must not be the old one.
func TestGroupSeesItsMembers(t *testing.T) {
	v := newView()
	v.SetSize(80, 20)
	first := look("a", "a.go", event.CallEnded, event.OutcomeOK)
	v.Sync([]*event.Block{first, look("b", "b.go", event.CallEnded, event.OutcomeOK)})
	v.Rows(nil, 80, 20)
	v.Sync([]*event.Block{first, look("c", "c.go", event.CallEnded, event.OutcomeOK)})
	if got := plain(v.Rows(nil, 80, 20)); !strings.Contains(got, "a.go, c.go") {
		t.Errorf("the row is\n%s", got)
	}
}

// TestGroupNeedsPeace holds that what the user is asked about, what belongs to
// another turn and what stands behind something else is not in a group.
func TestGroupNeedsPeace(t *testing.T) {
	asked := look("b", "b.go", event.CallPlanned, "")
	asked.Call.Asked = "q"
	later := look("c", "c.go", event.CallEnded, event.OutcomeOK)
	later.Turn = "t2"
	v := newView()
	v.SetSize(80, 20)
	v.Sync([]*event.Block{
		look("a", "a.go", event.CallEnded, event.OutcomeOK), asked, look("d", "d.go", event.CallEnded, event.OutcomeOK), later,
		block(event.BlockReasoning, "r", "hm"), look("e", "e.go", event.CallEnded, event.OutcomeOK),
	})
	if got := plain(v.Rows(nil, 80, 20)); strings.Contains(got, "files") || !strings.Contains(got, "◆ read_file") {
		t.Errorf("grouped:\n%s", got)
	}
}

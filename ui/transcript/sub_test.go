package transcript

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
)

// busyScript makes the block of a script that has made calls, the newest of which is
// under way unless over is set.
func busyScript(made int, over bool) *event.Block {
	return call("s", "execute_code", "for f in files: …", event.ViewCode, func(b *event.Block, c *event.Call) {
		c.Made = made
		for i := range min(made, event.SubCalls) {
			c.Calls = append(c.Calls, event.SubCall{
				ID: event.CallID(fmt.Sprint("n", i)), Started: noon, Ended: over || i < made-1, Outcome: event.OutcomeOK, Took: time.Second,
				View: event.CallView{Kind: event.ViewRead, Name: "read_file", Subject: fmt.Sprintf("file%d.go", i)},
			})
		}
		if !over {
			c.Stage, b.Open = event.CallRunning, true
		}
	})
}

// TestSubCalls shows how many calls a script has made and the newest, and each of
// them when it is opened.
func TestSubCalls(t *testing.T) {
	for _, w := range []int{100, 40, 20} {
		v := newView()
		v.SetSize(w, 30)
		v.Sync([]*event.Block{busyScript(3, false)})
		frame := v.Rows(nil, w, 30)
		checkFrame(t, frame, w, 30)
		text := plain(frame)
		if !strings.Contains(text, "3 calls") || strings.Contains(text, "file1.go") || w > 20 && !strings.Contains(text, "file2.go") {
			t.Errorf("%d wide, folded:\n%s", w, text)
		}
		v.FoldAll(false)
		frame = v.Rows(nil, w, 30)
		checkFrame(t, frame, w, 30)
		if text := plain(frame); w > 20 && (!strings.Contains(text, "file0.go") || !strings.Contains(text, "file2.go")) {
			t.Errorf("%d wide, opened:\n%s", w, text)
		}
	}
	v := newView()
	v.SetSize(80, 40)
	v.Sync([]*event.Block{busyScript(40, true)})
	v.FoldAll(false)
	if text := plain(v.Rows(nil, 80, 40)); !strings.Contains(text, "28 earlier calls") || !strings.Contains(text, "file39.go") || strings.Contains(text, "file27.go") {
		t.Errorf("many:\n%s", text)
	}
	v.Sync([]*event.Block{busyScript(1, true)})
	v.FoldAll(true)
	if text := plain(v.Rows(nil, 80, 40)); !strings.Contains(text, "1 call ") {
		t.Errorf("one:\n%s", text)
	}
}

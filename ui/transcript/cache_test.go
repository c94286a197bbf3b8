package transcript

import (
	"fmt"
	"testing"

	"hermes-tui/agent/event"
)

// TestCacheForgetsOldRevisions holds that what was drawn of a block goes when another
// revision of it comes: each holds the body of a call.
func TestCacheForgetsOldRevisions(t *testing.T) {
	v := newView()
	var blocks []*event.Block
	for i := range 20 {
		blocks = append(blocks, call(fmt.Sprint("c", i), "terminal", "ls", event.ViewCommand, func(_ *event.Block, c *event.Call) { c.View.Body = lines(20) }))
	}
	v.Sync(blocks)
	v.SetSize(80, 200)
	v.Rows(nil, 80, 200)
	if len(v.cache.entries) != len(blocks) {
		t.Fatalf("%d entries for %d blocks", len(v.cache.entries), len(blocks))
	}
	for i, b := range blocks {
		was, c := *b, *b.Call
		c.View.Body = "short\n"
		was.Call, was.Rev = &c, b.Rev+1
		blocks[i] = &was
		v.Sync(append([]*event.Block(nil), blocks...))
	}
	if n := len(v.cache.entries); n != 0 {
		t.Errorf("%d revisions that no one sees any more are kept", n)
	}
	v.Rows(nil, 80, 200)
	if n := len(v.cache.entries); n != len(blocks) {
		t.Errorf("%d entries for %d blocks", n, len(blocks))
	}
}

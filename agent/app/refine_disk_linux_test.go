package app

import (
	"os"
	"strings"
	"testing"

	"hermes-tui/internal/disktest"
	"hermes-tui/providers/script"
)

// TestReviewDiskFull looks back with memory on a full disk of its own: nothing is kept and
// nothing is torn, the model hears why, and the session goes on.
func TestReviewDiskFull(t *testing.T) {
	if !disktest.Own(t) {
		return
	}
	b := newBox(t)
	if err := os.MkdirAll(b.home.Memories(), 0o700); err != nil {
		t.Fatal(err)
	}
	disktest.Mount(t, b.home.Memories(), "64k")
	server := serves(t, onReview([]script.Step{remembers(strings.Repeat("tabs ", 100))})...)
	b.reviewing(server, server, "")
	a, c := b.begin()
	say(t, c, "use tabs")
	free := disktest.Fill(t, b.home.Memories())
	kept, err := c.Refine(t.Context(), "")
	if err != nil || len(kept.Changes) != 0 || len(known(t, a)) != 0 {
		t.Errorf("%+v, %v, memory %q", kept, err, known(t, a))
	}
	if list := lookBacks(t, server); len(list) != 2 || !strings.Contains(list[1].Messages[len(list[1].Messages)-1].Content, "no space left") {
		t.Errorf("the model heard %+v", list[len(list)-1].Messages)
	}
	free()
	say(t, c, "and now?")
	if kept, err = c.Refine(t.Context(), ""); err != nil || len(kept.Changes) != 1 || len(known(t, a)) != 1 {
		t.Errorf("with room: %+v, %v, memory %q", kept, err, known(t, a))
	}
	closed(t, a)
}

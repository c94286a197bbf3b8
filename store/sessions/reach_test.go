package sessions

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestContextOfLong reads of a session that is longer than any model takes the newest
// part, its first text and what is pinned, whatever was compressed before.
func TestContextOfLong(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	text := strings.Repeat("word ", 10_000) // 50 kB
	b := say("c", 1)
	b.Messages = nil
	var all []string
	for i := range 400 {
		m := Message{ID: fmt.Sprint("m", i), Role: []string{"user", "assistant"}[i%2], Content: text}
		all, b.Messages = append(all, m.ID), append(b.Messages, m)
	}
	mustCommit(t, d, b)
	change := func(seq int, e Effect) {
		t.Helper()
		mustCommit(t, d, Batch{Conv: "c", Session: "s-c", Events: []Event{event(seq)}, Effects: []Effect{e}})
	}
	change(2, ChooseContext{Pinned: []string{"m7"}})
	hold := func(want ...string) {
		t.Helper()
		var got []string
		list, err := d.Context(t.Context(), "s-c")
		for _, m := range list {
			got = append(got, m.ID)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("the model gets %d: %v, %v; want %d: %v", len(got), got, err, len(want), want)
		}
	}
	newest := all[400-maxContext/len(text):]
	long := append([]string{"m0", "m7"}, newest...)
	hold(long...)
	if list, err := d.Messages(t.Context(), "s-c"); len(list) != 400 {
		t.Errorf("the user sees %d, %v", len(list), err)
	}
	change(3, ShortenContext{Replaced: []Shortened{{ID: "m0", Content: "what was"}}})
	hold(long...) // a shortening that leaves out nothing passes over nothing for good
	change(4, ShortenContext{LeftOut: newest[:len(newest)-3]})
	hold(append([]string{"m0", "m7"}, newest[len(newest)-3:]...)...)
	change(5, RestoreContext{})
	hold(long...)
}

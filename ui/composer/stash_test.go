package composer

import (
	"slices"
	"testing"
)

func TestStash(t *testing.T) {
	c := newTest()
	if c.Stash() {
		t.Error("an empty draft was put aside")
	}
	for _, text := range []string{"one", "two"} {
		c.Insert(text)
		c.Stash()
	}
	c.Insert("three ")
	c.Paste(lines(6))
	kept := c.Kept()
	c.Stash()
	wantState(t, c, "|")
	if got := c.Stashed(); !slices.Equal(got, []string{"three [paste #1]", "two", "one"}) {
		t.Fatalf("%q", got)
	}
	c.Unstash(1)
	wantState(t, c, "two|")
	c.Unstash(0) // what is in the composer goes there
	wantState(t, c, "three [paste #1 · 6 lines]|")
	if got := c.Stashed(); !slices.Equal(got, []string{"two", "one"}) {
		t.Errorf("%q", got)
	}
	c.Unstash(7)
	wantState(t, c, "three [paste #1 · 6 lines]|")

	other := newTest()
	other.Insert("new")
	other.Stash()
	other.SetDraft(other.Keep(kept))
	wantState(t, other, "three [paste #1 · 6 lines]|")
	if got := other.Stashed(); !slices.Equal(got, []string{"new", "two", "one"}) {
		t.Errorf("%q", got)
	}
	if moved := other.TakeStash(); other.Keep(moved) != "" || len(other.Stashed()) != 3 {
		t.Errorf("%q", other.Stashed())
	}
	for range MaxStash + 5 {
		other.Insert("more")
		other.Stash()
	}
	if n := len(other.Stashed()); n != MaxStash || other.Empty() {
		t.Errorf("%d drafts put aside; the draft is %q", n, other.Value())
	}
}

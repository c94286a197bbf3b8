package sessions

import (
	"strings"
	"testing"
)

// TestChooseContext drops, replaces and pins messages beside a compression, and takes
// that back: the model gets what it got before, byte for byte.
func TestChooseContext(t *testing.T) {
	path := newPath(t)
	d := long(t, path)
	context := func() string { t.Helper(); all, err := d.Context(t.Context(), "s-c"); return shown(t, all, err) }
	chosen := func() string {
		t.Helper()
		gone, other, err := d.Chosen(t.Context(), "s-c")
		return shown(t, append(other, gone...), err)
	}
	n := 1
	do := func(e Effect) {
		t.Helper()
		n++
		mustCommit(t, d, Batch{Conv: "c", Session: "s-c", Events: []Event{event(n)}, Effects: []Effect{e}})
	}
	full := context()
	do(ChooseContext{Replaced: []Message{{ID: "t1", Content: "dropped"}}, Dropped: []string{"u2", "a2", "nobody"}, Pinned: []string{"t1", "m_row1"}})
	lines := strings.SplitAfter(full, "\n")
	if got, want := context(), strings.Replace(strings.Join(lines[:len(lines)-3], ""), `"a long result"`, `"dropped"`, 1); got != want {
		t.Errorf("the model gets\n%s\nwant\n%s", got, want)
	}
	if got := chosen(); strings.Count(got, "\n") != 3 || !strings.Contains(got, "a long result") {
		t.Errorf("dropped:\n%s", got)
	}
	all, err := d.Context(t.Context(), "s-c")
	if err != nil || !all[0].Pinned || all[1].Pinned || !all[2].Pinned {
		t.Errorf("pinned: %+v, %v", all, err)
	}
	do(ChooseContext{Whole: []string{"t1", "u2"}, Back: []string{"t1", "u2", "a2"}, Unpinned: []string{"t1"}})
	if got := context(); got != full {
		t.Errorf("taken back, the model gets\n%s\nwant\n%s", got, full)
	}
	if got := chosen(); got != "" {
		t.Errorf("still dropped:\n%s", got)
	}

	// A compression is not undone with a choice, and takes what it replaces over.
	do(ChooseContext{Replaced: []Message{{ID: "t1", Content: "dropped"}}, Dropped: []string{"a2"}})
	do(ShortenContext{Replaced: []Shortened{{ID: "t1", Content: "short"}}, LeftOut: []string{"a2"}})
	if got := context() + chosen(); !strings.Contains(got, `"short"`) || strings.Contains(got, "a2") {
		t.Errorf("after a compression:\n%s", got)
	}
	do(RestoreContext{})
	if got := context(); !strings.Contains(got, `"dropped"`) || strings.Contains(got, "a2") {
		t.Errorf("with the compression taken back:\n%s", got)
	}
	do(ChooseContext{Whole: []string{"t1"}, Back: []string{"a2"}})
	if got := context(); got != full {
		t.Errorf("all taken back:\n%s", got)
	}
	if err := d.Commit(t.Context(), Batch{Conv: "c", Session: "s-c", Effects: []Effect{ChooseContext{Dropped: []string{"t1"}}}}); err == nil {
		t.Error("a choice without an event was taken")
	}
}

package sessions

import (
	"fmt"
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

// TestForkChosen: a branch gets what the model got of the session, with what was dropped
// and pinned there, and can take that back for itself.
func TestForkChosen(t *testing.T) {
	d := long(t, newPath(t))
	picture := Part{MediaType: "image/png", Data: []byte("png")}
	mustCommit(t, d, Batch{Conv: "c", Session: "s-c", Messages: []Message{{ID: "u3", Role: "user", Parts: []Part{{Text: "look, and all that"}, picture}}}})
	whole, err := d.Context(t.Context(), "s-c")
	full := shown(t, whole, err)
	mustCommit(t, d, Batch{Conv: "c", Session: "s-c", Events: []Event{event(2)}, Effects: []Effect{ChooseContext{
		Replaced: []Message{{ID: "u3", Parts: []Part{{Text: "look"}, picture}}}, Dropped: []string{"u2", "a2"}, Pinned: []string{"t1"},
	}}})
	n := 0
	if err := d.Fork(t.Context(), "s-c", 0, Batch{Conv: "b", Session: "s-b"}, func() string { n++; return fmt.Sprint("copy", n) }); err != nil {
		t.Fatal(err)
	}
	gets := func(session string) string {
		t.Helper()
		all, err := d.Context(t.Context(), session)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, m := range all {
			fmt.Fprintf(&b, "%s %q %v %v\n", m.Role, m.Content, m.Parts, m.Pinned)
		}
		return b.String()
	}
	if got, want := gets("s-b"), gets("s-c"); got != want || !strings.Contains(got, "true") {
		t.Errorf("the branch gets\n%s\nthe session\n%s", got, want)
	}
	back := ChooseContext{}
	gone, other, err := d.Chosen(t.Context(), "s-b")
	if err != nil || len(gone) != 2 || len(other) != 1 {
		t.Fatal(gone, other, err)
	}
	back.Back, back.Whole = []string{gone[0].ID, gone[1].ID}, []string{other[0].ID}
	mustCommit(t, d, Batch{Conv: "b", Session: "s-b", Events: []Event{event(1)}, Effects: []Effect{back}})
	if got, want := len(strings.Split(gets("s-b"), "\n")), len(strings.Split(full, "\n")); got != want || !strings.Contains(gets("s-b"), "and all that") {
		t.Errorf("taken back in the branch:\n%s", gets("s-b"))
	}
}

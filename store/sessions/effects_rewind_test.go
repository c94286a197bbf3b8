package sessions

import "testing"

// TestTakeBack takes messages back and brings them again; what was taken back
// earlier stays so.
func TestTakeBack(t *testing.T) {
	path := newPath(t)
	d := long(t, path)
	read := func() string { t.Helper(); all, err := d.Messages(t.Context(), "s-c"); return shown(t, all, err) }
	full := read()
	do := func(n int, e Effect) {
		t.Helper()
		for range 2 { // the second time it is recognised
			mustCommit(t, d, Batch{Conv: "c", Session: "s-c", Events: []Event{event(n)}, Effects: []Effect{e}})
		}
	}
	want := func(what, want string) {
		t.Helper()
		if got := read(); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
		}
		context, err := d.Context(t.Context(), "s-c")
		if got := shown(t, context, err); got != want {
			t.Errorf("%s: the model gets\n%s", what, got)
		}
	}
	do(2, TakeBack{ID: "r1", From: "u2"})
	short := read()
	if short == full || len(short) == 0 {
		t.Fatalf("nothing was taken back:\n%s", short)
	}
	do(3, TakeBack{ID: "r2", From: "m_row1"})
	want("all taken back", "")
	do(4, BringBack{ID: "r2"})
	want("the second undone", short)
	do(5, BringBack{ID: "r1"})
	want("the first undone", full)

	later := long2(t, d)
	do(7, TakeBack{ID: "r3", From: "u2"})
	want("taken back with what came later", short)
	do(8, BringBack{ID: "r3"})
	want("brought back with what came later", later)
	wantValue(t, path, "SELECT count(*) FROM tui_rewound", "0")
}

// long2 adds a message and gives all there are.
func long2(t *testing.T, d *DB) string {
	t.Helper()
	b := say("c", 6)
	b.Messages = []Message{{ID: "u3", Role: "user", Content: "more"}}
	b.Create = nil
	mustCommit(t, d, b)
	all, err := d.Messages(t.Context(), "s-c")
	return shown(t, all, err)
}

func TestTakeBackIsChecked(t *testing.T) {
	d := long(t, newPath(t))
	for name, b := range map[string]Batch{
		"nothing to recognise it by": {Conv: "c", Session: "s-c", Effects: []Effect{TakeBack{ID: "r", From: "u2"}}},
		"no session":                 {Conv: "c", Events: []Event{event(9)}, Effects: []Effect{TakeBack{ID: "r", From: "u2"}}},
		"no id":                      {Conv: "c", Session: "s-c", Events: []Event{event(9)}, Effects: []Effect{TakeBack{From: "u2"}}},
		"no such message":            {Conv: "c", Session: "s-c", Events: []Event{event(9)}, Effects: []Effect{TakeBack{ID: "r", From: "u9"}}},
		"no such rewind":             {Conv: "c", Session: "s-c", Events: []Event{event(9)}, Effects: []Effect{BringBack{ID: "r9"}}},
	} {
		if err := d.Commit(t.Context(), b); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

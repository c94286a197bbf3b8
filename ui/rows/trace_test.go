package rows_test

import (
	"testing"

	"hermes-tui/ui/rows"
)

// TestTraceRead breaks a text by hand, as rows do: blanks are gone at a break, one row is
// cut, and one shows a character that stands for several.
func TestTraceRead(t *testing.T) {
	tr := &rows.Trace{}
	id := tr.Source("one  two 日本 &amp; three")
	open := tr.Mark(id, 0, 15, false)
	list := tr.Read([]string{
		"│ \x1b[1m" + open + "one\x1b[m\x1b[m │",
		open + "two 日\x1b[m",
		"plain " + tr.Mark(id, 16, 21, true) + "&\x1b[m " + tr.Mark(id, 22, 27, false) + "thr…\x1b[m",
	})
	want := [][]rows.Run{
		{{From: 2, To: 5, At: 0, End: 3, Text: "one"}},
		{{From: 0, To: 6, At: 5, End: 12, Text: "two 日"}},
		{{From: 6, To: 7, At: 16, End: 21, Text: "&", Whole: true}, {From: 8, To: 11, At: 22, End: 25, Text: "thr"}},
	}
	for i := range want {
		if len(list[i]) != len(want[i]) {
			t.Fatalf("row %d: %+v", i, list[i])
		}
		for j := range want[i] {
			if list[i][j] != want[i][j] {
				t.Errorf("row %d: %+v, want %+v", i, list[i][j], want[i][j])
			}
		}
	}
	for _, c := range []struct{ from, to, at, end int }{{0, 1, 5, 6}, {4, 5, 9, 12}, {5, 9, 9, 12}, {3, 5, 8, 12}} {
		if p, ok := list[1][0].Part(c.from, c.to); !ok || p.At != c.at || p.End != c.end {
			t.Errorf("cells %d to %d: %+v, %v", c.from, c.to, p, ok)
		}
	}
	if p, ok := list[1][0].Part(6, 9); ok {
		t.Errorf("behind the end: %+v", p)
	}
}

func TestTraceSlice(t *testing.T) {
	const text = "a **b _c_ d** [e](f) g"
	tr := &rows.Trace{}
	id := tr.Source(text)
	tr.Pair(id, rows.Marks{OpenFrom: 2, OpenTo: 4, CloseFrom: 11, CloseTo: 13})
	tr.Pair(id, rows.Marks{OpenFrom: 6, OpenTo: 7, CloseFrom: 8, CloseTo: 9})
	tr.Pair(id, rows.Marks{OpenFrom: 14, OpenTo: 15, CloseFrom: 16, CloseTo: 20})
	for _, c := range []struct {
		from, to int
		want     string
	}{
		{0, len(text), text},
		{0, 5, "a b"},
		{0, 11, "a **b _c_ d**"},
		{4, 11, "b _c_ d"},
		{7, 8, "c"},
		{7, 11, "_c_ d"},
		{4, 22, "**b _c_ d** [e](f) g"},
		{10, 16, "d [e](f)"},
		{15, 16, "e"},
		{18, 19, "f"},
		{15, 19, "[e](f)"},
		{18, 22, "f) g"},
	} {
		if got := tr.Slice(id, c.from, c.to); got != c.want {
			t.Errorf("%d to %d: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

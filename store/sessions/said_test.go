package sessions

import "testing"

// TestSaid gives what users and assistants have said, and no longer what was taken back,
// archived or said to subagents.
func TestSaid(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	library(t, d)
	all, err := d.SaidAfter(t.Context(), 0, 100)
	if err != nil || len(all) != 9 {
		t.Fatalf("%d messages, %v: %+v", len(all), err, all)
	}
	newest, err := d.Newest(t.Context())
	if err != nil || newest < all[8].Row {
		t.Errorf("the newest is %d, %v", newest, err)
	}
	raw(t, path, "UPDATE sessions SET archived = 1 WHERE id = 's-gone'", "UPDATE messages SET active = 0 WHERE content = 'mend the tab'")
	var rows []int64
	for _, s := range all {
		rows = append(rows, s.Row)
	}
	left, err := d.SaidIn(t.Context(), rows)
	if err != nil || len(left) != 7 || left[0].Text != "why does the parser fail on tabs" || left[0].Session != "s-parser" || left[0].At.IsZero() {
		t.Errorf("%d messages are left, %v: %+v", len(left), err, left)
	}
	if some, err := d.SaidAfter(t.Context(), all[1].Row, 2); err != nil || len(some) != 2 || some[0].Row != all[3].Row {
		t.Errorf("two behind the second: %+v, %v", some, err)
	}
}

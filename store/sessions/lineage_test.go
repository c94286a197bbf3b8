package sessions

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"hermes-tui/agent/prompt"
)

// TestLineage gives all that began with the same session, from wherever it is asked, each
// behind the one it began with, and nothing of others; a circle of parents ends.
func TestLineage(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	mustCommit(t, d, say("c", 1))
	mustCommit(t, d, compress("c", "s-c", "s2", 2))
	mustCommit(t, d, Batch{Conv: "c", Session: "sub", Create: &NewSession{Parent: "s2", Why: WhySubagent, Agent: "a2"},
		Messages: []Message{{ID: "subm", Role: "user", Content: prompt.Assignment("count\n\nthe files", "They are many.", "/w")}}})
	mustCommit(t, d, Batch{Conv: "b", Session: "s-b", Create: &NewSession{Parent: "s2", Why: WhyBranch},
		Messages: []Message{{ID: "bm", Role: "user", Content: "other way"}}})
	mustCommit(t, d, Batch{Conv: "b2", Session: "s-b2", Create: &NewSession{Parent: "s-b", Why: WhyBranch},
		Messages: []Message{{ID: "bm2", Role: "user", Content: "third way", At: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}})
	begin(t, d, "other")
	want := []string{"0 s-c ", "1 s2 compression", "2 sub subagent", "2 s-b branch", "3 s-b2 branch"}
	for _, from := range []string{"s-c", "s2", "sub", "s-b", "s-b2"} {
		kin, err := d.Lineage(t.Context(), from)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, k := range kin {
			got = append(got, fmt.Sprintf("%d %s %s", k.Depth, k.Session, k.Why))
		}
		if !slices.Equal(got, want) {
			t.Errorf("from %s: %q, want %q", from, got, want)
		}
	}
	mustCommit(t, d, Batch{Conv: "b2", Session: "s-b2", Messages: []Message{{ID: "bm3", Role: "user", Content: "later", At: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}}})
	if kin, err := d.Lineage(t.Context(), "s-b"); err != nil || kin[4].Own != "later" || kin[2].Own != "" {
		t.Errorf("what is their own: %+v, %v", kin, err)
	}
	if kin, err := d.Lineage(t.Context(), "sub"); err != nil || kin[2].Preview != "count the files" {
		t.Errorf("a subagent: %+v, %v", kin, err)
	}
	if kin, err := d.Lineage(t.Context(), "s-other"); err != nil || len(kin) != 1 || kin[0].Preview != "" {
		t.Errorf("alone: %+v, %v", kin, err)
	}
	if kin, err := d.Lineage(t.Context(), "none"); err != nil || len(kin) != 0 {
		t.Errorf("of nothing: %+v, %v", kin, err)
	}
	raw(t, path, "UPDATE sessions SET parent_session_id = 's-b2' WHERE id = 's-c'")
	if kin, err := d.Lineage(t.Context(), "s-b"); err != nil || len(kin) == 0 {
		t.Errorf("in a circle: %+v, %v", kin, err)
	}
}

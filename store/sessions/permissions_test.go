package sessions

import (
	"slices"
	"testing"
	"time"
)

func TestRevokeGrant(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	mustCommit(t, d, effects("", AddGrant{ID: "g1", Always: true, Kind: "exec", Pattern: "make *"}, AddGrant{ID: "g2", Always: true, Kind: "exec", Pattern: "npm *"}))
	has := func(want ...string) {
		t.Helper()
		list, err := d.Grants(t.Context(), "")
		var got []string
		for _, g := range list {
			got = append(got, g.ID)
		}
		if slices.Sort(got); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, want %q, %v", got, want, err)
		}
	}
	mustCommit(t, d, effects("", RevokeGrant{ID: "g1"}))
	has("g2")
	mustCommit(t, d, effects("", RevokeGrant{ID: "g1", Undo: true}))
	has("g1", "g2")
	mustCommit(t, d, effects("", RevokeGrant{ID: "g2"}))
	mustClose(t, d)
	d = mustOpen(t, path)
	has("g1")
	wantKind(t, d.Commit(t.Context(), effects("", RevokeGrant{})), KindInvalid)
	if err := d.Commit(t.Context(), effects("", RevokeGrant{ID: "none"})); err == nil {
		t.Error("a permission that is not there was taken back")
	}
}

// An older database gets the column when it is opened, with all its permissions.
func TestGrantsInAnOlderDatabase(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	mustCommit(t, d, effects("", AddGrant{ID: "g", Always: true, Kind: "exec", Pattern: "make *"}))
	mustClose(t, d)
	raw(t, path, "ALTER TABLE tui_grants DROP COLUMN revoked_at")
	raw(t, path, "ALTER TABLE tui_grants DROP COLUMN pins")
	if list, err := mustOpen(t, path).Grants(t.Context(), ""); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestDecisionLog(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	begin(t, d, "e")
	add := func(conv, id, by, rule string, at time.Duration) {
		t.Helper()
		mustCommit(t, d, effects(conv, AddDecision{
			ID: id, Call: "k-" + id, Tool: "terminal", Digest: "ab", Outcome: "allow", By: by, Rule: rule, Reason: "r", Category: "delete", At: epoch.Add(at),
		}))
	}
	add("c", "d1", "grant", "make *", 0)
	add("e", "d2", "grant", "make *", time.Hour)
	add("c", "d3", "rule", "deny terminal(rm *)", 2*time.Hour)
	add("c", "d4", "person", "make *", 3*time.Hour)
	mustCommit(t, d, Batch{Conv: "c", Effects: []Effect{CallPlanned{ID: "k-d4", Name: "terminal", Arguments: `{"command":"make"}`, At: epoch}}})
	ids := func(conv string, limit int) (out []string) {
		t.Helper()
		list, err := d.Decisions(t.Context(), conv, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range list {
			out = append(out, x.ID)
		}
		return out
	}
	if got := ids("", 3); !slices.Equal(got, []string{"d4", "d3", "d2"}) {
		t.Errorf("newest three: %q", got)
	}
	if got := ids("c", 10); !slices.Equal(got, []string{"d4", "d3", "d1"}) {
		t.Errorf("of one conversation: %q", got)
	}
	list, err := d.Decisions(t.Context(), "c", 1)
	want := Decision{
		ID: "d4", Conv: "c", Tool: "terminal", Outcome: "allow", By: "person", Rule: "make *", Category: "delete", Reason: "r",
		Arguments: `{"command":"make"}`, Session: "s-c", At: epoch.Add(3 * time.Hour),
	}
	if err != nil || list[0] != want {
		t.Errorf("%+v, want %+v, %v", list, want, err)
	}
	used, err := d.LastUses(t.Context())
	if err != nil || len(used) != 2 || !used["make *"].Equal(epoch.Add(time.Hour)) || !used["deny terminal(rm *)"].Equal(epoch.Add(2*time.Hour)) {
		t.Errorf("%v, %v", used, err)
	}
	mustCommit(t, d, effects("", PruneDecisions{Before: epoch.Add(2 * time.Hour)}))
	if got := ids("", 10); !slices.Equal(got, []string{"d4", "d3"}) {
		t.Errorf("after pruning: %q", got)
	}
	wantKind(t, d.Commit(t.Context(), effects("", PruneDecisions{})), KindInvalid)
}

// What was taken back goes for good with the decisions of its time.
func TestPruneGrants(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	mustCommit(t, d, effects("", AddGrant{ID: "g1", Always: true, Kind: "exec", Pattern: "a"}, AddGrant{ID: "g2", Always: true, Kind: "exec", Pattern: "b"}))
	mustCommit(t, d, effects("", RevokeGrant{ID: "g1"}))
	mustCommit(t, d, effects("", PruneDecisions{Before: time.Now().Add(time.Hour)}))
	mustClose(t, d)
	wantValue(t, path, "SELECT group_concat(id) FROM tui_grants", "g2")
}

package sessions

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestDecisions(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	begin(t, d, "other")
	one := AddDecision{
		ID: "d1", Agent: "a", Call: "k", Tool: "terminal", Verb: "run", Digest: "ab", Outcome: "deny", By: "rule",
		Rule: "deny terminal(rm *)", Category: "delete", At: epoch,
	}
	again := one
	again.Outcome = "allow"
	mustCommit(t, d, effects("c", one, again))
	mustCommit(t, d, effects("c", AddDecision{ID: "d2", Tool: "patch", Digest: "cd", Outcome: "allow", By: "person", At: epoch.Add(time.Minute)}))
	mustCommit(t, d, effects("other", AddDecision{ID: "d3", Tool: "patch", Digest: "ef", Outcome: "allow", By: "judge", At: epoch.Add(time.Second)}))
	ids := func(conv string, limit int) []string {
		t.Helper()
		list, err := d.Decisions(t.Context(), conv, limit)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, e := range list {
			out = append(out, e.ID)
		}
		return out
	}
	for _, c := range []struct {
		conv  string
		limit int
		want  []string
	}{{"c", 0, []string{"d2", "d1"}}, {"", 0, []string{"d2", "d3", "d1"}}, {"", 1, []string{"d2"}}, {"none", 5, nil}} {
		if got := ids(c.conv, c.limit); !slices.Equal(got, c.want) {
			t.Errorf("%q, %d: %q, want %q", c.conv, c.limit, got, c.want)
		}
	}
	list, err := d.Decisions(t.Context(), "c", 0)
	want := Decision{
		ID: "d1", Conv: "c", Agent: "a", Call: "k", Tool: "terminal", Verb: "run", Digest: "ab", Outcome: "deny", By: "rule",
		Rule: "deny terminal(rm *)", Category: "delete", At: epoch,
	}
	if err != nil || list[1] != want {
		t.Errorf("%+v, want %+v, %v", list[1], want, err)
	}
	for i, bad := range []Batch{
		effects("", one), effects("c", AddDecision{Tool: "x", Digest: "x", Outcome: "x", By: "x"}), effects("c", AddDecision{ID: "x", Digest: "x", Outcome: "x", By: "x"}),
		effects("c", AddDecision{ID: "x", Tool: "x", Outcome: "x", By: "x"}), effects("c", AddDecision{ID: "x", Tool: "x", Digest: "x", Outcome: "x"}),
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) { wantKind(t, d.Commit(t.Context(), bad), KindInvalid) })
	}
}

// An older database of ours gets the table when it is opened.
func TestDecisionsInAnOlderDatabase(t *testing.T) {
	path := newPath(t)
	mustClose(t, mustOpen(t, path))
	raw(t, path, "DROP TABLE tui_decisions")
	d := mustOpen(t, path)
	begin(t, d, "c")
	mustCommit(t, d, effects("c", AddDecision{ID: "d", Tool: "t", Digest: "x", Outcome: "allow", By: "judge"}))
	if list, err := d.Decisions(t.Context(), "c", 0); err != nil || len(list) != 1 || list[0].At.IsZero() {
		t.Errorf("%+v, %v", list, err)
	}
}

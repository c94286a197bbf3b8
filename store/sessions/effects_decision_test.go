package sessions

import (
	"context"
	"database/sql"
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
	ids := func(conv string) []string {
		t.Helper()
		list, err := decisions(t.Context(), d, conv)
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
		conv string
		want []string
	}{{"c", []string{"d2", "d1"}}, {"", []string{"d2", "d3", "d1"}}, {"none", nil}} {
		if got := ids(c.conv); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.conv, got, c.want)
		}
	}
	list, err := decisions(t.Context(), d, "c")
	want := decision{
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

// An older database of ours gets the table, and the column, when it is opened. What
// was recorded before stays.
func TestDecisionsInAnOlderDatabase(t *testing.T) {
	for lacks, kept := range map[string]int{"DROP TABLE tui_decisions": 0, "ALTER TABLE tui_decisions DROP COLUMN ran": 1} {
		path := newPath(t)
		d := mustOpen(t, path)
		begin(t, d, "c")
		mustCommit(t, d, effects("c", AddDecision{ID: "old", Tool: "t", Digest: "x", Outcome: "deny", By: "person", At: epoch}))
		mustClose(t, d)
		raw(t, path, lacks)
		d = mustOpen(t, path)
		mustCommit(t, d, effects("c", AddDecision{ID: "d", Tool: "t", Digest: "x", Outcome: "allow", By: "judge", Ran: "confined"}))
		list, err := d.Decisions(t.Context(), "c", 10)
		if err != nil || len(list) != 1+kept || list[0].At.IsZero() || list[0].Ran != "confined" || kept > 0 && (list[1].Ran != "" || list[1].By != "person") {
			t.Errorf("%s: %+v, %v", lacks, list, err)
		}
	}
}

// decision is a line of the log of decisions, as [AddDecision] wrote it.
type decision struct {
	ID, Conv, Agent, Call, Tool, Verb   string
	Digest, Outcome, By, Rule, Category string
	Reason                              string
	At                                  time.Time
}

// decisions reads those of a conversation, of all if conv is empty, the newest first.
func decisions(ctx context.Context, d *DB, conv string) ([]decision, error) {
	var all []decision
	err := d.query(ctx, "read decisions", `SELECT id, conv, agent, call, tool, verb, digest, outcome, decided_by, rule, category, reason, at
		FROM tui_decisions WHERE ?1 = '' OR conv = ?1 ORDER BY at DESC, rowid DESC`, []any{conv}, func(scan scanFunc) error {
		var e decision
		var at sql.NullFloat64
		err := scan(&e.ID, &e.Conv, orEmpty{&e.Agent}, orEmpty{&e.Call}, &e.Tool, orEmpty{&e.Verb}, &e.Digest, &e.Outcome, &e.By,
			orEmpty{&e.Rule}, orEmpty{&e.Category}, orEmpty{&e.Reason}, &at)
		e.At = moment(at)
		all = append(all, e)
		return err
	})
	return all, err
}

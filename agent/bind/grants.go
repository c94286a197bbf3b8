package bind

import (
	"context"

	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
	"hermes-tui/tools/approval"
)

// Grants keeps lasting permissions in the session database.
func Grants(db *sessions.DB, ids event.Source) approval.Grants { return grants{db, ids} }

type grants struct {
	db  *sessions.DB
	ids event.Source
}

// List implements [approval.Grants].
func (g grants) List(ctx context.Context) ([]approval.Grant, error) {
	rows, err := g.db.Grants(ctx, "")
	var list []approval.Grant
	for _, r := range rows {
		if kind := tools.ActionKind(r.Kind); kind == tools.ActExec || kind == tools.ActWrite || kind == tools.ActCode || kind == tools.ActReach {
			list = append(list, approval.Grant{Kind: kind, Pattern: r.Pattern, Example: r.Example, At: r.Created})
		}
	}
	return list, err
}

// Add implements [approval.Grants].
func (g grants) Add(ctx context.Context, a approval.Grant) error {
	return g.db.Commit(ctx, sessions.Batch{Effects: []sessions.Effect{sessions.AddGrant{
		ID: string(g.ids.Request()), Always: true, Kind: string(a.Kind), Pattern: a.Pattern, Example: a.Example, At: a.At,
	}}})
}

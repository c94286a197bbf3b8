package bind

import (
	"context"

	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
	"hermes-tui/tools/approval"
)

// Grants keeps lasting permissions in the session database. Those that the seal does
// not know do not count.
func Grants(db *sessions.DB, ids event.Source, seal Seal) approval.Grants {
	return grants{db, ids, seal}
}

type grants struct {
	db   *sessions.DB
	ids  event.Source
	seal Seal
}

// List implements [approval.Grants].
func (g grants) List(ctx context.Context) ([]approval.Grant, error) {
	rows, err := g.db.Grants(ctx, "")
	var list []approval.Grant
	for _, r := range rows {
		if kind := tools.ActionKind(r.Kind); r.Kind != TrustKind && g.seal.Holds(r) {
			list = append(list, approval.Grant{Kind: kind, Pattern: r.Pattern, Example: r.Example, At: r.Created})
		}
	}
	return list, err
}

// Add implements [approval.Grants].
func (g grants) Add(ctx context.Context, a approval.Grant) error {
	return g.seal.add(ctx, g.db, sessions.Grant{
		ID: string(g.ids.Request()), Kind: string(a.Kind), Pattern: a.Pattern, Example: a.Example, Created: a.At,
	})
}

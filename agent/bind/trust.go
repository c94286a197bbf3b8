package bind

import (
	"context"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
)

// TrustKind is the kind under which decisions on folders are stored.
const TrustKind = "trust"

// What the decisions say.
const (
	trustedYes = "trusted"
	trustedNo  = "not trusted"
)

// Trust keeps decisions on folders in the session database, for all
// conversations.
func Trust(db *sessions.DB, ids event.Source) agent.Trust { return trust{db, ids} }

type trust struct {
	db  *sessions.DB
	ids event.Source
}

// Trusted implements [agent.Trust]. The newest decision on a folder counts; a
// decision on a folder says nothing of the folders in it.
func (t trust) Trusted(ctx context.Context, root string) (decided, trusted bool, err error) {
	grants, err := t.db.Grants(ctx, "")
	for _, g := range grants {
		if g.Kind == TrustKind && g.Pattern == root {
			decided, trusted = true, g.Example == trustedYes
		}
	}
	return decided, trusted, err
}

// Decide implements [agent.Trust].
func (t trust) Decide(ctx context.Context, root string, trusted bool) error {
	says := trustedNo
	if trusted {
		says = trustedYes
	}
	return t.db.Commit(ctx, sessions.Batch{Effects: []sessions.Effect{sessions.AddGrant{
		ID: string(t.ids.Request()), Always: true, Kind: TrustKind, Pattern: root, Example: says, At: t.ids.Now(),
	}}})
}

package bind

import (
	"context"
	"time"

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
// conversations. Those that the seal does not know do not count.
func Trust(db *sessions.DB, ids event.Source, seal Seal) agent.Trust { return trust{db, ids, seal} }

// TrustOnce is a trust in which a folder is trusted, whatever was decided on it.
func TrustOnce(t agent.Trust, root string) agent.Trust { return trustOnce{t, root} }

type trustOnce struct {
	agent.Trust
	root string
}

// Trusted implements [agent.Trust].
func (t trustOnce) Trusted(ctx context.Context, root string) (decided, trusted bool, err error) {
	if root == t.root {
		return true, true, nil
	}
	return t.Trust.Trusted(ctx, root)
}

type trust struct {
	db   *sessions.DB
	ids  event.Source
	seal Seal
}

// Trusted implements [agent.Trust]. The newest decision on a folder counts; a
// decision on a folder says nothing of the folders in it.
func (t trust) Trusted(ctx context.Context, root string) (decided, trusted bool, err error) {
	grants, err := t.db.Grants(ctx, "")
	for _, g := range grants {
		if g.Kind == TrustKind && g.Pattern == root && t.seal.Holds(g) {
			decided, trusted = true, g.Example == trustedYes
		}
	}
	return decided, trusted, err
}

// TrustedSince is when the user said last that a folder is trusted, zero where none is known.
func TrustedSince(ctx context.Context, db *sessions.DB, seal Seal, root string) (at time.Time) {
	grants, err := db.Grants(ctx, "")
	for _, g := range grants {
		if err == nil && g.Kind == TrustKind && g.Pattern == root && seal.Holds(g) && g.Example == trustedYes {
			at = g.Created
		}
	}
	return at
}

// Decide implements [agent.Trust].
func (t trust) Decide(ctx context.Context, root string, trusted bool) error {
	says := trustedNo
	if trusted {
		says = trustedYes
	}
	return t.seal.add(ctx, t.db, sessions.Grant{
		ID: string(t.ids.Request()), Kind: TrustKind, Pattern: root, Example: says, Created: t.ids.Now(),
	})
}

package bind

import (
	"context"
	"encoding/json"
	"slices"

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

// otherKinds are decisions that are no permissions of the gate.
var otherKinds = []string{TrustKind, SkillKind, InstructionKind, HookKind, PluginKind}

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
		if !slices.Contains(otherKinds, r.Kind) && g.seal.Holds(r) {
			list = append(list, Grant(r))
		}
	}
	return list, err
}

// Grant is a stored permission as the gate knows it.
func Grant(r sessions.Grant) approval.Grant {
	a := approval.Grant{Kind: tools.ActionKind(r.Kind), Pattern: r.Pattern, Example: r.Example, At: r.Created}
	if json.Unmarshal([]byte(r.Pins), &a.Pins) != nil {
		a.Pins = nil
	}
	return a
}

// Add implements [approval.Grants].
func (g grants) Add(ctx context.Context, a approval.Grant) error {
	pins := ""
	if a.Pins != nil {
		pins = tools.JSON(a.Pins)
	}
	return g.seal.add(ctx, g.db, sessions.Grant{
		ID: string(g.ids.Request()), Kind: string(a.Kind), Pattern: a.Pattern, Example: a.Example, Created: a.At, Pins: pins,
	})
}

package bind

import (
	"context"

	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
	"hermes-tui/tools/approval"
)

// Decisions writes the decisions of a conversation's gate to the session database.
func Decisions(db *sessions.DB, ids event.Source, conv event.ConvID) func(context.Context, approval.Entry) error {
	return func(ctx context.Context, e approval.Entry) error {
		return db.Commit(ctx, sessions.Batch{Conv: string(conv), Effects: []sessions.Effect{sessions.AddDecision{
			ID: string(ids.Request()), Agent: e.Agent, Call: e.Call, Tool: e.Tool, Verb: e.Verb, Digest: e.Digest,
			Outcome: string(e.Outcome), By: string(e.By), Rule: e.Rule, Category: string(e.Category), Reason: e.Reason, At: e.At, Ran: string(e.Ran),
		}}})
	}
}

package approval

import (
	"context"

	"hermes-tui/tools/hunks"
)

// reviewed lets run what the user has accepted of an edit.
func (g *Gate) reviewed(ctx context.Context, m *matter, e Entry, r hunks.Review) (Permit, error) {
	shown := m.permit.Reviewed()
	pieces := make([]*hunks.Pieces, len(shown.Files))
	for i := range shown.Files {
		pieces[i] = shown.Files[i].Pieces()
	}
	if !r.Fits(pieces) {
		return Permit{}, g.refuse(ctx, m.Request, e, refusedByUser(m.deed(), ""))
	}
	r = r.Typed(pieces)
	left := false
	for i, p := range pieces {
		left = left || len(p.List) == 0 || p.Decided(r.Of(i, p)) != nil
	}
	told := r.Tell(pieces)
	if !left {
		d := refusedByUser(m.deed(), "")
		d.Reason = "you rejected all of it"
		if d.Review = told; told != nil {
			d.Message = "The user looked at this edit and rejected all of it; nothing was changed." + noRetry + " Follow their comments, or ask what they want instead."
			told.Note = "Nothing of the edit was carried out."
		}
		return Permit{}, g.refuse(ctx, m.Request, e, d)
	}
	e.Outcome = OutcomeAllow
	if told != nil && told.Rejected+told.Rewritten > 0 {
		e.Outcome = OutcomeEdit
	}
	if err := g.record(ctx, m.Request, e); err != nil {
		return Permit{}, err
	}
	m.permit.p.reviewed.Review = r
	return m.permit, nil
}

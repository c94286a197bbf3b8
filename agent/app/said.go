package app

import (
	"context"

	"hermes-tui/agent/api"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
)

// Said gives what was said in a session, named as for [App.Resume], in order, without
// what was taken back. Of one that was compressed it is what was said since; the id
// of an earlier one gives what was said in that.
func (a *App) Said(ctx context.Context, ref string) (api.SessionInfo, []api.Said, error) {
	ref, way, _ := refParts(ref)
	info, err := a.db.Resolve(ctx, ref)
	if err != nil {
		return api.SessionInfo{}, nil, err
	}
	if way != "" {
		was, err := a.db.WayMessages(ctx, way)
		var list []api.Said
		for _, m := range was {
			if m.Content != "" && (m.Role == "user" || m.Role == "assistant") {
				list = append(list, saidOf(m))
			}
		}
		return sessionInfo(info), list, err
	}
	at := info.Session
	if exact, err := a.db.Session(ctx, ref); err == nil {
		at = exact.ID
	}
	const all = 1 << 30
	whole, _, err := a.db.Ends(ctx, at, all, 0)
	list := make([]api.Said, len(whole.Messages))
	for i, m := range whole.Messages {
		list[i] = saidOf(m)
	}
	return sessionInfo(info), list, err
}

// saidOf is a message without what the program put behind it.
func saidOf(m sessions.Message) api.Said {
	if text, users := tools.Wrote(m.Content); users && m.Role == "user" {
		m.Content = text
	}
	return api.Said{Role: m.Role, At: m.At, Text: m.Content}
}

// Mask masks the secrets in a text, as exports do.
func (a *App) Mask(text string) string { return a.masker().Text(text) }

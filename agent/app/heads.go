package app

import (
	"context"
	"io"
	"slices"

	"hermes-tui/agent/api"
	"hermes-tui/store/sessions"
)

// headEvents is how many events a [Head] has at most.
const headEvents = 20

// Heads are those of the sessions that were used last.
func (a *App) Heads(ctx context.Context, most int) ([]api.Head, error) {
	list := []api.Head{}
	rows, err := a.db.List(ctx, sessions.Filter{Limit: most, Archived: true})
	if err != nil {
		return list, err
	}
	sizes, err := a.db.Sizes(ctx)
	if err != nil {
		return list, err
	}
	for _, r := range rows {
		h := api.Head{Session: r.Session, Messages: r.Messages, Bytes: sizes[r.Session] + sizes[r.Conv], LastActive: r.LastActive, Events: []api.HeadEvent{}}
		if r.Conv != "" {
			events, err := a.db.LastEvents(ctx, r.Conv, headEvents)
			if err != nil {
				return list, err
			}
			for _, e := range events {
				h.Events = append(h.Events, api.HeadEvent{Seq: e.Seq, Type: e.Type})
			}
		}
		list = append(list, h)
	}
	return list, nil
}

// Journal writes all events of a session, named as for [App.Resume], as JSON lines in their
// order. Nothing in it is masked.
func Journal(ctx context.Context, a *App, ref string, w io.Writer) error {
	session, _, _ := refParts(ref)
	info, err := a.db.Resolve(ctx, session)
	if err != nil {
		return err
	}
	return a.db.EachEvent(ctx, info.Conv, 0, func(e sessions.Event) error {
		_, err := w.Write(append(slices.Clone(e.Body), '\n'))
		return err
	})
}

package agent

import (
	"context"

	"hermes-tui/agent/event"
)

// Glimpse reads the end of a conversation that is about to be revived, which is made of
// so many events: the root agent with the newest blocks of its transcript, for a first look. They are those that the
// revived one ends with. It is nil where it could show others: after a crash, after
// rewinds, or when other programs have written to the session.
func Glimpse(ctx context.Context, db Archive, conv event.ConvID, session event.SessionID, most int) (*event.State, error) {
	row, err := db.Session(ctx, string(session))
	if err != nil || row.Agent == "" {
		return nil, err
	}
	rows, err := db.LastEvents(ctx, string(conv), most)
	if err != nil {
		return nil, err
	}
	var d event.Decoder
	events := make([]event.Event, len(rows))
	for i, row := range rows {
		if events[i], err = d.UnmarshalAs(event.Type(row.Type), row.Body); err != nil {
			return nil, err
		}
	}
	root, s := event.AgentID(row.Agent), &event.State{}
	s.Apply(&event.AgentSpawned{Meta: event.Meta{Conv: conv, Session: session, Agent: root}, Role: event.RoleRoot})
	if !atRest(s, root, events) {
		return nil, nil
	}
	last, err := db.LastSaid(ctx, string(session))
	if err != nil {
		return nil, err
	}
	if shown := onScreen(s.Root()); len(shown) == 0 || shown[len(shown)-1].message != last || s.Session != session {
		return nil, nil
	}
	return s, nil
}

// atRest folds the end of a journal, and reports whether that gives the blocks that all
// of it ends with, and nothing is under way.
func atRest(s *event.State, root event.AgentID, events []event.Event) bool {
	began, rewound := map[event.TurnID]bool{}, map[string]bool{}
	open := true
	for _, e := range events {
		mine := e.Head().Agent == root
		switch e := e.(type) {
		case *event.TurnStarted:
			open = open || mine
			began[e.Turn] = true
		case *event.TurnFinished:
			open = open && !mine
		case *event.Rewound:
			if e.Undo && !rewound[e.ID] || !e.Undo && e.From != "" && !began[e.From] {
				return false
			}
			rewound[e.ID] = true
		}
		s.Apply(e)
	}
	return !open && len(s.Live()) == 0 && len(s.Requests) == 0
}

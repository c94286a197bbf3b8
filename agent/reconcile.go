package agent

import (
	"context"
	"slices"

	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/store/sessions"
)

// position is a message on the screen and the turn it stands in.
type position struct {
	message string
	turn    event.TurnID
}

// onScreen lists the messages of an agent that the screen shows as what the model
// gets, in their order: those that say or call something, behind the point at which
// the conversation went on in another session.
func onScreen(a *event.Agent) []position {
	var list []position
	for _, b := range a.Blocks {
		switch b.Kind {
		case event.BlockCompact:
			if b.Compact != nil && b.Compact.Into != "" {
				list = nil
			}
		case event.BlockUser, event.BlockAnswer, event.BlockTool:
			if p := (position{string(b.Message), b.Turn}); p.message != "" && (len(list) == 0 || list[len(list)-1] != p) {
				list = append(list, p)
			}
		}
	}
	return list
}

// common is how many messages the screen and the store begin with alike.
func common(screen []position, stored []string) int {
	n := 0
	for n < len(screen) && n < len(stored) && screen[n].message == stored[n] {
		n++
	}
	return n
}

// changedElsewhere is said where messages that were shown are not there any more.
const changedElsewhere = "Another program has changed this session; it is shown as it is now."

// reconcile records in the journal what other programs have done to the messages:
// those without events get them, and turns whose messages are gone are hidden. A
// session that another program has shortened goes on below a line that says so, and so
// does one that was shortened before this program knew it.
// When it is cut short, the next revival goes on with it. alike says that the revival
// has stored nothing so far.
func (r *revival) reconcile(p *Past, alike bool) error {
	if p.State.Session != r.session {
		before, err := r.db.Before(r.ctx, string(r.session))
		if err != nil {
			return err
		}
		target := r.session
		from := max(slices.Index(before, string(p.State.Session)), 0)
		for _, s := range before[from:] {
			if r.session = event.SessionID(s); p.State.Session != "" && p.State.Session != r.session {
				err = r.storeEvents(p, r.root(p.State.Root().ID), []event.Event{r.moved()})
			}
			var stored []string
			if err == nil {
				stored, err = r.outline(r.ctx, r.session)
			}
			if err == nil {
				err = r.level(p, stored)
			}
			if err != nil {
				return err
			}
		}
		r.session = target
		if p.State.Session != "" && p.State.Session != r.session {
			if err := r.storeEvents(p, r.root(p.State.Root().ID), []event.Event{r.moved()}); err != nil {
				return err
			}
		}
	}
	o := <-r.outlined
	if !alike {
		o.ids, o.err = r.outline(r.ctx, r.session)
	}
	if o.err != nil {
		return o.err
	}
	return r.level(p, o.ids)
}

// level makes the screen show what is stored of a session, given by the ids of what is
// said in it.
func (r *revival) level(p *Past, stored []string) error {
	root := p.State.Root()
	w := r.root(root.ID)
	screen := onScreen(root)
	if slices.EqualFunc(screen, stored, func(p position, id string) bool { return p.message == id }) {
		return nil
	}
	rows, err := r.db.Messages(r.ctx, string(r.session))
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(m sessions.Message) bool { return r.later(m.ID, m.Row) })
	said, err := restore(rows)
	if err != nil {
		return err
	}
	same := common(screen, spoken(said))
	if same < len(screen) {
		same = slices.IndexFunc(screen, func(p position) bool { return p.turn == screen[same].turn })
		if err := r.storeEvents(p, w, r.hide(screen[same].turn)); err != nil {
			return err
		}
		same = common(onScreen(root), spoken(said))
	}
	ends, err := r.copied(said)
	if err != nil {
		return err
	}
	return r.transcribe(p, w, fromNth(said, same), ends)
}

// outline names what the store holds of what is said.
func (r *revival) outline(ctx context.Context, session event.SessionID) ([]string, error) {
	list, err := r.db.Outline(ctx, string(session))
	ids := make([]string, 0, len(list))
	for _, o := range list {
		if !r.later(o.ID, o.Row) {
			ids = append(ids, o.ID)
		}
	}
	return ids, err
}

// later says that another program has added a message since the revival began.
func (r *revival) later(id string, row int64) bool { return row > r.newest && sessions.Foreign(id) }

// moved says that the conversation goes on in another session.
func (r *revival) moved() event.Event {
	return &event.ContextCompressed{Block: r.ids.Block(), Into: r.session,
		Summary: "Another program has shortened this session. The model gets what stands below this line, and nothing of what is above."}
}

// hide takes a turn and all behind it off the screen. Without a turn there is
// nothing to name them by, and a line above which nothing counts does as well.
func (r *revival) hide(from event.TurnID) []event.Event {
	if from == "" {
		return []event.Event{r.moved()}
	}
	id := r.ids.Block()
	return []event.Event{
		&event.Rewound{ID: string(id), From: from, Elsewhere: true},
		&event.NoticeRaised{Block: id, Level: event.LevelInfo, Text: changedElsewhere},
	}
}

// says reports whether a message is shown as one of a user or an assistant.
func says(m providers.Message) bool {
	return m.Role == providers.User || m.Role == providers.Assistant && (m.Text() != "" || len(m.Calls) > 0)
}

// spoken are the ids of the messages that say something.
func spoken(list []providers.Message) (ids []string) {
	for _, m := range list {
		if says(m) {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// fromNth gives the messages from the one on that says something as the n-th, from 0.
func fromNth(list []providers.Message, n int) []providers.Message {
	for i, m := range list {
		if !says(m) {
			continue
		}
		if n == 0 {
			return list[i:]
		}
		n--
	}
	return nil
}

// transcribedAtOnce is about how many events are stored together.
const transcribedAtOnce = 500

// transcribe puts messages that have no events into the journal: a turn for every
// message of the user, and one for what stands before the first. ends are those of calls
// of which more is known than their messages tell.
func (r *revival) transcribe(p *Past, w agentSession, list []providers.Message, ends map[string]*event.ToolFinished) error {
	var events []event.Event
	var s transcriber
	for i, m := range list {
		if i == 0 || m.Role == providers.User {
			events = append(events, s.finish()...)
			if len(events) > transcribedAtOnce {
				if err := r.storeEvents(p, w, events); err != nil {
					return err
				}
				events = nil
			}
			s = transcriber{ids: r.ids, turn: r.ids.Turn(), open: map[string]event.CallView{}, ends: ends}
			events = append(events, s.put(m, &event.TurnStarted{}))
		}
		for _, e := range s.shown(m) {
			events = append(events, s.put(m, e))
		}
	}
	return r.storeEvents(p, w, append(events, s.finish()...))
}

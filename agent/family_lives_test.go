package agent_test

import (
	"fmt"

	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
)

// life is what the journal says of a subagent.
type life struct {
	parent event.AgentID
	ended  bool
}

// lives checks in the journal that every subagent begins once and ends once, that
// nothing happens to it afterwards, and that no one lives below one that has ended.
func (r *rig) lives() error {
	all := map[event.AgentID]*life{}
	err := r.db.EachEvent(r.t.Context(), string(r.conv.ID()), 0, func(row sessions.Event) error {
		e, err := new(event.Decoder).UnmarshalAs(event.Type(row.Type), row.Body)
		if err != nil {
			return err
		}
		return live(all, e)
	})
	for id, l := range all {
		if err == nil && !l.ended {
			err = fmt.Errorf("%s has not ended", id)
		}
	}
	return err
}

func live(all map[event.AgentID]*life, e event.Event) error {
	id := e.Head().Agent
	l := all[id]
	switch e := e.(type) {
	case *event.AgentSpawned:
		if e.Role == event.RoleRoot {
			return nil
		}
		if l != nil {
			return fmt.Errorf("%s begins twice", id)
		}
		all[id] = &life{parent: e.Parent}
		return nil
	case *event.AgentFinished:
		if l == nil || l.ended {
			return fmt.Errorf("%s ends and does not live", id)
		}
		l.ended = true
		for other, o := range all {
			if o.parent == id && !o.ended {
				return fmt.Errorf("%s ends before %s, which is below it", id, other)
			}
		}
		return nil
	}
	if l != nil && l.ended {
		return fmt.Errorf("%T of %s, which has ended", e, id)
	}
	return nil
}

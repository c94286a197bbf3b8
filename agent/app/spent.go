package app

import (
	"context"
	"time"

	"hermes-tui/agent/event"
)

// TurnUse is what a turn of the root has used, with all subagents that it asked for, and
// calls beside the conversation.
type TurnUse struct {
	Turn   event.TurnID
	At     time.Time // of its first model call
	Agents int       // subagents that made calls
	Usage  event.Usage
}

// DayUse is what the sessions have used that began on a day.
type DayUse struct {
	Day             time.Time
	Sessions, Calls int64
	Input, Output   int64
	Cost            event.Money // as far as it is known
}

// spentDays is over how many days [Conversation.Spent] looks.
const spentDays = 14

// Spent implements [Conversation].
func (c *conversation) Spent(ctx context.Context) (turns []TurnUse, days []DayUse, err error) {
	rows, err := c.app.db.EventsOf(ctx, string(c.ID()), string(event.TypeOf((*event.UsageUpdated)(nil))))
	if err != nil {
		return nil, nil, err
	}
	trees := map[event.AgentID]event.TurnID{}
	for _, a := range c.Fold().Agents {
		trees[a.ID] = a.Tree
	}
	d := event.NewDecoder()
	all := make([]*event.UsageUpdated, 0, len(rows))
	for _, row := range rows {
		e, err := d.UnmarshalAs(event.Type(row.Type), row.Body)
		if err != nil {
			return nil, nil, err
		}
		if u, ok := e.(*event.UsageUpdated); ok {
			all = append(all, u)
		}
	}
	turns = byTurn(all, trees)
	now := c.app.o.IDs.Now().Local()
	y, m, day := now.Date()
	list, err := c.app.db.SpentByDay(ctx, time.Date(y, m, day-spentDays+1, 0, 0, 0, 0, now.Location()))
	for _, s := range list {
		days = append(days, DayUse{s.Day, s.Sessions, s.Calls, s.Input, s.Output, event.Money(s.CostUSD * float64(event.Dollar))})
	}
	return turns, days, err
}

// byTurn gives what events say of agents, of each all that it has used up to then, to the
// turns of the root: that of a subagent to the turn that has asked for it.
func byTurn(all []*event.UsageUpdated, trees map[event.AgentID]event.TurnID) (turns []TurnUse) {
	at, before := map[event.TurnID]int{}, map[event.AgentID]event.Usage{}
	seen := map[event.AgentID]bool{}
	for _, e := range all {
		turn, sub := e.Turn, false
		if tree := trees[e.Agent]; tree != "" {
			turn, sub = tree, true
		}
		i, known := at[turn]
		if !known {
			i = len(turns)
			at[turn] = i
			turns = append(turns, TurnUse{Turn: turn, At: e.At})
		}
		if sub && !seen[e.Agent] {
			seen[e.Agent] = true
			turns[i].Agents++
		}
		turns[i].Usage = turns[i].Usage.Plus(e.Usage.Minus(before[e.Agent]))
		before[e.Agent] = e.Usage
	}
	return turns
}

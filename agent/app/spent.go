package app

import (
	"context"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
)

// spentDays is over how many days [Conversation.Spent] looks.
const spentDays = 14

// Spent implements [Conversation].
func (c *conversation) Spent(ctx context.Context) (turns []api.TurnUse, days []api.DayUse, err error) {
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
		days = append(days, api.DayUse{
			Day: s.Day, Sessions: s.Sessions, Calls: s.Calls, Input: s.Input, Output: s.Output, Cost: event.Money(s.CostUSD * float64(event.Dollar)),
		})
	}
	return turns, days, err
}

// byTurn gives what events say of agents, of each all that it has used up to then, to the
// turns of the root: that of a subagent to the turn that has asked for it.
func byTurn(all []*event.UsageUpdated, trees map[event.AgentID]event.TurnID) (turns []api.TurnUse) {
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
			turns = append(turns, api.TurnUse{Turn: turn, At: e.At})
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

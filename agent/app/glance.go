package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// Glance is what a list shows beside one of its sessions.
type Glance struct {
	Session string
	Started time.Time
	Model   string
	Calls   int64
	Usage   event.Usage
	// From is what the session is called that this one is a branch of.
	From string
	// Said is what the user and the agent said last, the older first.
	Said []api.Saying
}

// The bounds of what a glance says.
const (
	glanceSaid  = 40   // messages looked through
	glanceRunes = 1000 // of each
)

// Glance looks into a session. What it cost is of its part since the last compression.
func (a *App) Glance(ctx context.Context, session string) (Glance, error) {
	session, way, _ := refParts(session)
	row, err := a.db.Session(ctx, session)
	if err != nil {
		return Glance{}, err
	}
	g := Glance{Session: session, Started: row.Started, Model: row.Model, Calls: row.ToolCalls, Usage: event.Usage{
		Input: row.Input, Output: row.Output, CacheRead: row.CacheRead, CacheWrite: row.CacheWrite, Reasoning: row.Reasoning,
		Cost: event.Money(row.EstimatedCostUSD * float64(event.Dollar)),
	}}
	if row.Parent != "" {
		if from, err := a.db.Resolve(ctx, row.Parent); err == nil && from.Session != session { // else it was deleted
			if g.From = from.Title; g.From == "" {
				g.From = from.Preview
			}
		}
	}
	if way != "" {
		was, err := a.db.WayMessages(ctx, way)
		g.say(was)
		return g, err
	}
	head, tail, err := a.db.Ends(ctx, session, 0, glanceSaid)
	g.say(append(head.Messages, tail.Messages...))
	return g, err
}

// say adds what is said last in some messages.
func (g *Glance) say(list []sessions.Message) {
	had := map[string]bool{"tool": true, "system": true}
	for _, m := range slices.Backward(list) {
		if m.Role == "user" {
			m.Content, _ = tools.Wrote(m.Content)
		}
		if text := shorten.Runes(strings.Join(strings.Fields(m.Content), " "), glanceRunes); text != "" && !had[m.Role] {
			had[m.Role] = true
			g.Said = append(g.Said, api.Saying{User: m.Role == "user", Text: text})
		}
	}
	slices.Reverse(g.Said)
}

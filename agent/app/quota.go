package app

import (
	"context"
	"fmt"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/providers/transport"
)

// nearLimit is the part of an allowance, in percent, from which on its use is said.
const nearLimit = 80

// quietTime is how long nothing more is said of an allowance.
const quietTime = time.Hour

// answered tells the sessions that a service answers when an allowance is nearly used
// up.
func (a *App) answered(host string, list []transport.Quota) {
	now := a.o.IDs.Now()
	for _, q := range list {
		if q.Used < nearLimit {
			continue
		}
		a.background.run(func(context.Context) {
			a.tellHost(host, q.Name, quotaSentence(host, q), now.Add(max(quietTime, q.Resets)))
		})
	}
}

// quotaSentence says how much of an allowance is left.
func quotaSentence(host string, q transport.Quota) string {
	text := fmt.Sprintf("%s: %.0f %% of the limit is used (%s)", host, q.Used, q.Name)
	if q.Resets > 0 {
		text += fmt.Sprintf("; it resets in %s", q.Resets.Round(time.Second))
	}
	return text + "."
}

// tellHost shows a notice about an allowance in the open sessions that a host answers,
// and then none about it for a time.
func (a *App) tellHost(host, name, text string, until time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.o.IDs.Now().Before(a.quiet[host+" "+name]) {
		return
	}
	for _, c := range a.open {
		if c.Conversation != nil && c.Runtime().Model.Host == host {
			a.quiet[host+" "+name] = until
			c.Notify(event.LevelWarn, text)
		}
	}
}

package status

import (
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/themes"
	"hermes-tui/ui/rows"
)

// TestStatesDifferWithoutColours has no two states of a call, of the approval mode, of a
// notice or of the whole look the same where there are no colours.
func TestStatesDifferWithoutColours(t *testing.T) {
	st := rows.NewStyles(themes.Fitting(true).At(themes.Mono))
	different := func(what string, shown []string) {
		seen := map[string]bool{}
		for i, s := range shown {
			if seen[s] {
				t.Errorf("%s %d looks like another: %q", what, i, s)
			}
			seen[s] = true
		}
	}
	var calls []string
	for _, c := range []Call{
		{Stage: event.CallDrafting}, {Stage: event.CallPlanned}, {Stage: event.CallRunning}, {Stage: event.CallRunning, Asked: true},
		{Stage: event.CallEnded, Outcome: event.OutcomeOK}, {Stage: event.CallEnded, Outcome: event.OutcomeFailed}, {Stage: event.CallEnded, Outcome: event.OutcomeDenied},
		{Stage: event.CallEnded, Outcome: event.OutcomeCancelled}, {Stage: event.CallEnded, Outcome: event.OutcomeSkipped}, {Stage: event.CallEnded},
	} {
		glyph, style, _ := c.Sign(st, 0) // also where there is no room for the word
		calls = append(calls, style.Render(glyph))
	}
	different("call", calls)
	var modes []string
	for _, m := range []event.Mode{event.ModeGuarded, event.ModeManual, event.ModeSmart, event.ModePlan, event.ModeOff, ""} {
		text, style := modeBadge(st, m)
		modes = append(modes, style.Render(text))
	}
	different("mode", modes)
	var levels []string
	for _, l := range []event.Level{event.LevelInfo, event.LevelWarn, event.LevelError} {
		glyph, style := Level(st, l)
		levels = append(levels, style.Render(glyph))
	}
	different("level", levels)
	var all []string
	for _, d := range []Status{
		{}, {Note: "x"}, {Phase: event.PhaseBlocked}, {Waiting: true}, {State: event.AgentPaused}, {Phase: event.PhaseRetrying}, {Phase: event.PhaseAnswering},
	} {
		w := d.words(st)
		all = append(all, w.style.Render(w.glyph))
	}
	different("status", all)
}

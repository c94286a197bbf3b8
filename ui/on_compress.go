package ui

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/overlay"
)

// commandCompress shortens what the model gets of the conversation, or says what that
// would do. What else is typed is to be kept above all.
func (m *Model) commandCompress(args string) tea.Cmd {
	conv, ctx := m.conv, m.ctx
	if args == "preview" {
		styles, hints := m.styles, m.readHints()
		return m.do(func() tea.Msg {
			plan, err := conv.PlanCompress(ctx)
			if err != nil {
				return failedMsg{err}
			}
			return pagerMsg{overlay.NewPager(styles, "What /compress would do", planText(plan), hints), nil}
		})
	}
	return m.do(func() tea.Msg {
		changed, err := conv.Compress(ctx, args)
		_, stopped := errors.AsType[*app.Stopped](err)
		switch {
		case stopped:
			return saidMsg{"Stopped: nothing was shortened."}
		case err != nil:
			return failedMsg{err}
		case !changed:
			return saidMsg{"There is nothing to shorten."}
		}
		return nil
	})
}

// planText says what a compression would do.
func planText(p app.CompressPlan) string {
	var b strings.Builder
	line := func(text string, args ...any) { fmt.Fprintf(&b, text+"\n", args...) }
	if p.Results == 0 && p.Calls == 0 && p.Messages == 0 {
		return "There is nothing to shorten."
	}
	line("Each request has about %s tokens now and would have about %s.", format.Tokens(int64(p.Before)), format.Tokens(int64(p.After)))
	if p.Priced && p.First > 0 {
		line("The next one would cost about %s, since nothing of it is in the cache; later ones %s instead of %s, from the cache.",
			format.Dollars(p.First), format.Dollars(p.Each), format.Dollars(p.EachNow))
	}
	line("")
	if p.Results > 0 {
		line("Shortened to a line: %s", format.Exact(p.Results, "tool result", "tool results"))
	}
	if p.Calls > 0 {
		line("Shortened: the arguments of %s", format.Exact(p.Calls, "call", "calls"))
	}
	if p.Messages > 0 {
		line("Left out, with a summary in place: %s", format.Exact(p.Messages, "message", "messages"))
	}
	line("Stays: %s", format.Exact(p.Kept, "message", "messages"))
	if len(p.Gone) > 0 {
		line("\nThe turns that would be left out:")
	}
	for _, text := range p.Gone {
		line("  ❯ %s", text)
	}
	line("\nYou would still see everything; /uncompress takes it back. /compress TEXT keeps TEXT above all.")
	return b.String()
}

// compressing reports whether the context is being shortened, which no turn does.
func (t *talk) compressing() bool {
	root := t.state.Root()
	return root != nil && root.Turn == "" && root.Phase == event.PhaseCompressing
}

// uncompress takes the last compression back.
func (m *Model) uncompress() tea.Cmd {
	conv, ctx := m.conv, m.ctx
	return m.do(func() tea.Msg {
		tokens, err := conv.Uncompress(ctx)
		if err != nil {
			return failedMsg{err}
		}
		return saidMsg{fmt.Sprintf("Taken back: the model gets about %s tokens again.", format.Tokens(int64(tokens)))}
	})
}

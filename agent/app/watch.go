package app

import (
	"context"
	"strings"

	"hermes-tui/agent/export"
	"hermes-tui/store/sessions"
	"hermes-tui/tools/shorten"
)

// HeldError says that a session is open in another program; Conv is the session.
type HeldError = sessions.HeldError

// The bounds of what is read along.
const (
	watchedMessages = 200
	watchedArgument = 200 // characters of what a call is given
)

// Watch is the end of what is said in a session, with what is being said, as it is stored
// by the program that the session is open in: some times a second. Secrets are masked.
func (a *App) Watch(ctx context.Context, session string) (string, error) {
	info, err := a.db.Resolve(ctx, session)
	if err != nil {
		return "", err
	}
	messages, err := a.db.Tail(ctx, info.Session, watchedMessages)
	if err != nil {
		return "", err
	}
	s, err := export.Of(sessions.Session{ID: info.Session}, messages)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	said := func(mark, text string) {
		if text = strings.TrimSpace(text); text != "" {
			b.WriteString(mark + text + "\n\n")
		}
	}
	for _, m := range s.Messages {
		switch m.Role {
		case "user":
			said("❯ ", m.Text)
		case "assistant":
			said("", m.Text)
			for _, c := range m.Calls {
				said("● "+c.Name+" ", shorten.Line(c.Arguments, watchedArgument))
			}
		}
	}
	partial, err := a.db.Partials(ctx, info.Conv)
	for _, p := range partial {
		if list := len(messages); list == 0 || p.Agent == "" || p.Agent == messages[list-1].Agent {
			said("", p.Text)
		}
	}
	return a.masker().Text(b.String()), err
}

package app

import (
	"context"

	"hermes-tui/agent/api"
	"hermes-tui/tools"
)

// Prompts are prompts of all sessions of the home, the newest first, out of at most n
// messages before a row; 0 begins with the newest. next is the row to go on before, 0 when
// there are no others. Nothing is kept of them but what the sessions hold.
func (a *App) Prompts(ctx context.Context, before int64, n int) (list []api.Prompt, next int64, err error) {
	texts, next, err := a.db.UserTexts(ctx, before, n)
	for _, u := range texts {
		if text, ok := tools.Wrote(u.Text); ok {
			list = append(list, api.Prompt{Row: u.Row, At: u.At, Text: text})
		}
	}
	return list, next, err
}

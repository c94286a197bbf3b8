package app

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/agent/extend"
	"hermes-tui/agent/refs"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// referTo says where the references of a conversation's messages lead.
func (a *App) referTo(c *conversation, prompter *bind.Prompter) refs.Options {
	info := c.place.Info()
	secrets := place.Secrets(c.place, a.o.Home.Dir(), c.environ())
	mask := func(s string) string { return s }
	if a.o.Config.Security.RedactSecrets {
		mask = a.masker().Code
	}
	files := bind.Files(c.place)
	root, _ := prompter.Instructions()
	inside := func(file, dir string) bool {
		real, err := files.Resolve(dir)
		return err == nil && tools.Within(file, real)
	}
	return refs.Options{
		Outside: func(file string) bool { return !inside(file, root) && !inside(file, c.dir) },
		Scan:    a.scanSkill,
		Files:   files, Dir: c.dir, Home: info.Home, Secret: secrets.Holds, Mark: a.o.IDs.Mark, Mask: mask, MaxChars: a.config().FileReadMaxChars,
		Diff:    func(ctx context.Context, staged bool) (string, error) { return prompter.Diff(ctx, staged) },
		Log:     func(ctx context.Context, n int) (string, error) { return prompter.Log(ctx, n) },
		Session: a.saidIn,
		Page:    c.page, PDF: c.pdf,
		Serves: c.mcpServes, Resource: c.mcpResource,
	}
}

// HeldInstructions implements [Conversation].
func (c *conversation) HeldInstructions() []HeldInstructions { return c.held() }

// TakeInstructions implements [Conversation].
func (c *conversation) TakeInstructions(ctx context.Context, h HeldInstructions) error {
	if err := c.app.instructions.Allow(ctx, h.File, h.Hash); err != nil {
		return err
	}
	c.RenewPrompt()
	return nil
}

// saidIn is what was said in a session, as text.
func (a *App) saidIn(ctx context.Context, ref string) (string, error) {
	_, said, err := a.Said(ctx, ref)
	if _, none := errors.AsType[*sessions.NotFoundError](err); none {
		return "", errors.New("there is no such session: /search finds them")
	}
	var b strings.Builder
	for _, m := range said {
		b.WriteString(m.Role + ": " + m.Text + "\n\n")
	}
	return b.String(), err
}

// named returns the skills that a text of the user calls, and the files that it names with an @.
func (c *conversation) named(ctx context.Context, in event.Queued, _ func(string) bool) extend.Beside {
	b := extend.Beside{Texts: c.skills.Called(ctx, in.Text)}
	text := cmp.Or(in.Typed, in.Text)
	if !strings.Contains(text, "@") {
		return b
	}
	refs := c.refs
	refs.Percent = c.app.config().Context.ReferencesPercent
	e := refs.Expand(ctx, text, c.Runtime().Model.ContextMax)
	for _, s := range e.Sent {
		b.Named = append(b.Named, event.Named{Word: s.Word, Tokens: s.Tokens, Note: s.Note})
		if s.Outside {
			b.Strangers = append(b.Strangers, "@"+s.Word)
		}
	}
	b.Texts, b.Warn = append(b.Texts, e.List...), strings.Join(e.Warn, "\n")
	return b
}

package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/feature"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/slash"
)

// command runs a slash command. A command that is not understood stays in the
// composer.
func (m *Model) command(text string) tea.Cmd { return m.commandWith(text, false) }

// commandsDue runs the commands that were given before the conversation was there. What
// was typed since stays, unless one of them brings a text of its own.
func (m *Model) commandsDue() tea.Cmd {
	var cmds []tea.Cmd
	list := m.commanded
	m.commanded = nil
	for _, text := range list {
		if command, tell, ok := typedCommand(text); ok {
			cmds = append(cmds, m.startTyped(text, command, tell))
			continue
		}
		cmds = append(cmds, m.commandBeside(text))
	}
	return tea.Batch(cmds...)
}

// commandBeside runs a slash command that was not typed into the draft, which stays,
// unless the command brings a text of its own.
func (m *Model) commandBeside(text string) tea.Cmd {
	draft := m.composer.Draft()
	cmd := m.command(text)
	switch {
	case draft == "":
	case m.composer.Empty():
		m.composer.SetDraft(draft)
	default:
		m.composer.Remember(draft)
	}
	return cmd
}

// commandWith runs a slash command; fresh says that the skills were read just now.
// Otherwise a name that is not known may be that of a new one.
func (m *Model) commandWith(text string, fresh bool) tea.Cmd {
	c, args, err := slash.Parse(text, m.moreCommands()...)
	if _, unknown := errors.AsType[*slash.UnknownError](err); unknown && m.conv != nil && !fresh {
		return m.loadSkills(text)
	}
	if err == nil && c.Skill {
		return m.callSkill()
	}
	if err == nil && c.Prompt {
		return m.callPrompt(string(c.Name), args)
	}
	if err != nil {
		return m.fail(err)
	}
	if m.busy() && !c.Busy {
		return m.say(joined("; ", "/"+string(c.Name)+" waits until the turn has ended", m.press(keys.Escape, keys.Anywhere, "interrupts it")) + ".")
	}
	if m.conv == nil {
		m.commanded = append(m.commanded, text)
		m.composer.Set("")
		return m.say("One moment: the session is being opened.")
	}
	m.composer.Remember(text)
	m.composer.Set("")
	if c.Name == slash.Memory && args == "now" {
		return m.askRenew()
	}
	if f, ok := feature.Named(string(c.Name)); ok {
		return m.commandFeature(f, args)
	}
	if open, ok := commands[c.Name]; ok {
		return open(slot{m}, args)
	}
	switch c.Name {
	case slash.Help:
		return m.commandHelp(args)
	case slash.Quit:
		return m.askToLeave()
	case slash.New:
		return m.swap(args, m.app.Start)
	case slash.Resume:
		if args == "" {
			return m.openSessions()
		}
		return m.resume(args)
	case slash.Fork:
		return m.fork(string(m.conv.Session()), "")
	case slash.Share:
		return m.share()
	case slash.Model:
		return m.commandModel(args)
	case slash.Mode:
		return m.commandMode(args)
	case slash.Title:
		return m.commandTitle(args)
	case slash.Find:
		return m.commandFind(args)
	case slash.Details:
		return m.commandDetails(args)
	case slash.Copy:
		return m.copyAnswer()
	case slash.Todos:
		return m.showSide()
	case slash.Agents:
		return m.commandAgents(args)
	case slash.Wall:
		return m.openGrid()
	case slash.Replay:
		return m.commandReplay(args)
	case slash.Reasoning:
		return m.commandReasoning(strings.ToLower(args))
	case slash.Setup:
		return m.openSetup()
	case slash.Config:
		return m.commandConfig(args)
	case slash.Init:
		return m.commandInit(args)
	case slash.Theme:
		return m.commandTheme(args)
	case slash.Trust:
		return m.commandTrust(args)
	case slash.Refine:
		return m.commandRefine(args)
	case slash.Skills:
		return m.commandSkills(args)
	case slash.Curator:
		return m.commandCurator(args)
	case slash.Hud:
		return m.toggleHud()
	case slash.Review:
		return m.commandReview(args)
	case slash.Tree:
		return m.openTree()
	case slash.Compress:
		return m.commandCompress(args)
	case slash.Uncompress:
		return m.uncompress()
	}
	return nil
}

func (m *Model) resume(ref string) tea.Cmd { return m.resumeFrom(ref, false) }

// resumeFrom is resume; beside keeps the session on the screen open.
func (m *Model) resumeFrom(ref string, beside bool) tea.Cmd {
	if ref == string(m.conv.Session()) {
		return m.say("That is the session you are in.")
	}
	a, closed := m.app, m.closings()
	if id, ok := m.elsewhere(ref); ok && !m.swapping {
		m.wanted = id
		return m.exchange("", beside, func(context.Context) (app.Conversation, error) { return a.Shown(id) })
	}
	return m.exchange("", beside, func(ctx context.Context) (app.Conversation, error) {
		closed(ctx)
		return a.Resume(ctx, ref)
	})
}

func (m *Model) commandTrust(args string) tea.Cmd {
	yes := strings.EqualFold(args, "yes")
	switch {
	case m.conv == nil:
		return m.say("One moment: the session is being opened.")
	case args == "" && m.state.Work.Trusted:
		return m.say("This folder is trusted: /trust no takes that back.")
	case args == "":
		return m.say("This folder is not trusted: /trust yes lets its git settings, hooks and instruction files count.")
	case !yes && !strings.EqualFold(args, "no"):
		return m.say(fmt.Sprintf("%q is no answer: /trust yes or /trust no.", args))
	}
	conv, ctx := m.conv, m.ctx
	return m.do(func() tea.Msg {
		root, instructions, err := conv.Trust(ctx, yes)
		switch {
		case err != nil:
			return failedMsg{err}
		case !yes:
			return saidMsg{"No longer trusted: " + root + "."}
		case len(instructions) > 0:
			return saidMsg{"Trusted: " + root + ". Its instruction files count in new sessions (/new)."}
		}
		return saidMsg{"Trusted: " + root + "."}
	})
}

func (m *Model) commandTitle(args string) tea.Cmd {
	switch {
	case args == "" && m.state.Title == "":
		return m.say("This session has no title yet: /title TEXT gives it one.")
	case args == "":
		return m.say("Title: " + m.state.Title)
	}
	return m.setTitle(args)
}

// commandReasoning shows or hides reasoning, or says how much of it there should be.
func (m *Model) commandReasoning(args string) tea.Cmd {
	switch args {
	case "":
		effort := m.state.Model.Effort
		if effort == "" {
			effort = "the provider's usual"
		}
		word := "hidden"
		if m.reasoning {
			word = "shown"
		}
		return m.say("Reasoning is " + word + "; effort: " + effort + ".")
	case "show", "hide":
		m.showReasoning(args == "show")
		return nil
	case "default":
		return m.setEffort("")
	}
	if slices.Contains(event.Efforts(), args) {
		return m.setEffort(args)
	}
	return m.say(fmt.Sprintf("/reasoning does not know %q: it takes show, hide, or an effort: %s; default leaves that to the provider.", args, strings.Join(event.Efforts(), ", ")))
}

// setEffort says how much the model should reason, from the next turn on.
func (m *Model) setEffort(effort string) tea.Cmd {
	conv, word := m.conv, effort
	if word == "" {
		word = "as the provider decides"
	}
	unable := m.unreasoning(effort)
	return m.do(func() tea.Msg {
		but, err := conv.SetEffort(effort)
		if err != nil {
			return failedMsg{err}
		}
		if but != "" {
			but = " " + but
		}
		return saidMsg{"Reasoning effort from the next turn on: " + word + "." + cmp.Or(but, unable)}
	})
}

// showSide opens the side panes and gives them the keys.
func (m *Model) showSide() tea.Cmd {
	m.change(change{step: opened})
	m.lay = arrange(m.w, m.h, m.wants())
	if !m.lay.panes() {
		return m.say("The window is too small for the side panes; a summary stands above the draft.")
	}
	m.setFocus(focusSide)
	return nil
}

// copyAnswer copies the newest answer.
func (m *Model) copyAnswer() tea.Cmd {
	if root := m.state.Root(); root != nil {
		for i := len(root.Blocks) - 1; i >= 0; i-- {
			if b := root.Blocks[i]; b.Kind == event.BlockAnswer {
				return m.copy(b.Text.String())
			}
		}
	}
	return m.say("There is no answer to copy yet.")
}

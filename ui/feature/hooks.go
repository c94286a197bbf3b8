package feature

import (
	"context"
	"strings"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
)

var hookGroups = []group{
	{"new", "Not run until you approve them"},
	{"changed", "Changed since you approved them, and not run"},
	{"broken", "Can never run"},
	{"approved", "Approved"},
	{"off", "Switched off"},
}

func hooks() Feature {
	decide := func(yes bool, text string) func(context.Context, Host, Entry, string) (Outcome, error) {
		return func(ctx context.Context, h Host, e Entry, _ string) (Outcome, error) {
			return said(text+e.Label+".", h.Hooks.ApproveHook(ctx, e.Value.(api.Hook), yes))
		}
	}
	return Feature{
		Name: "hooks", Title: "Hooks", One: "hook", Many: "hooks", Named: "id",
		Short: "List, approve and try programs that run at points of a session",
		Long: "Hooks are commands of yours that run at points of a session: see docs/hooks.md. One runs only as you approved it.\n" +
			"What is listed is what a session in this folder would have.",
		Empty: "There are no hooks: hooks in config.yaml are commands that run at points of a session.",
		Load: func(ctx context.Context, h Host, _ string) (List, error) {
			list, problems := h.Hooks.Hooks(ctx)
			l := List{Problems: problems}
			for _, one := range list {
				l.Entries = append(l.Entries, hookEntry(one, h.Now()))
			}
			l.Entries = grouped(l.Entries, hookGroups)
			return l, nil
		},
		Show: "Show all of a hook, with the files it consists of",
		Read: func(_ context.Context, h Host, e Entry) (string, error) {
			one := e.Value.(api.Hook)
			return hookText(one, h.Hooks.ReadHook(one), h.Now()), nil
		},
		Actions: []Action{
			{
				Verb: "approve", Key: keys.Allow, Help: "Let a hook run as it is now",
				Do: decide(true, "Approved as it is now; when it or a file of it changes you are asked again: "),
			},
			{Verb: "refuse", Also: []string{"off"}, Key: keys.Disable, Help: "Let a hook run no more", Do: decide(false, "Switched off: ")},
			{
				Verb: "test", Also: []string{"try"}, Key: keys.Try, Slow: true, Help: "Run an approved hook with a sample of its event",
				Do: func(ctx context.Context, h Host, e Entry, _ string) (Outcome, error) {
					text, err := h.Hooks.TestHook(ctx, e.Value.(api.Hook))
					return Outcome{Text: text}, err
				},
			},
		},
	}
}

func hookEntry(h api.Hook, now time.Time) Entry {
	e := Entry{ID: h.ID, Label: h.Event, Detail: h.Command, State: h.State, Waits: h.State == "new" || h.State == "changed", Value: h}
	note := func(yes bool, right, more string) {
		if yes {
			e.Right += " · " + right
			e.More = append(e.More, more)
		}
	}
	note(h.Matcher != "", h.Matcher, "only for "+h.Matcher)
	note(h.FailClosed, "has to agree", "has to agree")
	note(h.Outside, "with all rights", "runs with all your rights")
	note(h.Folder, "of this folder", "of this folder")
	if len(h.Runs) > 0 {
		outcome, _, _ := strings.Cut(h.Runs[0].Outcome, ":")
		e.Right += " · " + outcome + ", " + format.Ago(now.Sub(h.Runs[0].At))
	}
	e.Right = strings.TrimPrefix(e.Right, " · ")
	if h.Why != "" {
		e.More = append([]string{h.Why}, e.More...)
	}
	if h.State == "broken" {
		e.Detail = h.Why + ": " + h.Command
	}
	e.More = append(e.More, h.Files...)
	return e
}

// hookText is all about a hook, above the files it consists of.
func hookText(h api.Hook, files string, now time.Time) string {
	head := []string{h.Command, "", "When: " + h.Event + ", " + h.About + ".", "It may take " + format.Duration(time.Duration(h.Seconds)*time.Second) + ". Written in " + h.File + "."}
	add := func(yes bool, text ...string) {
		if yes {
			head = append(head, text...)
		}
	}
	add(h.Why != "", "It does not run: "+h.Why+".")
	add(h.Matcher != "", "Only for: "+h.Matcher)
	add(h.Outside, "It runs with all your rights. When a file has changed that it is bound to, it does not run until you approve it again; others that these start or load are not bound.")
	add(!h.Outside, "It runs confined, as the commands of the agent do: it writes in this folder only, and reads no keys.")
	add(h.FailClosed, "It has to agree (fail_closed): whatever else it does refuses.")
	add(h.Background, "No one waits for it, so it decides nothing.")
	add(len(h.Runs) > 0, "", "Last runs:")
	for _, r := range h.Runs[:min(len(h.Runs), 20)] {
		line := "  " + format.Ago(now.Sub(r.At)) + ", " + format.Duration(r.Took) + ": " + r.Outcome
		if r.Tool != "" {
			line += " (" + r.Tool + ")"
		}
		add(true, line)
		add(r.Said != "", "    "+strings.ReplaceAll(strings.TrimSpace(r.Said), "\n", "\n    "))
	}
	return strings.Join(head, "\n") + "\n" + files
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

// newMemory makes the commands about what is remembered.
func newMemory(s *sys, f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "memory", Short: "Show, search and change what the agent remembers", Args: noArgs,
		Long: "memory does what /memory does in a session. What is changed counts from the next session on.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var asJSON bool
	withJSON := func(c *cobra.Command) *cobra.Command {
		c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
		return c
	}
	of := func(use, short string, args cobra.PositionalArgs, do func(context.Context, *app.App, []string) error) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, Args: args, RunE: func(cmd *cobra.Command, args []string) error {
			return s.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error { return do(ctx, a, args) })
		}}
	}
	said := func(text string, err error) error {
		if err == nil {
			fmt.Fprintln(s.out, term.Line(text))
		}
		return err
	}
	cmd.AddCommand(
		withJSON(of("show", "List what is remembered, with ids", words(0, 0), func(_ context.Context, a *app.App, _ []string) error { return s.showMemory(a, asJSON) })),
		withJSON(&cobra.Command{
			Use: "search WORD ...", Short: "Find what is remembered, archived, learnt and was said", Args: some("WORD, what to look for"),
			RunE: func(cmd *cobra.Command, args []string) error {
				return s.withNew(cmd.Context(), f, func(ctx context.Context, _ *app.App, c app.Conversation) error {
					list, err := c.SearchMemory(ctx, strings.Join(args, " "))
					if err != nil {
						return err
					}
					return s.printFound(list, asJSON)
				})
			},
		}),
		newMemoryAdd(s, f, said),
		of("forget ID", "Forget an entry", words(1, 1), func(ctx context.Context, a *app.App, args []string) error {
			list, _, err := a.Memory()
			if err == nil && !slices.ContainsFunc(list, func(r app.Remembered) bool { return r.ID == args[0] }) {
				err = usageError{fmt.Errorf("nothing is remembered with the id %q: hermes-tui memory show lists it", args[0])}
			}
			if err != nil {
				return err
			}
			return said(a.EditMemory(ctx, args[0], ""))
		}),
		of("undo [ID]", "Take back a write, the last one or that of an id in history", words(0, 1), func(ctx context.Context, a *app.App, args []string) error {
			return said("Taken back, from the next session on.", a.UndoMemory(ctx, strings.Join(args, "")))
		}),
		withJSON(of("history", "List the last writes", words(0, 0), func(_ context.Context, a *app.App, _ []string) error {
			list, err := a.MemoryHistory()
			if err != nil {
				return err
			}
			return s.printWrites(list, asJSON)
		})),
		newMemoryArchive(s, f, withJSON, &asJSON, said),
		withJSON(of("waiting", "List the changes that agents wanted when no one was there to be asked", words(0, 0), func(_ context.Context, a *app.App, _ []string) error {
			list, err := a.MemoryPending()
			if err != nil {
				return err
			}
			return s.printWaiting(list, asJSON)
		})),
		of("take ID", "Make a change that waits", words(1, 1), func(ctx context.Context, a *app.App, args []string) error {
			if err := waits(a, args[0]); err != nil {
				return err
			}
			return said(a.DecideMemory(ctx, args[0], true))
		}),
		of("drop ID", "Drop a change that waits", words(1, 1), func(ctx context.Context, a *app.App, args []string) error {
			if err := waits(a, args[0]); err != nil {
				return err
			}
			return said(a.DecideMemory(ctx, args[0], false))
		}),
	)
	return cmd
}

// waits finds a change that waits.
func waits(a *app.App, id string) error {
	list, err := a.MemoryPending()
	if err == nil && !slices.ContainsFunc(list, func(p app.MemoryPending) bool { return p.ID == id }) {
		err = usageError{fmt.Errorf("no change with the id %q waits: hermes-tui memory waiting lists them", id)}
	}
	return err
}

func newMemoryAdd(s *sys, f *flags, said func(string, error) error) *cobra.Command {
	var user, here bool
	cmd := &cobra.Command{
		Use: "add TEXT", Short: "Remember a text", Args: some("TEXT, what to remember"),
		Example: "  hermes-tui memory add \"The staging database is read only\"\n  hermes-tui memory add --here \"Tests need docker\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			text := strings.Join(args, " ")
			if here {
				return s.withNew(cmd.Context(), f, func(ctx context.Context, a *app.App, c app.Conversation) error {
					return said(a.AddMemory(ctx, user, c.Project(), text))
				})
			}
			return s.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error {
				return said(a.AddMemory(ctx, user, "", text))
			})
		},
	}
	cmd.Flags().BoolVar(&user, "user", false, "it is about you")
	cmd.Flags().BoolVar(&here, "here", false, "it is about the project of this folder alone")
	return cmd
}

func newMemoryArchive(s *sys, f *flags, withJSON func(*cobra.Command) *cobra.Command, asJSON *bool, said func(string, error) error) *cobra.Command {
	back := ""
	cmd := withJSON(&cobra.Command{
		Use: "archive", Short: "List what had to make room, or put it back", Args: words(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error {
				list, err := a.MemoryArchive()
				if err != nil || back == "" {
					return errors.Join(err, s.printArchive(list, *asJSON))
				}
				at := slices.IndexFunc(list, func(e app.MemoryArchived) bool { return e.ID() == back })
				if at < 0 {
					return usageError{fmt.Errorf("the archive has no entry %q: hermes-tui memory archive lists them", back)}
				}
				return said(a.PutBackMemory(ctx, list[at]))
			})
		},
	})
	cmd.Flags().StringVar(&back, "back", "", "remember the entry with this `ID` again")
	return cmd
}

// shownMemory is an entry as JSON has it.
type shownMemory struct {
	ID      string    `json:"id"`
	Target  string    `json:"target"`
	Text    string    `json:"text"`
	Project string    `json:"project,omitempty"`
	At      time.Time `json:"at,omitzero"`
	// Reason is why an archived one was moved.
	Reason string `json:"reason,omitempty"`
}

// printEntries prints entries as JSON or in lines.
func (s *sys) printEntries(list []shownMemory, asJSON bool) error {
	if asJSON {
		return s.printJSON(append([]shownMemory{}, list...))
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, e := range list {
		more := ""
		if e.Project != "" {
			more = "  (only in " + e.Project + ")"
		}
		fmt.Fprintf(w, "%s\t%s\t%s%s\n", term.Line(e.ID), term.Line(e.Target), term.Line(strings.Join(strings.Fields(e.Text), " ")), term.Line(more))
	}
	return w.Flush()
}

func (s *sys) showMemory(a *app.App, asJSON bool) error {
	entries, use, err := a.Memory()
	waiting, bad := a.MemoryPending()
	if err = errors.Join(err, bad); err != nil {
		return err
	}
	var list []shownMemory
	for _, e := range entries {
		list = append(list, shownMemory{ID: e.ID, Target: string(e.Target), Text: e.Text, Project: e.Project, At: e.At})
	}
	if err := s.printEntries(list, asJSON); err != nil || asJSON {
		return err
	}
	fmt.Fprintf(s.out, "Notes are %d%% full, what is about you %d%%.\n", use.Notes.Percent(), use.User.Percent())
	if len(waiting) > 0 {
		fmt.Fprintf(s.out, "%s your decision: see hermes-tui memory waiting.\n", format.Count(len(waiting), "change needs", "changes need"))
	}
	return nil
}

func (s *sys) printArchive(entries []app.MemoryArchived, asJSON bool) error {
	var list []shownMemory
	for _, e := range entries {
		list = append(list, shownMemory{e.ID(), string(e.Target), e.Text, e.Project, e.Moved, e.Reason})
	}
	return s.printEntries(list, asJSON)
}

func (s *sys) printFound(found []app.MemoryFound, asJSON bool) error {
	type hit struct {
		From    string `json:"from"`
		Text    string `json:"text"`
		Project string `json:"project,omitempty"`
		When    string `json:"when,omitempty"`
		Session string `json:"session,omitempty"`
	}
	list := []hit{}
	for _, m := range found {
		list = append(list, hit{m.From, m.Text, m.Project, m.When, m.Session})
	}
	if asJSON {
		return s.printJSON(list)
	}
	if len(list) == 0 {
		s.complain("nothing was found")
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, h := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\n", term.Line(h.From), term.Line(h.When), term.Line(strings.Join(strings.Fields(h.Text), " ")))
	}
	return w.Flush()
}

func (s *sys) printWrites(list []app.MemoryWrite, asJSON bool) error {
	if asJSON {
		return s.printJSON(append([]app.MemoryWrite{}, list...))
	}
	for _, w := range list {
		undone := ""
		switch {
		case w.Undone:
			undone = ", taken back"
		case w.Undoes != "":
			undone = ", takes back " + w.Undoes
		}
		fmt.Fprintf(s.out, "%s  %s  %s, by %s%s\n", term.Line(w.ID), age(s.ids.Now(), w.At), w.Target, term.Line(w.By), undone)
		for _, p := range w.Removed {
			fmt.Fprintln(s.out, "  - "+term.Line(p.Text))
		}
		for _, p := range w.Added {
			fmt.Fprintln(s.out, "  + "+term.Line(p.Text))
		}
	}
	return nil
}

func (s *sys) printWaiting(list []app.MemoryPending, asJSON bool) error {
	if asJSON {
		return s.printJSON(append([]app.MemoryPending{}, list...))
	}
	for _, p := range list {
		fmt.Fprintf(s.out, "%s  %s\n%s\n", term.Line(p.ID), age(s.ids.Now(), p.At), term.Plain(strings.TrimRight(p.Diff, "\n")))
	}
	return nil
}

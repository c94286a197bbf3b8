package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/store/sessions"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

func newSessions(sys *sys, f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "sessions", Short: "List, search, read, export and change the sessions on this machine",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var asJSON bool
	limit := 20
	list := &cobra.Command{
		Use: "list [TEXT]", Short: "List sessions, the newest first", Example: "  hermes-tui sessions list --limit 5",
		Long: "list prints id, when it was last used, how many messages it has, and title or beginning of each session. With a TEXT it\n" +
			"lists those that have it in title, beginning or folder.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 {
				return usageError{fmt.Errorf("--limit must be at least 1, not %d", limit)}
			}
			return sys.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error {
				all, err := a.Sessions(ctx, strings.Join(args, " "), limit, false)
				if err != nil {
					return err
				}
				return sys.printSessions(all, asJSON)
			})
		},
	}
	list.Flags().IntVar(&limit, "limit", limit, "list `N` sessions at most")
	search := &cobra.Command{
		Use: "search WORDS", Short: "Find what was said",
		Long: "search finds sessions by what was said in them. Besides words it takes \"phrases\", AND, OR, NOT and\n" +
			"beginnings*; role:user, role:assistant or role:tool, in:FOLDER, after:2026-11-23 or after:2d, before:…\n" +
			"and sort:newest or sort:oldest narrow it down.",
		Example: "  hermes-tui sessions search 'parser in:. after:2w'",
		Args:    some("WORDS to search for"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sys.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error {
				found, err := a.Search(ctx, strings.Join(args, " "), sys.ids.Now())
				if is[*app.SearchError](err) {
					return usageError{err}
				}
				if err != nil {
					return err
				}
				return sys.printMatches(found, asJSON)
			})
		},
	}
	show := &cobra.Command{
		Use: "show SESSION", Short: "Print what was said in a session, named by its id or title",
		Args: some("SESSION, its id or title"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sys.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error {
				ref := strings.Join(args, " ")
				info, said, err := a.Said(ctx, ref)
				if is[*sessions.NotFoundError](err) {
					return usageError{fmt.Errorf("there is no session %q: hermes-tui sessions list shows them", ref)}
				}
				if err != nil {
					return err
				}
				return sys.printSaid(info, said, asJSON)
			})
		},
	}
	for _, c := range []*cobra.Command{list, search, show} {
		c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
		cmd.AddCommand(c)
	}
	addSessionChanges(cmd, sys, f)
	addSessionUpkeep(cmd, sys, f)
	return cmd
}

// withApp opens the program for a command that starts no conversation.
func (s *sys) withApp(ctx context.Context, f *flags, do func(context.Context, *app.App) error) error {
	a, err := s.open(ctx, f)
	if err != nil {
		return err
	}
	for _, text := range f.notices() {
		s.complain(text)
	}
	for _, n := range a.StoreNotices(ctx) {
		s.complain(n)
	}
	return errors.Join(do(ctx, a), a.Close())
}

// printJSON prints a value in lines.
func (s *sys) printJSON(v any) error {
	e := json.NewEncoder(s.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func (s *sys) printSessions(list []app.SessionInfo, asJSON bool) error {
	if asJSON {
		return s.printJSON(list)
	}
	if len(list) == 0 {
		s.complain("no session was found")
	}
	w := s.grid()
	for _, i := range list {
		fmt.Fprintln(w, term.Line(i.Session)+"\t"+age(s.ids.Now(), i.LastActive)+"\t"+format.Count(i.Messages, "message", "messages")+"\t"+term.Line(name(i)))
	}
	return w.Flush()
}

// age says how long ago something was.
func age(now, at time.Time) string { return format.Ago(now.Sub(at)) }

// name is what a session is called: its title, or how it begins.
func name(i app.SessionInfo) string {
	if i.Title != "" {
		return i.Title
	}
	return i.Preview
}

func (s *sys) printMatches(list []app.Match, asJSON bool) error {
	if asJSON {
		return s.printJSON(list)
	}
	if len(list) == 0 {
		s.complain("nothing was found")
	}
	_, terminal := s.terminal()
	for i, m := range list {
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		fmt.Fprintf(s.out, "%s  %s  %s (%s)\n", term.Line(m.Session), age(s.ids.Now(), m.LastActive), term.Line(name(m.SessionInfo)), format.Least(m.Total, m.More, "match", "matches"))
		for _, h := range m.Hits {
			fmt.Fprintf(s.out, "  %s: %s\n", h.Role, marked(h, terminal))
		}
	}
	return nil
}

// marked is the text of a hit, on a terminal with what was looked for in bold.
func marked(h app.Hit, terminal bool) string {
	if !terminal || term.Line(h.Text) != h.Text {
		return term.Line(h.Text)
	}
	at := map[int]bool{}
	for _, i := range h.Marks {
		at[i] = true
	}
	var b strings.Builder
	bold := false
	for i, r := range h.Text {
		if at[i] != bold {
			if bold = at[i]; bold {
				b.WriteString("\x1b[1m")
			} else {
				b.WriteString("\x1b[22m")
			}
		}
		b.WriteRune(r)
	}
	if bold {
		b.WriteString("\x1b[22m")
	}
	return b.String()
}

func (s *sys) printSaid(info app.SessionInfo, said []app.Said, asJSON bool) error {
	if asJSON {
		return s.printJSON(struct {
			app.SessionInfo
			Said []app.Said `json:"said"`
		}{info, said})
	}
	for i, m := range said {
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		mark := ""
		if m.Role == "user" {
			mark = "❯ "
		}
		fmt.Fprintln(s.out, mark+term.Plain(strings.TrimRight(m.Text, "\n")))
	}
	return nil
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
)

// ofSession is a command about one session. do gets its id and the words behind its name,
// of which there may be more than use names if more says so.
func (s *sys) ofSession(f *flags, use, short string, more bool, do func(ctx context.Context, a *app.App, id string, rest []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short,
		Args: func(cmd *cobra.Command, args []string) error {
			if wants := strings.Fields(use)[1:]; len(args) < len(wants) || len(args) > len(wants) && !more {
				return usageError{fmt.Errorf("%s takes %s (see %s --help)", pathOf(cmd), strings.Join(wants, " and "), cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error {
				id, err := a.Find(ctx, args[0])
				if err == nil {
					err = do(ctx, a, id, args[1:])
				}
				if is[*sessions.NotFoundError](err) {
					return usageError{fmt.Errorf("there is no session %q: hermes-tui sessions list shows them", args[0])}
				}
				if is[*app.FormatError](err) || errors.Is(err, os.ErrExist) {
					return usageError{err}
				}
				return err
			})
		},
	}
}

// addSessionChanges adds the commands that write or change sessions.
func addSessionChanges(cmd *cobra.Command, s *sys, f *flags) {
	var format, file string
	var raw, yes, back bool
	export := s.ofSession(f, "export SESSION", "Write a session as Markdown, HTML, JSON or ShareGPT turns", false,
		func(ctx context.Context, a *app.App, id string, _ []string) error {
			if file == "" {
				return a.Export(ctx, id, format, raw, s.out)
			}
			return a.ExportTo(ctx, id, format, raw, file)
		})
	export.Flags().StringVar(&format, "format", "md", "one `FORMAT` of "+strings.Join(app.ExportFormats(), ", "))
	export.Flags().StringVarP(&file, "output", "o", "", "write to this `FILE`, which must not be there yet")
	export.Flags().BoolVar(&raw, "raw", false, "leave keys and tokens as they are; without it they are masked")
	remove := s.ofSession(f, "delete SESSION", "Delete a session with all that belongs to it", false, func(ctx context.Context, a *app.App, id string, _ []string) error {
		if !yes {
			return usageError{fmt.Errorf("deleting %s cannot be taken back: say so with --yes, or archive it", id)}
		}
		return a.DeleteNow(ctx, id)
	})
	remove.Flags().BoolVar(&yes, "yes", false, "delete without a question")
	archive := s.ofSession(f, "archive SESSION", "Keep a session out of lists and searches", false, func(ctx context.Context, a *app.App, id string, _ []string) error {
		return a.ArchiveSession(ctx, id, !back)
	})
	archive.Flags().BoolVar(&back, "back", false, "bring it back instead")
	cmd.AddCommand(export, remove, archive,
		s.ofSession(f, "rename SESSION TITLE", "Give a session another title", true, func(ctx context.Context, a *app.App, id string, rest []string) error {
			return a.RenameSession(ctx, id, strings.Join(rest, " "))
		}),
		s.ofSession(f, "fork SESSION", "Make a session that begins with what another one holds, and print its id", false, func(ctx context.Context, a *app.App, id string, _ []string) error {
			branch, err := a.Fork(ctx, id, "")
			if err == nil {
				fmt.Fprintln(s.out, branch)
			}
			return err
		}),
		&cobra.Command{
			Use: "import FILE|FOLDER", Short: "Make a session of one that was exported as JSON, and print its id; or add all sessions of another home", Args: some("FILE, FOLDER, or - for standard input"),
			RunE: func(cmd *cobra.Command, args []string) error {
				return s.withApp(cmd.Context(), f, func(ctx context.Context, a *app.App) error { return s.importFrom(ctx, a, args[0]) })
			},
		})
}

func (s *sys) importFrom(ctx context.Context, a *app.App, name string) (err error) {
	in := s.in
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return usageError{err}
		}
		defer file.Close()
		if isDatabase(file) {
			return s.importHome(ctx, a, name)
		}
		in = file
	}
	id, err := a.Import(ctx, in)
	if err != nil {
		return err
	}
	fmt.Fprintln(s.out, id)
	return nil
}

// isDatabase reports whether a file is a folder, or a database of SQLite.
func isDatabase(file *os.File) bool {
	if info, err := file.Stat(); err != nil || info.IsDir() {
		return err == nil
	}
	head := make([]byte, 15)
	n, _ := file.ReadAt(head, 0)
	return string(head[:n]) == "SQLite format 3"
}

// importHome adds the sessions of another home and says what came of it.
func (s *sys) importHome(ctx context.Context, a *app.App, name string) error {
	done, err := a.ImportHome(ctx, name)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s with %s added", tools.Plural(done.Sessions, "session", "sessions"), tools.Plural(done.Messages, "message", "messages"))
	if done.Present > 0 {
		fmt.Fprintf(s.out, "; %d were here already", done.Present)
	}
	if done.Empty > 0 {
		fmt.Fprintf(s.out, "; %d without a message left out", done.Empty)
	}
	fmt.Fprintln(s.out)
	for _, why := range done.Failed {
		fmt.Fprintln(s.err, "not read: "+why)
	}
	if len(done.Failed) > 0 {
		return fmt.Errorf("%s could not be read", tools.Plural(len(done.Failed), "session", "sessions"))
	}
	return nil
}

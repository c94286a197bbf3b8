package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/store/sessions"
	"hermes-tui/ui/format"
)

// figure is what was measured.
type figure struct {
	What string `json:"what"`
	// Median and Worst are milliseconds.
	Median float64 `json:"median_ms,omitempty"`
	Worst  float64 `json:"worst_ms,omitempty"`
	Rounds int     `json:"rounds,omitempty"`
	// Tokens is a size, About says more.
	Tokens int    `json:"tokens,omitempty"`
	About  string `json:"about,omitempty"`
}

// newBench makes the command that measures the program on the user's machine.
func newBench(s *sys, f *flags) *cobra.Command {
	var asJSON bool
	var rounds int
	cmd := &cobra.Command{
		Use: "bench", Short: "Measure how fast the program is on this machine", Args: noArgs,
		Long: "bench starts the program, in an empty home and with the demonstration model, and takes the time: to the end of\n" +
			"--version, to the first frame on a terminal of 120 columns and 40 rows, and from a key to its sign on the screen.\n" +
			"It lists and searches the sessions of your home, which it only reads, and counts the tokens that a new session in\n" +
			"this folder begins with. No other machine is asked.",
		Example: "  hermes-tui bench\n  hermes-tui bench --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if rounds < 1 || rounds > 1000 {
				return usageError{errors.New("--rounds takes 1 to 1000")}
			}
			return s.bench(cmd.Context(), f, rounds, asJSON)
		},
	}
	cmd.Flags().IntVarP(&rounds, "rounds", "n", 10, "do each `N` times")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (s *sys) bench(ctx context.Context, f *flags, rounds int, asJSON bool) error {
	home, err := s.find(f)
	if err != nil {
		return err
	}
	list, err := s.benchProgram(ctx, rounds)
	if err != nil {
		return err
	}
	stored, err := benchStore(ctx, home.StateDB(), rounds)
	if err != nil {
		return err
	}
	list = append(list, stored...)
	f.provider = "demo" // what a model is told at first does not depend on who it is
	err = s.withNew(ctx, f, func(ctx context.Context, _ *app.App, c app.Conversation) error {
		tools := 0
		all := c.Tools(ctx)
		for _, t := range all {
			if t.State == "on" {
				tools += t.Tokens
			}
		}
		prompt, err := c.PromptTokens(ctx)
		list = append(list, figure{What: "system prompt", Tokens: prompt}, figure{What: "tools", Tokens: tools})
		return err
	})
	if err != nil {
		return err
	}
	if asJSON {
		return s.printJSON(list)
	}
	w := s.grid()
	for _, one := range list {
		size := format.Tokens(int64(one.Tokens)) + " tokens"
		if one.Rounds > 0 {
			size = fmt.Sprintf("%.1f ms\tat most %.1f ms in %d", one.Median, one.Worst, one.Rounds)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", one.What, size, one.About)
	}
	return w.Flush()
}

// times makes a figure of how long something took.
func times(what string, took []time.Duration) figure {
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return figure{What: what, Median: ms(took[len(took)/2]), Worst: ms(took[len(took)-1]), Rounds: len(took)}
}

// benchProgram starts this program in an empty home, again and again.
func (s *sys) benchProgram(ctx context.Context, rounds int) ([]figure, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, startError{err}
	}
	dir, err := os.MkdirTemp("", "hermes-tui-bench-")
	if err != nil {
		return nil, startError{err}
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, self, args...)
		cmd.Dir = dir
		cmd.Env = slices.DeleteFunc(slices.Clone(s.environ), func(kv string) bool {
			name, _, _ := strings.Cut(kv, "=")
			return name == "HOME" || name == "TERM" || strings.HasPrefix(name, "HERMES_") || strings.HasPrefix(name, "TMUX")
		})
		cmd.Env = append(cmd.Env, "HOME="+dir, "HERMES_HOME="+filepath.Join(dir, "home"), "TERM=xterm-256color")
		return cmd
	}
	var took []time.Duration
	for range rounds {
		began := time.Now()
		if err := program("--version").Run(); err != nil {
			return nil, fmt.Errorf("the program cannot be started: %w", err)
		}
		took = append(took, time.Since(began))
	}
	list := []figure{times("--version", took)}
	more, err := benchScreen(ctx, program, rounds)
	if err != nil && ctx.Err() == nil { // there may be no pseudo-terminals here
		s.complain("the screen was not measured: " + err.Error())
		err = nil
	}
	return append(list, more...), err
}

// benchStore lists and searches the sessions of a database, without a change to it.
func benchStore(ctx context.Context, path string, rounds int) (list []figure, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	db, err := sessions.Open(ctx, path, sessions.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, c := range []struct {
		what string
		do   func() (int, error)
	}{
		{"list of sessions", func() (int, error) {
			found, err := db.List(ctx, sessions.Filter{})
			return len(found), err
		}},
		{"search for “the”", func() (int, error) {
			found, err := db.Search(ctx, sessions.Search{Text: "the"})
			return len(found), err
		}},
	} {
		var took []time.Duration
		found := 0
		for range rounds {
			began := time.Now()
			if found, err = c.do(); err != nil {
				return nil, err
			}
			took = append(took, time.Since(began))
		}
		one := times(c.what, took)
		one.About = format.Count(found, "session", "sessions") + " of a database of " + format.Bytes(info.Size())
		list = append(list, one)
	}
	return list, nil
}

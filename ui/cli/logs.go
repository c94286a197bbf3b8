package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

// logLevels are the levels of a log, from the least.
var logLevels = []string{"debug", "info", "warning", "error"}

// followTime is how long following a log waits before it looks again.
const followTime = 200 * time.Millisecond

func newLogs(s *sys, f *flags) *cobra.Command {
	var o logOptions
	var list bool
	cmd := &cobra.Command{
		Use: "logs", Short: "Show what the program has logged", Args: noArgs,
		Example: "  hermes-tui logs\n  hermes-tui logs --level warning -n 20\n  hermes-tui logs --follow\n  hermes-tui logs --of mcp-files",
		Long: "logs prints the end of the log, in which keys are masked. --list names the other ones: what MCP servers say, and\n" +
			"requests that a service refused. How much is written is the setting logging.level, and --log-level for one run.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			home, err := s.find(f)
			if err != nil {
				return err
			}
			if !slices.Contains(logLevels, o.level) {
				return usageError{fmt.Errorf("there is no level %q: choose one of %s", o.level, strings.Join(logLevels, ", "))}
			}
			if o.lines < 1 {
				return usageError{fmt.Errorf("--lines must be at least 1, not %d", o.lines)}
			}
			if list {
				return s.listLogs(home.Logs())
			}
			file := app.LogFile(home.Logs())
			if o.of != "" {
				file = filepath.Join(home.Logs(), filepath.Base(strings.TrimSuffix(o.of, ".log"))+".log")
			}
			return s.showLog(cmd.Context(), file, o)
		},
	}
	cmd.Flags().IntVarP(&o.lines, "lines", "n", 50, "print the last `N` lines")
	cmd.Flags().BoolVarP(&o.follow, "follow", "f", false, "go on with what is written, until you interrupt it")
	cmd.Flags().StringVar(&o.level, "level", "debug", "leave out what weighs less than `LEVEL`: "+strings.Join(logLevels, ", "))
	cmd.Flags().StringVar(&o.of, "of", "", "another log, by its `NAME` in --list")
	cmd.Flags().BoolVar(&list, "list", false, "name the logs")
	return cmd
}

type logOptions struct {
	lines  int
	follow bool
	level  string
	of     string
}

// listLogs names the logs of a folder.
func (s *sys) listLogs(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range files {
		if info, err := f.Info(); err == nil && !f.IsDir() && !strings.HasPrefix(f.Name(), ".") {
			fmt.Fprintf(s.out, "%s  %s  %s\n", term.Line(strings.TrimSuffix(f.Name(), ".log")), format.Bytes(info.Size()), age(s.ids.Now(), info.ModTime()))
		}
	}
	if len(files) == 0 {
		fmt.Fprintln(s.out, "Nothing has been logged yet.")
	}
	return nil
}

// showLog prints the end of a log and, if asked, what is written after that.
func (s *sys) showLog(ctx context.Context, name string, o logOptions) error {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(s.out, "Nothing has been logged yet in "+name+".")
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	r := bufio.NewReader(f)
	var last []string
	rest, err := eachLine(r, "", o.level, func(line string) error {
		if last = append(last, line); len(last) > 2*o.lines {
			last = slices.Delete(last, 0, len(last)-o.lines)
		}
		return nil
	})
	if err != nil {
		return err
	}
	print := func(line string) error {
		_, err := fmt.Fprintln(s.out, term.Line(line))
		return err
	}
	for _, line := range last[max(0, len(last)-o.lines):] {
		if err := print(line); err != nil {
			return err
		}
	}
	for o.follow {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(followTime):
		}
		if rest, err = eachLine(r, rest, o.level, print); err != nil {
			return err
		}
		is, err := f.Stat()
		now, missing := os.Stat(name)
		if err == nil && missing == nil && !os.SameFile(is, now) { // it was put aside
			next, err := os.Open(name)
			if err != nil {
				return err
			}
			_ = f.Close()
			f, rest = next, ""
			r.Reset(f)
		}
	}
	return nil
}

// eachLine calls do with the whole lines that there are and weigh enough. rest is what was
// read of a line before; what it returns is that of the next one.
func eachLine(r *bufio.Reader, rest, level string, do func(string) error) (string, error) {
	least := slices.Index(logLevels, level)
	for {
		line, err := r.ReadString('\n')
		rest += line
		if errors.Is(err, io.EOF) {
			return rest, nil
		}
		if err != nil {
			return rest, err
		}
		if whole := strings.TrimRight(rest, "\r\n"); weight(whole) >= least {
			if err := do(whole); err != nil {
				return "", err
			}
		}
		rest = ""
	}
}

// weight is the place of a line's level among the levels, that of the heaviest for a line
// that has none.
func weight(line string) int {
	_, after, ok := strings.Cut(line, " level=")
	if !ok || !strings.HasPrefix(line, "time=") {
		return len(logLevels)
	}
	level, _, _ := strings.Cut(after, " ")
	return slices.IndexFunc(logLevels, func(l string) bool { return strings.HasPrefix(strings.ToLower(l), strings.ToLower(level)) })
}

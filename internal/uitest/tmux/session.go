//go:build unix

package tmux

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hermes-tui/internal/uitest"
)

// Options say how the program is started, see [uitest.Options]. What concerns
// the terminal and standard error there has no meaning here.
type Options struct {
	uitest.Options
	// Set are options of tmux, each as the arguments of its command set, such as
	// {"-g", "focus-events", "on"}.
	Set [][]string
}

// Session is the program in a tmux server of its own.
type Session struct {
	t       testing.TB
	tmux    string
	env     []string
	launch  uitest.Launch
	plain   bool
	timeout time.Duration

	cols, rows int
	pid        int
	drawn      bool // the first frame was seen
	told       bool // a failure was reported with the screen
	marks      int
	pulse      chan struct{} // has one place; something was written
	erased     atomic.Int64  // how often the program erased the whole screen
	gone       chan struct{} // closed when the program has ended
	stop       context.CancelFunc
	running    sync.WaitGroup
}

// target names the one session of the server.
const target = "main"

// Start starts the program in a new tmux server, which is ended with the test.
// Without tmux the test is skipped.
func Start(t testing.TB, o Options) *Session {
	t.Helper()
	path, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("SKIPPED in a real tmux: there is no tmux on the PATH; install tmux to run this test")
	}
	s := &Session{
		t: t, tmux: path, launch: uitest.Prepare(t, o.Options), plain: o.Plain, timeout: o.Timeout, cols: o.Cols, rows: o.Rows,
		pulse: make(chan struct{}, 1), gone: make(chan struct{}),
	}
	if s.cols <= 0 || s.rows <= 0 {
		s.cols, s.rows = 120, 36
	}
	if s.timeout == 0 {
		s.timeout = 20 * time.Second
	}
	// The path of a socket has some 100 bytes at most, so it is not below the
	// folder of the test.
	dir, err := os.MkdirTemp("", "tmux-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s.env = slices.Concat(s.launch.Env, []string{"TMUX_TMPDIR=" + dir})
	t.Cleanup(s.end)
	s.create(o)
	s.listen()
	return s
}

// create starts the server with one session, whose only window runs the program.
func (s *Session) create(o Options) {
	s.t.Helper()
	args := []string{"start-server"}
	for _, set := range append([][]string{
		{"-g", "status", "off"}, {"-g", "default-terminal", "screen-256color"},
		{"-g", "remain-on-exit", "on"}, {"-gq", "remain-on-exit-format", ""},
	}, o.Set...) {
		args = append(append(args, ";", "set"), set...)
	}
	args = append(args, ";", "new-session", "-d", "-s", target,
		"-x", strconv.Itoa(s.cols), "-y", strconv.Itoa(s.rows), "-c", s.launch.Dir, "--", "env", s.launch.Bin)
	for _, arg := range s.launch.Args {
		args = append(args, literal(arg))
	}
	s.Run(args...)
	s.Run("set", "-g", "window-size", "manual") // before there is a window, tmux 3.3 dies of it
	pid, err := strconv.Atoi(strings.TrimSpace(s.Run("display-message", "-p", "-t", target, "#{pane_pid}")))
	if err != nil {
		s.t.Fatalf("tmux did not tell the process id: %v", err)
	}
	s.pid = pid
}

// listen starts the clients that tell when something happens.
func (s *Session) listen() {
	s.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.running.Go(func() { s.watch(ctx) })
	control := s.command(ctx, "-C", "attach-session", "-t", target)
	in, err := control.StdinPipe() // held open: at its end the client leaves
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := control.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := control.Start(); err != nil {
		s.t.Fatalf("listen to tmux: %v", err)
	}
	s.running.Go(func() {
		s.follow(out)
		_ = in.Close()
		_ = control.Wait()
	})
}

// lookEvery is how often the process of the program is looked for. Nothing tells
// of the end of someone else's child.
const lookEvery = 10 * time.Millisecond

// watch notes the end of the program.
func (s *Session) watch(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for s.alive() {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
	close(s.gone)
}

// alive reports whether the process of the program is there. One that has ended
// and that no one has asked about does not count.
func (s *Session) alive() bool {
	if errors.Is(syscall.Kill(s.pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
	if err != nil {
		return true // not on Linux
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

// follow notes that something was written whenever a line comes.
func (s *Session) follow(out io.Reader) {
	lines := bufio.NewReaderSize(out, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if bytes.HasPrefix(line, []byte("%output ")) && bytes.Contains(line, []byte(`\033[2J`)) {
			s.erased.Add(1)
		}
		select {
		case s.pulse <- struct{}{}:
		default:
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// command is a call of tmux.
func (s *Session) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.tmux, append([]string{"-u", "-L", "uitest", "-f", os.DevNull}, args...)...)
	cmd.Env, cmd.Dir = s.env, s.launch.Dir
	return cmd
}

// Run runs a command of tmux and returns what it prints. It ends the test if
// tmux does not take it. An argument that ends with a semicolon ends a command.
func (s *Session) Run(args ...string) string {
	s.t.Helper()
	out, err := s.try("", args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func (s *Session) try(input string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), s.timeout)
	defer cancel()
	cmd := s.command(ctx, args...)
	cmd.Stdin = strings.NewReader(input)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return string(out), nil
}

// end ends the server and everything in it.
func (s *Session) end() {
	if s.t.Failed() && !s.told {
		if screen, _, err := s.look(); err == nil {
			s.t.Log(screen)
		}
	}
	if s.pid > 0 && s.alive() {
		_ = syscall.Kill(s.pid, syscall.SIGKILL)
	}
	_, _ = s.try("", "kill-server")
	if s.stop != nil {
		s.stop()
	}
	s.running.Wait()
}

// Home is the HERMES_HOME of the program.
func (s *Session) Home() string { return s.launch.Home }

// Launch is how the program was started.
func (s *Session) Launch() uitest.Launch { return s.launch }

// Attach opens an outer terminal of the same size with a client of the session.
// It does not know the protocol of the program: wait with [uitest.Driver.WaitFor]
// or by the session.
func (s *Session) Attach() *uitest.Driver {
	s.t.Helper()
	socket, err := filepath.Abs(s.socket())
	if err != nil {
		s.t.Fatal(err)
	}
	return uitest.Start(s.t, uitest.Options{
		Bin: s.tmux, Args: []string{"-u", "-S", socket, "attach-session", "-t", target}, Env: s.env,
		Home: s.launch.Home, Dir: s.launch.Dir, Cols: s.cols, Rows: s.rows, Plain: true,
	})
}

// socket is the path of the server's socket.
func (s *Session) socket() string {
	s.t.Helper()
	return strings.TrimSpace(s.Run("display-message", "-p", "#{socket_path}"))
}

//go:build unix

package cli

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"hermes-tui/internal/uitest"
)

// TestTmux runs the program in a real tmux: the terminal goes and the program stays, the
// same command line shows it again, and a key that only this terminal knows goes along.
func TestTmux(t *testing.T) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("SKIPPED in a real tmux: there is no tmux on the PATH; install tmux to run this test")
	}
	sockets, err := os.MkdirTemp("", "tmux-") // the path of a socket has some 100 bytes at most
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(sockets) })
	l := uitest.Prepare(t, uitest.Options{Args: []string{"--provider", "demo"}, Plain: true})
	env := append(slices.DeleteFunc(slices.Clone(l.Env), func(e string) bool {
		return strings.HasPrefix(e, "TMUX=") || strings.HasPrefix(e, "TERM=")
	}), "TMUX_TMPDIR="+sockets, "TERM=xterm-256color")
	run := func(args ...string) string {
		cmd := exec.CommandContext(context.Background(), tmux, args...)
		cmd.Env = env
		out, _ := cmd.CombinedOutput() // what it says is looked at
		return strings.TrimSpace(string(out))
	}
	run("-f", "/dev/null", "new-session", "-d", "-s", "other", "sleep 600")
	t.Cleanup(func() { run("kill-server") })
	env = append(env, "OPENAI_API_KEY=sk-only-here")
	p := &proc{t: t}
	show := func(prompt ...string) (gone func()) {
		cmd := exec.Command(l.Bin, slices.Concat([]string{"--tmux=my.work"}, l.Args, prompt)...)
		cmd.Dir, cmd.Env = l.Dir, env
		screen, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 30, Cols: 100})
		if err != nil {
			t.Fatal(err)
		}
		read := make(chan struct{})
		go func() {
			defer close(read)
			_, _ = io.Copy(io.Discard, screen)
		}()
		p.until("no client shows the session:\n"+run("list-clients"), func() bool { return run("list-clients", "-t", "=my_work", "-F", "x") == "x" })
		return func() {
			_ = cmd.Process.Signal(syscall.SIGKILL)
			_ = screen.Close()
			_ = cmd.Wait()
			<-read
			p.until("the client stays", func() bool { return run("list-clients", "-t", "=my_work", "-F", "x") != "x" })
		}
	}
	gone := show()
	p.until("the program did not start:\n"+run("capture-pane", "-p", "-t", "=my_work:"), func() bool {
		return strings.Contains(run("capture-pane", "-p", "-t", "=my_work:"), "hermes ☤")
	})
	pid := run("display-message", "-p", "-t", "=my_work:", "#{pane_pid}")
	if got := run("show-environment", "-t", "=my_work", "OPENAI_API_KEY"); got != "OPENAI_API_KEY=sk-only-here" {
		t.Errorf("the key in the session: %q", got)
	}
	if at := run("display-message", "-p", "-t", "=my_work:", "#{pane_current_path}"); filepath.Base(at) != filepath.Base(l.Dir) {
		t.Errorf("it runs in %s", at)
	}
	gone()
	gone = show()
	if again := run("display-message", "-p", "-t", "=my_work:", "#{pane_pid}"); again != pid || pid == "" {
		t.Errorf("process %s, then %s", pid, again)
	}
	gone()
	gone = show("a prompt of its own") // is not lost, and leaves the other window as it is
	p.until("the prompt is not sent:\n"+run("capture-pane", "-p", "-t", "=my_work:"), func() bool {
		return strings.Contains(run("capture-pane", "-p", "-t", "=my_work:"), "❯ a prompt of its own")
	})
	if list := run("list-panes", "-s", "-t", "=my_work", "-F", "#{pane_pid}"); !strings.HasPrefix(list, pid+"\n") || strings.Count(list, "\n") != 1 {
		t.Errorf("the processes %q", list)
	}
	gone()
	run("kill-server")
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	p.until("the program goes on", func() bool { return syscall.Kill(n, 0) != nil })
}

func TestTmuxCommand(t *testing.T) {
	if got := withoutTmux([]string{"--tmux", "-m", "x", "--tmux=a", "do this"}); strings.Join(got, "|") != "-m|x|do this" {
		t.Errorf("%q", got)
	}
	if got := tmuxCommand("/it's/hermes", nil); len(got) != 1 || got[0] != `'/it'\''s/hermes'` {
		t.Errorf("%q", got)
	}
}

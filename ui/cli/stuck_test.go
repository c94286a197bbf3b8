//go:build unix

package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// proc is the built program as a process, with pipes as a shell makes them.
type proc struct {
	t      *testing.T
	cmd    *exec.Cmd
	errs   string // the file of its standard error
	launch uitest.Launch
	ended  chan error
}

// process starts the built program with a command that hangs to run, and an
// output.
func process(t *testing.T, out *os.File, wrap []string, args ...string) *proc {
	t.Helper()
	scenario := &script.Scenario{Name: "test", Rules: []script.Rule{
		on("run", command("echo $$ >pid; exec sleep 120")), after("run", 1, say("It ended.")), on("say", say("An answer.")),
	}}
	p := &proc{t: t, launch: uitest.Prepare(t, uitest.Options{Scenario: scenario, Plain: true}), ended: make(chan error, 1)}
	errs, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer errs.Close()
	line := append(append(wrap, p.launch.Bin, "exec", "--json"), args...)
	p.cmd, p.errs = exec.Command(line[0], line[1:]...), errs.Name()
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = p.launch.Dir, p.launch.Env, out, errs
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.cmd.Wait() }()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

// hanging waits until the command runs and gives its process id.
func (p *proc) hanging() int {
	p.t.Helper()
	pid := 0
	p.until("the command did not start", func() bool {
		text, err := os.ReadFile(filepath.Join(p.launch.Dir, "pid"))
		if err != nil || !strings.HasSuffix(string(text), "\n") {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	})
	p.t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	return pid
}

// until waits until something holds that no one reports.
func (p *proc) until(failure string, holds func() bool) {
	p.t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for late := time.After(patience); !holds(); {
		select {
		case <-look.C:
		case <-late:
			p.t.Fatal(failure)
		}
	}
}

// gone waits until a process has ended.
func (p *proc) gone(pid int) {
	p.t.Helper()
	p.until(fmt.Sprintf("the command %d goes on", pid), func() bool { return hasEnded(pid) })
}

// wait waits for the end of the program and gives its exit code and what it wrote
// to its standard error.
func (p *proc) wait(within time.Duration) (int, string) {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(within):
		p.t.Fatalf("it does not end within %v", within)
	}
	text, err := os.ReadFile(p.errs)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.cmd.ProcessState.ExitCode(), string(text)
}

// fullPipe makes a pipe into which nothing more fits and that no one reads.
func fullPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	if err := w.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for page := make([]byte, 4096); err == nil; {
		_, err = w.Write(page)
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
	return w
}

// TestSignalWithAStuckOutput: the output takes nothing more. A signal ends what
// runs at once all the same, and the program soon after; a second one hurries it.
func TestSignalWithAStuckOutput(t *testing.T) {
	for name, signals := range map[string][]syscall.Signal{
		"SIGTERM": {syscall.SIGTERM}, "SIGINT twice": {syscall.SIGINT, syscall.SIGINT}, "SIGHUP and SIGTERM": {syscall.SIGHUP, syscall.SIGTERM},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := process(t, fullPipe(t), nil, "--yolo", "run")
			pid := p.hanging()
			for _, s := range signals {
				if err := p.cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
				p.gone(pid)
			}
			code, errs := p.wait(patience)
			if code != exitInterrupted || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "nterrupted") {
				t.Errorf("it exits with %d and says %q", code, errs)
			}
		})
	}
}

// TestSecondSignal: it takes no longer than promised.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	p := process(t, fullPipe(t), nil, "--yolo", "run")
	pid := p.hanging()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	p.gone(pid)
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	p.wait(5 * time.Second)
}

// TestReaderGone: a program whose output no one can read any more ends without a
// word, and so does what it runs.
func TestReaderGone(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := process(t, w, nil, "--yolo", "run")
	w.Close()
	pid := p.hanging()
	r.Close()
	// It learns of it when it writes next: when the command ends.
	_ = syscall.Kill(pid, syscall.SIGKILL)
	if code, errs := p.wait(patience); code != exitUnread || errs != "" {
		t.Errorf("it exits with %d and says %q", code, errs)
	}
	if o := (&box{t: t, home: p.launch.Home}).said(); len(o) < 2 {
		t.Errorf("stored %q", o)
	}
}

// TestIgnoredSignals: a program that was started with nohup outlives its terminal.
func TestIgnoredSignals(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := process(t, w, []string{"/bin/sh", "-c", `trap "" HUP; exec "$0" "$@"`}, "--yolo", "run")
	w.Close()
	pid := p.hanging()
	_ = p.cmd.Process.Signal(syscall.SIGHUP)
	_ = syscall.Kill(pid, syscall.SIGKILL)
	if code, errs := p.wait(patience); code == exitInterrupted || strings.Contains(errs, "nterrupted") {
		t.Errorf("it exits with %d and says %q", code, errs)
	}
}

// TestClosedOutput: an answer that could go nowhere is not asked for.
func TestClosedOutput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		redirect string
		code     int
	}{
		"closed": {">&-", exitStart}, "thrown away": {">/dev/null", exitOK}, "full": {">/dev/full", exitFailed},
	} {
		p := process(t, nil, []string{"/bin/sh", "-c", `exec "$0" "$@" ` + c.redirect}, "say")
		code, errs := p.wait(patience)
		if code != c.code || strings.Count(errs, "\n") != min(c.code, 1) {
			t.Errorf("%s: it exits with %d and says %q", name, code, errs)
		}
		if sent := len(p.launch.Server.Requests()); sent > 0 && c.code == exitStart {
			t.Errorf("%s: %d requests", name, sent)
		}
	}
}

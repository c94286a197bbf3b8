package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// markName is the variable by which processes are found that left their group
// and whose parents are gone. Every process has a value of its own in it.
const markName = "HERMES_PROCESS_MARK"

// ErrUnkillable is what Wait returns when a process survived KILL, as one does
// that hangs in the kernel or belongs to another user.
var ErrUnkillable = errors.New("the process could not be ended")

// process is a running process. A supervisor, one goroutine that waits for the
// leader and one for each output pipe serve it; they have ended when done is
// closed, unless the process is unkillable.
type process struct {
	cmd   *exec.Cmd
	mark  string
	pipes []*pipe
	input *os.File // where its input is written, nil for none of ours
	stdin *os.File // the other end of input

	reapOnce sync.Once
	reapErr  error

	done chan struct{} // closes when exit and err are set
	exit Exit
	err  error
}

// Start runs p. The process is put into a session of its own, so it has no
// controlling terminal and cannot read from the person's.
func (l *Local) Start(ctx context.Context, p Proc) (Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if len(p.Argv) == 0 || !filepath.IsAbs(p.Argv[0]) {
		return nil, errors.New("start process: the program must be an absolute path")
	}
	if p.TTY != nil || p.Log != "" {
		return nil, errors.New("start process: terminals and logs are not known here")
	}
	mark, err := randomName(l.rand)
	if err != nil {
		return nil, fmt.Errorf("start process: %w", err)
	}
	pr := &process{mark: mark, done: make(chan struct{})}
	pr.cmd = &exec.Cmd{
		Path: p.Argv[0], Args: p.Argv, Dir: p.Dir,
		Env:         markedEnv(p.Env, mark),
		SysProcAttr: ownSession(),
	}
	err = pr.connect(p)
	if err == nil {
		err = pr.cmd.Start()
	}
	pr.closeChildEnds()
	if err != nil {
		pr.closeOwnEnds()
		return nil, fmt.Errorf("start process: %w", err)
	}
	if pr.input != nil {
		go feed(pr.input, p.Stdin)
	}
	for _, out := range pr.pipes {
		go out.copy()
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		pr.awaitLeader()
	}()
	go pr.supervise(ctx, exited)
	return pr, nil
}

// markedEnv adds the mark to the environment; an older mark is replaced.
func markedEnv(env []string, mark string) []string {
	marked := make([]string, 0, len(env)+1)
	for _, kv := range env {
		if !strings.HasPrefix(kv, markName+"=") {
			marked = append(marked, kv)
		}
	}
	return append(marked, markName+"="+mark)
}

// connect makes the pipes of the process.
func (p *process) connect(spec Proc) error {
	out, err := newPipe(spec.Stdout)
	if err != nil {
		return err
	}
	p.pipes = append(p.pipes, out)
	p.cmd.Stdout, p.cmd.Stderr = out.w, out.w
	if spec.Stderr != nil {
		errs, err := newPipe(spec.Stderr)
		if err != nil {
			return err
		}
		p.pipes = append(p.pipes, errs)
		p.cmd.Stderr = errs.w
	}
	switch in := spec.Stdin.(type) {
	case nil: // the null device
	case *os.File:
		p.cmd.Stdin = in
	default:
		if p.stdin, p.input, err = os.Pipe(); err != nil {
			return err
		}
		p.cmd.Stdin = p.stdin
	}
	return nil
}

// feed gives a process its input. It ends with the input, or when the process
// no longer reads.
func feed(w *os.File, r io.Reader) {
	_, _ = io.Copy(w, r) // a process need not read all of it
	_ = w.Close()
}

func (p *process) closeChildEnds() {
	for _, out := range p.pipes {
		_ = out.w.Close()
	}
	if p.stdin != nil {
		_ = p.stdin.Close()
	}
}

func (p *process) closeOwnEnds() {
	for _, out := range p.pipes {
		_ = out.r.Close()
	}
	if p.input != nil {
		_ = p.input.Close()
	}
}

// PID is the process id, which is its group's and session's id as well.
func (p *process) PID() int { return p.cmd.Process.Pid }

// Ref is empty: only a process with a log can be found again.
func (p *process) Ref() string { return "" }

// Wait blocks until the process has ended.
func (p *process) Wait() (Exit, error) {
	<-p.done
	return p.exit, p.err
}

// supervise sees the process through to its end. exited closes when the leader
// has ended, whether or not it was reaped.
func (p *process) supervise(ctx context.Context, exited <-chan struct{}) {
	defer close(p.done)
	select {
	case <-exited:
	case <-ctx.Done():
		if closed(exited) { // by itself, just before
			break
		}
		p.exit.Killed = true
		p.killAll(exited)
		if !closed(exited) {
			p.err = ErrUnkillable
		}
	}
	if p.err == nil {
		p.reap()
	} else {
		go p.reap() // whenever that is
	}
	if p.input != nil {
		_ = p.input.Close()
	}
	for _, out := range p.pipes {
		out.finish(DrainGrace)
	}
	if p.err != nil {
		return
	}
	if state := p.cmd.ProcessState; state != nil {
		p.exit.Code = exitCode(state)
		return
	}
	p.err = fmt.Errorf("wait for process: %w", p.reapErr)
}

// reap collects the leader. It blocks until the leader has ended.
func (p *process) reap() {
	p.reapOnce.Do(func() { p.reapErr = p.cmd.Wait() })
}

// pollEvery is how often a dying group is looked at.
const pollEvery = 10 * time.Millisecond

// killAll sends TERM to everything that belongs to the process and KILL to what
// is left after KillGrace. New descendants that appear meanwhile are found by
// looking again; what still multiplies after half a second is given up.
func (p *process) killAll(exited <-chan struct{}) {
	found := p.signalAll(nil, signalTerm)
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	deadline := time.Now().Add(KillGrace)
	for time.Now().Before(deadline) && (!closed(exited) || anyAlive(found)) {
		<-tick.C
	}
	for range 50 {
		found = p.signalAll(found, signalKill)
		if closed(exited) && !anyAlive(found) {
			return
		}
		<-tick.C
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// pipe carries one output of a process to a writer.
type pipe struct {
	r, w *os.File
	to   io.Writer
	eof  chan struct{} // closes when copy has returned
}

func newPipe(to io.Writer) (*pipe, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	if to == nil {
		to = io.Discard
	}
	return &pipe{r: r, w: w, to: to, eof: make(chan struct{})}, nil
}

// copyBuffer is as large as a pipe usually is.
const copyBuffer = 64 << 10

// copy runs until the other end is closed by all, or a deadline passes.
func (p *pipe) copy() {
	defer close(p.eof)
	buf := make([]byte, copyBuffer)
	for {
		n, err := p.r.Read(buf)
		if n > 0 {
			_, _ = p.to.Write(buf[:n]) // refused output is dropped
		}
		if err != nil {
			return
		}
	}
}

// finish waits for the end of the output, for grace at most. What lay in the
// pipe until then is delivered even when the machine was too busy to read it.
func (p *pipe) finish(grace time.Duration) {
	if p.r.SetReadDeadline(time.Now().Add(grace)) == nil {
		<-p.eof
		p.sweep()
		_ = p.r.Close()
		return
	}
	late := time.NewTimer(grace) // no deadlines for pipes on this system
	defer late.Stop()
	select {
	case <-p.eof:
	case <-late.C:
	}
	_ = p.r.Close()
}

package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	cmd   *exec.Cmd // nil for one of an earlier run
	mark  string
	self  member // the leader
	log   string // the name of its log, empty for none
	ref   string
	pipes []*pipe
	input *os.File   // where its input is written, nil for none of ours
	ends  []*os.File // what only the process uses: closed once it has started

	reapOnce sync.Once
	reapErr  error

	done chan struct{} // closes when exit and err are set
	exit Exit
	err  error

	ended func(*Exit) // nil for nothing
	leash *os.File    // open for as long as the process may live, nil for none
}

// command is what is executed for a [Proc].
type command struct {
	argv []string
	env  []string // without the mark
	// start, when set, starts the command once it is connected, in place of its own
	// way, and sets its Process.
	start func(*exec.Cmd) error
	// terminal, when set, opens the terminal for it.
	terminal func() (screen, line *os.File, err error)
	// status, when set, says why the program could not be started, which why turns
	// into an error; it ends without a word once the program runs. It is closed as
	// well.
	status *os.File
	// ends are what only the process uses: closed once it has started or failed to.
	ends []*os.File
	// leash, when set, is what the process has as descriptor 3, the other end of hold,
	// which stays open for as long as it may live.
	leash, hold *os.File
	why         func(said []byte, p Proc) error
	// ended, when set, is told how the process ended, and may add to it.
	ended func(*Exit)
}

// wrapper puts something before the program that is to run.
type wrapper func(p Proc, mark string) (command, error)

// plain runs the program itself.
func plain(p Proc, _ string) (command, error) {
	return command{argv: p.Argv, env: p.Env}, nil
}

// Start runs p. The process is put into a session of its own, so it has no
// controlling terminal but the one it was given, and cannot read from the
// user's.
func (l *Local) Start(ctx context.Context, p Proc) (Process, error) {
	wrap := plain
	if p.Leashed {
		wrap = leashed
	}
	pr, err := l.start(ctx, p, wrap)
	if err != nil {
		return nil, err
	}
	return pr, nil
}

func (l *Local) start(ctx context.Context, p Proc, wrap wrapper) (*process, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	err := p.check()
	if err == nil && p.Confine != nil && !l.info.Confines {
		err = ErrNotConfining
	}
	if err != nil {
		return nil, fmt.Errorf("start process: %w", err)
	}
	mark, err := randomName(l.rand)
	if err != nil {
		return nil, fmt.Errorf("start process: %w", err)
	}
	c, err := wrap(p, mark)
	if err != nil {
		return nil, fmt.Errorf("start process: %w", err)
	}
	pr := &process{mark: mark, done: make(chan struct{}), ended: c.ended, ends: c.ends}
	pr.cmd = &exec.Cmd{
		Path: c.argv[0], Args: c.argv, Dir: p.Dir,
		Env:         markedEnv(c.env, mark),
		SysProcAttr: ownSession(),
	}
	if c.leash != nil {
		pr.cmd.ExtraFiles, pr.leash, pr.ends = []*os.File{c.leash}, c.hold, append(pr.ends, c.leash)
	}
	if err := pr.launch(p, c); err != nil {
		closeFiles([]*os.File{c.status, c.hold})
		return nil, fmt.Errorf("start process: %w", err)
	}
	pr.serve(ctx, p)
	if err := pr.started(p, c); err != nil {
		return nil, fmt.Errorf("start process: %w", err)
	}
	return pr, nil
}

// check refuses what cannot be started anywhere.
func (p Proc) check() error {
	switch {
	case len(p.Argv) == 0 || !filepath.IsAbs(p.Argv[0]):
		return errors.New("the program must be an absolute path")
	case p.TTY != nil && p.Log != "":
		return errors.New("a process has a terminal or a log, not both")
	case p.TTY != nil && p.Stderr != nil:
		return errors.New("a terminal shows errors and output alike: Stderr must be nil")
	case p.TTY != nil && !p.TTY.valid():
		return errors.New("a terminal has 1 to 65535 rows and columns")
	case p.Log != "" && (p.Stdout != nil || p.Stderr != nil):
		return errors.New("what a log takes goes nowhere else: Stdout and Stderr must be nil")
	case p.Log != "" && !filepath.IsAbs(p.Log):
		return errors.New("the log must be an absolute path")
	}
	return nil
}

func (s Size) valid() bool {
	return s.Rows > 0 && s.Cols > 0 && s.Rows <= 0xffff && s.Cols <= 0xffff
}

// launch connects the process and starts it. After an error nothing is left of
// it.
func (p *process) launch(spec Proc, c command) error {
	err := p.connect(spec, c)
	if err == nil {
		start := c.start
		if start == nil {
			start = (*exec.Cmd).Start
		}
		err = start(p.cmd)
	}
	closeFiles(p.ends)
	if err == nil {
		p.self = member{pid: p.cmd.Process.Pid}
		p.identify()
		return nil
	}
	for _, out := range p.pipes {
		_ = out.r.Close()
	}
	closeFiles([]*os.File{p.input})
	p.dropLog()
	return err
}

// serve starts the goroutines of a process.
func (p *process) serve(ctx context.Context, spec Proc) {
	switch {
	case spec.TTY != nil && spec.Stdin != nil:
		go typeInto(p.pipes[0].r, spec.Stdin)
	case p.input != nil:
		go feed(p.input, spec.Stdin)
	}
	for _, out := range p.pipes {
		go out.copy()
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		p.awaitLeader()
	}()
	go p.supervise(ctx, exited, spec)
}

// maxStatus bounds what may be said about a start that failed.
const maxStatus = 8 << 10

// started waits until the program itself runs.
func (p *process) started(spec Proc, c command) error {
	if c.status == nil {
		return nil
	}
	said, err := io.ReadAll(io.LimitReader(c.status, maxStatus))
	_ = c.status.Close()
	if err == nil && len(said) > 0 {
		err = c.why(said, spec)
	}
	if err != nil {
		<-p.done
		p.dropLog()
	}
	return err
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
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

// connect makes the pipes of the process, or its terminal or log.
func (p *process) connect(spec Proc, c command) error {
	switch {
	case spec.TTY != nil:
		return p.connectTerminal(spec, c.terminal)
	case spec.Log != "":
		if err := p.connectLog(spec.Log); err != nil {
			return err
		}
	default:
		if err := p.connectPipes(spec); err != nil {
			return err
		}
	}
	switch in := spec.Stdin.(type) {
	case nil: // the null device
	case *os.File:
		p.cmd.Stdin = in
	default:
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		p.cmd.Stdin, p.input, p.ends = r, w, append(p.ends, r)
	}
	return nil
}

func (p *process) connectPipes(spec Proc) error {
	out, err := newPipe(spec.Stdout)
	if err != nil {
		return err
	}
	p.take(out)
	p.cmd.Stdout, p.cmd.Stderr = out.w, out.w
	if spec.Stderr != nil {
		errs, err := newPipe(spec.Stderr)
		if err != nil {
			return err
		}
		p.take(errs)
		p.cmd.Stderr = errs.w
	}
	return nil
}

// take makes a pipe one of the process.
func (p *process) take(out *pipe) {
	p.pipes = append(p.pipes, out)
	p.ends = append(p.ends, out.w)
}

// PID is the process id, which is its group's and session's id as well.
func (p *process) PID() int { return p.self.pid }

// Ref finds the process again; it is empty unless the process has a log.
func (p *process) Ref() string { return p.ref }

// Wait blocks until the process has ended.
func (p *process) Wait() (Exit, error) {
	<-p.done
	return p.exit, p.err
}

// supervise sees the process through to its end. exited closes when the leader
// has ended, whether or not it was reaped.
func (p *process) supervise(ctx context.Context, exited <-chan struct{}, spec Proc) {
	defer close(p.done)
	defer func() {
		if p.ended != nil {
			p.ended(&p.exit)
		}
	}()
	var left []member
	select {
	case <-exited:
		if spec.Whole {
			p.endGroup()
		}
		if spec.Swept {
			p.sweep()
		} else if !spec.Whole {
			left = p.remains()
		}
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
	closeFiles([]*os.File{p.input, p.leash})
	p.leave(left)
	for _, out := range p.pipes {
		out.finish(DrainGrace, p.exit.Left.Count > 0)
	}
	if p.err != nil {
		return
	}
	switch {
	case p.cmd == nil:
		p.exit.Code = -1 // only its parent is told
	case p.cmd.ProcessState != nil:
		p.exit.Code = exitCode(p.cmd.ProcessState)
	default:
		p.err = fmt.Errorf("wait for process: %w", p.reapErr)
	}
}

// leaveGrace is how long something that was left may take to end, so as not to count as that.
const leaveGrace = 50 * time.Millisecond

// leave notes what is left running, of processes that were found to be.
func (p *process) leave(left []member) {
	for until := time.Now().Add(leaveGrace); anyAlive(left) && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
	}
	left = slices.DeleteFunc(left, func(m member) bool { return !m.alive() })
	if boot, ok := bootID(); ok && len(left) > 0 {
		p.exit.Left = Left{Ref: refTo(boot, left[0], p.mark), PID: left[0].pid, Count: len(left)}
	}
}

// reap collects the leader. It blocks until the leader has ended.
func (p *process) reap() {
	if p.cmd != nil {
		p.reapOnce.Do(func() { p.reapErr = p.cmd.Wait() })
	}
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

// sweep ends what a process that has ended by itself has left behind anywhere.
func (p *process) sweep() {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for range 50 {
		if found := p.signalAll(nil, signalKill); !anyAlive(found) {
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

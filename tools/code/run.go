package code

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

// Causes of a script's end.
var (
	errTimeout = errors.New("the script took too long")
	errOver    = errors.New("the script has ended")
	errClosed  = errors.New("the place in which it ran was closed")
)

// maxSocketPath is the longest path of a socket in bytes on all systems.
const maxSocketPath = 103

// socketName is how long the name of a socket is.
const socketName = 8

// outcome is what came of a script.
type outcome struct {
	stdout, stderr string
	code           int
	cause          error // why it was ended from outside, nil otherwise
	made, refused  int
	took           time.Duration
	exit           place.Exit
	held           *approval.Confined // nil for one that had all rights
	// note is for the model.
	note string
	// before is what confined runs wrote before this one.
	before string
	ran    tools.Ran
	hosts  []string
}

// untimedHost is a host whose questions do not count as the script's time.
type untimedHost struct {
	tools.Host
	watch *stopwatch
}

// Ask implements [tools.Host].
func (p untimedHost) Ask(ctx context.Context, q tools.Question) (tools.Answer, error) {
	p.watch.hold()
	defer p.watch.release()
	return p.Host.Ask(ctx, q)
}

// permitted runs what a permit allows. A confined script that was refused something
// may be run once more with all rights, when the user says so.
func (c *Code) permitted(ctx context.Context, permit approval.Permit, run approval.Run, host tools.Host, sink tools.Sink) (outcome, error) {
	o, err := c.execute(ctx, permit, run, c.offered(), host, sink)
	if o.ran = run.How(); err != nil {
		return o, err
	}
	o.hosts = o.held.Hosts()
	ended := approval.Ended{
		Exit: o.exit, Failed: o.code != 0 || o.cause != nil, Output: o.stdout + "\n" + o.stderr, Dir: run.Dir, Acted: o.made > 0,
	}
	if ended.Exit.Killed = o.cause != nil; ended.Exit.Killed { // its group is always ended
		return o, nil
	}
	next, note, err := o.held.Again(ctx, ended)
	if o.note = note; err != nil || next.Digest() == "" {
		return o, nil //nolint:nilerr // it has run; that the call was ended is seen by the next one
	}
	if run, err = next.Take(c.o.Place); err != nil {
		o.note = "[It was not run again: " + err.Error() + "]"
		return o, nil //nolint:nilerr // the model is told
	}
	if sink != nil {
		_, _ = io.WriteString(sink, run.Again())
	}
	second, err := c.permitted(ctx, next, run, host, sink)
	if len(second.hosts) == 0 {
		second.hosts = o.hosts
	}
	second.note = strings.TrimSpace(note + "\n" + second.note)
	second.before = trim(fmt.Sprintf("%s\n%s\n[exit %d, confined]", o.stdout, o.stderr, o.code)) + "\n" + run.Again() + second.before
	return second, err
}

// execute runs exactly what a permit gave. offered are the tools it may call. It
// returns when every process it could find of the script is gone and no call is on
// its way.
func (c *Code) execute(ctx context.Context, permit approval.Permit, run approval.Run, offered []tools.Tool, host tools.Host, sink tools.Sink) (outcome, error) {
	begun := c.o.Now()
	alive, end := context.WithCancelCause(ctx)
	defer end(errOver)
	watch := newStopwatch(c.o.Timeout, func() { end(errTimeout) })
	defer watch.stop()
	token, socket, err := c.names(run.Confined)
	if err != nil {
		return outcome{}, err
	}
	s := newDispatcher(newServing(host, offered, token, c.o.MaxCalls, watch))
	way, err := c.way(s, socket, end)
	if err != nil {
		return outcome{}, err
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		way.serve(alive)
	}()
	defer func() { <-served }()
	defer end(errOver)

	live := &shared{to: sink}
	if sink == nil {
		live.to = io.Discard
	}
	stdout, stderr := newCapture(live, maxOutput*2/5, maxOutput), newCapture(live, maxErrors, maxErrors)
	asked := host
	if host != nil {
		asked = untimedHost{host, watch}
	}
	held := permit.Confined(run, asked, path.Dir(socket))
	start := place.Proc{Argv: run.Argv, Dir: run.Dir, Env: c.environment(run), Confine: held.Process()}
	settings := map[string]any{"socket": socket, "token": token, "folder": c.o.Mode != ModeStrict}
	way.connect(&start, settings, run.Command, stdout, stderr)
	proc, err := c.o.Place.Start(alive, start)
	if err != nil {
		return outcome{}, fmt.Errorf("start python: %w", err)
	}
	way.begin(proc.PID())
	code, exit, err := await(proc, s.exit, end)
	if exit.Killed {
		end(errClosed) // unless it was ended for a reason of ours
	}
	end(errOver)
	<-served
	if err != nil {
		return outcome{}, fmt.Errorf("run the script: %w", err)
	}
	o := outcome{stdout: stdout.text(), stderr: stderr.text(), code: code, exit: exit, held: held, took: c.o.Now().Sub(begun)}
	o.made, o.refused = s.counts()
	if cause := context.Cause(alive); exit.Killed && !errors.Is(cause, errOver) {
		o.cause = cause
	}
	return o, nil
}

// await waits for the end of the script, ends what it has left running, and gives
// its exit code.
func await(proc place.Process, reported <-chan int, end func(error)) (code int, exit place.Exit, err error) {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		exit, err = proc.Wait()
	}()
	select {
	case code = <-reported:
		end(errOver)
		<-gone
		return code, exit, err
	case <-gone:
	}
	select {
	case code = <-reported: // just before the process went
		return code, exit, err
	default:
		return exit.Code, exit, err
	}
}

// way is how a script reaches the agent.
type way interface {
	// connect gives a process its input and output.
	connect(proc *place.Proc, settings map[string]any, script string, stdout, stderr io.Writer)
	// begin says which process was started, once.
	begin(pid int)
	// serve takes calls until ctx ends, and returns when all are done with.
	serve(ctx context.Context)
}

// way chooses how scripts of this place reach the agent.
func (c *Code) way(d *dispatcher, socket string, end func(error)) (way, error) {
	if c.remote() {
		return newPipes(d, end), nil
	}
	return newServer(socket, d)
}

// remote reports whether sockets of the place cannot be reached from here.
func (c *Code) remote() bool {
	name := c.o.Place.Info().Name
	return name != "local" && name != "sandbox"
}

// environment is what of an environment a script gets.
func (c *Code) environment(run approval.Run) []string {
	if c.o.Trusted != nil && !c.o.Trusted() {
		var own [][2]string
		if c.o.GitSettings != nil {
			own = c.o.GitSettings()
		}
		return approval.QuietGit(run.Env, own)
	}
	return run.Env
}

// names makes a token and the path of a socket, both new. A confined script must be
// able to reach it.
func (c *Code) names(confined bool) (token, socket string, err error) {
	if _, err := c.private(); err != nil {
		return "", "", err
	}
	dir := c.sockets
	if shared := c.shared(); confined && shared != "" {
		dir = shared
	}
	var random [36]byte
	if _, err := io.ReadFull(c.o.Rand, random[:]); err != nil {
		return "", "", fmt.Errorf("make a token: %w", err)
	}
	socket = path.Join(dir, hex.EncodeToString(random[:socketName/2]))
	if len(socket) > maxSocketPath {
		return "", "", fmt.Errorf("the path of the folder for temporary files is too long for a socket (%d bytes, %d are possible): set TMPDIR to a shorter one",
			len(socket), maxSocketPath)
	}
	return hex.EncodeToString(random[socketName/2:]), socket, nil
}

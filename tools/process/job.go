package process

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

// Reason says why a job ended.
type Reason string

// The reasons.
const (
	ReasonExited Reason = "exited"
	ReasonKilled Reason = "killed"
	ReasonLost   Reason = "lost"
	// ReasonFailedStart: the program of the job was not found, or is none.
	ReasonFailedStart Reason = "failed_start"
)

// By says who ended a job.
type By string

// Who ends jobs.
const (
	ByItself  By = "itself"
	ByAgent   By = "agent"
	ByUser    By = "user"
	ByProgram By = "program" // when the conversation was closed
)

// killedBy is the cause with which the context of a job ends.
type killedBy By

func (k killedBy) Error() string { return "ended by the " + string(k) }

// killedCode is the exit code of a job that was ended from outside.
const killedCode = -15

// job is one job. What follows mu is guarded by it.
type job struct {
	all *Jobs

	id, command, dir, agent string
	argv, env               []string
	pid                     int
	ref, log                string
	tty, confined           bool
	started                 time.Time

	ctx    context.Context // ends when the job is to be ended
	cancel context.CancelCauseFunc
	held   *approval.Confined // nil for one that is not confined, or of an earlier run
	in     *input             // nil when it has none any more
	out    *window
	read   int64         // how much of the log was read before
	left   chan struct{} // closes when it is left to itself
	done   chan struct{} // closes when it has ended and its output was read
	over   chan struct{} // closes when that was told to all

	mu      sync.Mutex
	state   State
	exit    *int
	reason  Reason
	by      By
	note    string // what the model should know of its end
	ended   time.Time
	notify  bool
	watch   *watch
	seen    bool   // the agent knows that it has ended
	waiters int    // calls that wait for its end
	pending string // input that is not a whole command yet
	gone    bool   // it was left to itself
}

func (j *Jobs) newJob(run approval.Run, s Spec, watch *watch) (*job, error) {
	id, err := j.newID()
	if err != nil {
		return nil, err
	}
	job := &job{
		all: j, id: id, command: run.Command, dir: run.Dir, agent: s.Agent, argv: run.Argv, env: run.Env,
		tty: s.Terminal, started: j.o.Now(), state: Running, notify: s.Notify, watch: watch,
		in: newInput(), out: &window{}, left: make(chan struct{}), done: make(chan struct{}), over: make(chan struct{}),
	}
	job.ctx, job.cancel = context.WithCancelCause(context.Background())
	return job, nil
}

// begin looks after a process until it has ended.
func (j *job) begin(p place.Process) {
	j.pid, j.ref = p.PID(), p.Ref()
	ended := make(chan struct{})
	var exit place.Exit
	var err error
	go func() {
		exit, err = p.Wait()
		if j.in != nil {
			j.in.close() // or its reader would wait for ever
		}
		close(ended)
	}()
	go func() {
		j.follow(ended)
		select {
		case <-j.left:
			return
		case <-ended:
		}
		j.finish(exit, err)
	}()
}

// Write takes output. It never fails.
func (j *job) Write(b []byte) (int, error) {
	j.out.write(b)
	j.mu.Lock()
	var found []Notice
	if j.watch != nil {
		found = j.watch.look(j, b)
	}
	j.mu.Unlock()
	for _, n := range found {
		j.all.o.Notify(n)
	}
	return len(b), nil
}

// failedStartWithin is how quickly a job ends that could not start.
const failedStartWithin = 2 * time.Second

// finish notes how a job has ended, and tells whom it concerns.
func (j *job) finish(exit place.Exit, err error) {
	now := j.all.o.Now()
	by := killedBy(ByItself)
	killed := errors.As(context.Cause(j.ctx), &by)
	code := exit.Code
	note := j.held.Note(approval.Ended{Exit: exit, Failed: err == nil && code != 0, Output: j.plainTail(waitOutput), Dir: j.dir})
	j.mu.Lock()
	j.note = note
	j.state, j.reason, j.by, j.ended = Exited, ReasonExited, ByItself, now
	switch {
	case err != nil:
		j.state, j.reason = Lost, ReasonLost
	case exit.Killed:
		j.state, j.reason, code = Killed, ReasonKilled, killedCode
		if killed {
			j.by = By(by)
		}
		j.exit = &code
	case code >= 0:
		j.exit = &code
		if (code == 126 || code == 127) && now.Sub(j.started) < failedStartWithin {
			j.reason = ReasonFailedStart
		}
	}
	j.mu.Unlock()
	j.cancel(nil)
	j.settle()
}

// settle ends what goes with a job.
func (j *job) settle() {
	defer close(j.over)
	j.mu.Lock()
	if j.waiters > 0 || j.by == ByAgent {
		j.seen = true
	}
	var notice *Notice
	if j.notify && !j.seen && j.by != ByProgram {
		n := j.completion()
		notice = &n
	}
	close(j.done)
	j.mu.Unlock()
	j.dropLog()
	_ = j.all.save(context.Background()) // a record too many is found to be lost in the next run
	if notice != nil {
		j.all.o.Notify(*notice)
	}
	j.all.o.Changed()
}

// dropLog deletes the file of the output, which was read, and the folder of an
// earlier run with the last file in it.
func (j *job) dropLog() {
	if j.log == "" {
		return
	}
	removeLog(j.all.o.Place.FS(), j.log, j.all.ownFolder())
}

// info is what a screen shows.
func (j *job) info() Info {
	j.mu.Lock()
	defer j.mu.Unlock()
	return Info{
		ID: j.id, Command: j.command, Dir: j.dir, Agent: j.agent, PID: j.pid,
		Started: j.started, State: j.state, Ended: j.ended, Exit: j.exit, TTY: j.tty, By: j.by, Stays: j.stays(),
	}
}

// stays reports whether it runs, and a command with all rights has left it.
func (j *job) stays() bool { return j.ref != "" && j.log == "" && !j.confined && j.state.live() }

// leave stops looking after a job that can go on without this program, if that is
// wanted, and reports whether it goes on. What a command with all rights has left goes on.
func (j *job) leave(wanted bool) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.gone && (j.stays() || wanted && j.ref != "" && j.log != "" && j.state.live()) {
		j.gone = true
		close(j.left)
	}
	return j.gone
}

// silence keeps the end of a job from being reported.
func (j *job) silence() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.seen = true
}

// stop ends a job, without waiting for that.
func (j *job) stop(by By) { j.cancel(killedBy(by)) }

var errNoInput = errors.New("it was started by an earlier run of the program, and its input ended with that")

// write types text into a job.
func (j *job) write(text string) error {
	switch state := j.info().State; {
	case !state.live():
		return errors.New("it has ended")
	case j.in == nil:
		return errNoInput
	}
	return j.in.write(text)
}

// await waits until a channel is closed.
func await(ctx context.Context, c <-chan struct{}) error {
	select {
	case <-c:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// killWait is how long an end is waited for. Within a second everything that can
// be ended has ended.
const killWait = 5 * time.Second

var errStillThere = errors.New("it has not ended in time; it may hang in the system, or belong to another user")

// kill ends a job and waits for it. before says that it had ended by itself.
func (j *job) kill(ctx context.Context, by By) (before bool, err error) {
	if !j.info().State.live() {
		return true, nil
	}
	j.stop(by)
	ctx, cancel := context.WithTimeoutCause(ctx, killWait, errStillThere)
	defer cancel()
	if err := await(ctx, j.done); err != nil {
		return false, fmt.Errorf("end job %s: %w", j.id, err)
	}
	return j.info().State != Killed, nil
}

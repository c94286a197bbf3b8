package process

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

// Spec is a job to start.
type Spec struct {
	// Permit says what runs.
	Permit approval.Permit
	// Agent started it and hears of it.
	Agent string
	// Terminal gives it a terminal of its own.
	Terminal bool
	// Notify tells the agent when it has ended.
	Notify bool
	// Watch are regular expressions (RE2); the agent is told of lines that match
	// one. One that is no regular expression is looked for letter by letter.
	// Notify beats Watch.
	Watch []string
	// Host is asked about what the job is refused when it runs confined; nil: no one is.
	Host tools.Host
	// Ready, when set, is called with what is about to run, after the permit was
	// taken, and gives its environment. An error means that it must not run.
	Ready func(approval.Run) (env []string, err error)
}

// Started is a job that runs.
type Started struct {
	ID  string
	PID int
	// Notes are what the model should know besides.
	Notes []string
}

// The terminal of a job.
const (
	termRows = 30
	termCols = 120
)

var errClosed = errors.New("the session was closed, so no job can be started")

// Start starts a job and returns when it runs. The job does not end with ctx. The
// error is written for the model.
func (j *Jobs) Start(ctx context.Context, s Spec) (Started, error) {
	watch, notes := newWatch(s.Watch, j.o.Now)
	if s.Notify {
		watch = nil
	}
	if err := j.reserve(); err != nil {
		return Started{}, err
	}
	job, err := j.launch(ctx, s, watch)
	j.mu.Lock()
	j.starting--
	if err == nil {
		j.add(job)
	}
	j.mu.Unlock()
	if err != nil {
		return Started{}, fmt.Errorf("the job was not started: %w", err)
	}
	if err := j.save(ctx); err != nil {
		return Started{}, errors.Join(fmt.Errorf("the job was ended again, since it could not be recorded: %w", err), j.takeBack(job))
	}
	j.o.Changed()
	return Started{ID: job.id, PID: job.pid, Notes: notes}, nil
}

// Keep makes what a command has left running a job: without input and output, found again by
// the next run of the program, and ended by the user or the agent alone.
func (j *Jobs) Keep(ctx context.Context, command, dir, agent string, confined bool, left place.Left) (id string, err error) {
	if err := j.reserve(); err != nil {
		return "", err
	}
	id, err = j.newID()
	var job *job
	if err == nil {
		job, err = j.adopt(Record{ID: id, Command: command, Dir: dir, PID: left.PID, Ref: left.Ref, Started: j.o.Now(), Agent: agent, Confined: confined})
	}
	j.mu.Lock()
	j.starting--
	if err == nil {
		j.add(job)
	}
	j.mu.Unlock()
	if err != nil {
		return "", err
	}
	err = j.save(ctx)
	j.o.Changed()
	return id, err
}

// reserve takes one of the places for jobs.
func (j *Jobs) reserve() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return errClosed
	}
	if err := j.room(); err != nil {
		return err
	}
	j.starting++
	return nil
}

// launch starts the process of a job.
func (j *Jobs) launch(ctx context.Context, s Spec, watch *watch) (*job, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	run, err := s.Permit.Take(j.o.Place)
	if err != nil {
		return nil, err
	}
	if s.Ready != nil {
		if run.Env, err = s.Ready(run); err != nil {
			return nil, err
		}
	}
	job, err := j.newJob(run, s, watch)
	if err != nil {
		return nil, err
	}
	proc, err := job.launch(run, s)
	if err != nil {
		job.in.close()
		job.cancel(nil)
		return nil, err
	}
	job.begin(proc)
	return job, nil
}

// launch starts the process of a job, with a terminal or a log.
func (j *job) launch(run approval.Run, s Spec) (place.Process, error) {
	j.confined, j.held = run.Confined, s.Permit.Confined(run, s.Host, "")
	spec := place.Proc{Argv: run.Argv, Dir: run.Dir, Env: run.Env, Stdin: j.in, Confine: j.held.Process()}
	if j.tty {
		spec.TTY, spec.Stdout, spec.Leashed = &place.Size{Rows: termRows, Cols: termCols}, j, !run.Confined
		return j.all.o.Place.Start(j.ctx, spec)
	}
	dir, err := j.all.folder()
	if err != nil {
		return nil, err
	}
	j.log = filepath.Join(dir, j.id+".log")
	spec.Log = j.log
	return j.all.o.Place.Start(j.ctx, spec)
}

// folder is the private folder for the output of jobs.
func (j *Jobs) folder() (string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.scratch != "" {
		return j.scratch, nil
	}
	make := j.o.Place.Scratch
	if at, ok := j.o.Place.(interface {
		Private() (string, func() error, error)
	}); ok {
		make = at.Private
	}
	dir, remove, err := make()
	if err != nil {
		return "", err
	}
	j.scratch, j.remove = dir, remove
	return dir, nil
}

// takeBack ends a job that must not be.
func (j *Jobs) takeBack(job *job) error {
	job.silence()
	_, err := job.kill(context.Background(), ByProgram)
	j.forget(job)
	return err
}

package process

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hermes-tui/tools/place"
)

// Ledger remembers the jobs of a conversation that have not ended, for the next
// run of the program. Commands may hold anything: it belongs where the
// conversation is kept.
type Ledger interface {
	// Save replaces what is remembered. When it returns, it lasts.
	Save(ctx context.Context, records []Record) error
	Load(ctx context.Context) ([]Record, error)
}

// Record is a job as the ledger remembers it.
type Record struct {
	ID      string    `json:"id"`
	Command string    `json:"command"`
	Dir     string    `json:"dir,omitempty"`
	PID     int       `json:"pid,omitempty"`
	Ref     string    `json:"ref,omitempty"` // by which the place finds it; empty: it cannot
	Log     string    `json:"log,omitempty"`
	Started time.Time `json:"started"`
	Agent   string    `json:"agent,omitempty"`
	TTY     bool      `json:"tty,omitempty"`
	Notify  bool      `json:"notify,omitempty"`
	Watch   []string  `json:"watch,omitempty"`
	// Confined says that the system confines it.
	Confined bool `json:"confined,omitempty"`
}

// left reports whether it is what a command has left running.
func (r Record) left() bool { return r.Ref != "" && r.Log == "" }

// record is a job for the ledger.
func (j *job) record() Record {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := Record{
		ID: j.id, Command: j.command, Dir: j.dir, PID: j.pid, Ref: j.ref, Log: j.log,
		Started: j.started, Agent: j.agent, TTY: j.tty, Notify: j.notify, Confined: j.confined,
	}
	if j.watch != nil && !j.watch.off {
		for _, p := range j.watch.patterns {
			r.Watch = append(r.Watch, p.text)
		}
	}
	return r
}

// save writes the running jobs down. What is saved is at least as new as the call.
func (j *Jobs) save(ctx context.Context) error {
	if j.o.Ledger == nil {
		return nil
	}
	j.saving.Lock()
	defer j.saving.Unlock()
	j.mu.Lock()
	records := slices.Clone(j.unread)
	for _, job := range j.jobs {
		if job.info().State.live() {
			records = append(records, job.record())
		}
	}
	j.mu.Unlock()
	if err := j.o.Ledger.Save(ctx, records); err != nil {
		return fmt.Errorf("remember background jobs: %w", err)
	}
	return nil
}

// Restore finds the jobs of an earlier run again. The error says what could not be
// read, found or written; what could be found is there all the same, and what
// could not stays remembered.
func (j *Jobs) Restore(ctx context.Context) error {
	if j.o.Ledger == nil {
		return nil
	}
	records, err := j.o.Ledger.Load(ctx)
	if err != nil {
		return fmt.Errorf("read background jobs of the last run: %w", err)
	}
	var errs []error
	var lost []*job
	for _, r := range records {
		if r.ID == "" || j.find(r.ID) != nil {
			continue
		}
		job, err := j.adopt(r)
		if errors.Is(err, place.ErrGone) && r.left() {
			continue // no one waited for its end
		}
		j.mu.Lock()
		switch {
		case err == nil:
			j.add(job)
		case errors.Is(err, place.ErrGone):
			j.add(job)
			lost = append(lost, job)
		default:
			j.unread = append(j.unread, r)
			errs = append(errs, fmt.Errorf("find background job %s again: %w", r.ID, err))
		}
		j.mu.Unlock()
	}
	for _, job := range lost {
		job.lose()
	}
	if len(records) > 0 {
		errs = append(errs, j.save(ctx))
		j.o.Changed()
	}
	return errors.Join(errs...)
}

// adopt finds a job again. When it no longer runs, there is a job all the same.
func (j *Jobs) adopt(r Record) (*job, error) {
	watch, _ := newWatch(r.Watch, j.o.Now)
	job := &job{
		all: j, id: r.ID, command: r.Command, dir: r.Dir, agent: r.Agent, pid: r.PID, ref: r.Ref, log: r.Log,
		tty: r.TTY, confined: r.Confined, started: r.Started, state: Detached, notify: r.Notify,
		out: &window{}, left: make(chan struct{}), done: make(chan struct{}), over: make(chan struct{}),
	}
	job.ctx, job.cancel = context.WithCancelCause(context.Background())
	if r.Ref == "" {
		return job, place.ErrGone
	}
	p, err := j.o.Place.Adopt(job.ctx, r.Ref)
	if err != nil {
		job.cancel(nil)
		return job, err
	}
	if r.Log != "" {
		text, at := lastOf(j.o.Place.FS(), r.Log)
		job.out.write(text) // what is watched for is what comes from now on
		job.read, job.watch = at, watch
	}
	job.begin(p)
	return job, nil
}

// lose notes that a job of an earlier run is gone, and reports it, once.
func (j *job) lose() {
	if j.log != "" {
		text, _ := lastOf(j.all.o.Place.FS(), j.log)
		j.out.write(text)
	}
	j.mu.Lock()
	j.state, j.reason, j.by, j.ended = Lost, ReasonLost, ByItself, j.all.o.Now()
	j.notify = true
	j.mu.Unlock()
	j.cancel(nil)
	j.settle()
}

// forget takes a job off the list.
func (j *Jobs) forget(gone *job) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.jobs = slices.DeleteFunc(j.jobs, func(other *job) bool { return other == gone })
}

func (j *Jobs) ownFolder() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.scratch
}

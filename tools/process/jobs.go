package process

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"hermes-tui/tools/place"
)

// Limits.
const (
	// MaxJobs is how many jobs there may be.
	MaxJobs = 64
	// KeepEnded is how long a job that has ended can be looked at.
	KeepEnded = 1800 * time.Second
	// DefaultMaxWait is the longest wait of the process tool.
	DefaultMaxWait = 180 * time.Second
)

// Options configure [Jobs].
type Options struct {
	Place place.Place
	// Ledger remembers running jobs; nil: what outlives the program is not found
	// again.
	Ledger Ledger
	// Notify takes what an agent should be told unasked; nil ignores it.
	Notify func(Notice)
	// Changed hears that a job has begun or ended; nil ignores it.
	Changed func()
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Rand is the source of ids; nil is crypto/rand.
	Rand io.Reader
	// MaxWait is the longest wait of the process tool, and the usual one.
	MaxWait time.Duration
}

func (o *Options) defaults() {
	if o.Notify == nil {
		o.Notify = func(Notice) {}
	}
	if o.Changed == nil {
		o.Changed = func() {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.MaxWait <= 0 {
		o.MaxWait = DefaultMaxWait
	}
}

// Jobs are the background jobs of a conversation.
type Jobs struct {
	o     Options
	flood flood

	saving sync.Mutex // one save after the other

	mu       sync.Mutex
	jobs     []*job // in the order they were started
	starting int
	scratch  string
	remove   func() error
	unread   []Record // of an earlier run, in a place that could not be reached
	closed   bool
}

// New makes an empty registry. It starts nothing.
func New(o Options) *Jobs {
	o.defaults()
	return &Jobs{o: o, flood: flood{now: o.Now}}
}

// State is where a job stands.
type State string

// The states of a job.
const (
	Running  State = "running"
	Exited   State = "exited"
	Killed   State = "killed"
	Detached State = "detached" // of an earlier run of the program, still running
	Lost     State = "lost"     // no one knows how it ended
)

func (s State) live() bool { return s == Running || s == Detached }

// Info is a job as a screen shows it.
type Info struct {
	ID, Command, Dir, Agent string
	PID                     int
	Started                 time.Time
	State                   State
	Ended                   time.Time // zero while it runs
	Exit                    *int      // nil while it runs, and when it is not known
	TTY                     bool
	By                      By   // who ended it
	Stays                   bool // it goes on when the session is closed, and runs
}

// List gives all jobs, in the order they were started.
func (j *Jobs) List() []Info {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.prune()
	list := make([]Info, 0, len(j.jobs))
	for _, job := range j.jobs {
		list = append(list, job.info())
	}
	return list
}

// Busy reports whether a job of an agent runs.
func (j *Jobs) Busy(agent string) bool {
	return slices.ContainsFunc(j.List(), func(i Info) bool { return i.Agent == agent && i.State.live() })
}

// Tail gives the newest output of a job, bytes at most, as the job wrote it, and
// how many bytes came before. It is empty for an unknown job.
func (j *Jobs) Tail(id string, bytes int) (text string, dropped int64) {
	job := j.find(id)
	if job == nil {
		return "", 0
	}
	return job.out.tail(bytes)
}

// Kill ends a job for the user, with all it has started. It returns when the job
// has ended; nil too when it had ended before.
func (j *Jobs) Kill(ctx context.Context, id string) error {
	job := j.find(id)
	if job == nil {
		return errUnknown(id)
	}
	_, err := job.kill(ctx, ByUser)
	return err
}

// Write types text into a job for the user.
func (j *Jobs) Write(id, text string) error {
	job := j.find(id)
	if job == nil {
		return errUnknown(id)
	}
	return job.write(text)
}

func errUnknown(id string) error { return fmt.Errorf("there is no job %q", id) }

// Close ends all jobs and waits until they have ended, or ctx has. With keep, jobs
// without a terminal go on; the ledger holds them for the next run.
func (j *Jobs) Close(ctx context.Context, keep bool) error {
	j.mu.Lock()
	j.closed = true
	all, remove := slices.Clone(j.jobs), j.remove
	j.mu.Unlock()
	kept := false
	var errs []error
	var ending []*job
	for _, job := range all { // all at once
		if job.leave(keep) {
			kept = kept || job.log != ""
			continue
		}
		job.stop(ByProgram)
		ending = append(ending, job)
	}
	for _, job := range ending {
		if err := await(ctx, job.over); err != nil {
			errs = append(errs, fmt.Errorf("end job %s: %w", job.id, err))
			kept = true // it may still write
		}
	}
	if err := j.save(context.WithoutCancel(ctx)); err != nil {
		errs = append(errs, err)
	}
	if remove != nil && !kept {
		errs = append(errs, remove())
	}
	return errors.Join(errs...)
}

// find gives a job that is known, or nil.
func (j *Jobs) find(id string) *job {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.prune()
	if i := slices.IndexFunc(j.jobs, func(job *job) bool { return job.id == id }); i >= 0 {
		return j.jobs[i]
	}
	return nil
}

// prune forgets what ended long ago.
func (j *Jobs) prune() {
	limit := j.o.Now().Add(-KeepEnded)
	j.jobs = slices.DeleteFunc(j.jobs, func(job *job) bool {
		ended := job.info().Ended
		return !ended.IsZero() && ended.Before(limit)
	})
}

// room makes room for another job: the one that ended first goes. It fails when
// too many run.
func (j *Jobs) room() error {
	j.prune()
	for len(j.jobs)+j.starting >= MaxJobs {
		var oldest *job
		for _, job := range j.jobs {
			if ended := job.info().Ended; !ended.IsZero() && (oldest == nil || ended.Before(oldest.info().Ended)) {
				oldest = job
			}
		}
		if oldest == nil {
			return fmt.Errorf("%d background jobs are running, which is the most there may be; end one of them first (process, action kill)", MaxJobs)
		}
		j.jobs = slices.DeleteFunc(j.jobs, func(job *job) bool { return job == oldest })
	}
	return nil
}

// add puts a job into its place among the others.
func (j *Jobs) add(added *job) {
	j.jobs = append(j.jobs, added)
	slices.SortStableFunc(j.jobs, func(a, b *job) int { return cmp.Compare(a.started.UnixNano(), b.started.UnixNano()) })
}

// newID makes an id no one can guess.
func (j *Jobs) newID() (string, error) {
	var b [6]byte
	if _, err := io.ReadFull(j.o.Rand, b[:]); err != nil {
		return "", fmt.Errorf("name the job: %w", err)
	}
	return "proc_" + hex.EncodeToString(b[:]), nil
}

package bind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"hermes-tui/agent/event"
	"hermes-tui/store/atomicfile"
	"hermes-tui/tools/place"
	"hermes-tui/tools/process"
	"hermes-tui/tools/shell"
)

type shellJobs struct {
	jobs  *process.Jobs
	agent string
}

// Start implements [shell.Jobs].
func (s shellJobs) Start(ctx context.Context, j shell.Job) (shell.JobStarted, error) {
	started, err := s.jobs.Start(ctx, process.Spec{
		Permit: j.Permit, Agent: s.agent, Terminal: j.Terminal, Notify: j.Notify, Watch: j.Watch, Host: j.Host, Ready: j.Ready,
	})
	return shell.JobStarted(started), err
}

// Keep implements [shell.Jobs].
func (s shellJobs) Keep(ctx context.Context, command, dir string, confined bool, left place.Left) (string, error) {
	return s.jobs.Keep(ctx, command, dir, s.agent, confined, left)
}

// JobLedger remembers background jobs in a private file.
func JobLedger(file string) process.Ledger { return ledger{file} }

type ledger struct{ file string }

// Save implements [process.Ledger]. No records make no file.
func (l ledger) Save(_ context.Context, records []process.Record) error {
	if _, err := os.Stat(l.file); len(records) == 0 && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	data, err := json.Marshal(records)
	if err != nil {
		return err
	}
	if err := atomicfile.MkdirPrivate(filepath.Dir(l.file)); err != nil {
		return err
	}
	return atomicfile.Write(l.file, data, 0o600)
}

// Load implements [process.Ledger].
func (l ledger) Load(context.Context) ([]process.Record, error) {
	data, err := os.ReadFile(l.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var records []process.Record
	if err := json.Unmarshal(data, &records); err != nil {
		return nil, fmt.Errorf("%s: %w", l.file, err)
	}
	return records, nil
}

// JobViews are background jobs as a screen shows them.
func JobViews(list []process.Info) []event.Job {
	views := make([]event.Job, len(list))
	for i, j := range list {
		views[i] = event.Job{
			ID: j.ID, Command: j.Command, Dir: j.Dir, PID: j.PID, Agent: event.AgentID(j.Agent),
			Started: j.Started, State: event.JobState(j.State), Ended: j.Ended, Exit: j.Exit, TTY: j.TTY, Stays: j.Stays,
		}
		if j.State == process.Killed && j.By == process.ByProgram {
			views[i].State = event.JobClosed
		}
	}
	return views
}

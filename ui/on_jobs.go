package ui

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/status"
)

// How often the window of jobs looks at what the marked one puts out, and how
// much of it, in bytes; jobPage is how much is opened in a window of its own.
const (
	jobEvery = 250 * time.Millisecond
	jobTail  = 16 << 10
	jobPage  = 200_000
)

// jobTickMsg is due when the window of jobs is to be brought up to date.
type jobTickMsg struct{ gen int }

func (msg jobTickMsg) handle(m *Model) tea.Cmd { return m.lookAtJobs(msg.gen) }

// jobTailMsg brings what a job has put out.
type jobTailMsg struct {
	gen  int
	id   string
	text string
}

// openJobs lists what runs in the background.
func (m *Model) openJobs() tea.Cmd {
	m.jobs = overlay.NewJobs(m.styles, nil)
	m.show(m.jobs)
	return m.jobsChanged()
}

// jobsChanged looks at the jobs now, if their window is open.
func (m *Model) jobsChanged() tea.Cmd {
	m.jobGen++ // the tick under way is for nothing
	return m.lookAtJobs(m.jobGen)
}

// lookAtJobs brings the window up to date, and again after a while as long as it
// is open and something runs.
func (m *Model) lookAtJobs(gen int) tea.Cmd {
	reads := m.readsJob()
	if gen != m.jobGen || m.conv == nil || !reads && m.box != m.jobs {
		return nil
	}
	m.jobs.SetJobs(jobRows(m.state.Jobs, m.state.Work, m.now()))
	if reads {
		return m.lookAtJob(gen, m.jobs, jobPage)
	}
	m.dirty = true
	m.jobs.SetHints(m.jobHints(m.jobs))
	return m.lookAtJob(gen, m.jobs, jobTail)
}

// readsJob reports whether the output of a job is open, out of the list.
func (m *Model) readsJob() bool { return len(m.under) > 0 && m.under[len(m.under)-1] == m.jobs }

// lookAtJob asks for the end of what the marked job has put out, and looks at the
// jobs again after a while if one runs.
func (m *Model) lookAtJob(gen int, box *overlay.Jobs, most int) tea.Cmd {
	var cmds []tea.Cmd
	if box.Running() {
		cmds = append(cmds, m.after(jobEvery, func() tea.Msg { return jobTickMsg{gen} }))
	}
	if at, ok := box.Selected(); ok {
		conv := m.conv
		cmds = append(cmds, func() tea.Msg { return jobTailMsg{gen, at.ID, conv.JobTail(at.ID, most)} })
	}
	return tea.Batch(cmds...)
}

// jobHints are the keys worth knowing for the marked job.
func (m *Model) jobHints(box *overlay.Jobs) []status.Hint {
	var hints []status.Hint
	if at, ok := box.Selected(); ok {
		if at.Running {
			hints = m.hints(keys.InJobs, keys.Kill)
		}
		hints = append(hints, m.hints(keys.InJobs, keys.Open)...)
	}
	return hints
}

func (msg jobTailMsg) handle(m *Model) tea.Cmd { //nolint:unparam // as all messages
	if msg.gen != m.jobGen {
		return nil
	}
	switch {
	case m.readsJob():
		if b, ok := m.box.(interface{ Grow(text string) bool }); ok {
			m.dirty = b.Grow(msg.text) || m.dirty
		}
	case m.box == m.jobs:
		m.dirty = m.jobs.SetTail(msg.id, msg.text) || m.dirty
	}
	return nil
}

// jobRows are the rows of the window, the newest first.
// The folder of a job is named where it is another one than that of the
// conversation.
func jobRows(jobs []event.Job, work event.Workspace, now time.Time) []overlay.Job {
	list := make([]overlay.Job, 0, len(jobs))
	for i := len(jobs) - 1; i >= 0; i-- {
		j := jobs[i]
		r := overlay.Job{ID: j.ID, Command: j.Command, State: jobWords(j)}
		if j.Dir != work.Dir {
			r.Dir = status.ShortDir(j.Dir, work.Home)
		}
		end := j.Ended
		if j.State == event.JobRunning || j.State == event.JobDetached {
			r.Running, end = true, now
		}
		r.Good = j.Exit != nil && *j.Exit == 0
		r.Bad = j.Exit != nil && *j.Exit != 0 || j.State == event.JobLost
		if !end.IsZero() {
			r.Spent = format.Elapsed(max(end.Sub(j.Started), 0))
		}
		list = append(list, r)
	}
	return list
}

// jobWords say how a job stands.
func jobWords(j event.Job) string {
	switch j.State {
	case event.JobDetached:
		return "still running"
	case event.JobKilled:
		return "ended"
	case event.JobExited:
		if j.Exit != nil {
			return "exit " + strconv.Itoa(*j.Exit)
		}
	}
	return string(j.State)
}

// killJob kills the marked job.
func (m *Model) killJob(at overlay.Job) tea.Cmd {
	if !at.Running {
		return m.say("It has ended already.")
	}
	cmd, second := m.twice("job"+at.ID, "Press "+m.keyName(keys.Kill)+" again to end the job.")
	if !second {
		return cmd
	}
	conv, ctx := m.conv, m.ctx
	return m.do(func() tea.Msg {
		if err := conv.KillJob(ctx, at.ID); err != nil {
			return saidMsg{err.Error()}
		}
		return saidMsg{"Ended: " + at.Command}
	})
}

// openJob shows all that is kept of a job's output, as it grows. Closing that goes
// back to the list.
func (m *Model) openJob(at overlay.Job) tea.Cmd {
	conv, styles, list := m.conv, m.styles, m.jobs
	hints := append(m.hints(keys.InText, keys.Find), m.hints(keys.InOverlay, keys.Copy)...)
	hints = append(hints, status.Hint{Key: "esc", Text: "back"})
	return m.do(func() tea.Msg {
		p := overlay.NewPager(styles, at.Command, conv.JobTail(at.ID, jobPage), hints)
		if at.Running {
			p.Follow()
		}
		return pagerMsg{p, list}
	})
}

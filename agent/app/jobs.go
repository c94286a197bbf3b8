package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/tools"
	"hermes-tui/tools/place"
	"hermes-tui/tools/process"
	"hermes-tui/tools/shorten"
)

// jobTopic is the topic of the background jobs of a conversation.
type jobTopic struct {
	jobs *process.Jobs
	news news
	mask func(string) string
	dir  string // of the conversation
}

// jobs makes the background jobs of a conversation. What they have to say is
// handed to it as soon as there is one.
func (a *App) jobs(c *conversation, at place.Place, conv event.ConvID) *jobTopic {
	t := &jobTopic{mask: func(text string) string { return a.masker().Text(text) }, dir: c.dir}
	t.jobs = process.New(process.Options{
		Place: at, Ledger: bind.JobLedger(a.o.Home.Jobs(string(conv))), Now: a.o.IDs.Now,
		MaxWait: a.config().Terminal.Timeout.Duration(),
		Notify:  func(n process.Notice) { c.later(func() { c.tell(n) }) },
		Changed: func() { c.later(c.showJobs) },
	})
	return t
}

// later does something for the conversation on a goroutine of its own, one thing
// after the other: who reports must not wait.
func (c *conversation) later(do func()) {
	c.work.Lock()
	defer c.work.Unlock()
	if c.ended {
		return
	}
	c.waiting = append(c.waiting, do)
	if len(c.waiting) == 1 {
		c.reports.Go(c.report)
	}
}

// report does what is to be done, in its order.
func (c *conversation) report() {
	for {
		c.work.Lock()
		if len(c.waiting) == 0 || c.ended {
			c.work.Unlock()
			return
		}
		do := c.waiting[0]
		c.work.Unlock()
		do()
		c.work.Lock()
		c.waiting = c.waiting[1:]
		over := len(c.waiting) == 0
		c.work.Unlock()
		if over {
			return
		}
	}
}

// reported waits until everything reported is done, as long as ctx allows, and
// takes no more.
func (c *conversation) reported(ctx context.Context) {
	done := make(chan struct{})
	go func() { c.reports.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
	c.work.Lock()
	c.ended = true
	c.work.Unlock()
}

// tell hands what a job has to say to the agent.
func (c *conversation) tell(n process.Notice) {
	if c.jobs.Stale(n) {
		return
	}
	text := c.app.masker().Text(n.Text())
	if err := c.Inform(text, event.OriginJob, func() bool { return c.jobs.Stale(n) }); err != nil {
		c.app.log.Warn("background job not reported", "job", n.ID, "err", err)
	}
}

// views returns the jobs, with secrets masked.
func (t *jobTopic) views() []event.Job {
	views := bind.JobViews(t.jobs.List())
	for i := range views {
		views[i].Command = t.mask(views[i].Command)
	}
	return views
}

// showJobs records the list of jobs, and tells that it has changed.
func (c *conversation) showJobs() {
	defer c.news.stir()
	if err := c.ShowJobs(c.views()); err != nil && !errors.Is(err, journal.ErrClosed) {
		c.app.log.Warn("list of background jobs not stored", "err", err)
	}
}

// Jobs implements [api.Jobs].
func (t *jobTopic) Jobs() []api.Job {
	views := t.views()
	list := make([]api.Job, len(views))
	for i, v := range views {
		j := api.Job{ID: v.ID, Command: v.Command, State: jobState(v), Exit: v.Exit, Started: v.Started, Ended: v.Ended}
		if j.Running = v.State == event.JobRunning || v.State == event.JobDetached; v.Dir != t.dir {
			j.Dir = v.Dir
		}
		list[len(list)-1-i] = j
	}
	return list
}

// jobState says how a job stands.
func jobState(v event.Job) string {
	switch {
	case v.State == event.JobDetached:
		return "still running"
	case v.State == event.JobKilled:
		return "ended"
	case v.State == event.JobExited && v.Exit != nil:
		return fmt.Sprint("exit ", *v.Exit)
	}
	return string(v.State)
}

// JobsChanged implements [api.Jobs].
func (t *jobTopic) JobsChanged() <-chan struct{} { return t.news.next() }

// JobTail implements [api.Jobs].
func (t *jobTopic) JobTail(id string, bytes int) string {
	text, _ := t.jobs.Tail(id, bytes)
	return t.mask(text)
}

// KillJob implements [api.Jobs].
func (t *jobTopic) KillJob(ctx context.Context, id string) error { return t.jobs.Kill(ctx, id) }

// restoreTime is how long looking for the jobs of an earlier run may take.
const restoreTime = 10 * time.Second

// restoreJobs finds the jobs of an earlier run again, and names those that ended with it.
// When some are listed, the list becomes what there is: the journal may still call running
// what no one could record the end of.
func (c *conversation) restoreJobs(listed []event.Job) {
	ctx, cancel := context.WithTimeout(context.Background(), restoreTime)
	defer cancel()
	if err := c.jobs.Restore(ctx); err != nil {
		c.app.log.Warn("background jobs of an earlier run", "err", err)
		c.Notify(event.LevelWarn, "Background jobs of the last run: "+err.Error()+".")
	}
	for _, j := range listed {
		if j.State == event.JobClosed {
			c.Notify(event.LevelWarn, "Ended when the program was closed: "+j.Command)
		}
	}
	if len(listed) > 0 {
		c.showJobs()
	}
	if text := stillRunning(c.jobs.List()); text != "" {
		c.Notify(event.LevelInfo, c.app.masker().Text(text))
	}
}

// stillRunning says what of an earlier run still runs; empty for nothing.
func stillRunning(jobs []process.Info) string {
	var commands []string
	for _, j := range jobs {
		if j.State == process.Detached {
			commands = append(commands, shorten.Runes(strings.Join(strings.Fields(j.Command), " "), 60))
		}
	}
	switch n := len(commands); {
	case n == 0:
		return ""
	case n > 3:
		commands = append(commands[:3], tools.Plural(n-3, "more", "more"))
	}
	return "Still running from before: " + strings.Join(commands, " · ") + ". /jobs shows and ends what runs."
}

// Unsent begins the sentence of [Underway] about a message that waits to be sent.
const Unsent = "Not sent yet: "

// Underway says in sentences which work of a conversation ends with the program.
func Underway(s *event.State) []string {
	var list []string
	root := s.Root()
	if root != nil && root.Turn != "" {
		list = append(list, "The agent is still working on its answer.")
	}
	if root != nil && len(root.Commands) > 0 {
		list = append(list, "A command of yours is running.")
	}
	for _, a := range s.Live() {
		list = append(list, "A subagent is working: "+a.Goal)
	}
	for _, q := range s.Queue {
		list = append(list, Unsent+q.Text)
	}
	for _, command := range s.Running() {
		list = append(list, "In the background: "+command)
	}
	return list
}

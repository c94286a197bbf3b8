package process

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// How much of a job's output goes into a result, in characters.
const (
	listPreview = 200
	pollPreview = 1000
	waitOutput  = 2000
)

// status is the state of a job in the words of the tool.
func (i Info) status() string {
	if i.State.live() {
		return "running"
	}
	return "exited"
}

// uptime is how long a job has run, in whole seconds.
func (j *job) uptime(i Info) int {
	until := i.Ended
	if until.IsZero() {
		until = j.all.o.Now()
	}
	return int(max(0, until.Sub(i.Started)).Seconds())
}

// listed is a job in a list.
type listed struct {
	ID      string `json:"session_id"`
	Command string `json:"command"`
	Dir     string `json:"cwd"`
	PID     int    `json:"pid"`
	Started string `json:"started_at"`
	Uptime  int    `json:"uptime_seconds"`
	Status  string `json:"status"`
	Preview string `json:"output_preview"`
	Exit    *int   `json:"exit_code,omitempty"`
	// Detached: of an earlier run of the program, without input.
	Detached bool `json:"detached,omitempty"`
	// Agent is another agent that started it.
	Agent string `json:"agent,omitempty"`
}

func (t *tool) list(v tools.View) tools.Result {
	list := []listed{}
	running := 0
	for _, i := range t.jobs.List() {
		job := t.jobs.find(i.ID)
		if job == nil {
			continue // it ended long ago, just now
		}
		l := listed{
			ID: i.ID, Command: shorten.Runes(i.Command, listPreview), Dir: i.Dir, PID: i.PID, Started: i.Started.UTC().Format(time.RFC3339),
			Uptime: job.uptime(i), Status: i.status(), Preview: job.plainTail(listPreview), Exit: i.Exit, Detached: i.State == Detached,
		}
		if i.Agent != t.agent {
			l.Agent = i.Agent
		}
		if i.State.live() {
			running++
		}
		list = append(list, l)
	}
	v.Summary = fmt.Sprintf("%d running, %d ended", running, len(list)-running)
	return tools.Result{Content: tools.JSON(map[string]any{"processes": list}), View: v}
}

// see notes that the agent sees how a job has ended, if it has.
func (j *job) see() Info {
	j.mu.Lock()
	j.seen = j.seen || !j.state.live()
	j.mu.Unlock()
	return j.info()
}

// ending is how a job ended, in the words of the tool.
func (j *job) ending(into map[string]any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state.live() {
		return
	}
	if j.exit != nil {
		into["exit_code"] = *j.exit
	}
	into["completion_reason"], into["termination_source"] = j.reason, j.by
	if j.note != "" {
		into["note"] = j.note
	}
}

// word is a state with its exit code, for a screen.
func (i Info) word() string {
	if i.Exit != nil && i.State == Exited {
		return fmt.Sprintf("exit %d", *i.Exit)
	}
	return string(i.State)
}

func (t *tool) poll(_ context.Context, _ arguments, job *job, v tools.View) tools.Result {
	i := job.see()
	res := map[string]any{
		"session_id": i.ID, "command": i.Command, "status": i.status(), "pid": i.PID, "uptime_seconds": job.uptime(i),
		"output_preview": job.plainTail(pollPreview),
	}
	if i.State == Detached {
		res["detached"] = true
	}
	job.ending(res)
	v.Summary, v.Exit, v.Dir = i.word(), i.Exit, i.Dir
	v.Body = res["output_preview"].(string)
	return tools.Result{Content: tools.JSON(res), View: v}
}

// log gives lines of the output that is kept.
func (t *tool) log(_ context.Context, a arguments, job *job, v tools.View) tools.Result {
	i := job.see()
	raw, lost := job.out.all()
	lines := strings.Split(strings.TrimRight(tools.PlainText(raw), "\n"), "\n")
	if len(lines) == 1 && lines[0] == "" {
		lines = nil
	}
	limit := a.Limit
	if limit <= 0 {
		limit = logLines
	}
	limit = min(limit, maxLines)
	from := max(0, len(lines)-limit)
	if a.Offset > 0 {
		from = min(a.Offset, len(lines))
	}
	to := min(from+limit, len(lines))
	showing := "no lines"
	if to > from {
		showing = fmt.Sprintf("lines %d to %d of %d", from+1, to, len(lines))
	}
	text := strings.Join(lines[from:to], "\n")
	res := map[string]any{"session_id": i.ID, "status": i.status(), "output": text, "total_lines": len(lines), "showing": showing}
	if lost > 0 {
		res["dropped_bytes"] = lost
	}
	job.ending(res)
	v.Summary, v.Body, v.Exit, v.Dir = showing, text, i.Exit, i.Dir
	return tools.Result{Content: tools.JSON(res), View: v}
}

// wait waits until a job has ended.
func (t *tool) wait(ctx context.Context, a arguments, job *job, v tools.View) tools.Result {
	span, note := t.span(a)
	limited, cancel := context.WithTimeout(ctx, span)
	defer cancel()
	job.mu.Lock()
	job.waiters++
	job.mu.Unlock()
	err := await(limited, job.done)
	job.mu.Lock()
	job.waiters--
	job.mu.Unlock()
	i := job.info()
	res := map[string]any{"session_id": i.ID, "output": job.plainTail(waitOutput)}
	if note != "" {
		res["timeout_note"] = note
	}
	status := tools.StatusOK
	v.Summary, v.Exit, v.Dir, v.Body = i.word(), i.Exit, i.Dir, res["output"].(string)
	switch {
	case err == nil || !i.State.live():
		job.see()
		res["status"] = "exited"
		job.ending(res)
	case ctx.Err() != nil:
		res["status"], v.Summary, status = "interrupted", "interrupted", tools.StatusCancelled
	default:
		res["status"], v.Summary = "timeout", "still running"
		if note == "" {
			res["timeout_note"] = fmt.Sprintf("It is still running after %d seconds.", int(span.Seconds()))
		}
	}
	return tools.Result{Content: tools.JSON(res), Status: status, View: v}
}

// kill ends a job.
func (t *tool) kill(ctx context.Context, _ arguments, job *job, v tools.View) tools.Result {
	before, err := job.kill(ctx, ByAgent)
	i := job.see()
	res := map[string]any{"session_id": i.ID, "status": "killed"}
	v.Summary, v.Exit, v.Dir = i.word(), i.Exit, i.Dir
	switch {
	case errors.Is(err, errStillThere) || err != nil && ctx.Err() == nil:
		res["status"], res["error"] = "error", err.Error()
		v.Summary = err.Error()
		return tools.Result{Content: tools.JSON(res), Status: tools.StatusFailed, View: v}
	case err != nil:
		res["status"], v.Summary = "interrupted", "interrupted"
		return tools.Result{Content: tools.JSON(res), Status: tools.StatusCancelled, View: v}
	case before:
		res["status"] = "already_exited"
	}
	job.ending(res)
	return tools.Result{Content: tools.JSON(res), View: v}
}

// closeInput ends the input of a job.
func (t *tool) closeInput(_ context.Context, _ arguments, job *job, v tools.View) tools.Result {
	switch {
	case !job.info().State.live():
		return tools.Failure(v, fmt.Sprintf("job %s has ended, and its input with it", job.id))
	case job.in == nil:
		return tools.Failure(v, fmt.Sprintf("job %s: %v", job.id, errNoInput))
	}
	job.in.close()
	v.Summary = "input closed"
	return tools.Result{Content: tools.JSON(map[string]any{"status": "ok", "session_id": job.id}), View: v}
}

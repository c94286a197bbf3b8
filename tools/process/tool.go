package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

// arguments of the process tool.
type arguments struct {
	Action  string `json:"action"`
	ID      string `json:"session_id"`
	Data    string `json:"data"`
	Timeout int    `json:"timeout"` // seconds
	Offset  int    `json:"offset"`
	Limit   int    `json:"limit"`
}

// Limits of the tool.
const (
	// logLines is how many lines log gives, unless told otherwise, maxLines the
	// most it gives.
	logLines = 200
	maxLines = 2000
	// maxData is the longest input of one call, in bytes.
	maxData = 64 << 10
)

// Tool is the process tool of an agent.
func (j *Jobs) Tool(agent string) tools.Tool {
	t := &tool{jobs: j, agent: agent}
	return tools.Tool{
		Name: "process", Toolset: "terminal",
		Description: "Look after background jobs that terminal started. list: all jobs. poll: state and newest output. " +
			"log: output by lines. wait: until it ends. kill: end it and all it started. write: type data as it is. " +
			"submit: type data and Enter. close: end its input.",
		Parameters: t.schema(),
		Class:      tools.Exclusive,
		ReadsOnly:  true, // what is typed passes the gate, which refuses it in plan mode
		Preview:    t.preview,
		Action:     t.action,
		Edit:       t.edit,
		Run:        t.run,
	}
}

// tool is the process tool of one agent.
type tool struct {
	jobs  *Jobs
	agent string
}

func (t *tool) schema() json.RawMessage {
	most := int(t.jobs.o.MaxWait.Seconds())
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{`+
		`"action":{"type":"string","enum":["list","poll","log","wait","kill","write","submit","close"],"description":"What to do."},`+
		`"session_id":{"type":"string","description":"The job, for everything but list."},`+
		`"data":{"type":"string","description":"What to type (write, submit)."},`+
		`"timeout":{"type":"integer","minimum":1,"description":"Seconds to wait for the end; %d if not given, and at most."},`+
		`"offset":{"type":"integer","description":"Lines of the log to leave out at its beginning; 0 gives its end."},`+
		`"limit":{"type":"integer","minimum":1,"description":"Lines of the log to give; %d if not given, %d at most."}`+
		`},"required":["action"]}`, most, logLines, maxLines))
}

func decode(args json.RawMessage) (arguments, error) {
	var a arguments
	if err := json.Unmarshal(args, &a); err != nil {
		return a, fmt.Errorf("arguments of process: %w", err)
	}
	return a, nil
}

// types reports whether a call types something.
func (a arguments) types() bool { return a.Action == "write" || a.Action == "submit" }

// input is what a call types.
func (a arguments) input() string {
	if a.Action == "submit" {
		return a.Data + "\n"
	}
	return a.Data
}

func view(a arguments) tools.View {
	return tools.View{Kind: tools.KindProcess, Subject: strings.TrimSpace(a.Action + " " + a.ID)}
}

// preview accepts any arguments.
func (t *tool) preview(args json.RawMessage) tools.View {
	a, _ := decode(args) // what could be read of them
	v := view(a)
	if a.types() {
		v.Subject += ": " + strings.TrimSpace(a.Data)
	}
	return v
}

// action says what a call would do: typing is judged, everything else has no
// Kind, since it does nothing that needs leave.
func (t *tool) action(args json.RawMessage) (tools.Action, error) {
	a, err := decode(args)
	if err != nil || !a.types() {
		return tools.Action{}, err
	}
	job, err := t.typeable(a)
	if err != nil {
		return tools.Action{}, err
	}
	return tools.Action{
		Kind: tools.ActExec, Command: job.judged(a.input()), Argv: []string{job.argv[0], job.id, a.input()}, Dir: job.dir, Env: job.env,
		Typed: true,
	}, nil
}

// typeable gives the job of a call that types, if it can be typed into.
func (t *tool) typeable(a arguments) (*job, error) {
	job := t.jobs.find(a.ID)
	switch {
	case a.ID == "":
		return nil, errors.New("session_id is missing; process (list) shows the jobs")
	case job == nil:
		return nil, fmt.Errorf("there is no job %q; process (list) shows the jobs", a.ID)
	case !job.info().State.live():
		return nil, fmt.Errorf("job %s has ended, so nothing can be typed into it; process (log) shows its output", job.id)
	case job.in == nil:
		return nil, fmt.Errorf("nothing can be typed into job %s: %w", job.id, errNoInput)
	case len(a.Data) > maxData:
		return nil, fmt.Errorf("data is too long: %d bytes, %d are the most; put it into a file, or type it in parts", len(a.Data), maxData)
	case a.Data == "" && a.Action == "write":
		return nil, errors.New("data is missing; give what to type")
	}
	return job, nil
}

// edit puts input as the user has changed it into the arguments.
func (t *tool) edit(args json.RawMessage, text string) (json.RawMessage, error) {
	a, err := decode(args)
	if err != nil {
		return nil, err
	}
	job, err := t.typeable(a)
	if err != nil {
		return nil, err
	}
	job.mu.Lock()
	pending := job.pending
	job.mu.Unlock()
	text, whole := strings.CutPrefix(strings.TrimSuffix(text, job.mark()), pending)
	if !whole {
		return nil, errors.New("what was typed before cannot be changed any more; change only what follows it")
	}
	if a.Action == "submit" {
		text = strings.TrimSuffix(text, "\n")
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(args, &fields); err != nil {
		return nil, fmt.Errorf("arguments of process: %w", err)
	}
	fields["data"] = json.RawMessage(tools.JSON(text))
	return json.RawMessage(tools.JSON(fields)), nil
}

// run does what a call asks for.
func (t *tool) run(ctx context.Context, c tools.Call, host tools.Host, _ tools.Sink) (tools.Result, error) {
	a, err := decode(c.Args)
	v := view(a)
	if err != nil {
		return tools.Failure(v, err.Error()), nil
	}
	if a.Action == "list" {
		return t.list(v), nil
	}
	if a.types() {
		return t.typeIn(ctx, c, a, host, v), nil
	}
	do := map[string]func(context.Context, arguments, *job, tools.View) tools.Result{
		"poll": t.poll, "log": t.log, "wait": t.wait, "kill": t.kill, "close": t.closeInput,
	}[a.Action]
	switch job := t.jobs.find(a.ID); {
	case do == nil:
		return tools.Failure(v, fmt.Sprintf("there is no action %q; use list, poll, log, wait, kill, write, submit or close", a.Action)), nil
	case a.ID == "":
		return tools.Failure(v, "session_id is missing; action list shows the jobs"), nil
	case job == nil:
		return notFound(v, a.ID), nil
	default:
		return do(ctx, a, job, v), nil
	}
}

// notFound is the result for a job that is not known.
func notFound(v tools.View, id string) tools.Result {
	v.Summary = "not found"
	return tools.Result{
		Content: tools.JSON(map[string]string{
			"status": "not_found", "error": fmt.Sprintf("there is no job %q; action list shows the jobs, those that ended are kept for 30 minutes", id),
		}),
		Status: tools.StatusFailed, View: v,
	}
}

// typeIn types what the permit of the call allows, byte for byte.
func (t *tool) typeIn(ctx context.Context, c tools.Call, a arguments, host tools.Host, v tools.View) tools.Result {
	job, err := t.typeable(a)
	if err != nil {
		return tools.Failure(v, err.Error())
	}
	permit, ok := c.Permit.(approval.Permit)
	if !ok {
		return tools.Failure(v, approval.ErrNoPermit.Error()+"; nothing was typed")
	}
	run, err := permit.Take(t.jobs.o.Place)
	if err == nil && run.Confined && !job.confined {
		run, err = t.unconfined(ctx, permit, host)
	}
	if err != nil {
		return tools.Failure(v, err.Error()+"; nothing was typed")
	}
	if len(run.Argv) != 3 || run.Argv[1] != job.id || run.Argv[2] != a.input() || run.Command != job.judged(a.input()) {
		return tools.Failure(v, "what was allowed is not this input any more, since something else was typed meanwhile; nothing was typed, so try again")
	}
	if err := job.write(run.Argv[2]); err != nil {
		return tools.Failure(v, fmt.Sprintf("job %s: %v", job.id, err))
	}
	job.typed(run.Argv[2])
	v.Summary = fmt.Sprintf("%d bytes typed", len(run.Argv[2]))
	return tools.Result{Content: tools.JSON(map[string]any{"status": "ok", "session_id": job.id, "bytes_written": len(run.Argv[2])}), View: v}
}

// unconfined asks whether input that may run only confined may reach a job which runs
// with all rights.
func (t *tool) unconfined(ctx context.Context, permit approval.Permit, host tools.Host) (approval.Run, error) {
	next, err := permit.Outside(ctx, host, []place.Refusal{{Kind: place.RefusedOther, What: "be typed into a program that runs outside"}}, false)
	if err != nil {
		return approval.Run{}, err
	}
	return next.Take(t.jobs.o.Place)
}

// span is how long a call may wait, and what to say when that is less than it
// wanted.
func (t *tool) span(a arguments) (wait time.Duration, note string) {
	most := t.jobs.o.MaxWait
	if a.Timeout <= 0 {
		return most, ""
	}
	if asked := time.Duration(a.Timeout) * time.Second; a.Timeout <= int(most.Seconds()) {
		return asked, ""
	}
	return most, fmt.Sprintf("Waited %d seconds instead of %d, which is the most for one call.", int(most.Seconds()), a.Timeout)
}

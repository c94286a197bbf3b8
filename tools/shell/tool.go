package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
)

// arguments of the terminal tool.
type arguments struct {
	Command string `json:"command"`
	Timeout int    `json:"timeout"` // seconds
	Workdir string `json:"workdir"`
}

// result is what the model gets.
type result struct {
	Output  string  `json:"output"`
	Code    int     `json:"exit_code"`
	Error   *string `json:"error"`
	Meaning string  `json:"exit_code_meaning,omitempty"`
}

// Tool is the terminal tool of this shell.
func (s *Shell) Tool() tools.Tool {
	return tools.Tool{
		Name: "terminal", Toolset: "terminal",
		Description: "Run a shell command and wait for it to end. The working directory and exported variables last from one call " +
			"to the next. There is no input and no terminal. Output over " + fmt.Sprint(s.o.MaxOutput) + " characters is cut in the middle.",
		Parameters: s.schema(),
		Guidance: "Use terminal to build, test and use git and other programs. To read, search and edit files use the file tools. " +
			"Give commands the options that keep them from asking.",
		Class:   tools.Exclusive,
		Preview: s.preview,
		Action:  s.action,
		Run:     s.run,
	}
}

func (s *Shell) schema() json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{`+
		`"command":{"type":"string","description":"The command, in bash."},`+
		`"timeout":{"type":"integer","minimum":1,"description":"Seconds until it is ended; %d if not given, %d at most."},`+
		`"workdir":{"type":"string","description":"Folder for this one call; the lasting one stays."}`+
		`},"required":["command"]}`, int(s.o.Timeout.Seconds()), int(s.o.MaxTimeout.Seconds())))
}

func decode(args json.RawMessage) (arguments, error) {
	var a arguments
	if err := json.Unmarshal(args, &a); err != nil {
		return a, fmt.Errorf("arguments of terminal: %w", err)
	}
	return a, nil
}

// preview accepts any arguments.
func (s *Shell) preview(args json.RawMessage) tools.View {
	a, _ := decode(args) // what could be read of them
	return s.view(a)
}

func (s *Shell) view(a arguments) tools.View {
	v := tools.View{Kind: tools.KindCommand, Subject: a.Command, Dir: s.Dir()}
	if a.Workdir != "" {
		if dir, err := s.workdir(a.Workdir); err == nil {
			v.Dir = dir
		}
	}
	return v
}

// action says what a call would run.
func (s *Shell) action(args json.RawMessage) (tools.Action, error) {
	a, err := decode(args)
	if err != nil {
		return tools.Action{}, err
	}
	if _, err := s.timeout(a); err != nil {
		return tools.Action{}, err
	}
	switch {
	case strings.TrimSpace(a.Command) == "":
		return tools.Action{}, errors.New("command is empty; give the command to run")
	case strings.Contains(a.Command+a.Workdir, "\x00"):
		return tools.Action{}, errors.New("command holds a NUL character, which no shell accepts; leave it out")
	}
	if advice := guidance(a.Command); advice != "" {
		return tools.Action{}, errors.New(advice)
	}
	dir := ""
	if a.Workdir != "" {
		if dir, err = s.workdir(a.Workdir); err != nil {
			return tools.Action{}, err
		}
	}
	run, err := s.prepare(a.Command, dir)
	if err != nil {
		return tools.Action{}, err
	}
	return tools.Action{Kind: tools.ActExec, Command: run.Command, Argv: run.Argv, Dir: run.Dir, Env: run.Env}, nil
}

// timeout is the time a call may take.
func (s *Shell) timeout(a arguments) (time.Duration, error) {
	most := int(s.o.MaxTimeout.Seconds())
	switch {
	case a.Timeout < 0:
		return 0, errors.New("timeout must be at least 1 second")
	case a.Timeout == 0:
		return s.o.Timeout, nil
	case a.Timeout > most:
		return 0, fmt.Errorf("timeout is %d seconds at most; split the work into shorter commands", most)
	}
	return time.Duration(a.Timeout) * time.Second, nil
}

// run runs what the permit of a call allows.
func (s *Shell) run(ctx context.Context, c tools.Call, _ tools.Host, out tools.Sink) (tools.Result, error) {
	a, err := decode(c.Args)
	if err != nil {
		return tools.Failure(s.view(a), err.Error()), nil
	}
	view := s.view(a)
	limit, err := s.timeout(a)
	if err != nil {
		return tools.Failure(view, err.Error()), nil
	}
	permit, ok := c.Permit.(approval.Permit)
	if !ok {
		return tools.Failure(view, approval.ErrNoPermit.Error()+"; the command was not run"), nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTimeout)
	defer cancel()
	o, err := s.Exec(ctx, permit, out)
	if err != nil {
		return tools.Failure(view, err.Error()+"; the command was not run to its end"), nil
	}
	return report(a, view, o, limit), nil
}

// report tells model and person what came of a command.
func report(a arguments, view tools.View, o Outcome, limit time.Duration) tools.Result {
	res := result{Output: o.Output, Code: o.Code}
	status := tools.StatusOK
	switch {
	case o.Code == ExitTimeout && o.Cause != nil:
		seconds := int(limit.Seconds())
		res.Output = trim(fmt.Sprintf("%s\n[Command timed out after %ds]", o.Output, seconds))
		view.Summary = fmt.Sprintf("timed out after %d s", seconds)
		status = tools.StatusFailed
	case o.Cause != nil:
		res.Output = trim(o.Output + "\n[Command interrupted]")
		view.Summary = "interrupted"
		status = tools.StatusCancelled
	case o.Code == 0:
		view.Summary = lines(o.Lines)
	default:
		hint := hintFor(a.Command, o.Code)
		res.Meaning = hint.meaning
		view.Summary = hint.meaning // the screen adds the code, and of a failure the last line
		if !hint.fine {
			status = tools.StatusFailed
			break
		}
		view.Summary = fmt.Sprintf("exit %d · %s", o.Code, hint.meaning)
	}
	view.Body = res.Output
	view.Exit = &res.Code
	return tools.Result{Content: tools.JSON(res), Status: status, View: view}
}

func lines(n int) string {
	switch n {
	case 0:
		return "no output"
	case 1:
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

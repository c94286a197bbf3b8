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
	"hermes-tui/tools/lazyregexp"
	"hermes-tui/tools/shorten"
)

// arguments of the terminal tool.
type arguments struct {
	Command    string   `json:"command"`
	Timeout    int      `json:"timeout"` // seconds
	Workdir    string   `json:"workdir"`
	Background bool     `json:"background"`
	PTY        bool     `json:"pty"`
	Notify     bool     `json:"notify_on_complete"`
	Watch      []string `json:"watch_patterns"`
	Outside    bool     `json:"outside"`
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
		Description: s.description(),
		Parameters:  s.schema(),
		Guidance: "Use terminal to build, test and use git and other programs. To read, search and edit files use the file tools. " +
			"Give commands the options that keep them from asking.",
		Class:     tools.Exclusive,
		Summarise: summarise,
		Preview:   s.preview,
		Action:    s.action,
		Edit:      edit,
		// A process that goes on when the call is over has no one to look after it.
		Scripts: &tools.Scripts{Without: []string{"background", "pty", "notify_on_complete", "watch_patterns"}},
		Run:     s.run,
	}
}

func (s *Shell) description() string {
	text := "Run a shell command and wait for it to end. The working directory and exported variables last from one call " +
		"to the next. There is no input and no terminal. Output over " + fmt.Sprint(s.o.MaxOutput) + " characters is cut in the middle."
	if s.o.Jobs != nil {
		text += " A server, a watcher or anything else that goes on runs with background: true; the process tool reads its output, " +
			"writes to it and ends it."
	}
	return text
}

func (s *Shell) schema() json.RawMessage {
	limits := fmt.Sprintf("Seconds until it is ended; %d if not given, %d at most.", int(s.o.Timeout.Seconds()), int(s.o.MaxTimeout.Seconds()))
	more := ""
	if s.o.Jobs != nil {
		limits += " Has no meaning in the background."
		more = `,"background":{"type":"boolean","description":"Start it as a job and return at once with its session_id for the process tool. ` +
			`What it changes of directory and variables does not last."},` +
			`"pty":{"type":"boolean","description":"Give it a terminal of 30 rows and 120 columns, for programs that want one."},` +
			`"notify_on_complete":{"type":"boolean","description":"For a job: tell me when it has ended, so that I need not ask. ` +
			`For work that ends by itself."},` +
			`"watch_patterns":{"type":"array","items":{"type":"string"},"description":"For a job that goes on: tell me of lines that match ` +
			`one of these regular expressions (RE2), such as the one that says it is ready. Told at most every 15 seconds. ` +
			`Not together with notify_on_complete."}`
	}
	if s.o.Place.Info().Confines {
		more += `,"outside":{"type":"boolean","description":"Ask the user to let it run with all their rights instead of confined. ` +
			`Only for what the confinement refuses."}`
	}
	return json.RawMessage(`{"type":"object","properties":{` +
		`"command":{"type":"string","description":"The command, in bash."},` +
		`"timeout":{"type":"integer","minimum":1,"description":"` + limits + `"},` +
		`"workdir":{"type":"string","description":"Folder for this one call; the lasting one stays."}` + more +
		`},"required":["command"]}`)
}

func decode(args json.RawMessage) (arguments, error) {
	var a arguments
	if err := json.Unmarshal(args, &a); err != nil {
		return a, fmt.Errorf("arguments of terminal: %w", err)
	}
	return a, nil
}

// edit puts a command as the user has changed it into the arguments.
func edit(args json.RawMessage, text string) (json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(args, &fields); err != nil {
		return nil, fmt.Errorf("arguments of terminal: %w", err)
	}
	fields["command"] = json.RawMessage(tools.JSON(text))
	return json.RawMessage(tools.JSON(fields)), nil
}

// mode tells how a call wants to run.
func (a arguments) mode() mode {
	switch {
	case a.Background && a.PTY:
		return backgroundTerminal
	case a.Background:
		return background
	case a.PTY:
		return terminal
	}
	return foreground
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
	if err := s.check(a); err != nil {
		return tools.Action{}, err
	}
	o := order{command: regroup(a.Command), mode: a.mode()}
	if a.Background {
		o.command = a.Command // what a job leaves behind was advised against
	}
	if a.Workdir != "" {
		if o.dir, err = s.workdir(a.Workdir); err != nil {
			return tools.Action{}, err
		}
	}
	if _, why := withoutTerminal(a); why != "" {
		o.mode = background
	}
	run, plain, err := s.prepare(o)
	if err != nil {
		return tools.Action{}, err
	}
	return tools.Action{
		Kind: tools.ActExec, Command: run.Command, Argv: run.Argv, Dir: run.Dir, Env: run.Env, Plain: plain, Background: a.Background, Outside: a.Outside,
	}, nil
}

// check refuses what cannot be run in a useful way.
func (s *Shell) check(a arguments) error {
	if s.o.Jobs == nil && (a.Background || a.PTY || a.Notify || len(a.Watch) > 0) {
		return errors.New("there are no background jobs and no terminals here; leave out background, pty, notify_on_complete and watch_patterns")
	}
	if !a.Background {
		if _, err := s.timeout(a); err != nil {
			return err
		}
		if a.Notify || len(a.Watch) > 0 {
			return errors.New("notify_on_complete and watch_patterns are for jobs: set background to true, or leave them out")
		}
	}
	switch {
	case strings.TrimSpace(a.Command) == "":
		return errors.New("command is empty; give the command to run")
	case strings.Contains(a.Command+a.Workdir, "\x00"):
		return errors.New("command holds a NUL character, which no shell accepts; leave it out")
	}
	if advice, _ := guidance(a.Command, s.o.Jobs != nil, a.Background); advice != "" && !s.o.Typed {
		return errors.New(advice)
	}
	return nil
}

// timeout is the time a call may take.
func (s *Shell) timeout(a arguments) (time.Duration, error) {
	most := int(s.o.MaxTimeout.Seconds())
	switch {
	case a.Timeout < 0:
		return 0, errors.New("timeout must be at least 1 second")
	case a.Timeout == 0:
		return s.o.Timeout, nil
	case a.Timeout > most && s.o.Jobs != nil:
		return 0, fmt.Errorf("timeout is %d seconds at most; for longer work set background and notify_on_complete to true", most)
	case a.Timeout > most:
		return 0, fmt.Errorf("timeout is %d seconds at most; split the work into shorter commands", most)
	}
	return time.Duration(a.Timeout) * time.Second, nil
}

// run runs what the permit of a call allows.
func (s *Shell) run(ctx context.Context, c tools.Call, host tools.Host, out tools.Sink) (tools.Result, error) {
	a, err := decode(c.Args)
	if err != nil {
		return tools.Failure(s.view(a), err.Error()), nil
	}
	view := s.view(a)
	if err := s.check(a); err != nil {
		return tools.Failure(view, err.Error()), nil
	}
	permit, ok := c.Permit.(approval.Permit)
	if !ok {
		return tools.Failure(view, approval.ErrNoPermit.Error()+"; the command was not run"), nil
	}
	if a.Background {
		return s.runJob(ctx, a, permit, host, view), nil
	}
	span, err := s.timeout(a)
	if err != nil {
		return tools.Failure(view, err.Error()), nil
	}
	ctx, limit, stop := newLimit(ctx, span)
	defer stop()
	o, err := s.exec(ctx, permit, host, limit, out)
	if err != nil {
		return tools.Failure(view, err.Error()+"; the command was not run to its end"), nil
	}
	return report(a, view, o, span), nil
}

// report tells model and user what came of a command.
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
		hint := hintFor(a.Command, o.Code, o.Output)
		res.Meaning = hint.meaning
		view.Summary = hint.meaning // the screen adds the code, and of a failure the last line
		if !hint.fine {
			status = tools.StatusFailed
			break
		}
		view.Summary = fmt.Sprintf("exit %d · %s", o.Code, hint.meaning)
	}
	view.Body, view.Exit, view.Ran, view.Hosts, view.Online = res.Output, &res.Code, o.Ran, o.Hosts, o.Online
	if o.Before != "" {
		view.Body = o.Before + res.Output
	}
	return tools.Result{Content: tools.JSON(res), Status: status, View: view, Untrusted: view.Outside()}
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

// How much of a command and of why it failed a summary shows, in characters.
const (
	maxSummaryCommand = 80
	maxSummaryFailure = 100
)

// summarise says what a call did and what came of it.
func summarise(args, result tools.Members) (did, came string) {
	did = "ran `" + shorten.Line(args.Text("command"), maxSummaryCommand) + "`"
	if code, known := result.Number("exit_code"); known {
		output := result.Text("output")
		came = fmt.Sprintf("-> exit %d, %s output", code, tools.Plural(tools.CountLines(output), "line", "lines"))
		if code == 0 {
			return did, came
		}
		if said := telling(output); said != "" {
			came += ": " + shorten.Line(said, maxSummaryFailure)
		}
	}
	return did, came
}

// failing are the words by which programs begin to say what went wrong.
var failing = lazyregexp.New(`(?i)\b(error|fail(ed|ure)?|fatal|panic|exception|denied|cannot|not found|no such)\b`)

// telling is the line of an output that tells why a command failed: the first with such a
// word, else the last.
func telling(output string) (line string) {
	for l := range strings.Lines(output) {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		if line = l; failing.MatchString(l) {
			return l
		}
	}
	return line
}

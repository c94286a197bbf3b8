package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
)

const parameters = `{"type":"object","properties":{
"code":{"type":"string","description":"The script, in Python 3. Print what you want to know."}},
"required":["code"]}`

// Tool is execute_code. Its description names the functions for the tools that the
// agent has at this moment.
func (c *Code) Tool() tools.Tool {
	return tools.Tool{
		Name: "execute_code", Toolset: Toolset,
		Description: c.description(),
		Parameters:  json.RawMessage(parameters),
		Guidance: "Use execute_code when three or more tool calls have logic between them: loops, filters, conditions. " +
			"For one call, or when you need to read and judge a whole result yourself, call the tool directly.",
		Class:      tools.Exclusive,
		Available:  c.available,
		Preview:    c.preview,
		Refundable: true,
		RootOnly:   true, // scripts would pass over the limits of a tree of agents
		Action:     c.action,
		Edit:       edit,
		Run:        c.run,
	}
}

func (c *Code) description() string {
	where := "in the working directory"
	if c.o.Mode == ModeStrict {
		where = "in a private folder"
	}
	text := fmt.Sprintf("Run a Python script %s; only what it prints comes back. It starts afresh each time, has no input, "+
		"%g seconds for its own work and %d tool calls. Output over %d bytes is cut in the middle.",
		where, c.o.Timeout.Seconds(), c.o.MaxCalls, maxOutput)
	list, err := functions(c.offered())
	if err != nil || len(list) == 0 {
		return text + " Use the standard library."
	}
	names, signatures := make([]string, len(list)), make([]string, len(list))
	for i, f := range list {
		names[i], signatures[i] = f.name, f.signature()
	}
	return text + " Tools are functions that return dicts, with \"error\" when they fail: from hermes_tools import " + strings.Join(names, ", ") +
		". They are called as " + strings.Join(signatures, ", ") +
		". The module also has json_parse(text), shell_quote(text) and retry(function, max_attempts=3, delay=2)."
}

// available tells why scripts cannot run here.
func (c *Code) available(context.Context) error {
	system := c.o.Place.Info().OS
	if !c.remote() {
		system = runtime.GOOS
	}
	if system == "windows" || !c.remote() && system != "linux" && system != "darwin" {
		return errors.New("execute_code is not available on this system; use the tools directly")
	}
	_, err := c.python(c.o.Dir())
	return err
}

// script reads the argument.
func script(args json.RawMessage) (string, error) {
	var a struct {
		Code string `json:"code"`
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return "", fmt.Errorf("arguments of execute_code: %w", err)
	}
	return a.Code, nil
}

// preview accepts any arguments.
func (c *Code) preview(args json.RawMessage) tools.View {
	code, err := script(args)
	if err != nil {
		code = ""
	}
	return c.view(code)
}

func (c *Code) view(code string) tools.View {
	v := tools.View{Kind: tools.KindCode, Subject: headline(code), Body: code, Lang: "python"}
	if c.o.Mode != ModeStrict {
		v.Dir = c.o.Dir()
	}
	return v
}

// headline is the first line of a script that does something, or the first one.
func headline(code string) string {
	first := ""
	for line := range strings.SplitSeq(code, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if first == "" {
			first = line
		}
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "import ") && !strings.HasPrefix(line, "from ") {
			return line
		}
	}
	return first
}

// edit puts a changed script into the arguments.
func edit(_ json.RawMessage, text string) (json.RawMessage, error) {
	return json.RawMessage(tools.JSON(map[string]string{"code": text})), nil
}

// action says what a call would run.
func (c *Code) action(args json.RawMessage) (tools.Action, error) {
	code, err := script(args)
	switch {
	case err != nil:
		return tools.Action{}, err
	case strings.TrimSpace(code) == "":
		return tools.Action{}, errors.New("No code provided.") //nolint:staticcheck // the sentence models know
	case len(code) > MaxScript:
		return tools.Action{}, fmt.Errorf("the script has %d bytes; at most %d are possible: put data into files, or split it", len(code), MaxScript)
	case strings.Contains(code, "\x00"):
		return tools.Action{}, errors.New("the script holds a NUL character, which Python does not accept; write it as \\0")
	}
	if err := c.available(context.Background()); err != nil {
		return tools.Action{}, err
	}
	dir, err := c.dir()
	if err != nil {
		return tools.Action{}, err
	}
	return c.command(code, dir)
}

// dir is the folder in which a script runs.
func (c *Code) dir() (string, error) {
	if c.o.Mode == ModeStrict {
		dir, err := c.private()
		if shared := c.shared(); err == nil && shared != "" { // confined or not, scripts may write there
			dir = path.Join(shared, path.Base(dir))
			_, err = c.o.Place.FS().MkdirAll(dir, 0o700)
		}
		return dir, err
	}
	dir := c.o.Dir()
	st, err := c.o.Place.FS().Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the working directory %q is gone; change to another one with terminal first", dir)
	case err != nil:
		return "", fmt.Errorf("the working directory cannot be used: %w", err)
	case !st.IsDir():
		return "", fmt.Errorf("the working directory %q is no folder; change to another one with terminal first", dir)
	}
	return dir, nil
}

// command is the whole of what runs for a script.
func (c *Code) command(code, dir string) (tools.Action, error) {
	python, err := c.python(dir)
	if err != nil {
		return tools.Action{}, err
	}
	library, err := module(c.offered())
	if err != nil {
		return tools.Action{}, err
	}
	start := bootstrap
	if c.remote() {
		start = relay
	}
	argv := []string{python.file, "-u", "-c", start, library}
	env := withVariable(environment(c.o.Env), "PWD", dir)
	if c.o.Mode == ModeStrict {
		argv = slices.Insert(argv, 1, "-I")
	} else if python.home != "" {
		bin := path.Join(python.home, "bin")
		env = withVariable(env, "PATH", bin+":"+variable(env, "PATH"))
		if variable(env, "CONDA_PREFIX") != python.home {
			env = withVariable(env, "VIRTUAL_ENV", python.home)
		}
	}
	return tools.Action{Kind: tools.ActCode, Command: code, Argv: argv, Dir: dir, Env: env}, nil
}

// run runs what the permit of a call allows.
func (c *Code) run(ctx context.Context, call tools.Call, host tools.Host, out tools.Sink) (tools.Result, error) {
	code, err := script(call.Args)
	view := c.view(code)
	if err != nil {
		return tools.Failure(view, err.Error()), nil
	}
	permit, ok := call.Permit.(approval.Permit)
	if !ok {
		return tools.Failure(view, approval.ErrNoPermit.Error()+"; the script was not run"), nil
	}
	run, err := permit.Take(c.o.Place)
	if err != nil {
		return tools.Failure(view, err.Error()+"; the script was not run"), nil //nolint:nilerr // the model is told
	}
	o, err := c.permitted(ctx, permit, run, host, out)
	switch {
	case err != nil && ctx.Err() != nil:
		return tools.Cancelled(view, "execute_code was stopped: "+context.Cause(ctx).Error()), nil //nolint:nilerr // the model is told
	case err != nil:
		return tools.Failure(view, err.Error()+"; the script was not run to its end"), nil //nolint:nilerr // the model is told
	}
	return c.report(c.view(run.Command), o), nil
}

package shell

import (
	"context"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

// Jobs starts commands in the background. It is safe for concurrent use.
type Jobs interface {
	// Start takes the permit of a job and runs exactly its bytes. It returns when
	// the job runs; an error is written for the model and says that it does not.
	Start(ctx context.Context, j Job) (JobStarted, error)
	// Keep makes what a command has left running a job.
	Keep(ctx context.Context, command, dir string, confined bool, left place.Left) (id string, err error)
}

// Job is a command to run in the background.
type Job struct {
	Permit approval.Permit
	// Terminal gives it a terminal of its own.
	Terminal bool
	// Notify tells the agent when it has ended.
	Notify bool
	// Watch are patterns; the agent is told of output that matches one.
	Watch []string
	// Host is asked about what the job is refused when it runs confined.
	Host tools.Host
	// Ready is called once with what is about to run, after the permit was taken, and
	// gives its environment. An error means that it must not run.
	Ready func(approval.Run) (env []string, err error)
}

// JobStarted is a job that runs.
type JobStarted struct {
	// ID is by which the process tool knows it.
	ID  string
	PID int
	// Notes are what the model should know besides.
	Notes []string
}

// jobResult is what the model gets of a job that was started.
type jobResult struct {
	Output    string   `json:"output"`
	ID        string   `json:"session_id"`
	PID       int      `json:"pid"`
	Code      int      `json:"exit_code"`
	Error     *string  `json:"error"`
	PTYNote   string   `json:"pty_note,omitempty"`
	Notify    bool     `json:"notify_on_complete,omitempty"`
	Watch     []string `json:"watch_patterns,omitempty"`
	Ignored   bool     `json:"watch_patterns_ignored,omitempty"`
	Hint      string   `json:"hint,omitempty"`
	WatchNote string   `json:"note,omitempty"`
}

// hintAlone is for a job that no one will be told about.
const hintAlone = "Nothing is reported of this job by itself: look at it with process (poll, log, wait)."

// runJob starts a job with the permit of a call.
func (s *Shell) runJob(ctx context.Context, a arguments, permit approval.Permit, host tools.Host, view tools.View) tools.Result {
	j := Job{Permit: permit, Terminal: a.PTY, Notify: a.Notify, Watch: a.Watch, Host: host}
	res := jobResult{Output: "Background process started", Notify: a.Notify, Watch: a.Watch}
	if without, why := withoutTerminal(a); why != "" {
		j.Terminal, res.PTYNote = without, why
	}
	if a.Notify && len(a.Watch) > 0 {
		j.Watch, res.Watch, res.Ignored = nil, nil, true
	}
	var ready issued
	j.Ready = func(run approval.Run) ([]string, error) {
		var ok bool
		if ready, ok = s.claim(run); !ok || !ready.order.mode.job() || ready.order.mode.tty() != j.Terminal {
			return nil, approval.ErrForeignPermit
		}
		if err := ready.refuse(run); err != nil {
			return nil, err
		}
		view.Ran = run.How()
		return s.environment(ready, run), s.giveFunctions(ready, run, nil)
	}
	started, err := s.o.Jobs.Start(ctx, j)
	if err != nil {
		return tools.Failure(view, err.Error())
	}
	if ready.note != "" {
		res.Output += "\n" + ready.note
	}
	res.ID, res.PID, res.WatchNote = started.ID, started.PID, strings.Join(started.Notes, " ")
	if !a.Notify && len(a.Watch) == 0 {
		res.Hint = hintAlone
	}
	view.Summary = "in the background · " + started.ID
	return tools.Result{Content: tools.JSON(res), View: view}
}

// withoutTerminal tells why a job that wants a terminal must not have one: gh
// reads a token to its end, and a terminal has none.
func withoutTerminal(a arguments) (terminal bool, why string) {
	if !a.PTY || !a.Background || !takesToken(a.Command) {
		return a.PTY, ""
	}
	return false, "Started without a terminal: gh reads the token from its input up to the end. Write it with process (write), then close."
}

// takesToken reports whether a command is a gh auth login --with-token.
func takesToken(command string) bool {
	file, err := parse(command)
	if err != nil {
		return false
	}
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok {
			var words []string
			for _, w := range c.Args {
				words = append(words, literal(w))
			}
			found = found || len(words) > 3 && path.Base(words[0]) == "gh" && words[1] == "auth" && words[2] == "login" &&
				slices.Contains(words, "--with-token")
		}
		return !found
	})
	return found
}

package code

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"hermes-tui/tools"
)

// result is what the model gets.
type result struct {
	Status  string  `json:"status"` // success, error, timeout or interrupted
	Output  string  `json:"output"`
	Calls   int     `json:"tool_calls_made"`
	Refused int     `json:"tool_calls_refused,omitempty"`
	Seconds float64 `json:"duration_seconds"`
	Error   string  `json:"error,omitempty"`
	// Note says what a confined script was refused.
	Note string `json:"note,omitempty"`
}

// report tells model and user what came of a script.
func (c *Code) report(view tools.View, o outcome) tools.Result {
	r := result{
		Status: "success", Output: o.stdout, Calls: o.made, Refused: o.refused,
		Seconds: math.Round(o.took.Seconds()*100) / 100,
	}
	status := tools.StatusOK
	switch {
	case errors.Is(o.cause, errTimeout):
		r.Status, status = "timeout", tools.StatusFailed
		r.Error = fmt.Sprintf("The script was ended after %g seconds of its own work. Do less at a time, or print as you go.", c.o.Timeout.Seconds())
		view.Summary = fmt.Sprintf("timed out after %g s", c.o.Timeout.Seconds())
	case errors.Is(o.cause, errGarbled):
		r.Status, status = "error", tools.StatusFailed
		r.Error = "The script was ended: " + o.cause.Error() + ". Leave the process alone that started it, and print only."
		view.Summary = "ended"
	case o.cause != nil:
		r.Status, status = "interrupted", tools.StatusCancelled
		r.Error = "The script was stopped: " + o.cause.Error()
		view.Summary = "interrupted"
	case o.code != 0:
		r.Status, status = "error", tools.StatusFailed
		r.Error = fmt.Sprintf("The script ended with exit code %d.", o.code)
		if last := o.stderr[strings.LastIndexByte(o.stderr, '\n')+1:]; last != "" {
			r.Error += " " + last
		}
		view.Exit = &o.code
		view.Summary = calls(o.made)
	default:
		view.Summary = calls(o.made)
	}
	if r.Status != "success" && o.stderr != "" {
		r.Output = trim(r.Output + "\n--- stderr ---\n" + o.stderr)
	}
	view.Ran, view.Hosts = o.ran, o.hosts
	shown := r.Output
	if o.before != "" {
		shown = o.before + r.Output
	}
	view.Body = annotated(view.Body, shown)
	if r.Note = o.note; r.Note != "" {
		view.Body = annotated(view.Body, r.Note)
	}
	return tools.Result{Content: tools.JSON(r), Status: status, View: view, Untrusted: view.Outside()}
}

func calls(n int) string {
	switch n {
	case 0:
		return "no calls"
	case 1:
		return "1 call"
	}
	return fmt.Sprintf("%d calls", n)
}

// annotated is a script with its output below it as comments, so that the whole is
// still Python.
func annotated(code, output string) string {
	if output == "" {
		return code
	}
	return strings.TrimRight(code, "\n") + "\n\n#> " + strings.ReplaceAll(output, "\n", "\n#> ")
}

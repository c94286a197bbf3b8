package agent

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"hermes-tui/agent/event"
	"hermes-tui/tools"
)

// edits remembers the writes of a turn that failed and were not made good since.
// Calls run side by side.
type edits struct {
	mu     sync.Mutex
	failed []failedEdit
}

type failedEdit struct{ path, why string }

// maxEdits is how many failed writes a turn's report names.
const maxEdits = 10

// note takes in how a call ended.
func (e *edits) note(c *callRun) {
	path := c.view.Subject
	if c.view.Kind != event.ViewWrite || path == "" || c.fault != "" {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failed = slices.DeleteFunc(e.failed, func(f failedEdit) bool { return f.path == path })
	if c.result.Status == tools.StatusFailed { // what the user denied they know
		e.failed = append(e.failed, failedEdit{path, c.view.Summary})
	}
}

// report tells the user what was not written, empty when everything was.
func (e *edits) report() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.failed) == 0 {
		return ""
	}
	var list []string
	for _, f := range e.failed[:min(len(e.failed), maxEdits)] {
		s := f.path
		if f.why != "" {
			s += " (" + strings.TrimSuffix(f.why, ".") + ")"
		}
		list = append(list, s)
	}
	if more := len(e.failed) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return "Not written, despite what the agent says: " + strings.Join(list, ", ") + "."
}

// footer is what is added to how a turn ended.
func (t *turn) footer(e ending) string {
	if t.tuned.Quiet && e.outcome != event.TurnFailed {
		e.explain = ""
	}
	report := ""
	if t.tuned.VerifyEdits {
		report = t.edits.report()
	}
	return strings.TrimSpace(e.explain + " " + report)
}

package delegate

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Status says how a subagent ended.
type Status string

// The ways a subagent ends.
const (
	StatusCompleted   Status = "completed"
	StatusFailed      Status = "failed"
	StatusInterrupted Status = "interrupted" // by the user, or with its parent
	StatusError       Status = "error"       // it could not be started or went on no further
	StatusTimeout     Status = "timeout"
)

// Exit says what made a subagent stop.
type Exit string

// The reasons to stop.
const (
	ExitCompleted     Exit = "completed"
	ExitMaxIterations Exit = "max_iterations" // its budget ran out
	ExitInterrupted   Exit = "interrupted"
	ExitTimeout       Exit = "timeout"
	ExitError         Exit = "error"
)

// Tokens counts what a subagent has sent and received.
type Tokens struct {
	Input  int `json:"input"`
	Output int `json:"output"`
}

// Step is a call that a subagent has made.
type Step struct {
	Tool        string `json:"tool"`
	ArgsBytes   int    `json:"args_bytes"`
	ResultBytes int    `json:"result_bytes"`
	// Status is [StepOK] or [StepError].
	Status string `json:"status"`
}

// The ends of a step.
const (
	StepOK    = "ok"
	StepError = "error"
)

// Report is what became of a task.
type Report struct {
	// TaskIndex is the place of the task in its call; the tool sets it.
	TaskIndex int    `json:"task_index"`
	Status    Status `json:"status"`
	// Summary is the final answer, or as much as there is of one.
	Summary         string  `json:"summary"`
	APICalls        int     `json:"api_calls"`
	DurationSeconds float64 `json:"duration_seconds"`
	Model           string  `json:"model"`
	ExitReason      Exit    `json:"exit_reason"`
	Tokens          Tokens  `json:"tokens"`
	ToolTrace       []Step  `json:"tool_trace"`
	// LeftOut counts steps before those in ToolTrace.
	LeftOut int `json:"tool_trace_left_out,omitempty"`
	// Error is why a task was not completed, a sentence.
	Error string `json:"error,omitempty"`
	// StalePaths are files that the parent had read and the subagent has changed.
	StalePaths []string `json:"stale_paths,omitempty"`
	// Killed says that the user has ended the subagent; its status is
	// [StatusInterrupted].
	Killed bool `json:"-"`
}

// The bounds of a report. Those of summaries and errors are in characters; shared
// is what all reports of a call have together, which keeps the result of a call of
// many tasks below [tools.DefaultMaxResult].
const (
	maxSummary    = 8_000
	sharedSummary = 40_000
	leastSummary  = 400
	maxError      = 1_000
	sharedError   = 12_000
	leastError    = 100
	maxTrace      = 50
	sharedTrace   = 200
	maxStale      = 8
)

// KilledByUser tells a model that the user has ended its subagent.
const KilledByUser = "The user ended this subagent. Do not start it again unless they ask for it."

// Bounded brings a report into the form in which a model gets it: what is missing
// filled in, a long answer cut with the whole kept under a name by spill, and a note
// about files that the parent knows in an older form.
func (r Report) Bounded(name string, spill func(name, content string) (path string, err error)) Report {
	return r.bounded(1, name, spill)
}

// bounded is Bounded for one of n reports.
func (r Report) bounded(n int, name string, spill func(name, content string) (string, error)) Report {
	r = r.completed()
	r.Error = head(r.Error, share(n, sharedError, leastError, maxError))
	limit := share(n, sharedSummary, leastSummary, maxSummary)
	if total := utf8.RuneCountInString(r.Summary); total > limit {
		r.Summary = cut(r.Summary, total, limit, keep(r.Summary, name, spill))
	}
	if steps := share(n, sharedTrace, 1, maxTrace); len(r.ToolTrace) > steps {
		r.LeftOut += len(r.ToolTrace) - steps
		r.ToolTrace = r.ToolTrace[len(r.ToolTrace)-steps:]
	}
	return r.stale()
}

// share is the part of each of n, within bounds.
func share(n, all, least, most int) int { return min(max(all/n, least), most) }

// completed fills in what a report must have.
func (r Report) completed() Report {
	if r.ToolTrace == nil {
		r.ToolTrace = []Step{}
	}
	if math.IsNaN(r.DurationSeconds) || math.IsInf(r.DurationSeconds, 0) || r.DurationSeconds < 0 {
		r.DurationSeconds = 0
	}
	r.DurationSeconds = math.Round(r.DurationSeconds*100) / 100
	if r.Killed {
		r.Status = StatusInterrupted
	}
	exit, why := ExitError, ""
	switch r.Status {
	case StatusCompleted:
		exit = ExitCompleted
	case StatusInterrupted:
		exit, why = ExitInterrupted, "It was interrupted before it was done."
	case StatusTimeout:
		exit, why = ExitTimeout, "It had no more time."
	case StatusFailed:
		why = "It ended without completing its task and gave no reason."
	default:
		r.Status, why = StatusError, "It ended for a reason that is not known."
	}
	if r.ExitReason == "" {
		r.ExitReason = exit
	}
	if r.Error == "" {
		r.Error = why
	}
	if r.Killed {
		r.Error = KilledByUser
	}
	return r
}

// keep stores a whole answer and says where it is.
func keep(whole, name string, spill func(name, content string) (string, error)) string {
	if spill == nil {
		return "the rest is lost"
	}
	path, err := spill(name, whole)
	if err != nil {
		return "the rest could not be saved and is lost: " + head(err.Error(), 200)
	}
	return "all of it is in " + path + ", read it with read_file"
}

// cut keeps the beginning and the end of an answer, where it says most.
func cut(text string, total, limit int, where string) string {
	first, last := limit*7/10, limit*2/10
	return fmt.Sprintf("%s\n\n[… the first %d and the last %d of %d characters are shown; %s …]\n\n%s",
		head(text, first), first, last, total, where, text[offset(text, total-last):])
}

// stale notes which files the parent has to read again.
func (r Report) stale() Report {
	if len(r.StalePaths) == 0 {
		return r
	}
	more := ""
	if n := len(r.StalePaths) - maxStale; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
		r.StalePaths = r.StalePaths[:maxStale]
	}
	note := fmt.Sprintf("[Note: this subagent changed files that you had read before: %s%s. Read them again before you rely on them or change them.]",
		strings.Join(r.StalePaths, ", "), more)
	r.Summary = strings.TrimLeft(r.Summary+"\n\n"+note, "\n")
	return r
}

// head is a text cut to its first n characters.
func head(s string, n int) string { return s[:offset(s, n)] }

// offset is the byte position of the n-th character.
func offset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

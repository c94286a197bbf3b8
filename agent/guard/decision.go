package guard

import (
	"fmt"

	"hermes-tui/tools"
)

// Kind is what follows from a decision.
type Kind string

// The kinds. Allow is the zero value.
const (
	Allow Kind = ""
	// Warn: the model is told, see [Decision.Annotate].
	Warn Kind = "warn"
	// Block: the call does not run and [Decision.Content] is its result.
	Block Kind = "block"
	// Halt: the turn ends when the batch is done. A call that has not run yet does
	// not run; [Decision.Content] is its result.
	Halt Kind = "halt"
)

// Code says what was noticed.
type Code string

// The codes.
const (
	// ExactFailure: the same call failed in the same way.
	ExactFailure Code = "repeated_exact_failure"
	// SameToolFailure: one tool failed several times in a row.
	SameToolFailure Code = "same_tool_failure"
	// NoProgress: the same reading call had the same result.
	NoProgress Code = "no_progress"
	// Alternating: a group of calls was gone through again with the same results.
	Alternating Code = "alternating_calls"
	// Blocked: the model insists on calls that were blocked.
	Blocked Code = "blocked_calls"
)

// Decision is what a guard says to a call.
type Decision struct {
	Kind Kind
	Code Code
	// Count is how often it happened.
	Count int
	// Message is for the model.
	Message string
}

// Annotate adds a warning behind a result. Other decisions leave it as it is.
func (d Decision) Annotate(content string) string {
	if d.Kind != Warn && d.Kind != Halt {
		return content
	}
	return fmt.Sprintf("%s\n\n[%s, %d times: %s]", content, d.Code, d.Count, d.Message)
}

// Content is the result of a call that was not run.
func (d Decision) Content() string {
	return tools.JSON(struct {
		Error string `json:"error"`
		Guard Code   `json:"guardrail"`
		Count int    `json:"count"`
	}{d.Message, d.Code, d.Count})
}

// Sentence tells the user why the turn ended.
func (d Decision) Sentence() string {
	if d.Kind != Halt {
		return ""
	}
	return "The agent was going round in circles and was stopped (" + string(d.Code) +
		"): say what to do differently, or switch tool_loop_guardrails.hard_stop_enabled off."
}

// warning and stop are the texts for the model, by code. %s is the tool.
func warning(c Code, tool string) string {
	switch c {
	case ExactFailure:
		return fmt.Sprintf("this call of %s failed with the same result before. The same again will not help: find the cause, change the arguments, or do it another way.", tool)
	case SameToolFailure:
		return fmt.Sprintf("%s has failed each time lately. Stop and look at what the failures have in common before you call it again.", tool)
	case NoProgress:
		return fmt.Sprintf("this call of %s gave exactly this result before. You have it above; use it, or ask for something else.", tool)
	case Alternating:
		return "you are going through the same calls again, and their results do not change. If you are waiting for something, wait longer in one call; otherwise do something else."
	}
	return ""
}

func stop(c Code, tool string) string {
	switch c {
	case ExactFailure:
		return fmt.Sprintf("Not run: this call of %s failed again and again with the same result. Do it another way, or tell the user what is in the way.", tool)
	case SameToolFailure:
		return fmt.Sprintf("%s failed too often in a row, so the turn ends here.", tool)
	case NoProgress:
		return fmt.Sprintf("Not run: this call of %s gave the same result again and again. The result stands above; go on with it.", tool)
	case Alternating:
		return fmt.Sprintf("Not run: the next call of %s would repeat a round of calls whose results do not change. Do something else, or tell the user what you are waiting for.", tool)
	case Blocked:
		return "Not run: several calls were refused because they repeat what does not work, so the turn ends here."
	}
	return ""
}

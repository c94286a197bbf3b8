package recovery

import (
	"strings"

	"hermes-tui/providers"
)

// Silence is an answer without text and without calls.
type Silence struct {
	// Earlier says that the message before said something beside calls that were
	// all [Housekeeping].
	Earlier bool
	// AfterTools says that results of tools are the newest in the history.
	AfterTools bool
	// Reasoning is what the model thought, empty for nothing.
	Reasoning string
	// Fallbacks counts the services left, see [State.Fallbacks].
	Fallbacks int
}

// Empty decides about empty answers. Go back to the zero value after an
// answer that says or does something.
type Empty struct {
	nudged            bool
	prefills, retries int
	// moved says that it fell back; it does so again only while services become
	// fewer.
	moved bool
	// left is how many services there were then.
	left int
}

// How often each step is taken.
const (
	mostPrefills     = 2
	mostEmptyRetries = 3
)

// Decide says what to do about an empty answer.
func (e Empty) Decide(s Silence) (Step, Empty) {
	switch {
	case s.Earlier:
		return Step{Kind: StepUseEarlier, Reason: "fallback_prior_turn_content"}, e
	case s.AfterTools && !e.nudged:
		e.nudged = true
		return Step{
			Kind: StepAgain, Reason: "empty", Attempt: 1, Max: 1,
			Extra: []providers.Message{{Role: providers.Assistant, Parts: providers.TextParts(SaidNothing)}, note(NoteAnswer)},
		}, e
	case strings.TrimSpace(s.Reasoning) != "" && e.prefills < mostPrefills:
		e.prefills++
		return Step{
			Kind: StepAgain, Reason: "reasoning_only", Attempt: e.prefills, Max: mostPrefills,
			Extra: []providers.Message{
				{Role: providers.Assistant, Parts: providers.TextParts(OnlyThought), Reasoning: s.Reasoning}, note(NoteWrite),
			},
		}, e
	case e.retries < mostEmptyRetries:
		e.retries++
		return Step{Kind: StepAgain, Reason: "empty", Attempt: e.retries, Max: mostEmptyRetries}, e
	case s.Fallbacks > 0 && (!e.moved || s.Fallbacks < e.left):
		return Step{Kind: StepFallBack, Reason: "empty"}, Empty{nudged: e.nudged, moved: true, left: s.Fallbacks}
	}
	return Step{Kind: StepStop, Reason: "empty_response_exhausted", Sentence: sentenceEmpty}, e
}

package recovery

import "hermes-tui/providers"

// StepKind is what to do with an answer.
type StepKind string

// The kinds of steps.
const (
	// StepProceed: nothing is wrong with it.
	StepProceed StepKind = "proceed"
	// StepContinue: keep it as an unfinished answer and ask for the rest.
	StepContinue StepKind = "continue"
	// StepAgain: drop it, take back what was streamed, and ask again. It is not
	// kept.
	StepAgain StepKind = "again"
	// StepUseEarlier: end the turn with the text of the message before.
	StepUseEarlier StepKind = "use_earlier"
	// StepFallBack: drop it and ask the next service, see [State.MoveOn].
	StepFallBack StepKind = "fall_back"
	// StepAnswer: keep it and answer its calls with errors; none of them runs.
	StepAnswer StepKind = "answer"
	// StepCut: its calls were cut off, ask [Truncation].
	StepCut StepKind = "cut"
	// StepStop: end the turn.
	StepStop StepKind = "stop"
)

// Step is what to do with an answer that is of no use as it is.
type Step struct {
	Kind StepKind
	// Extra travels with the next request behind the history, and only with it.
	Extra []providers.Message
	// MaxOutput caps the next answer in tokens; 0 leaves it.
	MaxOutput int
	// Attempt counts the tries of this kind from 1.
	Attempt int
	// Max is how many there are.
	Max int
	// Reason names the end of a turn, or why the answer is of no use.
	Reason string
	// Sentence tells the user how the turn ended; for StepStop only.
	Sentence string
}

// note is a message of the user's side that only the model sees.
func note(text string) providers.Message {
	return providers.Message{Role: providers.User, Parts: providers.TextParts(text)}
}

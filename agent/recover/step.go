package recover

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
	// Attempt counts the tries of this kind from 1, Max is how many there are.
	Attempt, Max int
	// Reason names the end of a turn, or why the answer is of no use.
	Reason string
	// Sentence tells the person how the turn ended; for StepStop only.
	Sentence string
	// Rollback says that what is unfinished must not stay in the history, see
	// [Complete].
	Rollback bool
}

// note is a message of the user's side that only the model sees.
func note(text string) providers.Message {
	return providers.Message{Role: providers.User, Parts: providers.TextParts(text)}
}

// Complete is the length of the longest beginning of a history that ends with
// something finished: an answer that was not cut off, calls that all have
// results, or a message of the user. What lies behind it is unfinished.
func Complete(history []providers.Message) int {
	n := len(history)
	for n > 0 {
		switch m := history[n-1]; m.Role {
		case providers.Assistant:
			if len(m.Calls) == 0 && m.Finish != providers.FinishLength && m.Finish != providers.FinishInterrupted {
				return n
			}
			n-- // cut off, or its calls have no results
		case providers.Tool:
			at, whole := group(history[:n])
			if whole {
				return n
			}
			n = at
		default:
			return n
		}
	}
	return 0
}

// group finds the assistant message that the results at the end of a history
// belong to, and tells whether all of its calls have one. Results that belong to
// nothing give where they begin.
func group(history []providers.Message) (at int, whole bool) {
	results := map[string]bool{}
	for at = len(history) - 1; at >= 0 && history[at].Role == providers.Tool; at-- {
		results[history[at].CallID] = true
	}
	if at < 0 || history[at].Role != providers.Assistant || len(history[at].Calls) == 0 {
		return at + 1, false
	}
	for _, c := range history[at].Calls {
		if !results[c.ID] {
			return at, false
		}
	}
	return at, true
}

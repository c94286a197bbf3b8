package recovery

import "hermes-tui/providers"

// Cut is an answer that the output limit cut off.
type Cut struct {
	// Text says that there is text for the user.
	Text bool
	// Calls names the tools whose calls were cut off.
	Calls []string
	// MaxOutput is the cap that is usual for these requests, 0 for none; not one
	// that a [Step] raised.
	MaxOutput int
	// Used is how many tokens the answer took, 0 if unknown.
	Used int
	// Ceiling is the longest answer the model can give, 0 if unknown.
	Ceiling int
}

// Truncation decides about answers that the output limit cut off. Go back to the zero
// value after a complete answer.
type Truncation struct {
	texts, calls int
}

// Limits of what is tried.
const (
	mostContinuations = 3
	// usualBudget is what an answer without a cap is taken to have had, mostBudget
	// what a cap is raised to at most, unless more was usual; in tokens.
	usualBudget = 4096
	mostBudget  = 32_768
)

// Decide says how to get the rest of an answer.
func (t Truncation) Decide(c Cut) (Step, Truncation) {
	switch {
	case len(c.Calls) > 0:
		return t.cutCall(c)
	case !c.Text:
		// Everything the model was allowed to write went into reasoning. More of
		// the same would go there too.
		return Step{Kind: StepStop, Reason: "thinking_exhausted", Sentence: sentenceThinking}, t
	}
	return t.cutText(c)
}

// cutText asks for the rest of a text.
func (t Truncation) cutText(c Cut) (Step, Truncation) {
	if t.texts >= mostContinuations {
		return Step{Kind: StepStop, Reason: "length", Sentence: sentenceCutText}, t
	}
	t.texts++
	return Step{
		Kind: StepContinue, Reason: "length", Attempt: t.texts, Max: mostContinuations, MaxOutput: c.budget(t.texts),
		Extra: []providers.Message{note(NoteContinue)},
	}, t
}

// cutCall asks for a call again: half of one is of no use to anyone.
func (t Truncation) cutCall(c Cut) (Step, Truncation) {
	if t.calls >= mostContinuations {
		return Step{Kind: StepStop, Reason: "tool_call_truncated", Sentence: sentenceCutCall}, t
	}
	t.calls++
	return Step{
		Kind: StepAgain, Reason: "tool_call_truncated", Attempt: t.calls, Max: mostContinuations, MaxOutput: c.budget(t.calls),
	}, t
}

// budget is the cap for try number n: it grows by the usual cap each time.
func (c Cut) budget(n int) int {
	base := c.MaxOutput
	if base <= 0 {
		base = max(usualBudget, c.Used)
	}
	most := max(mostBudget, base)
	grown := most
	if base <= most/(n+1) {
		grown = base * (n + 1)
	}
	if c.Ceiling > 0 {
		grown = min(grown, c.Ceiling)
	}
	return grown
}

package recovery

// Batch says what is wrong with the calls of an answer. Each list has names of
// tools as the model wrote them.
type Batch struct {
	// Unknown are tools that do not exist, also after mending the name.
	Unknown []string
	// CutOff are calls whose arguments end in the middle.
	CutOff []string
	// Garbled are those whose arguments are complete and still no JSON.
	Garbled []string
}

// Malformed counts calls that cannot run. Keep it through the turn: Decide goes
// back to the beginning by itself when the calls of an answer are in order.
type Malformed struct {
	unknown, garbled, answered int
}

// How often calls that cannot run are put up with, in a row.
const (
	mostUnknown = 2 // answered with the list of tools
	mostGarbled = 2 // asked for again in silence
	mostAnswers = 3 // then answered with an error
)

// Decide says what to do about the calls of an answer. Names come before
// arguments: the arguments of a tool that does not exist say nothing.
func (m Malformed) Decide(b Batch) (Step, Malformed) {
	if len(b.Unknown) > 0 {
		if m.unknown >= mostUnknown {
			return Step{Kind: StepStop, Reason: "unknown_tool", Sentence: sentenceUnknown}, m
		}
		m.unknown++
		return Step{Kind: StepAnswer, Reason: "unknown_tool", Attempt: m.unknown, Max: mostUnknown}, m
	}
	m.unknown = 0
	switch {
	case len(b.CutOff) > 0:
		return Step{Kind: StepCut, Reason: "tool_call_truncated"}, m
	case len(b.Garbled) == 0:
		return Step{Kind: StepProceed}, Malformed{}
	case m.garbled < mostGarbled:
		m.garbled++
		return Step{Kind: StepAgain, Reason: "invalid_arguments", Attempt: m.garbled, Max: mostGarbled}, m
	case m.answered < mostAnswers:
		m.garbled = 0
		m.answered++
		return Step{Kind: StepAnswer, Reason: "invalid_arguments", Attempt: m.answered, Max: mostAnswers}, m
	}
	return Step{Kind: StepStop, Reason: "invalid_arguments", Sentence: sentenceGarbled}, m
}

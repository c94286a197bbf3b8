package recovery

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Unclosed counts answers that end inside a scratchpad. Go back to the zero value
// after any other answer.
type Unclosed struct{ tries int }

// Decide says what to do about the text of an answer: nothing, unless it opens a
// scratchpad that it does not close.
func (u Unclosed) Decide(text string) (Step, Unclosed) {
	const most = 2
	switch {
	case !openScratchpad(text):
		return Step{Kind: StepProceed}, Unclosed{}
	case u.tries < most:
		u.tries++
		return Step{Kind: StepAgain, Reason: "incomplete_scratchpad", Attempt: u.tries, Max: most}, u
	}
	return Step{Kind: StepStop, Reason: "incomplete_scratchpad", Sentence: sentenceUnclosed}, u
}

// openScratchpad reports whether the last scratchpad of a text has no end.
func openScratchpad(text string) bool {
	s := strings.ToLower(text)
	opened := strings.LastIndex(s, "<reasoning_scratchpad>")
	return opened >= 0 && !strings.Contains(s[opened:], "</reasoning_scratchpad>")
}

// Ended is an answer that ended in the ordinary way, as the server says.
type Ended struct {
	// Chat: the protocol is chat completions. Local: the server is Ollama or on
	// this machine. Model is the model's name.
	Chat, Local bool
	Model       string
	// ToolsRan says that results of tools are in the history.
	ToolsRan bool
	// Calls says that the answer makes calls.
	Calls bool
	Text  string
}

// MaskedLimit reports whether an answer that claims to be complete was cut off at
// the output limit, which some local servers do not say for models of the GLM
// family. It goes by how the text ends.
func MaskedLimit(e Ended) bool {
	const least = 20 // characters
	model := strings.ToLower(e.Model)
	if !e.Chat || !e.Local || !e.ToolsRan || e.Calls || !strings.Contains(model, "glm") && !strings.Contains(model, "z-ai") && !strings.Contains(model, "z.ai") {
		return false
	}
	text := strings.TrimSpace(e.Text)
	return utf8.RuneCountInString(text) >= least && strings.ContainsFunc(text, unicode.IsSpace) && !endsNaturally(text)
}

// endsNaturally reports whether a text ends as texts end: with punctuation, a
// closing bracket or quote, the end of a code block, or a picture.
func endsNaturally(text string) bool {
	const firstPicture = 0x1F300
	if strings.HasSuffix(text, "```") {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	return last >= firstPicture || strings.ContainsRune(".!?:)\"']}^。！？：）】」』》", last)
}

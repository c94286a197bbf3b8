package compress

import (
	"slices"

	"hermes-tui/providers"
)

// imagesNote stands at the end of a message whose images were left out.
const imagesNote = "\n\n[note from the program: the images of this message were left out, to make room]"

func shows(m *providers.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p providers.Part) bool { return p.Image != nil })
}

// withoutImages is a message with a note in place of its images; one without is
// returned as it is.
func withoutImages(m providers.Message) providers.Message {
	if shows(&m) {
		m.Parts = providers.TextParts(m.Text() + imagesNote)
	}
	return m
}

// leaveImages leaves out the images of a message of the user. Their marks in the
// text stay.
func (w *work) leaveImages(i int) {
	w.final[i] = true
	if shows(&w.messages[i]) {
		w.replace(i, withoutImages(w.messages[i]))
		w.blind[i] = true
	}
}

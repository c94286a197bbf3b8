package recall

import "context"

// Found is a text that was noted, learnt or said.
type Found struct {
	From    string `json:"from"`
	Text    string `json:"text"`
	When    string `json:"when,omitempty"`    // a date
	Session string `json:"session,omitempty"` // in which it was said
}

// Finder finds texts by words and by meaning.
type Finder interface {
	// Find gives at most limit texts, the best first. note says what the search could
	// not do, empty for nothing.
	Find(ctx context.Context, text string, limit int) (list []Found, note string, err error)
}

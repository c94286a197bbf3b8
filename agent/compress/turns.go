package compress

import (
	"slices"

	"hermes-tui/providers"
)

// span is the part of a history that can be left out.
type span struct {
	// anchor is the first user message. It always stays and carries the notice;
	// -1 when there is none.
	anchor int
	// turns are where the turns begin that can be left out, oldest first; the
	// last entry is the newest user message, with which what must stay begins.
	// The first is the rest of a turn of which the beginning is protected. There
	// are none when nothing can be left out.
	turns []int
}

// most is how many turns can be left out.
func (s span) most() int { return max(len(s.turns)-1, 0) }

// findSpan finds what can be left out of a history whose first messages are
// protected.
func findSpan(history []providers.Message, protect int) span {
	isUser := func(m providers.Message) bool { return m.Role == providers.User }
	s := span{anchor: slices.IndexFunc(history, isUser)}
	if s.anchor < 0 {
		return s
	}
	newest := s.anchor
	for i := len(history) - 1; i > newest; i-- {
		if isUser(history[i]) {
			newest = i
		}
	}
	at := max(min(protect, len(history)), s.anchor+1)
	for at < newest && !separable(history[at-1], history[at]) {
		at++
	}
	if at >= newest {
		return s
	}
	s.turns = append(s.turns, at)
	for i := at + 1; i <= newest; i++ {
		if isUser(history[i]) {
			s.turns = append(s.turns, i)
		}
	}
	return s
}

// separable reports whether a history can be cut between two messages: not between
// a call and its results, and not behind a user message that was answered, since
// the next that stays is a user message again.
func separable(before, after providers.Message) bool {
	return after.Role != providers.Tool && (before.Role != providers.User || after.Role == providers.User)
}

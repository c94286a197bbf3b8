package compress

import (
	"slices"
	"strings"

	"hermes-tui/providers"
)

// span is the part of a history that can be left out.
type span struct {
	// anchor is the first user message. It always stays and carries the notice;
	// -1 when there is none.
	anchor int
	// newest is the newest user message.
	newest int
	// units are what can be left out, each as a whole, oldest first.
	units []unit
}

// unit is neighbouring messages that go together: a turn, or a group of calls with
// their results within one of which the rest stays.
type unit struct {
	from, to int
	// turn says that it is a turn. The first one may be the rest of a turn of which
	// the beginning is protected.
	turn bool
	// late says that it is behind the newest message of the user.
	late bool
}

// findSpan finds what can be left out of a history whose first messages are protected,
// and whose last ones are: whole turns, and of the turn with the last answer that the
// user saw, and of the newest one, the groups of calls in between.
func findSpan(history []providers.Message, protect, last int) span {
	s := span{anchor: slices.IndexFunc(history, fromUser)}
	if s.anchor < 0 {
		return s
	}
	at := max(min(protect, len(history)), s.anchor+1)
	for at < len(history) && !separable(history[at-1], history[at]) {
		at++
	}
	s.newest = s.anchor
	answer := -1
	for i := s.anchor; i < len(history); i++ {
		switch m := &history[i]; {
		case fromUser(*m):
			s.newest = i
		case m.Role == providers.Assistant && len(m.Calls) == 0 && strings.TrimSpace(m.Text()) != "":
			answer = i
		}
	}
	end := max(len(history)-last, 0) // of what can be left out of the newest turn
	for at < len(history) {
		next := at + 1
		for next < len(history) && !fromUser(history[next]) {
			next++
		}
		switch {
		case at >= s.newest:
			s.groups(history, unit{at, min(next, end), false, true}, answer)
		case answer >= at && answer < next:
			s.groups(history, unit{at, next, false, false}, answer)
		default:
			s.units = append(s.units, unit{at, next, true, false})
		}
		at = next
	}
	return s
}

// groups adds the groups of calls within a part of a history.
func (s *span) groups(history []providers.Message, within unit, answer int) {
	for i := within.from; i < within.to; {
		next := i + 1
		for next < len(history) && history[next].Role == providers.Tool {
			next++
		}
		if history[i].Role == providers.Assistant && i != answer && next <= within.to {
			s.units = append(s.units, unit{i, next, false, within.late})
		}
		i = next
	}
}

func fromUser(m providers.Message) bool { return m.Role == providers.User }

// separable reports whether a history can be cut between two messages: not between
// a call and its results, and not behind a user message that was answered, since
// the next that stays is a user message again.
func separable(before, after providers.Message) bool {
	return after.Role != providers.Tool && (before.Role != providers.User || after.Role == providers.User)
}

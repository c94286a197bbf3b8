package recovery

import (
	"slices"
	"strings"

	"hermes-tui/providers/models"
)

// refusesEffort reports whether an error is about how much reasoning was asked for.
func refusesEffort(said string) bool {
	about := hasAny(said, []string{"effort", "verbosity", "thinking_level", "thinking level"}) || len(named(said, "")) > 2
	return about && hasAny(said, []string{"support", "invalid", "unknown", "allowed", "expected", "must be", "not accept", "unrecognized", "one of"})
}

// effortsIn are the levels that an error says are taken, rising: those that it names last,
// and not the one that it refuses.
func effortsIn(said, refused string) (levels []string) {
	for _, list := range []string{"support", "one of", "must be", "expected", "allowed", "valid"} {
		if i := strings.LastIndex(said, list); i >= 0 && len(levels) == 0 {
			levels = named(said[i:], refused)
		}
	}
	return levels
}

// named are the levels in a text but for one, rising.
func named(text, refused string) (levels []string) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r < 'a' || r > 'z' })
	for _, e := range models.Efforts() {
		if e != refused && slices.Contains(words, e) {
			levels = append(levels, e)
		}
	}
	return levels
}

// effortRefused asks for the nearest effort that the service takes, and for none where it
// names no other.
func effortRefused(_ Policy, f Fault, s *State) Action {
	if f.Effort == "" || s.shape.Has(OtherEffort) && s.shape.refused == f.Effort && s.shape.Effort == "" {
		return nil
	}
	levels := f.Efforts
	if s.shape.Has(OtherEffort) {
		levels = nil // what it named is refused as well
	}
	s.shape = s.shape.with(OtherEffort)
	s.shape.refused, s.shape.Effort = f.Effort, models.AtMost(f.Effort, levels)
	return Reshape{Change: OtherEffort}
}

// EffortFor is the effort to ask for where one is wanted.
func (s Shape) EffortFor(wanted string) string {
	if s.Has(OtherEffort) && s.refused == wanted {
		return s.Effort
	}
	return wanted
}

package keys

// FixedKey is a key of a place that cannot be given to another action, because it is
// also what is typed there.
type FixedKey struct {
	Place      Place
	Keys, Help string
}

// Fixed are these keys, for the help.
func Fixed() []FixedKey {
	return []FixedKey{
		{InComposer, "/", "at the start: give a command"},
		{InComposer, "@", "name a file"},
		{InPrompt, "1-9", "mark the row with that number"},
		{InPrompt, "space", "take a choice or give it back, where there may be several"},
		{InSide, "1-9", "fold or unfold a part of the details"},
		{InOverlay, "/", "find, in a text window"},
		{InOverlay, "n N", "next and previous match; in a replay: next and previous event"},
		{InOverlay, "j k", "one entry or line down and up, except in a list that is filtered by typing"},
		{InOverlay, "r", "in a timeline: start a replay, or end it"},
		{InOverlay, "h l", "in a timeline: scroll; in a replay: step"},
		{InOverlay, "+ - 0", "in a timeline: zoom, or show all of it"},
		{InOverlay, "space", "in a replay: play and pause; in the list of replays: mark for comparing"},
		{InOverlay, "< >", "in a replay: slower and faster"},
		{InOverlay, "c", "in the list of replays: compare the two that are marked"},
	}
}

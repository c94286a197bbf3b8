package ui

import (
	"strings"

	"hermes-tui/ui/overlay"
	"hermes-tui/ui/slash"
)

// fixedKey is a key of a place that cannot be given to another action, because it is
// also what is typed there.
type fixedKey struct {
	place      place
	keys, help string
}

// fixedKeys are these keys, for the help.
func fixedKeys() []fixedKey {
	return []fixedKey{
		{inComposer, "/", "at the start: give a command"},
		{inComposer, "@", "name a file"},
		{inPrompt, "1-9", "mark the row with that number"},
		{inPrompt, "space", "take a choice or give it back, where there may be several"},
		{inSide, "1-9", "fold or unfold a part of the details"},
		{inOverlay, "/", "find, in a text window"},
		{inOverlay, "n N", "next and previous match; in a replay: next and previous event"},
		{inOverlay, "j k", "one entry or line down and up, except in a list that is filtered by typing"},
		{inOverlay, "r", "in a timeline: start a replay, or end it"},
		{inOverlay, "h l", "in a timeline: scroll; in a replay: step"},
		{inOverlay, "+ - 0", "in a timeline: zoom, or show all of it"},
		{inOverlay, "space", "in a replay: play and pause; in the list of replays: mark for comparing"},
		{inOverlay, "< >", "in a replay: slower and faster"},
		{inOverlay, "c", "in the list of replays: compare the two that are marked"},
	}
}

// openHelp shows keys and commands, made from their tables.
func (m *Model) openHelp() {
	var sections []overlay.Section
	for _, p := range []place{inComposer, inPrompt, inTranscript, inMenu, inSide, inWall, inQueue, inOverlay, anywhere} {
		s := overlay.Section{Title: "Keys: " + string(p)}
		for _, b := range m.keys.bindings {
			if b.place == p && len(b.keys) > 0 {
				s.Entries = append(s.Entries, overlay.Entry{Key: strings.Join(b.keys, " "), Text: b.help})
			}
		}
		for _, k := range fixedKeys() {
			if k.place == p {
				s.Entries = append(s.Entries, overlay.Entry{Key: k.keys, Text: k.help})
			}
		}
		sections = append(sections, s)
	}
	for _, g := range slash.Groups() {
		s := overlay.Section{Title: "Commands: " + string(g)}
		for _, c := range slash.Table() {
			if c.Group == g {
				s.Entries = append(s.Entries, overlay.Entry{Key: c.Usage(), Text: c.Help})
			}
		}
		sections = append(sections, s)
	}
	m.show(overlay.NewHelp(m.styles, "Keys and commands", sections, m.hints(inOverlay, actDown, actEscape)), boxHelp)
}

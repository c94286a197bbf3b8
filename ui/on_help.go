package ui

import (
	"strings"

	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/slash"
)

// openHelp shows keys and commands, made from their tables.
func (m *Model) openHelp() {
	var sections []overlay.Section
	for _, p := range keys.Contexts() {
		s := overlay.Section{Title: "Keys: " + string(p)}
		for _, b := range m.keys.Bindings {
			if b.Context == p && len(b.Keys) > 0 {
				s.Entries = append(s.Entries, overlay.Entry{Key: strings.Join(b.Keys, " "), Text: b.Help})
			}
		}
		for _, k := range keys.Fixed() {
			if k.Context == p {
				s.Entries = append(s.Entries, overlay.Entry{Key: k.Keys, Text: k.Help})
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
	m.show(overlay.NewHelp(m.styles, "Keys and commands", sections, m.hints(keys.InOverlay, keys.Down, keys.Escape)))
}

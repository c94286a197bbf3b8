package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/docs"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/pages"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/slash"
)

// helpFirst is how many keys help begins with.
const helpFirst = 10

// keysHere are the contexts in which a key is looked up just now, in that order.
func (m *Model) keysHere() []keys.Context {
	var list []keys.Context
	switch {
	case m.box != nil:
		list = append([]keys.Context{keys.InOverlay}, m.boxContexts()...)
	case m.transcript.HasSelection():
		list = []keys.Context{keys.InSelection}
	case m.panelTakes():
		list = []keys.Context{keys.InPrompt}
	case m.finds():
		list = []keys.Context{keys.InFind}
	case m.recall.IsOpen():
		list = []keys.Context{keys.InRecall}
	case m.composer.MenuOpen() && m.focus == focusComposer:
		list = []keys.Context{keys.InMenu, keys.InComposer}
	default:
		list = []keys.Context{m.focused().context}
	}
	return append(list, keys.Anywhere)
}

// keyEntry is a key in help, and whether it is one of those worth knowing first.
type keyEntry struct {
	overlay.Entry
	context keys.Context
	first   bool
}

// keyEntries are the keys of contexts, in their order. What has its keys from another
// context before it is left out.
func (m *Model) keyEntries(contexts ...keys.Context) (list []keyEntry) {
	taken := map[string]bool{}
	for _, c := range contexts {
		for _, b := range m.keys.Bindings {
			if b.Context != c || c == keys.Anywhere && m.box != nil && boxIgnores(b.Action) {
				continue
			}
			free := slices.DeleteFunc(slices.Clone(b.Keys), func(k string) bool { return taken[k] })
			if len(free) == 0 {
				continue
			}
			for _, k := range free {
				taken[k] = true
			}
			list = append(list, keyEntry{overlay.Entry{Key: strings.Join(free, " "), Text: b.Help}, c, b.Hint != ""})
		}
		for _, k := range keys.Fixed() {
			if k.Context == c {
				list = append(list, keyEntry{overlay.Entry{Key: k.Keys, Text: k.Help}, c, true})
			}
		}
	}
	return list
}

// commandHelp shows keys and commands, or the page of a topic.
func (m *Model) commandHelp(topic string) tea.Cmd {
	if topic == "" {
		m.openHelp()
		return nil
	}
	text, ok := docs.Page(topic, "/help")
	if !ok {
		return m.say("There is no page " + topic + ": /help lists them all.")
	}
	title, text, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
	hints := append(m.hints(keys.InText, keys.Find), m.hints(keys.InOverlay, keys.Copy, keys.Escape)...)
	m.show(overlay.NewPagerOf(m.styles, title, text, func(w int, st *rows.Styles) string {
		return pages.Render(text, w, st)
	}, hints))
	return nil
}

// openHelp shows keys and commands, made from their tables: those worth knowing where the
// keys go first, then all others that work there, the commands, and the keys of the
// other places.
func (m *Model) openHelp() {
	here := m.keysHere()
	list := m.keyEntries(here...)
	best := slices.Clone(list)
	slices.SortStableFunc(best, func(a, b keyEntry) int { return count(b.first) - count(a.first) })
	best = best[:min(helpFirst, len(best))]
	sections := []overlay.Section{keySection("Keys here: "+string(here[0]), best)}
	for _, c := range here {
		rest := slices.DeleteFunc(slices.Clone(list), func(e keyEntry) bool { return e.context != c || slices.Contains(best, e) })
		sections = append(sections, keySection("More keys: "+string(c), rest))
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
	pages := overlay.Section{Title: "Pages"}
	for _, t := range docs.Topics() {
		pages.Entries = append(pages.Entries, overlay.Entry{Key: "/help " + t.Name, Text: t.Title})
	}
	sections = append(sections, pages)
	for _, c := range keys.Contexts() {
		if !slices.Contains(here, c) {
			sections = append(sections, keySection("Keys: "+string(c), m.keyEntries(c)))
		}
	}
	sections = slices.DeleteFunc(sections, func(s overlay.Section) bool { return len(s.Entries) == 0 })
	help := overlay.NewHelp(m.styles, "Keys and commands", sections, m.hints(keys.InOverlay, keys.Down))
	if m.box != nil {
		m.showOver(help)
		return
	}
	m.show(help)
}

func keySection(title string, list []keyEntry) overlay.Section {
	s := overlay.Section{Title: title}
	for _, e := range list {
		s.Entries = append(s.Entries, e.Entry)
	}
	return s
}

package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/themes"
)

// BenchmarkThemeSwitch shows another theme in a conversation of 50,000 messages and draws
// the frame: as the newest is followed, in the middle of the transcript, and as the mark
// moves in the window of themes.
func BenchmarkThemeSwitch(b *testing.B) {
	all := themes.Builtin()
	st := longState(b)
	for name, prepare := range map[string]func(m *Model) func(i int){
		"end": func(m *Model) func(int) {
			return func(i int) { m.take(look{"x", all[i%len(all)]}) }
		},
		"middle": func(m *Model) func(int) {
			m.transcript.SelectBlock(st.Root().Blocks[len(st.Root().Blocks)/2].ID)
			return func(i int) { m.take(look{"x", all[i%len(all)]}) }
		},
		"picker": func(m *Model) func(int) {
			m.openThemes()
			m.Update(themesMsg{m.box.(*themesWindow), m.o.Themes.List()})
			keys := []tea.KeyPressMsg{{Code: tea.KeyDown}, {Code: tea.KeyDown}, {Code: tea.KeyUp}, {Code: tea.KeyUp}}
			return func(i int) { m.Update(keys[i%len(keys)]) }
		},
	} {
		b.Run(name, func(b *testing.B) {
			m := newBenchModel(st, 160, 50)
			change := prepare(m)
			before := drawn(m)
			change(3)
			if drawn(m) == before {
				b.Fatal("the frame has not changed")
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				change(i)
				m.View()
			}
			frames(b, m, 160, 50)
			target(b, 16e6, "ns/op")
		})
	}
}

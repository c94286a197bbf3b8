package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/keys"
	"hermes-tui/ui/ledger"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

// ledgerEvery is how often an open window counts down how long a cache is warm.
const ledgerEvery = time.Second

// ledgerTickMsg is due when the time shown in an open window has passed on.
type ledgerTickMsg struct{ gen int }

// plainCells is the width of what is copied out of the windows.
const plainCells = 120

// openLedger shows what model calls have used, or what the prompt cache gave.
func (m *Model) openLedger(k boxKind) tea.Cmd {
	title := map[boxKind]string{boxUsage: "Usage", boxCache: "Prompt cache"}[k]
	hints := append([]status.Hint{{Key: "/", Text: "find"}}, m.hints(keys.InOverlay, keys.Copy, keys.Escape)...)
	m.show(overlay.NewPagerOf(m.styles, title, m.writeLedger(k, plainCells, &rows.Styles{}), m.ledgerSource(k), hints), k)
	m.clock.ledgerGen++
	return m.ledgerTick(m.now())
}

func (m *Model) ledgerSource(k boxKind) overlay.Source {
	return func(w int, st *rows.Styles) string { return m.writeLedger(k, w, st) }
}

func (m *Model) writeLedger(k boxKind, w int, st *rows.Styles) string {
	if k == boxCache {
		return ledger.Cache(m.state, m.now(), w, st)
	}
	return ledger.Usage(m.state, w, st)
}

// renewLedger brings an open window of the two up to date.
func (m *Model) renewLedger(p *overlay.Pager) {
	if k := m.boxKind; k == boxCache || k == boxUsage {
		p.Renew(m.writeLedger(k, plainCells, &rows.Styles{}), m.ledgerSource(k))
	}
}

// ledgerTick has the countdown move while it is in sight: without a cache that is
// warm, nothing there changes with time.
func (m *Model) ledgerTick(now time.Time) tea.Cmd {
	if m.box == nil || m.boxKind != boxCache || !ledger.Warm(m.state, now) {
		return nil
	}
	gen := m.clock.ledgerGen
	return tea.Tick(ledgerEvery, func(time.Time) tea.Msg { return ledgerTickMsg{gen} })
}

func (m *Model) onLedgerTick(msg ledgerTickMsg) tea.Cmd {
	p, ok := m.box.(*overlay.Pager)
	if !ok || m.boxKind != boxCache || msg.gen != m.clock.ledgerGen {
		return nil
	}
	m.renewLedger(p)
	m.dirty = true
	return m.ledgerTick(m.now())
}

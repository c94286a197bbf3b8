package models

import "hermes-tui/ui/rows"

// The titles of the columns.
const (
	contextTitle = "context"
	priceTitle   = "$ in/out"
)

// shapes are how wide things of a list are, in cells.
type shapes struct {
	name, price int
	priced      bool // someone has named a price
	able        bool // someone has said what a model can do
}

// The room that longer names have to be content with: while other columns have
// their place, and at most.
const (
	nameCells = 40
	mostName  = 64
)

func measure(l *List) shapes {
	s := shapes{name: len("model"), price: len(priceTitle)}
	for _, g := range l.groups {
		for i := range g.rows {
			r := &g.rows[i]
			if s.name < mostName {
				s.name = min(max(s.name, rows.Width(r.name)), mostName)
			}
			s.price = max(s.price, rows.Width(r.price))
			s.priced = s.priced || r.info.Price != nil
			s.able = s.able || r.info.Sees != "" || r.info.Reasons != "" || r.info.Calls != ""
		}
	}
	return s
}

// columns are the cells of the columns, 0 for one that is left out.
type columns struct {
	name, context, price int
	abilities            bool
}

// leastName is the room for a name that no other column may take away.
const leastName = 20

// columns shares out a row of w cells. What does not fit beside the names is left
// out: first what models can do, then prices, then contexts.
func (s shapes) columns(w int) columns {
	room := w - markCells - 1
	c := columns{context: len(contextTitle)}
	if s.priced {
		c.price = s.price
	}
	c.abilities = s.able
	taken := func() int {
		n := 0
		for _, col := range []int{c.context, c.price} {
			if col > 0 {
				n += col + 2
			}
		}
		if c.abilities {
			n += abilityCells + 2
		}
		return n
	}
	least := min(s.name, nameCells)
	if c.abilities && room-taken() < least {
		c.abilities = false
	}
	if c.price > 0 && room-taken() < min(least, leastName+4) {
		c.price = 0
	}
	if room-taken() < min(least, leastName) {
		c.context = 0
	}
	c.name = max(min(room-taken(), max(s.name, nameCells)), 1)
	return c
}

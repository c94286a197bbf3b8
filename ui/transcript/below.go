package transcript

import "hermes-tui/agent/event"

// arrivals counts the rows that have arrived below since the view stopped following.
type arrivals struct {
	seen int          // how many blocks there were then
	last *event.Block // the newest of them
	rows int          // of its item then
	// The rows of the items up to a block are counted once; those behind it may still
	// change.
	upto, sum int
}

// unsettled is how many of the newest blocks may still change, about. Of those before
// them, rows are counted again when they do.
const unsettled = 64

// countFrom begins to count.
func (v *View) countFrom() {
	n := len(v.blocks)
	v.new = arrivals{seen: n, upto: n}
	if n > 0 {
		v.new.last, v.new.rows = v.blocks[n-1], v.rowsOf(v.itemAt(n-1))
	}
}

// recount counts again what has arrived, where block i and those behind it have changed.
func (v *View) recount(i int) {
	v.new.seen = min(v.new.seen, len(v.blocks))
	if i < v.new.upto {
		v.new.upto, v.new.sum = v.new.seen, 0
	}
}

// NewLines counts the rows of text that have arrived below since the view stopped
// following. It costs what has arrived since it was asked last.
func (v *View) NewLines() int {
	v.layout()
	n := &v.new
	if v.follow || n.seen >= len(v.blocks) && (n.seen == 0 || v.blocks[n.seen-1] == n.last) {
		return 0
	}
	count := 0
	if n.seen > 0 && v.blocks[n.seen-1] != n.last {
		count = max(v.rowsOf(v.itemAt(n.seen-1))-n.rows, 0)
	}
	count += n.sum
	for i := n.upto; i < len(v.blocks); {
		it := v.itemAt(i)
		if it.from < i { // a group that was there
			i = it.to
			continue
		}
		rows := v.rowsOf(it)
		if count, i = count+rows, it.to; i <= len(v.blocks)-unsettled {
			n.sum, n.upto = n.sum+rows, i
		}
	}
	return count
}

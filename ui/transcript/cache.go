package transcript

import (
	"hermes-tui/agent/event"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/rows"
)

// key is all that the rows of an item depend on. A block stands for its
// revision: a changed block is another one.
type key struct {
	block  *event.Block
	w      int
	look   uint64
	folded bool
	marked bool // the cursor is on it
	item   item
	last   bool // nothing follows the block
	asked  event.RequestKind
	took   int64 // tenths of a second that a thought or a call took so far
	frame  int   // of the animation
	aim    int   // the line that is to be in sight, from 1; 0 for any
}

// still is the key without what changes with time alone.
func (k key) still() key {
	k.took, k.frame = 0, 0
	return k
}

// entry is a drawn item. Its rows are those of the stream, of an answer, or its
// own, then those of a text that flows, which are styled when they are looked at,
// and then those after.
type entry struct {
	key     key
	rows    []string
	widths  []int // of rows and after
	flowing []string
	style   rows.Style // of flowing
	after   []string
	caret   string         // behind the last of rows
	moves   []int          // the rows that change with time
	group   []*event.Block // whose row the item has
	// bodyAt is the row at which the text of a block, or the body of a call, begins
	// with its line bodyFrom; 0 where all of it is shown.
	bodyAt, bodyFrom int

	// What is kept while the block grows.
	stream *markdown.Stream
	flow   *flow
	live   []string // the newest output of a call, drawn
	traced *traced  // how it was drawn last for a selection; small beside what it is of

	size       int
	used       uint64
	id         entryID
	newer, old *entry
}

// entryID is whose entry one is: of a block, by its revision, or of a part of a long answer.
type entryID struct {
	block *event.Block
	long  event.BlockID
	seg   int
}

func (e *entry) height() int { return len(e.rows) + len(e.flowing) + len(e.after) }

// row is one row and its width in cells.
func (e *entry) row(i int) (string, int) {
	if i >= len(e.rows) {
		if i -= len(e.rows); i < len(e.flowing) {
			return e.flowRow(e.flowing[i])
		}
		i -= len(e.flowing)
		return e.after[i], e.widths[len(e.rows)+i]
	}
	if i == len(e.rows)-1 && e.caret != "" && e.widths[i] < e.key.w {
		return e.rows[i] + e.caret, e.widths[i] + 1
	}
	return e.rows[i], e.widths[i]
}

// flowRow styles a row of the text that flows.
func (e *entry) flowRow(text string) (string, int) {
	width := len(indent) + rows.Width(text)
	text = indent + e.style.Render(text)
	if width > e.key.w {
		return rows.Fit(text, e.key.w), e.key.w
	}
	return text, width
}

// cache holds drawn items, the newest used first. Items that were used since
// the last call of begin are never dropped; of the others as many are kept as
// fit the limit.
type cache struct {
	limit   int
	size    int
	epoch   uint64
	entries map[entryID]*entry
	// live are the entries of blocks that are open, so that the next revision
	// of such a block goes on where this one ends.
	live           map[event.BlockID]*entry
	newest, oldest *entry
}

func (c *cache) begin() { c.epoch++ }

// get finds the entry of a block or of a part of one, or makes one.
func (c *cache) get(b *event.Block, it item) *entry {
	id := entryID{block: b}
	if it.segs > 0 {
		id = entryID{long: b.ID, seg: it.seg}
	}
	e := c.entries[id]
	if e == nil {
		e = c.take(b, id)
	}
	e.used = c.epoch
	if c.newest != e {
		c.unlink(e)
		c.push(e)
	}
	return e
}

// take makes the entry of a block, out of that of its last revision if there is
// one.
func (c *cache) take(b *event.Block, id entryID) *entry {
	if c.entries == nil {
		c.entries, c.live = map[entryID]*entry{}, map[event.BlockID]*entry{}
	}
	e := c.live[b.ID]
	if e != nil && id.block != nil && e.key.block.Kind == b.Kind {
		delete(c.entries, e.id)
	} else {
		e = &entry{}
	}
	delete(c.live, b.ID)
	if b.Open && id.block != nil {
		c.live[b.ID] = e
	}
	e.key, e.id = key{block: b}, id
	c.entries[id] = e
	return e
}

// entryOverhead is about what an entry takes beside its rows, in bytes.
const entryOverhead = 600

// account notes how large an entry is by now.
func (c *cache) account(e *entry) {
	c.size -= e.size
	e.size = entryOverhead
	if e.stream != nil {
		e.size += e.stream.Size()
	} else {
		e.size += bytesOf(e.rows)
	}
	if e.flow != nil {
		e.size += bytesOf(e.flow.rows) + len(e.flow.line)
	}
	e.size += bytesOf(e.after) + bytesOf(e.live) + 8*(len(e.widths)+len(e.moves)+len(e.group)+2*len(e.flowing))
	c.size += e.size
}

func bytesOf(rows []string) int {
	n := 16 * len(rows)
	for _, r := range rows {
		n += len(r)
	}
	return n
}

// evict drops the entries that were not used longest until the rest fits.
func (c *cache) evict() {
	for c.size > c.limit && c.oldest != nil && c.oldest.used != c.epoch {
		c.drop(c.oldest)
	}
}

// drop takes an entry out.
func (c *cache) drop(e *entry) {
	c.unlink(e)
	c.size -= e.size
	delete(c.entries, e.id)
	if c.live[e.key.block.ID] == e {
		delete(c.live, e.key.block.ID)
	}
}

// forget drops the entry of a block, but for one that the next revision of the block
// goes on with.
func (c *cache) forget(b *event.Block) {
	if e := c.entries[entryID{block: b}]; e != nil && c.live[b.ID] != e {
		c.drop(e)
	}
}

func (c *cache) push(e *entry) {
	e.old = c.newest
	if c.newest != nil {
		c.newest.newer = e
	}
	c.newest = e
	if c.oldest == nil {
		c.oldest = e
	}
}

func (c *cache) unlink(e *entry) {
	if e.newer != nil {
		e.newer.old = e.old
	} else if c.newest == e {
		c.newest = e.old
	}
	if e.old != nil {
		e.old.newer = e.newer
	} else if c.oldest == e {
		c.oldest = e.newer
	}
	e.newer, e.old = nil, nil
}

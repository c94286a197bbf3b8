package event

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// replace puts a changed copy of a block in its place.
func (a *Agent) replace(i int, change func(*Block)) {
	b := *a.Blocks[i]
	change(&b)
	b.Rev++
	a.Blocks[i] = &b
}

// tail is the index of the first block that is streamed and not committed.
// Such blocks are always the last of a transcript: what is committed meanwhile
// is put before them.
func (a *Agent) tail() int {
	i := len(a.Blocks)
	for i > 0 && a.Blocks[i-1].uncommitted() {
		i--
	}
	return i
}

// streamed finds a block that is being streamed, -1 if there is none.
func (a *Agent) streamed(id BlockID) int {
	for i := a.tail(); i < len(a.Blocks); i++ {
		if a.Blocks[i].ID == id {
			return i
		}
	}
	return -1
}

// uncommitted reports whether a block was only streamed so far.
func (b *Block) uncommitted() bool {
	return b.Open && (b.Call == nil || b.Call.Stage == CallDrafting)
}

// dropUncommitted removes what was streamed and never committed.
func (a *Agent) dropUncommitted() {
	i := a.tail()
	clear(a.Blocks[i:])
	a.Blocks = a.Blocks[:i]
}

// insertNotice adds a block before whatever is being streamed, which is where
// its place in the journal puts it.
func (a *Agent) insertNotice(b *Block) {
	a.Blocks = slices.Insert(a.Blocks, a.tail(), b)
}

// stream appends text to an open block, which it begins when needed.
func (a *Agent) stream(id BlockID, kind BlockKind, text string, m *Meta) {
	if i := a.streamed(id); i >= 0 {
		a.replace(i, func(b *Block) { b.Text = b.Text.Append(text) })
		return
	}
	a.Blocks = append(a.Blocks, &Block{ID: id, Kind: kind, Turn: m.Turn, At: m.At, Open: true, Text: NewText(text)})
}

// commit makes the blocks of a message final, in the order reasoning, text,
// calls, whatever order they were streamed in.
func (a *Agent) commit(e *MessageCommitted) {
	base := Block{Turn: e.Turn, Message: e.Message, At: e.At}
	if e.Role == RoleUser {
		base.ID, base.Kind, base.Text, base.Origin, base.Images, base.Named = e.Block, BlockUser, NewText(e.Text), e.Origin, e.Images, e.Named
		if e.Steer {
			base.Kind = BlockSteer
		}
		a.insertNotice(&base)
		a.Untold = slices.DeleteFunc(a.Untold, func(id CallID) bool { return slices.Contains(e.Told, id) })
		return
	}
	var final []*Block
	if r := e.Reasoning; r != nil {
		b := base
		b.ID, b.Kind, b.Text, b.Took = r.Block, BlockReasoning, NewText(r.Text), r.Took
		final = append(final, &b)
	}
	if e.Block != "" {
		b := base
		b.ID, b.Kind, b.Text, b.Partial = e.Block, BlockAnswer, NewText(e.Text), e.Partial
		final = append(final, &b)
	}
	for _, c := range e.Calls {
		b := base
		b.ID, b.Kind, b.Open = BlockID(c.Call), BlockTool, true
		b.Call = &Call{ID: c.Call, Stage: CallPlanned, View: c.View}
		final = append(final, &b)
	}
	for _, b := range final {
		if i := a.streamed(b.ID); i >= 0 {
			b.Rev = a.Blocks[i].Rev + 1
		}
	}
	a.dropUncommitted()
	a.Blocks = append(a.Blocks, final...)
}

func (a *Agent) draft(e *ToolDrafting) {
	if i := a.streamed(BlockID(e.Call)); i >= 0 {
		a.changeCall(e.Call, func(c *Call) { c.Bytes = e.Bytes })
		return
	}
	a.Blocks = append(a.Blocks, &Block{
		ID: BlockID(e.Call), Kind: BlockTool, Turn: e.Turn, At: e.At, Open: true,
		Call: &Call{ID: e.Call, Stage: CallDrafting, View: CallView{Kind: ViewGeneric, Name: e.Name}, Bytes: e.Bytes},
	})
}

// changeCall replaces the block of a call by a changed copy.
func (a *Agent) changeCall(id CallID, change func(*Call)) {
	if id == "" {
		return
	}
	if i := a.findCall(id); i >= 0 {
		a.changeCallAt(i, change)
	}
}

// changeCallAt replaces the block of a call, which is at i.
func (a *Agent) changeCallAt(i int, change func(*Call)) {
	a.replace(i, func(b *Block) {
		c := *b.Call
		change(&c)
		b.Call = &c
	})
}

// typedCommand begins a command of the user.
func (a *Agent) typedCommand(e *CommandTyped) {
	a.insertNotice(&Block{
		ID: BlockID(e.Call), Kind: BlockTool, Turn: e.Turn, At: e.At, Open: true,
		Call: &Call{ID: e.Call, Stage: CallRunning, View: e.View, Started: e.At, Typed: true, Tell: e.Tell},
	})
	a.Commands = append(a.Commands, e.Call)
}

func (a *Agent) startCall(e *ToolStarted) {
	if e.Parent != "" {
		a.changeCall(e.Parent, func(c *Call) { c.startSub(e) })
		return
	}
	a.changeCall(e.Call, func(c *Call) { c.Stage, c.View, c.Started = CallRunning, e.View, e.At })
	a.Running = append(a.Running, e.Call)
}

// startSub adds a call made on behalf of this one.
func (c *Call) startSub(e *ToolStarted) {
	c.addSub(SubCall{ID: e.Call, View: e.View, Started: e.At})
}

func (c *Call) addSub(s SubCall) {
	s.View.Body = ""
	calls := slices.Clone(c.Calls)
	if len(calls) == SubCalls {
		calls = slices.Delete(calls, 0, 1)
	}
	c.Calls = append(calls, s)
	c.Made++
}

// finishSub ends a call made on behalf of this one.
func (c *Call) finishSub(e *ToolFinished) {
	i := slices.IndexFunc(c.Calls, func(s SubCall) bool { return s.ID == e.Call })
	if i < 0 { // it was refused before it could start, or is no longer among the newest
		if e.Took == 0 {
			c.addSub(SubCall{ID: e.Call, View: e.View, Started: e.At, Ended: true, Outcome: e.Outcome})
		}
		return
	}
	c.Calls = slices.Clone(c.Calls)
	s := &c.Calls[i]
	s.View, s.Ended, s.Outcome, s.Took = e.View, true, e.Outcome, e.Took
	s.View.Body = ""
}

func (a *Agent) finishCall(e *ToolFinished) {
	own := !slices.Contains(a.Commands, e.Call)
	if a.Commands = slices.DeleteFunc(a.Commands, func(id CallID) bool { return id == e.Call }); own {
		a.touched(e)
	}
	if e.Parent != "" {
		a.changeCall(e.Parent, func(c *Call) { c.finishSub(e) })
		return
	}
	i := a.findCall(e.Call)
	if i < 0 {
		return
	}
	if a.Blocks[i].Call.Tell && e.Outcome != OutcomeDenied {
		a.Untold = append(a.Untold, e.Call)
	}
	a.changeCallAt(i, func(c *Call) {
		c.Stage, c.View, c.Outcome, c.Took = CallEnded, e.View, e.Outcome, e.Took
		c.Tail, c.Shed, c.Asked, c.AskedAt = Text{}, 0, "", time.Time{}
		// Earlier versions have counted waiting as running.
		c.Held = min(c.Held, max(e.At.Round(0).Sub(c.Started.Round(0))-e.Took, 0))
	})
	a.Blocks[i].Open = false // it was replaced just now
	a.excerpt(e)
	a.Running = slices.DeleteFunc(a.Running, func(id CallID) bool { return id == e.Call })
	if own {
		a.Tools++
	}
}

// excerpt shortens the body of an older call when that of a new one comes.
func (a *Agent) excerpt(e *ToolFinished) {
	if len(e.View.Body) <= ExcerptLimit {
		return
	}
	if a.bodies = append(a.bodies, e.Call); len(a.bodies) <= WholeBodies {
		return
	}
	a.changeCall(a.bodies[0], func(c *Call) {
		short, left := Excerpt(c.View.Body, ExcerptLimit, c.View.Kind == ViewCommand)
		c.View.Body, c.View.Cut = strings.Clone(short), c.View.Cut+left
	})
	a.bodies = slices.Delete(a.bodies, 0, 1)
}

// Excerpt cuts a text to at most so many bytes, of its start or of its tail, and says
// how many are left out.
func Excerpt(s string, limit int, tail bool) (string, int) {
	over := len(s) - limit
	if over <= 0 {
		return s, 0
	}
	if tail {
		for over < len(s) && !utf8.RuneStart(s[over]) {
			over++
		}
		return s[over:], over
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit], len(s) - limit
}

// output adds live output, keeping the newest [TailLimit] bytes. It trims only
// when twice the limit is held, so that a flood is not copied with every piece.
func (c *Call) output(e *ToolOutput) {
	c.Shed += e.Dropped
	c.Tail = c.Tail.Append(e.Text)
	if c.Tail.Len() > 2*TailLimit {
		tail, left := c.Tail.Tail(TailLimit)
		c.Tail, c.Shed = NewText(string(tail)), c.Shed+int64(left)
	}
}

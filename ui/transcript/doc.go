// Package transcript shows the blocks of one agent as a list that can be
// scrolled, folded and walked through.
//
// Guarantees:
//
//   - The cost of a frame depends on the screen, not on the length of the
//     transcript: a position is a block and a row in it, and drawing walks from
//     there. [View.Sync] compares pointers, nothing else. A long answer is drawn in
//     parts.
//   - A block that is still streamed costs what was added to it. Reasoning that
//     goes on costs the same however long it is, folded or opened; time that goes
//     by changes its first row alone.
//   - What the model thought can be hidden and shown: nothing else moves, neither
//     the screen nor the cursor.
//   - Reads and searches of a turn with nothing between them are one row as soon as
//     there are two, so that its height stays the same while they run; none is lost
//     from it, and it can be opened.
//   - [View.Animating] is true only while a row that is on the screen changes with
//     time.
//   - The view stays where the user left it: while it follows, at the end;
//     otherwise at the same block, whatever arrives below, is put in before or
//     is resized.
//   - A search looks at each block once, in steps, and again when it changes. A match is
//     shown where it stands: its block is opened, at its line.
//   - What blocks hold is sanitised, and every row is exactly as wide as asked.
//   - Drawn blocks are kept within a bound of bytes. What is drawn from the
//     cache equals what is drawn again.
//   - Every state has a glyph of its own; colours are not needed to read it.
//
// A [View] does no I/O, starts no timer and belongs to one goroutine. Blocks
// are never changed; a changed block is another [event.Block].
package transcript

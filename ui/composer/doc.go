// Package composer is the multi-line editor in which a user writes.
//
// A [Composer] holds one draft. The root of the screen turns keys into its
// verbs and asks for its rows; it sees no key, runs no timer, reads no clock and
// does no input or output.
//
// Guarantees:
//
//   - The cursor always stands between grapheme clusters, so a letter with its
//     marks or an emoji of several characters is entered, passed and deleted as
//     one. A collapsed paste is one such unit too.
//   - No control character but the line break enters the draft, whatever is
//     inserted, pasted or loaded; tabs become blanks. Only a collapsed paste
//     keeps its tabs, so that what hangs on them arrives intact.
//   - Rows are exact in number and width, at every width.
//   - A key costs what is on the screen plus a copy of the line it changes, not
//     the size of the draft. Lines are wrapped only as far as they are looked
//     at.
//   - Nothing a user wrote is dropped silently: what is cleared or replaced
//     can be undone, and what is cleared is in the history.
//
// A Composer belongs to one goroutine.
package composer

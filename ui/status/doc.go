// Package status draws the two lines that frame the screen: the title row on
// top, which says what answers, where and how freely it may act, and the status
// row at the bottom, which says what happens just now.
//
// Guarantees:
//
//   - [TitleRow] and [Row] are pure and return exactly one row of exactly
//     w cells. [Bars] remembers the newest of each.
//   - The approval mode and the model's badge are on the title row at every
//     width; other parts yield to them.
//   - Text from outside is made safe for a line of its own before it is shown.
//   - Functions are safe for concurrent use; a [Bars] and a [Meter] belong to one
//     goroutine.
package status

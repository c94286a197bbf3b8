// Package term knows terminals: what text from outside may be shown on one,
// which sequences leave it clean, and how to reach its clipboard and its
// notifications.
//
// Guarantees:
//
//   - Nothing here writes to a terminal or reads the environment; sequences are
//     data that the caller writes. Only [Copy] starts a process: the clipboard
//     program of a plan.
//   - What [Sanitize], [Plain] and [Line] return can't move the cursor, change
//     a mode, ask the terminal a question or hide text, whatever went in. The
//     cost is linear in the input, and state held between chunks is bounded.
//   - All functions are safe for concurrent use. A [Sanitizer] belongs to one
//     goroutine.
package term

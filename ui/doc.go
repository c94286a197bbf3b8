// Package ui is the full-screen front end: one Bubble Tea model whose children
// are plain structs with verbs. Only this package sees messages; it turns keys
// into verbs through one table, and agent events into the state that the
// children draw.
//
// Guarantees:
//
//   - No handler does I/O. What may block runs in a command and comes back as a
//     message; replies that are out of date are dropped by generation.
//   - A frame is composed only when something changed, out of rows that the
//     regions keep. Agent events arrive at most 30 times a second, 10 while the
//     user types; a key is drawn in the View of its own message.
//   - There is one animation clock, and it runs only while something visible
//     changes with time. At rest nothing is written.
//   - What was typed is never lost: it is sent, queued, in the history, or saved
//     as a draft.
package ui

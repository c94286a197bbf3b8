// Package hooks runs programs of the user at points of a conversation: before and after
// calls of tools, around turns, questions, compressions and subagents.
//
// Guarantees:
//
//   - A hook runs only while the user has approved exactly what it is: its event, its
//     matcher, its command, and the content of each file that the command names; where it
//     does not run confined, also of what it runs or loads from where agents can write. That
//     is looked at before every run. One that may not run is spoken of once.
//   - What a hook says can refuse a call, ask the user about it, or replace its
//     arguments, which are then checked and judged like any others. Nothing that it says
//     allows anything.
//   - A hook with FailClosed refuses in every other case than that it has said yes: it
//     did not start, was late, was killed, ended with a code other than 0, wrote what
//     cannot be read, or may not run.
//   - A hook has a process group of its own, which ends with it, at its time limit and
//     with the context of who waits for it. What it writes is bounded.
//
// A [Shelf] belongs to the program and holds what was approved and what ran; a [Runner]
// belongs to a conversation. Both are safe for concurrent use.
package hooks

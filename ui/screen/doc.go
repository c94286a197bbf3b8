// Package screen is the user's terminal: keys come in, frames go out.
//
// Bubble Tea runs without its renderer, whose clock of up to 120 Hz never stops.
// This package does the renderer's work on demand instead, on the same
// [ultraviolet] cell buffer that Bubble Tea draws with.
//
// Guarantees:
//
//   - [Terminal.Draw] never blocks. It hands a frame to one goroutine, which
//     writes it at once; while a write is under way the newest frame replaces
//     the one that waits. A terminal that reads slowly, or not at all, costs
//     frames and holds up no one.
//   - Only rows that differ from those on the terminal are taken apart and
//     compared. A frame equal to the one on the terminal writes nothing.
//   - What one frame changes is one write, in synchronised output (mode 2026)
//     where the terminal says that it knows it.
//   - No timer runs. Between frames and keys nothing happens at all.
//   - After [Terminal.Close], and while the process is stopped, the terminal is
//     as it was before [Open].
//
// A [Terminal] is safe for concurrent use.
//
// [ultraviolet]: https://github.com/charmbracelet/ultraviolet
package screen

// Package event is the shared language between an agent and whoever looks at
// it: identifiers, the closed set of events, the view payloads a screen draws,
// and the fold that turns events into state.
//
// Guarantees:
//
//   - [State.Apply] is the only way state is built. Live events, a resumed
//     journal and a replay pass through the same code; the state after a
//     finished turn is the same whichever way it was reached.
//   - Events are either durable (journalled, with a sequence number that grows
//     by one within a conversation) or live (deltas, output tails, countdowns;
//     sequence number zero). [Durable] tells which.
//   - The JSON form carries a stable "type" and a version. Types this program
//     does not know decode to [Unknown], are kept, and are skipped by the fold.
//   - Published events are immutable. Nothing here locks: a [State] belongs to
//     one goroutine, and [State.Clone] makes an independent one.
//
// The package imports the standard library only.
package event

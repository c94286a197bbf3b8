// Package cachediff compares what is sent to a model with what was sent before it, and
// so explains what the provider's prompt cache gives. A cache can give again only
// what a request begins with unchanged, so the first part that differs decides.
//
// A [Tracker] belongs to one agent. It is told of every request before it is sent
// and of the usage when the answer is there, and makes an [event.CacheReport]:
// hit, partial, miss or nothing to be had; for what is not a hit the cause, and the
// part of the request that changed.
//
// Guarantees:
//
//   - The order of the parts is that in which providers put prompts together: model,
//     tools, system prompt, settings, messages.
//   - Of a message hashes are kept, and references to its texts, by which a text that
//     is still the same one is recognised without reading it; nothing is copied. What
//     a tracker holds on to is one request at most, the newest that was answered, and
//     for the time of a call the one under way. A request of the usual kind shares all
//     of its texts with the agent's history.
//   - Taking note of a request whose messages were seen before costs some tens of
//     nanoseconds for each and allocates nothing.
//   - Estimates are in the provider's own measure: parts of the count that it gave
//     for the request before, by bytes.
//   - It reads no clock, and makes no event and no amount of money.
//
// A Tracker is not safe for concurrent use. The zero value is ready.
package cachediff

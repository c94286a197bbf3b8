// Package anthropic speaks the Messages protocol of Anthropic, which several
// other services understand too.
//
// Guarantees:
//
//   - An answer counts as complete only with its message_stop event. Whatever
//     ends sooner, cleanly or not, is a [*providers.Error], never io.EOF.
//   - The finish delta is the last one, and the answer ends with it, whether the
//     server hangs up or not.
//   - Comments, pings, unknown events and unknown fields are ignored; a server that
//     answers a streaming request with one JSON object is understood.
//   - Thinking, redacted thinking and every other block that is neither text nor
//     a call are handed out as native items and sent back byte for byte in meaning,
//     at their place among the texts and calls, to the issuer and model they came
//     from, to no other.
//   - Equal histories make equal bytes, and a longer history begins with the bytes
//     of the shorter one but for its cache marks.
//   - Cancelling the context of a request ends it at once, whatever it waits for.
//   - No credential is in an error. The program names itself and no other; the
//     login of a subscription is sent with what the protocol wants for that, and
//     whether the server serves it to this program is the server's decision.
//
// Requests are built with the types of the official library and event streams are
// split by it. Its client is not used, because it reads the environment and
// writes to standard error; nor are its event types, because they take 17 µs and
// 8 KB for each delta and accept events that make no sense.
package anthropic

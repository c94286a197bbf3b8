// Package chat speaks the Chat Completions protocol, the one that OpenAI began
// and most providers and local servers understand.
//
// Guarantees:
//
//   - An answer counts as complete only with its finish marker. Whatever ends
//     sooner, cleanly or not, is a [*providers.Error], never io.EOF.
//   - The finish delta is the last one: text, calls and usage that a server
//     sends behind its finish marker still arrive before it.
//   - Comments, unknown events and unknown fields are ignored; a server that
//     answers a streaming request with one JSON object is understood.
//   - Reasoning that the provider wants to see again is handed out as native
//     items and sent back to the issuer it came from, to no other.
//   - Cancelling the context of a request ends it at once, whatever it waits for.
//
// Requests and lines are built and read with go-openai; what that library drops
// (unknown fields, error details, empty content) is put in and taken out around
// it.
package chat

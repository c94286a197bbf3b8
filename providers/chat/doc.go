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
//   - What services and models need beyond the protocol is one table, see [quirks].
//     This program names itself there and imitates no other.
//   - Images are sent, or a text stands in their place; none is left out unsaid.
//   - What becomes of a message on the wire depends on no later message, except for
//     the marks of a prompt cache, where the service wants them.
//   - Cancelling the context of a request ends it at once, whatever it waits for.
//
// Requests are built with go-openai; what that library drops (unknown fields, empty
// content) is put in behind it. Its reader of answers is not used: it fails after a
// number of lines that are no data, and loses what errors say.
package chat

// Package responses speaks the Responses protocol: that of OpenAI, of the service
// behind a ChatGPT login, of xAI, and of servers that follow them. What these ask
// for differently is data, see [Variant].
//
// Guarantees:
//
//   - An answer counts as complete only with its terminal event. Whatever ends
//     sooner, cleanly or not, is a [*providers.Error], never io.EOF.
//   - The finish delta is the last one. Text, reasoning and arguments that a server
//     sends only in its closing events still arrive before it, and nothing arrives
//     twice.
//   - Comments, keep-alives, unknown events and unknown fields are ignored; a server
//     that answers a streaming request with one JSON object is understood.
//   - An answer that ends after saying what comes next, as some models mark it, counts
//     as cut off, so that it is gone on with.
//   - Nothing is stored at the service. Reasoning comes encrypted, is handed out as
//     native items at the end of a complete answer, and goes back verbatim, at its
//     place, to the issuer and model that it came from and to no other.
//   - What the history says wins: where the text of a message was changed after it
//     came, the text is sent and not the item.
//   - Cancelling the context of a request ends it at once, whatever it waits for.
//   - No credential appears in an error.
//
// A [Client] is safe for concurrent use; a stream belongs to one goroutine, but may
// be closed from any.
package responses

// Package bedrock speaks the Converse protocol of Amazon Bedrock, which is one
// protocol for the models of many makers.
//
// Guarantees:
//
//   - An answer counts as complete only with its messageStop event. Whatever ends
//     sooner, cleanly or not, is a [*providers.Error], never io.EOF.
//   - The finish delta is the last one: the figures that follow the messageStop
//     event still arrive before it.
//   - Unknown events and unknown fields are ignored; frames are checked against
//     their checksums.
//   - Reasoning is handed out as native items, signed or redacted, and sent back
//     unchanged and in its place to the issuer and the model it came from, to no
//     other.
//   - Nothing is sent twice: what to do about a failure is decided elsewhere.
//   - [New] reads no file and opens no connection. The settings and credentials of
//     AWS are looked for with the first request and within its context, and again
//     after a request that was refused for its credentials.
//   - Cancelling the context of a request ends it at once, whatever it waits for.
//
// Requests are written, signed and addressed by the AWS SDK and sent by our
// transport, which also carries what the SDK asks to get credentials (SSO, STS).
// Two kinds of requests for credentials stay within the machine and are the SDK's
// own: those to the metadata service of EC2, which never take a proxy and give up
// after a moment, and those to the agents of containers. Depending on a user's
// AWS settings the SDK also reads ~/.aws, refreshes its own cache of logins there,
// and starts the credential_process that is named there.
//
// A signature covers the body, so that [transport.WithCall] may add headers to a
// signed request but must leave its body alone.
package bedrock

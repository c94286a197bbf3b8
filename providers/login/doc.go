// Package login gets, renews and gives back the tokens of logins: those of our own,
// made with OAuth in a browser or with a code on another device, and the one that
// Claude Code keeps on this machine.
//
// Guarantees:
//
//   - The program names itself: the client id of an issuer is the one that the
//     user configured, and there is no default that belongs to another product.
//     Nothing here writes the login of another program.
//   - A code is only taken with the state of this very login, once, on a loopback
//     address, and is worth nothing without the verifier, which stays in memory
//     (PKCE, S256).
//   - Secrets go in the body of requests to the address of the issuer that was
//     configured, over TLS unless that is this machine, and to no one it redirects to.
//   - No secret is in an error or in what printing a value shows. Text from an issuer
//     is masked, cut to one line and never shown as a link unless it is one.
//   - Everything that waits takes a context and has a limit: 20 seconds for one
//     request, 256 KB for one answer, 10 minutes for a user in a browser, at most
//     30 minutes for a code.
//   - A login is kept elsewhere, behind [Keeper]; nothing here stores a token. What is
//     lost with the program is at most the login that was being made.
//
// Times are wall-clock times; the clock, the randomness and the waiting are injected.
// A [Flow] and a [Source] are safe for concurrent use.
package login

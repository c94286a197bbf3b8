// Package oauth logs in at MCP servers: it finds out where a server has people log in, makes
// this program known there, and sends the tokens of a login with requests.
//
// What a server says is not believed further than it reaches. Where to log in is read from
// the server's own host; what is said there must be about this very server and name the
// very issuer that was asked; addresses have TLS, unless all of it is on this machine; the
// client that is handed in judges every address that is connected to. An issuer that does
// not know PKCE (S256) is refused.
//
// Nothing here opens a browser. Tokens are made, renewed and stored behind [Keeper]. A
// request that is refused renews them once; what cannot be renewed is a [*LoginError], and
// the user logs in again.
package oauth

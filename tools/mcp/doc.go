// Package mcp is the client of the Model Context Protocol: it keeps the servers of the
// user and of trusted projects running, and makes tools for agents of what they offer.
//
// The protocol is that of the official SDK. What the SDK leaves to its users is done here:
// a server that is a process gets a group of its own, which ends with it and with this
// program; lines of its output that are no messages are passed over, and one that is too
// long ends it; lists end when they repeat themselves; an expired session over HTTP is begun
// again. On a pipe the client says "initialize" first, since old servers answer nothing to
// anything else.
//
// Servers connect beside the session. One that cannot be reached is tried again later, less
// and less often, and then only when it is called; it costs a turn nothing. What a server
// says of a tool is pinned by its hash when it is first seen: a tool whose description or
// schema has changed is held back until the user has looked at it. What servers write is
// data: names and descriptions are cleaned, and results go to the model in a fence.
package mcp

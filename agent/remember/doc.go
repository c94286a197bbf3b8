// Package remember holds the memory providers of the program: a [Provider] returns text for
// the system prompt and text that goes with a message, and is told of the conversation.
// [Command] is a program of the user, [Server] a server of the Model Context Protocol.
package remember

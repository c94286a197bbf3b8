// Package remember is what remembers over conversations, as the program sees it: a
// [Provider] says what stands in the system prompt, what goes with a message, and hears
// what was said. [Command] is one that is a program of the user,
// [Server] one that is a server of the Model Context Protocol.
package remember

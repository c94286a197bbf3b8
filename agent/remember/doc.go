// Package remember is what remembers over conversations, as the program sees it: a
// [Provider] says what stands in the system prompt, what goes with a message, and hears
// what was said. [Command] is one that is a program of the user.
package remember

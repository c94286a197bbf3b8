// Package journal records a conversation and hands it to its front end: the committer numbers and
// stores events, and publishes them only then; the mailbox keeps them until they are read.
//
// While the store refuses, nothing is published: see [Committer]. A reader that is slow never
// holds up a writer: see [Mailbox].
package journal

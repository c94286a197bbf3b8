// Package snapshots records what the agents of a conversation change in the files
// of a workspace, so that it can be shown and taken back.
//
// A [Keeper] is told before and after every call that may change files. Around a
// call whose paths are known it looks at those paths only; around any other it
// compares the whole workspace with an index of what it knows, by size, times,
// inode and mode, and reads what differs. What a file held before and after is
// kept, compressed, in packs on this machine; the workspace itself may be
// elsewhere and is reached through the port [Files] alone.
//
// Guarantees:
//
//   - [Keeper.Begin] returns nil only when the call is recorded on disk and what
//     it could change and can be restored is kept. [Keeper.End] returns nil only
//     when the changes are recorded. Both can be repeated after an error.
//   - A process that is killed loses nothing that End has returned. What changed
//     during a call that was cut off is recorded by the next Keeper as perhaps
//     made by that call.
//   - A rewind restores what the agents found, path by path, each file in one step.
//     A path at which something stands that no agent left there is a conflict and
//     is touched only when that very path was chosen. What is about to be replaced
//     is kept first, so a rewind can be undone. One that was cut off is finished
//     or undone, and stays pending until whoever asked for it has settled it.
//   - Nothing is written through a link: a path whose directory has become a link
//     is refused. Of a file with several names only the one name is replaced.
//   - What is not kept is counted and named, see [Keeper.Excluded].
//
// What changes while a call runs that may change anything is taken for that call's,
// unless something speaks against it: another conversation of the same Dir ran a
// call then, or the [Watch] says that the call's programs did nothing or that
// another program wrote. Such a change is doubtful, and is restored only when that
// is asked for. Nothing speaks against someone who writes while the call's programs
// are busy and whom the Watch does not see; that is taken for the call's. What is
// deleted has the time of its directory. A content that changes without any change
// of size, times and inode is not noticed.
//
// Limits: permission bits are restored, owners, access lists, extended
// attributes, other bits and times are not; modes of directories are not
// watched; ".git" is left alone, so commits and branches stay. Replacing a link,
// or one kind of thing by another, takes two steps.
//
// Ownership: one Keeper per conversation, which holds a lock; it is safe for
// concurrent use. The directory of a conversation holds its journal, its packs
// and its index. Copies of files that no one has changed yet are shared by the
// conversations of a workspace; they are a cache, and a Keeper holds its packs
// open, so removing one never takes anything from a running program.
//
// Everything kept may hold secrets of the workspace: files have mode 0600,
// directories 0700, whatever the umask is. Sizes are in bytes, times of files in
// nanoseconds.
package snapshots

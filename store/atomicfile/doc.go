// Package atomicfile replaces files in one step, locks files between processes
// and makes private directories.
//
// Guarantees:
//
//   - [Write] leaves either the old contents or the new ones under a name, at
//     any moment and after a crash, with exactly the mode asked for, whatever
//     the umask is.
//   - A [Lock] is held by one opener at a time, within a process and between
//     processes of a machine. It ends with [Lock.Close] or, in the kernel, with
//     the process; a lock file left over by a dead process does not block.
//   - [MkdirPrivate] gives a directory that only its owner can enter.
//
// Limits: locks are advisory (flock) and on network file systems as good as the
// server makes them. On Windows a lock is a byte-range lock, a directory is
// neither flushed to disk nor given a mode, and access follows the inherited
// access list.
//
// The package keeps no state and depends on the standard library and
// golang.org/x/sys only. All functions are safe for concurrent use.
package atomicfile

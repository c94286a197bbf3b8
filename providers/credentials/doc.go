// Package credentials keeps the API keys and logins of model services, chooses
// one for each request, and remembers which are cooling down or refused for
// good.
//
// A [Store] is one auth.json; a [Pool] is what it holds for one service. The file
// may belong to a live installation of the reference, so its format is that one's
// (version 1) and both may use it at the same time.
//
// Guarantees:
//
//   - What the package does not know in the file is kept verbatim, in its order.
//     Only the white space, updated_at and what an operation is about change.
//   - The file is replaced in one step, with mode 0600, under the lock auth.lock
//     beside it, and only after it was read again under that lock. A file that
//     cannot be understood is a [*FileError] and never written.
//   - The secret of a borrowed credential (from the environment, the
//     configuration or another program) never reaches the file, its temporary
//     files or an error; a fingerprint of it does.
//   - A refresh token is spent by one process at a time, only after the file was
//     read again under the lock and has proved writable, and what came back is
//     stored before the lock is given up. Cancelling the request that needed it
//     does not cancel the renewal.
//   - A dead credential is not chosen again until its secret changes or a user
//     resets it.
//   - What cannot be written (full disk, lock held elsewhere) stands in memory,
//     is used from there, and is written with the next operation or at
//     [Store.Close].
//
// Secrets are reachable through methods only and never printed. Text from a
// server is masked before it is stored. Times are wall-clock times with
// microseconds; the clock and the source of randomness are injected. Files are
// at most 16 MB. Everything but [Lease] is safe for concurrent use; a lease
// belongs to one goroutine. The only goroutines are renewals, and Close waits for
// them.
package credentials

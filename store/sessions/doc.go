// Package sessions keeps conversations in one SQLite file, state.db, which may
// be shared with a live installation of the reference agent and with other
// instances of this program.
//
// Guarantees:
//
//   - [DB.Commit] writes a whole batch in one transaction or nothing of it.
//     When it returns nil, the batch survives the death of the process. A batch
//     whose outcome is unknown can be committed again: it is recognised by its
//     sequence numbers and message ids and nothing is doubled.
//   - The journal is append-only. Of a committed message only the content can
//     change, and only by [AppendToMessage]. That the model gets less of it, see
//     [ShortenContext], is stored beside the message, which stays whole.
//   - The tables sessions, messages, state_meta, compression_locks,
//     schema_version and the full-text indexes have the names and columns of the
//     reference's schema 16. Missing columns are added, unknown tables and
//     columns are left alone, schema_version is never changed in a database that
//     has one. A database with a higher version is opened for reading only, see
//     [DB.ReadOnly]. Everything of our own lies in tables that begin with tui_.
//   - What belongs to a session or message is deleted with it, whichever program
//     deletes that: triggers see to it.
//   - Trouble with the file is an [*Error] whose text is one sentence with the
//     next step. Nothing is repaired silently, see [DB.Notices].
//   - The database and its -wal and -shm files have mode 0600, whatever the
//     umask.
//
// A [DB] is safe for concurrent use. It has one connection that writes and a few
// that read; readers see what was committed and never wait for the writer in WAL
// mode. Writers of other processes are waited for with short random pauses, for
// about three seconds at most, before an error of kind [KindBusy] is returned.
//
// The process must not open the database file by any other way than SQLite while
// a [DB] is open: closing such a descriptor drops the locks of the process.
//
// Times are stored as seconds since 1970 with a resolution of one microsecond
// and are returned in UTC.
package sessions

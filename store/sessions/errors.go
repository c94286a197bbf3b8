package sessions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Kind says what is wrong with a database.
type Kind string

// The kinds of an [Error].
const (
	KindNotDatabase Kind = "not_database" // some other file stands there
	KindCorrupt     Kind = "corrupt"      // damaged, and not by this program's fault
	KindNewer       Kind = "newer"        // written by a later version: what is in it is only read
	KindReadOnly    Kind = "readonly"     // file, folder or file system refuse writes
	KindPermission  Kind = "permission"   // the file may not be opened at all
	KindFull        Kind = "full"         // disk, quota or size limit is used up
	KindBusy        Kind = "busy"         // locked by another program for too long
	KindGone        Kind = "gone"         // moved, deleted or replaced while it was open
	KindClosed      Kind = "closed"       // Close was called
	KindInvalid     Kind = "invalid"      // a batch that can't be written, a fault of the caller
	KindOther       Kind = "other"        // anything else, see Err
)

// Error is a failed operation on a database. Its text is one sentence for a
// user; Err holds the cause and is nil only where Kind says everything.
type Error struct {
	Kind Kind
	Path string // of the database
	Err  error
}

// Error is one sentence with the next step.
func (e *Error) Error() string {
	switch e.Kind {
	case KindNotDatabase:
		return fmt.Sprintf("%s is not a session database: move it away, or choose another folder with HERMES_HOME", e.Path)
	case KindCorrupt:
		if sqliteCode(e.Err) == sqlite3.SQLITE_CORRUPT_VTAB {
			return fmt.Sprintf("what search looks through in the session database %s is damaged: hermes-tui sessions reindex makes it again from the messages", e.Path)
		}
		return fmt.Sprintf("the session database %s is damaged: hermes-tui sessions check --repair makes a new one of what can be read, and keeps the damaged one", e.Path)
	case KindNewer:
		what := "can only be read"
		if errors.Is(e.Err, errNotOurs) {
			what = "takes new sessions only"
		}
		return fmt.Sprintf("the session database %s was written by a newer version and %s: go on with copies of its sessions in a profile of their own (hermes-tui -p NAME sessions import %s), "+
			"or in another home (HERMES_HOME=FOLDER hermes-tui sessions import %s)", e.Path, what, filepath.Dir(e.Path), filepath.Dir(e.Path))
	case KindReadOnly:
		return fmt.Sprintf("the session database %s can't be written because the file or its folder is read-only: make both writable, or choose another folder with HERMES_HOME", e.Path)
	case KindPermission:
		return fmt.Sprintf("the session database %s may not be opened: check the owner and the permissions of the file and its folder", e.Path)
	case KindFull:
		return fmt.Sprintf("there is no space left for the session database %s: free some disk space or raise the limit, then try again", e.Path)
	case KindBusy:
		return fmt.Sprintf("another program keeps the session database %s locked: wait for it or close it, then try again", e.Path)
	case KindGone:
		return fmt.Sprintf("the session database %s was moved, deleted or replaced while it was open: put it back, or start the program again", e.Path)
	case KindClosed:
		return fmt.Sprintf("the session database %s is closed: start the program again to go on", e.Path)
	case KindInvalid:
		return fmt.Sprintf("nothing was stored in %s because the request was malformed (%v): please report this", e.Path, e.Err)
	default:
		if sqliteCode(e.Err) == sqlite3.SQLITE_IOERR_SHORT_READ {
			return fmt.Sprintf("the log of the session database %s was removed while another program has it open: end that program in order, which saves what it holds, then try again", e.Path)
		}
		return fmt.Sprintf("the session database %s can't be used (%v): check the disk and the folder, then try again", e.Path, e.Err)
	}
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// NotFoundError says that something asked for by name isn't there.
type NotFoundError struct {
	What string // "session", "message", "call"
	Ref  string // what was asked for; may be empty for "the newest"
}

// Error is one sentence with the next step.
func (e *NotFoundError) Error() string {
	if e.Ref == "" {
		return fmt.Sprintf("there is no %s yet: start one first", e.What)
	}
	return fmt.Sprintf("there is no %s %q: look it up in the list of sessions", e.What, e.Ref)
}

// AmbiguousError says that a reference fits several conversations.
type AmbiguousError struct {
	Ref string
	// Candidates are the conversations it fits, most recently used first, at
	// most ten of them.
	Candidates []ConversationInfo
}

// Error is one sentence with the next step; it names up to three candidates.
func (e *AmbiguousError) Error() string {
	var names []string
	for i, c := range e.Candidates {
		if i == 3 {
			names = append(names, "…")
			break
		}
		name := c.Session
		if c.Title != "" {
			name += fmt.Sprintf(" %q", c.Title)
		}
		names = append(names, name)
	}
	return fmt.Sprintf("%q fits several sessions (%s): give a longer part of the id or title", e.Ref, strings.Join(names, ", "))
}

// ConflictError says that a batch contradicts what is stored: someone else
// writes to the same conversation.
type ConflictError struct {
	Conv string
	What string // for example "event 12" or "message m_01"
}

// Error is one sentence with the next step.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s of session %s is stored already with other contents, so another program writes to it: open the session again", e.What, e.Conv)
}

// TitleTakenError says that another session has the title.
type TitleTakenError struct {
	Title   string
	Session string // who has it
}

// Error is one sentence with the next step.
func (e *TitleTakenError) Error() string {
	return fmt.Sprintf("the title %q is taken by session %s: choose another one", e.Title, e.Session)
}

// invalid makes the error for a batch that can't be written.
func (d *DB) invalid(format string, args ...any) error {
	return &Error{Kind: KindInvalid, Path: d.path, Err: fmt.Errorf(format, args...)}
}

// fail turns any error met while doing something into the one a caller sees: the
// sentence for a user that is somewhere in it, the error of the context, or an
// [*Error] around it.
func fail(path, doing string, err error) error {
	if err == nil {
		return nil
	}
	if own := typed(err); own != nil {
		return own
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return &Error{Kind: kindOf(path, err), Path: path, Err: fmt.Errorf("%s: %w", doing, err)}
}

// typed is the error of this package in another, nil if there is none.
func typed(err error) error {
	var (
		own       *Error
		missing   *NotFoundError
		ambiguous *AmbiguousError
		conflict  *ConflictError
		taken     *TitleTakenError
		long      *TitleTooLongError
	)
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &missing):
		return missing
	case errors.As(err, &ambiguous):
		return ambiguous
	case errors.As(err, &conflict):
		return conflict
	case errors.As(err, &taken):
		return taken
	case errors.As(err, &long):
		return long
	}
	return nil
}

// kindOf says what an error of SQLite or of the operating system means.
func kindOf(path string, err error) Kind {
	switch {
	case errors.Is(err, syscall.EROFS):
		return KindReadOnly
	case isNoSpace(err):
		return KindFull
	case errors.Is(err, fs.ErrPermission):
		return KindPermission
	}
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return KindNotDatabase
	case sqlite3.SQLITE_CORRUPT:
		return KindCorrupt
	case sqlite3.SQLITE_FULL:
		return KindFull
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return KindBusy
	case sqlite3.SQLITE_READONLY:
		return KindReadOnly
	case sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return KindPermission
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR:
		return kindOfFile(path)
	}
	return KindOther
}

// kindOfFile looks at the file after SQLite said no more than that it could not
// be opened, read or written.
func kindOfFile(path string) Kind {
	switch {
	case !readable(path):
		return KindPermission
	case !writable(path):
		return KindReadOnly
	case outOfSpace(path):
		return KindFull
	}
	return KindOther
}

// sqliteCode is the extended result code in an error, 0 if it isn't SQLite's.
func sqliteCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// isBusy reports whether waiting may help.
func isBusy(err error) bool {
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return true
	}
	return false
}

// isDuplicate reports whether a row was refused because its key is there already.
func isDuplicate(err error) bool {
	switch sqliteCode(err) {
	case sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return true
	}
	return false
}

// isDangling reports whether a row was refused because what it refers to is absent.
func isDangling(err error) bool {
	return sqliteCode(err) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
}

// tooBig reports whether a value would be longer than the database allows.
func tooBig(err error) bool { return sqliteCode(err) == sqlite3.SQLITE_TOOBIG }

package place

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"hermes-tui/tools/shorten"
)

// Exit codes of the remote end's functions.
const (
	statusTorn = 20 // data was not taken whole, and the connection is of no use
)

// errShort is the cause when a file arrived shorter than it was sent.
var errShort = errors.New("the data did not arrive whole")

// errNoStart is the cause when a process cannot start for want of its directory.
var errNoStart = fmt.Errorf("its directory does not exist: %w", fs.ErrNotExist)

// errNotBegun is the cause when the script of a process did not run.
var errNotBegun = errors.New("the process did not begin; try again")

// errNotDirectory is the cause when a directory is wanted.
var errNotDirectory = error(syscall.ENOTDIR)

// remoteStatus says what the exit codes of remote_server.sh mean.
func remoteStatus(status int) error {
	switch status {
	case 10, 41:
		return fs.ErrNotExist
	case 40:
		return errNoStart
	case 43:
		return errNotBegun
	case 11:
		return ErrLink
	case 12:
		return ErrNotRegular
	case 13:
		return fs.ErrExist
	case 14:
		return syscall.ENOTDIR
	case 15, 42:
		return fs.ErrPermission
	case 16:
		return syscall.EIO
	case 17:
		return errTooManyLinks
	case 21:
		return errShort
	case 22:
		return syscall.EINVAL
	}
	return nil
}

// remoteText is what programs write for an error of the system, in lower case: GNU
// and BSD first, then musl's words where they differ.
var remoteText = [...]struct {
	text string
	err  error
}{
	{"no such file or directory", syscall.ENOENT},
	{"permission denied", syscall.EACCES},
	{"operation not permitted", syscall.EPERM},
	{"file exists", syscall.EEXIST},
	{"not a directory", syscall.ENOTDIR},
	{"is a directory", syscall.EISDIR},
	{"directory not empty", syscall.ENOTEMPTY},
	{"no space left on device", syscall.ENOSPC},
	{"disk quota exceeded", syscall.EDQUOT},
	{"quota exceeded", syscall.EDQUOT},
	{"read-only file system", syscall.EROFS},
	{"file name too long", syscall.ENAMETOOLONG},
	{"filename too long", syscall.ENAMETOOLONG},
	{"too many levels of symbolic links", errTooManyLinks},
	{"symbolic link loop", errTooManyLinks},
	{"too many open files", syscall.EMFILE},
	{"device or resource busy", syscall.EBUSY},
	{"resource busy", syscall.EBUSY},
	{"text file busy", syscall.EBUSY},
	{"invalid argument", syscall.EINVAL},
	{"input/output error", syscall.EIO},
	{"i/o error", syscall.EIO},
	{"file too large", syscall.EFBIG},
	{"stale file handle", syscall.ESTALE},
}

// remoteError is the error of a request that failed in the place.
func remoteError(status int, said []byte) error {
	if err := remoteStatus(status); err != nil {
		return err
	}
	text := shorten.Join(string(said))
	low := strings.ToLower(text)
	last, found := -1, error(nil)
	for _, t := range remoteText {
		// The reason stands last, after names that could hold anything.
		if i := strings.LastIndex(low, t.text); i > last {
			last, found = i, t.err
		}
	}
	switch {
	case found != nil:
		return found
	case text == "":
		return fmt.Errorf("failed in the place (exit %d)", status)
	}
	return fmt.Errorf("failed in the place: %s", text)
}

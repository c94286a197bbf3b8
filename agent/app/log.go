package app

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"hermes-tui/providers/redact"
	"hermes-tui/store/atomicfile"
)

// maxLog is the size at which a log file is put aside, in bytes. One old file is
// kept.
const maxLog = 5 << 20

// openLog opens the log. A log that cannot be written is none; the program runs
// without it.
func openLog(dir string, secrets *redact.Secrets) (*slog.Logger, io.Closer) {
	none := slog.New(slog.DiscardHandler)
	if err := atomicfile.MkdirPrivate(dir); err != nil {
		return none, io.NopCloser(nil)
	}
	f, err := openLogFile(filepath.Join(dir, "hermes-tui.log"))
	if err != nil {
		return none, io.NopCloser(nil)
	}
	out := redact.NewWriter(f, redact.Masker{Secrets: secrets})
	return slog.New(slog.NewTextHandler(out, nil)), f
}

// openLogFile opens a file that grows, putting one that is too long aside.
func openLogFile(name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && info.Size() > maxLog {
		if err := os.Rename(name, name+".1"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"hermes-tui/providers/redact"
	"hermes-tui/store/atomicfile"
	"hermes-tui/store/config"
)

// LogFile is the log of a home whose folder for logs this is. Older ones lie beside it,
// with .1 and so on behind their names.
func LogFile(dir string) string { return filepath.Join(dir, "hermes-tui.log") }

// levels are the levels of the setting.
var levels = map[config.LogLevel]slog.Level{
	config.LogDebug: slog.LevelDebug, config.LogInfo: slog.LevelInfo, config.LogWarning: slog.LevelWarn, config.LogError: slog.LevelError,
}

// Level implements [slog.Leveler] with the settings as they are now.
func (a *App) Level() slog.Level { return levels[a.config().Logging.Level] }

// openLog opens the log, in which secrets are masked. A log that cannot be written is none;
// the program runs without it.
func (a *App) openLog() {
	f, err := openLogFile(LogFile(a.o.Home.Logs()), a.o.Config.Logging)
	if err != nil {
		a.logFile = io.NopCloser(nil)
		return
	}
	a.logFile = f
	a.log = slog.New(slog.NewTextHandler(redact.NewWriter(f, redact.Masker{Secrets: a.secrets}), &slog.HandlerOptions{Level: a}))
	a.log.Info("start", "version", a.o.Version, "pid", os.Getpid(), "dir", a.o.Dir, "home", a.o.Home.Dir())
}

// rotated is a log file of a bounded size, which several programs may write. It is safe
// for concurrent use.
type rotated struct {
	name  string
	most  int64
	older int

	mu sync.Mutex
	f  *os.File
}

// openLogFile opens a file that grows at its end and, when it is too long, is put aside.
func openLogFile(name string, o config.Logging) (*rotated, error) {
	if err := atomicfile.MkdirPrivate(filepath.Dir(name)); err != nil {
		return nil, err
	}
	r := &rotated{name: name, most: int64(o.MaxSize) << 20, older: o.Backups}
	return r, r.open()
}

func (r *rotated) open() (err error) {
	r.f, err = os.OpenFile(r.name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return err
}

// Write implements io.Writer. A file that is too long gets the name .1, and each older one
// the next; the oldest goes.
func (r *rotated) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if is, err := r.f.Stat(); err == nil && is.Size() > 0 && is.Size()+int64(len(p)) > r.most {
		r.putAside(is)
	}
	return r.f.Write(p)
}

// putAside begins a new file, under a lock, since two programs that did it at a time would
// push out what is not old. Where that fails the file goes on.
func (r *rotated) putAside(is os.FileInfo) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	lock, err := atomicfile.Acquire(ctx, filepath.Join(filepath.Dir(r.name), ".lock"))
	if err != nil {
		return
	}
	defer func() { _ = lock.Close() }()
	if now, err := os.Stat(r.name); err == nil && os.SameFile(is, now) { // else another program has put it aside
		for i := r.older; i > 0; i-- {
			_ = os.Rename(r.numbered(i-1), r.numbered(i))
		}
		if r.older == 0 {
			_ = os.Remove(r.name)
		}
	}
	old := r.f
	if err := r.open(); err != nil {
		r.f = old
		return
	}
	_ = old.Close()
}

func (r *rotated) numbered(i int) string {
	if i == 0 {
		return r.name
	}
	return fmt.Sprintf("%s.%d", r.name, i)
}

// Close implements io.Closer.
func (r *rotated) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.f.Close()
}

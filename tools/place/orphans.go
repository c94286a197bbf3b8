package place

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const (
	// LogRef ends the name of the file beside a log that holds the reference to its
	// process, see [Process.Ref]. Whoever removes the log removes it too.
	LogRef = ".ref"
	// maxOrphanLog is how much a process may have written to a log that no program
	// reads. One that reads it empties it long before.
	maxOrphanLog = 128 << 20
	// keptOrphanLog is how much stays of a log that had more, in bytes.
	keptOrphanLog = 1 << 20
	// keepOrphans is how long the log of a process that has ended waits to be read
	// by a program that finds it again.
	keepOrphans = 24 * time.Hour
)

// tempLink is a link in a scratch folder that holds where the temporary files are that go
// with it, in one below it where the link is that shortens its path.
const tempLink = "tmp"

// scratchName names a scratch folder of this program by its process, so that a
// later one can tell that it has ended.
func scratchName(random string) string {
	began := beganAt(os.Getpid())
	if n, err := strconv.ParseUint(began, 10, 64); err == nil {
		began = strconv.FormatUint(n, 36)
	}
	return processSpace() + "." + strconv.Itoa(os.Getpid()) + "." + began + "-" + random
}

// processSpace tells apart machines and containers that may share a folder but not the
// numbers of their processes.
func processSpace() string {
	host, _ := os.Hostname()
	ns, _ := os.Readlink("/proc/self/ns/pid")
	sum := sha256.Sum256([]byte(host + "\x00" + ns))
	return hex.EncodeToString(sum[:2])
}

// orphaned reports whether a folder is a scratch folder of a program here that has
// ended.
func orphaned(name string) bool {
	owner, _, ok := strings.Cut(name, "-")
	f := strings.Split(owner, ".")
	if !ok || len(f) != 3 || f[0] != processSpace() {
		return false
	}
	if n, err := strconv.ParseUint(f[2], 36, 64); err == nil {
		f[2] = strconv.FormatUint(n, 10)
	}
	pid, err := strconv.Atoi(f[1])
	return err == nil && pid > 0 && ended(pid, f[2])
}

// ended reports whether the process with this id that began at that moment is
// certain to have ended.
func ended(pid int, began string) bool {
	now := beganAt(pid)
	return !processAlive(pid) || began != "" && now != "" && now != began
}

// Tidy takes away what killed programs have left: it looks only into the folder for
// scratch directories, which no confined process can reach, and by handles. A process with
// a log that no program reads is ended when the log has more than 128 MB, of which the last
// megabyte stays. Other processes with a log go on, and the log of one that has ended stays
// for a day: [Local.Adopt] may come for them. What belongs to programs that run is left
// alone.
func (l *Local) Tidy(ctx context.Context) error {
	if l.own == "" {
		return nil
	}
	own, err := enter(realPath(l.own))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for what killed programs have left: %w", err)
	}
	defer own.Close()
	if st, err := own.Stat("."); err != nil || runtime.GOOS != "windows" && st.Mode().Perm()&0o077 != 0 || !ownedByUser(st) {
		return err // others may have put there what they like
	}
	entries, err := fs.ReadDir(own.FS(), ".")
	if err != nil {
		return fmt.Errorf("look for what killed programs have left: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if e.IsDir() && orphaned(e.Name()) && ctx.Err() == nil {
			errs = append(errs, l.tidy(ctx, own, e.Name()))
		}
	}
	return errors.Join(errs...)
}

// tidy takes away one scratch folder, and the temporary files that go with it.
func (l *Local) tidy(ctx context.Context, own *os.Root, name string) error {
	dir, err := own.OpenRoot(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	if l.needed(ctx, dir) {
		return nil
	}
	if temp, err := dir.Readlink(tempLink); err == nil && filepath.IsAbs(temp) && ownTempName(filepath.Base(temp)) {
		if err := os.RemoveAll(temp); err != nil { // of a link that stands there, only itself
			return fmt.Errorf("remove the temporary files of a killed program: %w", err)
		}
	}
	below, _ := fs.Glob(dir.FS(), "*/"+tempLink) // there may be none
	for _, link := range below {
		if short, err := dir.Readlink(link); err == nil && filepath.Dir(short) == l.info.Temp && ownTempName(filepath.Base(short)) {
			_ = os.Remove(short) // it may have gone
		}
	}
	if err := own.RemoveAll(name); err != nil {
		return fmt.Errorf("remove what a killed program has left: %w", err)
	}
	return nil
}

// needed reports whether a folder has logs that a program may come for, and bounds
// them.
func (l *Local) needed(ctx context.Context, dir *os.Root) bool {
	needed := false
	_ = fs.WalkDir(dir.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.HasSuffix(name, LogRef) {
			return nil //nolint:nilerr // what cannot be read is not needed
		}
		log := strings.TrimSuffix(name, LogRef)
		st, err := dir.Lstat(log)
		ref, refErr := dir.ReadFile(name)
		if err != nil || refErr != nil || !st.Mode().IsRegular() {
			return nil //nolint:nilerr // what cannot be read is not needed
		}
		flood := st.Size() > maxOrphanLog
		alive := l.endIf(ctx, flood, string(ref))
		if flood && !alive {
			shortenLog(dir, log, st.Size())
		}
		needed = needed || alive || time.Since(st.ModTime()) < keepOrphans
		return nil
	})
	return needed
}

// endIf ends a process if that is wanted, and reports whether it runs.
func (l *Local) endIf(ctx context.Context, wanted bool, ref string) bool {
	if _, _, err := findRef(ref); err != nil || !wanted {
		return err == nil
	}
	ctx, cancel := context.WithCancel(ctx)
	p, err := l.Adopt(ctx, ref)
	cancel()
	if err == nil {
		_, err = p.Wait()
		return err != nil
	}
	return !errors.Is(err, ErrGone)
}

// shortenLog leaves the end of a file.
func shortenLog(dir *os.Root, name string, size int64) {
	f, err := dir.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	last := make([]byte, keptOrphanLog)
	n, _ := f.ReadAt(last, size-keptOrphanLog) // as far as it can be read
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt(last[:n], 0) // what is lost is output that no one has read
	}
}

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

// scratchPrefix begins the names of scratch folders.
const scratchPrefix = "hermes-"

// scratchName names a scratch folder of this program by its process, so that a
// later one can tell that it has ended.
func scratchName(random string) string {
	return scratchPrefix + processSpace() + "." + strconv.Itoa(os.Getpid()) + "." + beganAt(os.Getpid()) + "-" + random
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
	owner, _, ok := strings.Cut(strings.TrimPrefix(name, scratchPrefix), "-")
	f := strings.Split(owner, ".")
	if !ok || !strings.HasPrefix(name, scratchPrefix) || len(f) != 3 || f[0] != processSpace() {
		return false
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

// Tidy takes away what killed programs have left in the folder for temporary
// files. A process with a log that no program reads is ended when the log has more
// than 128 MB, of which the last megabyte stays. Other processes with a log go on,
// and the log of one that has ended stays for a day: [Local.Adopt] may come for
// them. Folders of other users, and of programs that run, are left alone.
func (l *Local) Tidy(ctx context.Context) error {
	entries, err := os.ReadDir(l.info.Temp)
	if err != nil {
		return fmt.Errorf("look for what killed programs have left: %w", err)
	}
	var errs []error
	for _, e := range entries {
		st, err := e.Info()
		if err != nil || !st.IsDir() || st.Mode().Perm() != 0o700 || !ownedByUser(st) || !orphaned(e.Name()) {
			continue
		}
		dir := filepath.Join(l.info.Temp, e.Name())
		if ctx.Err() != nil || l.needed(ctx, dir) {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			errs = append(errs, fmt.Errorf("remove what a killed program has left: %w", err))
		}
	}
	return errors.Join(errs...)
}

// needed reports whether a folder has logs that a program may come for, and bounds
// them.
func (l *Local) needed(ctx context.Context, dir string) bool {
	needed := false
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.HasSuffix(name, LogRef) {
			return nil //nolint:nilerr // what cannot be read is not needed
		}
		log := strings.TrimSuffix(name, LogRef)
		st, err := os.Lstat(log)
		ref, refErr := os.ReadFile(name)
		if err != nil || refErr != nil || !st.Mode().IsRegular() {
			return nil //nolint:nilerr // what cannot be read is not needed
		}
		flood := st.Size() > maxOrphanLog
		alive := l.endIf(ctx, flood, string(ref))
		if flood && !alive {
			shorten(log, st.Size())
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

// shorten leaves the end of a file.
func shorten(name string, size int64) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
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

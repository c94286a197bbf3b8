package place

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// connectLog lets the process write to a new file. Output goes there without
// passing through this program, so it goes on when this program has ended.
func (p *process) connectLog(name string) error {
	dir, err := enter(realPath(filepath.Dir(name)))
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	defer dir.Close()
	base := filepath.Base(name)
	f, err := dir.OpenFile(base, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the log: %w", pathError("create", name, cause(err)))
	}
	p.cmd.Stdout, p.cmd.Stderr = f, f
	p.ends = append(p.ends, f)
	p.log = name
	return nil
}

// TakeRest returns what a file holds from at on, at most most bytes, and empties the file. No
// link may lead to the file.
func (localFS) TakeRest(name string, at int64, most int) ([]byte, error) {
	dir, err := enter(realPath(filepath.Dir(name)))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	base := filepath.Base(name)
	if _, err := replaceable(dir, base, name); err != nil {
		return nil, err
	}
	f, err := dir.OpenFile(base, os.O_RDWR, 0)
	if err != nil {
		return nil, pathError("empty", name, cause(err))
	}
	rest := make([]byte, most)
	n, _ := f.ReadAt(rest, at) // as far as it can be read
	return rest[:n], errors.Join(f.Truncate(0), f.Close())
}

// dropLog takes the log of a process away that did not start.
func (p *process) dropLog() {
	if p.log == "" {
		return
	}
	if st, err := os.Lstat(p.log); err == nil && st.Mode().IsRegular() && st.Size() == 0 {
		_ = os.Remove(p.log + LogRef)
		_ = os.Remove(p.log) // an empty file left behind harms no one
	}
}

// refKind begins every reference.
const refKind = "local1"

// identify notes which process this is, and, for one with a log, in a form that
// still tells it from any other after this program, or the machine, was started
// again: the machine's boot, the id, the time it began, its mark.
func (p *process) identify() {
	boot, ok := bootID()
	start, known := startOf(p.self.pid)
	if known {
		p.self = start
	}
	if p.log == "" || !ok || !known {
		return
	}
	p.ref = refTo(boot, p.self, p.mark)
	if f, err := os.OpenFile(p.log+LogRef, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		_, _ = f.WriteString(p.ref) // without it, the log waits for no one
		_ = f.Close()
	}
}

func refTo(boot string, m member, mark string) string {
	return strings.Join([]string{refKind, boot, strconv.Itoa(m.pid), m.began(), mark}, ":")
}

// errBadRef is the cause when a reference is none of this machine's.
var errBadRef = errors.New("not a reference to a process of this machine")

// parseRef takes a reference apart.
func parseRef(ref string) (boot string, m member, mark string, err error) {
	f := strings.Split(ref, ":")
	if len(f) != 5 || f[0] != refKind || f[1] == "" || len(f[4]) != 24 {
		return "", member{}, "", errBadRef
	}
	pid, err := strconv.Atoi(f[2])
	if err != nil || pid <= 1 {
		return "", member{}, "", errBadRef
	}
	start, err := strconv.ParseUint(f[3], 10, 64)
	if err != nil {
		return "", member{}, "", errBadRef
	}
	return f[1], memberOf(pid, start), f[4], nil
}

// findRef finds the process of a reference.
func findRef(ref string) (m member, mark string, err error) {
	boot, m, mark, err := parseRef(ref)
	if err != nil {
		return m, mark, fmt.Errorf("find process: %w", err)
	}
	if now, ok := bootID(); !ok || now != boot || !m.alive() {
		return m, mark, fmt.Errorf("find process %d: %w", m.pid, ErrGone)
	}
	return m, mark, nil
}

// Adopt finds a process of an earlier run: the one with this id that began at
// that moment of this run of the machine. A process that took the id over later
// is never taken for it.
func (l *Local) Adopt(ctx context.Context, ref string) (Process, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	m, mark, err := findRef(ref)
	if err != nil {
		return nil, err
	}
	p := &process{self: m, mark: mark, ref: ref, done: make(chan struct{})}
	exited := make(chan struct{})
	go p.watch(exited)
	go p.supervise(ctx, exited, Proc{})
	return p, nil
}

// watchEvery is how often an adopted process is looked at.
const watchEvery = 100 * time.Millisecond

// watch closes exited when the leader, which is no child of ours, has ended or
// could not be ended.
func (p *process) watch(exited chan<- struct{}) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for p.self.alive() {
		select {
		case <-tick.C:
		case <-p.done: // unkillable
			return
		}
	}
	close(exited)
}

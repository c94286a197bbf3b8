package snapshots

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
	"time"
)

// How long after its last change a file is read again although it looks
// unchanged: the clocks of file systems tick coarsely. Without a change time,
// as from far away, the time of the content alone has to do.
const (
	racyWindow    = time.Second
	racyWindowFar = time.Minute
)

// racy reports whether a file may change once more without looking different.
func (k *Keeper) racy(st stat) bool {
	last, window := st.ctime, racyWindow
	if last == 0 {
		last, window = st.mtime, racyWindowFar
	}
	return k.opt.Clock().UnixNano()-last < int64(window)
}

// absent reports whether an error means that nothing stands at a path.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// errRestless says that a path does not stand still long enough to be read.
var errRestless = errors.New("it is replaced again and again; try again when nothing changes it")

// content reads what stands at a path; st is how it looked. The data is nil for
// anything but a file that was read.
func (k *Keeper) content(path string, st stat) (State, []byte, stat, error) {
	for range 5 {
		s, data, err := k.readOnce(path, st)
		switch {
		case err == nil && (data == nil || k.same(path, st)):
			return s, data, st, nil
		case err != nil && !absent(err) && k.same(path, st):
			return State{}, nil, st, fmt.Errorf("read %s: %w", path, err)
		}
		info, err := k.opt.Files.Lstat(path)
		if absent(err) {
			return State{}, nil, st, nil
		}
		if err != nil {
			return State{}, nil, st, fmt.Errorf("read %s: %w", path, err)
		}
		st = statOf(info)
	}
	return State{}, nil, st, fmt.Errorf("read %s: %w", path, errRestless)
}

// same reports whether the very thing that was looked at still stands at a path.
func (k *Keeper) same(path string, st stat) bool {
	info, err := k.opt.Files.Lstat(path)
	if err != nil {
		return false
	}
	now := statOf(info)
	return now.kind() == st.kind() && now.inode == st.inode
}

func (k *Keeper) readOnce(path string, st stat) (State, []byte, error) {
	switch st.kind() {
	case Dir:
		return State{Kind: Dir, Mode: st.mode.Perm()}, nil, nil
	case Link:
		target, err := k.opt.Files.Readlink(path)
		return State{Kind: Link, Target: name(target)}, nil, err
	case None:
		return State{}, nil, nil
	}
	s := State{Kind: File, Mode: st.mode.Perm(), Size: st.size, MTime: st.mtime, Unread: tooLarge}
	if st.size > k.opt.Limits.File {
		return s, nil, nil
	}
	f, err := k.opt.Files.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		s.Unread = unreadable
		return s, nil, nil
	}
	if err != nil {
		return State{}, nil, err
	}
	data, err := readAll(f, st.size, k.opt.Limits.File)
	if err = errors.Join(err, f.Close()); err != nil {
		return State{}, nil, err
	}
	if int64(len(data)) > k.opt.Limits.File {
		return s, nil, nil
	}
	s.Size, s.MTime, s.Unread, s.Hash = int64(len(data)), 0, "", sha256.Sum256(data)
	return s, data, nil
}

// readAll reads a file that should have size bytes, and one byte more than limit
// at most.
func readAll(r io.Reader, size, limit int64) ([]byte, error) {
	data := make([]byte, 0, min(size, limit)+1)
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF || int64(len(data)) > limit {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

// finding is a candidate that was read.
type finding struct {
	cand
	e *entry
}

// read reads candidates side by side and keeps their contents: those that are an
// agent's with the conversation, others with the workspace.
func (k *Keeper) read(ctx context.Context, list []cand) ([]finding, error) {
	found := make([]finding, len(list))
	err := parallel(ctx, len(list), func(i int) error {
		c := list[i]
		s, data, st, err := k.content(c.path, c.st)
		if err != nil {
			return err
		}
		e := &entry{st: st, state: s, racy: s.Kind != Dir && k.racy(st), gen: k.gen}
		if data != nil {
			// What is read again only to be sure is no one's.
			mine := !c.adopt && k.agents() && !stateOf(c.old).Equal(s)
			if e.over, err = k.keep(s.Hash, data, mine); err != nil {
				return storeError(k.dir, "keep what "+c.path+" holds", err)
			}
		}
		found[i] = finding{c, e}
		return nil
	})
	return found, err
}

// keep stores a content. over says that there is no room for it among what is
// kept of the workspace.
func (k *Keeper) keep(h Hash, data []byte, mine bool) (over bool, err error) {
	switch {
	case k.conv.has(h):
		return false, nil
	case mine:
		return false, k.conv.put(h, data)
	case k.base.has(h):
		return false, nil
	case k.base.size() >= k.opt.Limits.Total:
		return true, nil
	}
	return false, k.base.put(h, data)
}

// ownContent makes sure that the conversation itself keeps a content that the workspace
// keeps. A content that is kept nowhere is no error: it cannot be restored.
func (k *Keeper) ownContent(s State) error {
	if s.Kind != File || s.Unread != "" || k.conv.has(s.Hash) {
		return nil
	}
	b, l, err := k.base.raw(s.Hash)
	if err != nil {
		return nil //nolint:nilerr // it is listed as impossible to restore
	}
	if data, err := k.pool.decode(b, l); err != nil || sha256.Sum256(data) != s.Hash {
		return nil //nolint:nilerr // damaged is as good as missing
	}
	return k.conv.add(s.Hash, b, l)
}

// keepNow makes sure that the conversation itself keeps what stands at a path, which
// was seen as s.
func (k *Keeper) keepNow(path string, s State) error {
	if err := k.ownContent(s); err != nil || k.conv.has(s.Hash) || s.Kind != File || s.Unread != "" {
		return err
	}
	st, there, err := k.lstat(path)
	if err != nil || !there {
		return err
	}
	now, data, _, err := k.content(path, st)
	if err == nil && !now.Equal(s) {
		err = errors.New("it has just changed; try again")
	}
	if err != nil {
		return err
	}
	return k.conv.put(s.Hash, data)
}

// hasContent reports whether a state could be made again.
func (k *Keeper) hasContent(s State) bool {
	if s.Kind != File {
		return true
	}
	return s.Unread == "" && (k.conv.has(s.Hash) || k.base.has(s.Hash))
}

// contentOf gives what a file held.
func (k *Keeper) contentOf(s State) ([]byte, error) {
	if s.Unread != "" {
		return nil, fmt.Errorf("%w: it was %s", errMissing, s.Unread)
	}
	data, err := k.conv.get(s.Hash)
	if err != nil {
		return k.base.get(s.Hash)
	}
	return data, nil
}

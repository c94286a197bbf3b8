package snapshots

import (
	"bytes"
	"os"
	"path/filepath"
	"time"

	"hermes-tui/store/atomicfile"
)

// clockLag is how far the times of files may be behind the clock.
const clockLag = 30 * time.Millisecond

// openDir is where conversations that are open say so, each in a file of its name
// that holds its root.
const openDir = "open"

// span is a call of another conversation.
type span struct {
	id         string
	begin, end time.Time // no end: it has not ended
	tree       bool
	paths      []name
}

// follower reads the journal of another conversation as it grows.
type follower struct {
	root  string
	off   int64
	calls []span
}

// others knows the calls of the other conversations that work in the same folder.
// It belongs to a Keeper.
type others struct {
	follow map[string]*follower
}

func (k *Keeper) openMark() string { return filepath.Join(k.opt.Dir, objects, openDir, k.opt.Conv) }

// markOpen lets other conversations find this one's journal.
func (k *Keeper) markOpen() error {
	return atomicfile.Write(k.openMark(), []byte(k.opt.Place+"\x00"+k.root), 0o600)
}

// lookAround reads what other conversations have recorded. What ended before since
// is forgotten. A journal that cannot be read says nothing.
func (k *Keeper) lookAround(since time.Time) {
	list, err := os.ReadDir(filepath.Dir(k.openMark()))
	if err != nil {
		return
	}
	seen := map[string]*follower{}
	for _, d := range list {
		conv := d.Name()
		if conv == k.opt.Conv || !fileName(conv) {
			continue
		}
		f := k.others.follow[conv]
		if f == nil {
			text, err := os.ReadFile(filepath.Join(filepath.Dir(k.openMark()), conv))
			place, root, ok := bytes.Cut(text, []byte{0})
			if err != nil || !ok || string(place) != k.opt.Place || !k.within(string(root), k.root) && !k.within(k.root, string(root)) {
				continue
			}
			f = &follower{root: string(root)}
		}
		seen[conv] = f
		f.read(filepath.Join(k.opt.Dir, conv, "journal"))
		running := f.forget(since)
		if running && k.abandoned(conv) {
			delete(seen, conv)
		}
	}
	k.others.follow = seen
}

// abandoned reports whether a conversation was left open by a program that is gone.
// Its mark is taken away then.
func (k *Keeper) abandoned(conv string) bool {
	lock, err := atomicfile.TryAcquire(filepath.Join(k.opt.Dir, conv, "lock"))
	if err != nil {
		return false
	}
	_ = os.Remove(filepath.Join(filepath.Dir(k.openMark()), conv)) // else the next one does it
	_ = lock.Close()
	return true
}

// read takes in what a journal has more than at the last time.
func (f *follower) read(path string) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil || info.Size() <= f.off {
		return
	}
	data := make([]byte, info.Size()-f.off)
	n, _ := file.ReadAt(data, f.off) // what is there counts
	for data = data[:n]; ; {
		line, rest, ok := bytes.Cut(data, []byte{'\n'})
		if !ok {
			return
		}
		f.off += int64(len(line) + 1)
		data = rest
		if !bytes.Contains(line, []byte(`"kind":"`+recBegin)) && !bytes.Contains(line, []byte(`"kind":"`+recEnd)) {
			continue
		}
		r, err := parseLine(line)
		if err != nil || r.Call == nil {
			continue
		}
		if r.Kind == recBegin {
			f.calls = append(f.calls, span{id: r.Call.ID, begin: r.At, tree: r.Tree, paths: r.Paths})
			continue
		}
		for i := range f.calls {
			if s := &f.calls[i]; s.id == r.Call.ID && s.end.IsZero() {
				s.end = r.At
			}
		}
	}
}

// forget drops calls that ended before since, and reports whether one is running.
func (f *follower) forget(since time.Time) (running bool) {
	calls := f.calls[:0]
	for _, s := range f.calls {
		if s.end.IsZero() || !s.end.Before(since) {
			calls = append(calls, s)
			running = running || s.end.IsZero()
		}
	}
	f.calls = calls
	return running
}

// elsewhere says in words which call of another conversation may have changed a
// path at a time, 0 for one that is not known; empty for none.
func (k *Keeper) elsewhere(path string, at int64) string {
	for _, f := range k.others.follow {
		for _, s := range f.calls {
			when := time.Unix(0, at)
			if at != 0 && (when.Before(s.begin.Add(-clockLag)) || !s.end.IsZero() && when.After(s.end)) {
				continue
			}
			for _, p := range s.paths {
				if string(p) == path {
					return "another session wrote it"
				}
			}
			if s.tree && k.within(path, f.root) {
				return "a command of another session ran at the same time"
			}
		}
	}
	return ""
}

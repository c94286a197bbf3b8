package snapshots

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes-tui/store/atomicfile"
)

// Pruned says what [Prune] has removed.
type Pruned struct {
	Bytes int64 // given free
	Left  int64 // still used
	// Convs are conversations whose changes can't be undone any longer.
	Convs []string
}

// store is a directory that holds packs.
type store struct {
	path, conv string // conv is empty for what conversations share
	used       time.Time
	size       int64
}

// Prune removes what is older than l.Age, then what is oldest until everything in
// dir is below l.Total: first copies that can be made again, then what
// conversations keep. Journals stay: what is pruned is listed as impossible to
// restore. Conversations that are open are left alone, copies in use stay readable
// for those who use them. It is enough to call it once a day.
func Prune(ctx context.Context, dir string, l Limits, now time.Time) (Pruned, error) {
	l = l.withDefaults()
	var p Pruned
	stores, err := findStores(dir)
	if err != nil {
		return p, fmt.Errorf("prune snapshots: %w", err)
	}
	slices.SortStableFunc(stores, func(a, b store) int {
		if (a.conv == "") != (b.conv == "") {
			if a.conv == "" {
				return -1
			}
			return 1
		}
		return a.used.Compare(b.used)
	})
	for _, s := range stores {
		p.Left += s.size
	}
	var errs []error
	for _, s := range stores {
		if err := context.Cause(ctx); err != nil {
			return p, fmt.Errorf("prune snapshots: %w", err)
		}
		if now.Sub(s.used) < l.Age && p.Left <= l.Total || s.size == 0 {
			continue
		}
		removed, err := s.remove()
		errs = append(errs, err)
		if removed {
			p.Bytes += s.size
			p.Left -= s.size
			if s.conv != "" {
				p.Convs = append(p.Convs, s.conv)
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return p, fmt.Errorf("prune snapshots: %w", err)
	}
	return p, nil
}

// findStores lists the directories that hold packs.
func findStores(dir string) ([]store, error) {
	var all []store
	for _, sub := range []string{"", objects} {
		list, err := os.ReadDir(filepath.Join(dir, sub))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			if !d.IsDir() || sub == "" && d.Name() == objects || sub == objects && d.Name() == openDir {
				continue
			}
			info, err := d.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			s := store{path: filepath.Join(dir, sub, d.Name()), used: info.ModTime()} // until it says so itself: it may be being made
			if sub == "" {
				s.conv = d.Name()
			}
			if err := s.measure(); err != nil {
				return nil, err
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// prunable reports whether a file of a store is removed when it is pruned.
func prunable(base string) bool {
	return strings.HasSuffix(base, packEnd) || strings.HasSuffix(base, indexEnd) || base == "index" || strings.HasPrefix(base, ".tmp-")
}

// measure finds out the size of what could be removed, and the last use.
func (s *store) measure() error {
	list, err := os.ReadDir(s.path)
	if err != nil {
		return err
	}
	for _, d := range list {
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if prunable(d.Name()) {
			s.size += info.Size()
		}
		if d.Name() == usedFile {
			s.used = info.ModTime()
		}
	}
	text, err := os.ReadFile(filepath.Join(s.path, usedFile))
	if err == nil {
		if at, perr := time.Parse(time.RFC3339, strings.TrimSpace(string(text))); perr == nil {
			s.used = at
		}
	}
	return nil
}

// remove empties a store, unless it is an open conversation.
func (s *store) remove() (bool, error) {
	if s.conv != "" {
		lock, err := atomicfile.TryAcquire(filepath.Join(s.path, "lock"))
		if held := (*atomicfile.HeldError)(nil); errors.As(err, &held) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		defer func() { _ = lock.Close() }() // it guards what is gone then
	}
	list, err := os.ReadDir(s.path)
	if err != nil {
		return false, err
	}
	var errs []error
	for _, d := range list { // in the order of names an index comes before its pack, which is nothing without it
		if !prunable(d.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(s.path, d.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return len(errs) == 0, errors.Join(errs...)
}

// compact removes copies that nothing in the workspace needs any longer, when
// they are more than half of all. Nothing that cannot be made again is touched.
func (k *Keeper) compact() error {
	if k.x.files == 0 || k.base.size() < k.opt.Limits.Total/4 {
		return nil
	}
	live := map[Hash]bool{}
	for _, n := range k.x.nodes {
		for _, e := range n.entries {
			if e.counts() {
				live[e.state.Hash] = true
			}
		}
	}
	return k.base.compact(live)
}

// compact rewrites what is live, unless that is most of it, and removes the rest.
func (p *packs) compact(live map[Hash]bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var size int64
	var move []Hash
	for h, l := range p.where {
		if live[h] {
			size += int64(l.stored)
			move = append(move, h)
		}
	}
	if 2*size > p.total {
		return nil
	}
	if err := p.syncLocked(); err != nil {
		return err
	}
	old := len(p.list)
	p.cur = nil // what is live goes to new packs
	for _, h := range move {
		b, l, err := p.rawLocked(h)
		if err != nil {
			return err
		}
		delete(p.where, h)
		if err := p.addLocked(h, b, l); err != nil {
			return err
		}
	}
	if err := p.syncLocked(); err != nil {
		return err
	}
	var errs []error
	gone := p.list[:old]
	for _, k := range gone {
		p.total -= k.size + k.isize
		errs = append(errs, k.close())
		for _, end := range []string{indexEnd, packEnd} { // without its index a pack is nothing
			if err := os.Remove(filepath.Join(p.dir, k.name+end)); !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	maps.DeleteFunc(p.where, func(_ Hash, l loc) bool { return slices.Contains(gone, l.pack) })
	p.list = slices.Clone(p.list[old:])
	return errors.Join(errs...)
}

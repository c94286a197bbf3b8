package snapshots

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

func compare(a, b string) int { return strings.Compare(a, b) }

// pendingChange is a change that is about to be recorded.
type pendingChange struct {
	Change
	key string // whose it is
}

// settle records what was found and brings the index up to date. more are records
// that belong to the same moment. When it fails, nothing has changed and the same
// will be found again.
func (k *Keeper) settle(ctx context.Context, all *walked, more ...*record) error {
	k.disown(all)
	found, err := k.read(ctx, all.files)
	if err != nil {
		return err
	}
	changes := k.changesOf(all, found)
	records, err := k.recordsOf(changes)
	if err != nil {
		return err
	}
	k.step("kept")
	if err := k.base.flush(); err != nil {
		return storeError(k.dir, "keep what files hold", err)
	}
	if err := k.conv.sync(); err != nil {
		return storeError(k.dir, "keep what files hold", err)
	}
	k.step("synced")
	if err := k.journal.append(append(records, more...)...); err != nil {
		return err
	}
	k.step("recorded")
	for _, r := range slices.Concat(records, more) {
		k.history.add(r)
	}
	k.credit(changes)
	k.install(all, found)
	return k.saveIndex()
}

// disown has nothing taken for there before that a running call names.
func (k *Keeper) disown(all *walked) {
	named := func(path string) bool {
		return slices.ContainsFunc(k.running, func(r *running) bool { return slices.Contains(r.watch, path) })
	}
	for _, list := range [][]cand{all.files, all.dirs, all.gone} {
		for i, c := range list {
			list[i].adopt = c.adopt && !named(c.path)
		}
	}
}

// changesOf compares what was found with the index.
func (k *Keeper) changesOf(all *walked, found []finding) []pendingChange {
	var list []pendingChange
	doubt := k.doubter()
	note := func(path string, before, after State, st stat) {
		if before.Equal(after) {
			return
		}
		c := pendingChange{Change: Change{Path: path, Before: before, After: after}}
		var tree bool
		if c.By, c.Unsure, tree, c.key = k.attribute(path); tree && !c.Unsure {
			c.Doubt = doubt(path, after, st)
			c.key += c.Doubt
		}
		list = append(list, c)
	}
	add := func(path string, before, after State) { note(path, before, after, stat{}) }
	for _, c := range all.gone {
		if !c.adopt {
			k.below(c.path, c.old, add)
		}
	}
	for _, c := range all.dirs {
		if !c.adopt {
			add(c.path, stateOf(c.old), State{Kind: Dir, Mode: c.st.mode.Perm()})
		}
	}
	for _, f := range found {
		if f.old != nil && f.old.state.Kind == Dir {
			k.below(f.path, nil, add)
		}
		if !f.adopt {
			note(f.path, stateOf(f.old), f.e.state, f.e.st)
		}
	}
	slices.SortFunc(list, func(a, b pendingChange) int { return compare(a.Path, b.Path) })
	return list
}

// stateOf is what an entry says of a path.
func stateOf(e *entry) State {
	if e == nil || e.skip != kept {
		return State{}
	}
	return e.state
}

// below tells what disappears with a path.
func (k *Keeper) below(path string, e *entry, add func(path string, before, after State)) {
	if n := k.x.nodes[path]; n != nil {
		for base, child := range n.entries {
			k.below(k.join(path, base), child, add)
		}
	}
	add(path, stateOf(e), State{})
}

// agents reports whether what changes may be an agent's.
func (k *Keeper) agents() bool { return len(k.running) > 0 }

// attribute says whose a change of a path is, and whether those are calls that may
// change anything. key is the same for changes of the same calls and empty when it
// is no one's.
func (k *Keeper) attribute(path string) (by []CallRef, unsure, tree bool, key string) {
	for _, cut := range []bool{false, true} {
		var named, any []CallRef
		for _, r := range k.running {
			switch {
			case r.cut != cut:
			case r.tree:
				any = append(any, r.ref)
			case slices.Contains(r.watch, path):
				named = append(named, r.ref)
			}
		}
		if len(named) == 0 {
			named, tree = any, true
		}
		if len(named) > 0 {
			for _, c := range named {
				key += c.ID + "\x00"
			}
			return named, cut, tree, key
		}
	}
	return nil, false, false, ""
}

// recordsOf makes the records of changes and keeps what is needed to undo them.
// What someone else did is recorded where agents have been before.
func (k *Keeper) recordsOf(changes []pendingChange) ([]*record, error) {
	open := map[string]*record{}
	var list []*record
	for _, c := range changes {
		if c.key == "" && len(k.history.paths[c.Path]) == 0 {
			continue
		}
		if err := k.ownContent(c.Before); err != nil {
			return nil, storeError(k.dir, "keep what "+c.Path+" held", err)
		}
		r := open[c.key]
		if r == nil || len(r.Changes) >= rowsPerRecord {
			r = &record{Kind: recChanges, Calls: c.By, Unsure: c.Unsure, Doubt: c.Doubt}
			open[c.key] = r
			list = append(list, r)
		}
		r.Changes = append(r.Changes, changeRow{Path: name(c.Path), Before: c.Before, After: c.After})
	}
	return list, nil
}

// credit remembers changes for the calls that made them.
func (k *Keeper) credit(changes []pendingChange) {
	for _, c := range changes {
		for _, r := range k.running {
			if slices.Contains(c.By, r.ref) {
				r.changes = append(r.changes, c.Change)
			}
		}
	}
}

// install brings the index up to date.
func (k *Keeper) install(all *walked, found []finding) {
	for _, c := range all.gone {
		k.forget(c.dir, c.base, c.path)
	}
	for path, ignored := range all.ignored {
		if n := k.x.nodes[path]; n != nil {
			n.ignored = ignored
			k.delta.enter(path, n)
		}
	}
	for _, c := range all.dirs {
		k.put(c, &entry{st: c.st, state: State{Kind: Dir, Mode: c.st.mode.Perm()}, gen: k.gen})
		if k.x.nodes[c.path] == nil {
			parent := k.x.nodes[c.dir]
			n := k.x.node(c.path)
			n.ignored = k.within(c.path, k.root) && parent != nil && (parent.ignored || k.ignored != nil && k.ignored(c.path, true))
			k.delta.enter(c.path, n)
		}
	}
	for _, f := range found {
		if f.old != nil && f.old.state.Kind == Dir || f.e.state.Kind == None {
			k.forget(f.dir, f.base, f.path)
		}
		switch {
		case f.e.state.Kind != None:
			k.put(f.cand, f.e)
		case f.st.kind() == None:
			k.put(f.cand, &entry{skip: skipSpecial, st: f.st, gen: k.gen})
		}
	}
	for _, s := range all.skips {
		k.put(cand{dir: s.dir, base: s.base}, s.e)
	}
}

func (k *Keeper) forget(dir, base, path string) {
	k.x.del(dir, base, path, k.join, nil)
	if n := k.x.nodes[dir]; n != nil {
		k.delta.del(dir, base, n)
	}
}

func (k *Keeper) put(c cand, e *entry) {
	k.chain(c.dir)
	k.x.set(c.dir, c.base, e)
	k.delta.set(c.dir, c.base, k.x.nodes[c.dir], e)
}

// chain makes the directories above a named file known, so that a walk finds it
// where nothing else is watched.
func (k *Keeper) chain(dir string) {
	for dir != k.root && k.within(dir, k.root) && k.x.nodes[dir] == nil {
		n := k.x.node(dir)
		k.delta.enter(dir, n)
		parent, base := k.split(dir)
		if k.x.find(parent, base) == nil {
			k.x.set(parent, base, &entry{st: stat{mode: fs.ModeDir | 0o755}, state: State{Kind: Dir, Mode: 0o755}})
			k.delta.set(parent, base, k.x.nodes[parent], k.x.find(parent, base))
		}
		dir = parent
	}
}

// saveIndex appends what has changed to the index file; what fails is tried again
// with the next change.
func (k *Keeper) saveIndex() error {
	if frame := k.delta.frame(); frame != nil {
		k.unsaved = append(k.unsaved, frame...)
	}
	if len(k.unsaved) == 0 {
		return nil
	}
	if err := k.file.append(k.unsaved); err != nil {
		return storeError(k.dir, "update the index", err)
	}
	k.unsaved = nil
	k.step("indexed")
	return nil
}

// resolve gives the path behind all links in its directory; what stands at the
// path itself is not followed.
func (k *Keeper) resolve(path string) (string, error) {
	dir, base := k.split(path)
	real, err := k.opt.Files.Resolve(dir)
	if err != nil {
		return "", fmt.Errorf("resolve %s: %w", path, err)
	}
	if base == "" {
		return real, nil
	}
	return k.join(real, base), nil
}

package snapshots

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Call is a call that may change files.
type Call struct {
	ID    string // unique in the conversation
	Turn  string // to which it belongs, also when a subagent makes it
	Agent string
	// Paths are the absolute paths of the files that it may write, make, move or
	// delete. None means that it may change anything.
	Paths []string
}

// chunk is how many files the first copy reads before it lets others through.
const chunk = 128

// Warm makes the first copy of the workspace, so that the first call need not
// wait for it. Calls whose paths are known can run meanwhile.
func (k *Keeper) Warm(ctx context.Context) error {
	if err := k.ensureWhole(ctx); err != nil {
		return fmt.Errorf("copy the workspace: %w", err)
	}
	return nil
}

// ensureWhole makes the first copy unless it is there.
func (k *Keeper) ensureWhole(ctx context.Context) error {
	if !k.watched {
		return nil
	}
	select {
	case k.warming <- struct{}{}:
		defer func() { <-k.warming }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	files, err := k.survey(ctx)
	for len(files) > 0 && err == nil {
		n := min(chunk, len(files))
		err = k.copyChunk(ctx, files[:n])
		files = files[n:]
	}
	if err != nil {
		return err
	}
	return k.finishWhole(ctx)
}

// survey lists the files to copy. The directories are in the index afterwards.
func (k *Keeper) survey(ctx context.Context) ([]cand, error) {
	done, err := k.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if k.whole {
		return nil, nil
	}
	if err := k.compact(); err != nil {
		return nil, storeError(k.dir, "copy the workspace", err)
	}
	all, err := k.walk(ctx)
	if err != nil {
		return nil, err
	}
	files := all.files
	all.files = nil
	return files, k.settle(ctx, all)
}

// copyChunk copies files that no one has looked at since they were listed.
func (k *Keeper) copyChunk(ctx context.Context, files []cand) error {
	done, err := k.use(ctx)
	if err != nil {
		return err
	}
	defer done()
	some := &walked{}
	for _, c := range files {
		if k.x.find(c.dir, c.base) == c.old && k.x.nodes[c.dir] != nil {
			some.files = append(some.files, c)
		}
	}
	return k.settle(ctx, some)
}

func (k *Keeper) finishWhole(ctx context.Context) error {
	done, err := k.use(ctx)
	if err != nil {
		return err
	}
	defer done()
	if k.whole {
		return nil
	}
	if err := k.base.sync(); err != nil {
		return storeError(k.dir, "copy the workspace", err)
	}
	k.delta.whole()
	if err := k.saveIndex(); err != nil {
		return err
	}
	k.whole = true
	return storeError(k.dir, "copy the workspace", k.share())
}

// Begin is called before a call that may change files. It returns when what the
// call could change is kept and the call is recorded. After an error nothing has
// begun, and the call should not run: [ErrStoreFull], [*UnfinishedError].
func (k *Keeper) Begin(ctx context.Context, c Call) error {
	if err := k.begin(ctx, c); err != nil {
		return fmt.Errorf("keep the files before a call: %w", err)
	}
	return nil
}

func (k *Keeper) begin(ctx context.Context, c Call) error {
	if c.ID == "" {
		return errors.New("the call has no id")
	}
	if len(c.Paths) == 0 {
		if err := k.ensureWhole(ctx); err != nil {
			return err
		}
	}
	done, err := k.use(ctx)
	if err != nil {
		return err
	}
	defer done()
	if slices.ContainsFunc(k.running, func(r *running) bool { return r.ref.ID == c.ID && !r.cut }) {
		return fmt.Errorf("the call %s has begun already", c.ID)
	}
	if p := k.history.pending; p != nil {
		return &UnfinishedError{ID: p.rewind}
	}
	if err := k.recover(ctx); err != nil {
		return err
	}
	r := &running{ref: CallRef{ID: c.ID, Turn: c.Turn, Agent: c.Agent}, tree: len(c.Paths) == 0}
	if err := k.watchPaths(r, c.Paths); err != nil {
		return err
	}
	if r.tree {
		k.observeOthers()
		defer func() { k.ignoreOthers() }() // unless it has begun
	}
	if err := k.refresh(ctx, r, true); err != nil {
		return err
	}
	if err := k.secure(ctx, r); err != nil {
		return err
	}
	rec := &record{Kind: recBegin, Call: &r.ref, Tree: r.tree}
	for _, p := range r.watch {
		rec.Paths = append(rec.Paths, name(p))
	}
	k.step("begin")
	if err := k.journal.append(rec); err != nil {
		return err
	}
	k.step("begun")
	k.history.add(rec)
	k.running = append(k.running, r)
	if r.tree {
		k.trees++
	}
	return nil
}

// watchPaths finds out which paths a call may change: those it names, what they
// lead to, and directories on the way that are missing.
func (k *Keeper) watchPaths(r *running, paths []string) error {
	add := func(p string) {
		if !slices.Contains(r.watch, p) {
			r.watch = append(r.watch, p)
			k.nameFile(p)
		}
	}
	for _, path := range paths {
		at, err := k.resolve(path)
		if err != nil {
			return err
		}
		to, err := k.opt.Files.Resolve(path)
		if err != nil {
			return fmt.Errorf("resolve %s: %w", path, err)
		}
		for _, p := range []string{at, to} {
			add(p)
			for dir, base := k.split(p); base != ""; dir, base = k.split(dir) {
				if _, err := k.opt.Files.Lstat(dir); !absent(err) {
					break
				}
				add(dir)
			}
		}
	}
	return nil
}

// secure makes sure that what a call may change can be restored.
func (k *Keeper) secure(ctx context.Context, r *running) error {
	for _, path := range r.watch {
		dir, base := k.split(path)
		e := k.x.find(dir, base)
		if e == nil {
			continue
		}
		// There is room for a named file, also when it was too much for what is kept of
		// the workspace.
		if err := k.keepNow(path, e.state); err != nil {
			return storeError(k.dir, "keep what "+path+" holds", err)
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := k.conv.sync(); err != nil {
		return storeError(k.dir, "keep what files hold", err)
	}
	if r.tree {
		if err := k.base.sync(); err != nil {
			return storeError(k.dir, "keep what files hold", err)
		}
	}
	return nil
}

// refresh looks at what a call may have changed, or is about to change.
func (k *Keeper) refresh(ctx context.Context, r *running, before bool, more ...*record) error {
	paths := r.watch
	all := &walked{}
	if r.tree {
		paths = k.namedPaths()
		if k.watched {
			var err error
			if all, err = k.walk(ctx); err != nil {
				return err
			}
		}
	}
	err := k.lookAt(paths, before, all)
	if err == nil {
		err = k.settle(ctx, all, more...)
	}
	if err != nil {
		k.ignored, k.rules = nil, nil // what the rules changed has to be found again
	}
	return err
}

func (k *Keeper) namedPaths() []string {
	paths := make([]string, 0, len(k.named))
	for p := range k.named {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}

// lookAt compares single paths with the index. Before a call, what stands where
// nothing is watched was there all the time.
func (k *Keeper) lookAt(paths []string, before bool, all *walked) error {
	for _, path := range paths {
		dir, base := k.split(path)
		if base == "" {
			continue
		}
		e := k.x.find(dir, base)
		st, there, err := k.lstat(path)
		if err != nil {
			return fmt.Errorf("look at %s: %w", path, err)
		}
		known := e != nil && e.skip == kept
		c := cand{dir: dir, base: base, path: path, st: st, old: e, adopt: before && !known && !k.eligible(path)}
		switch {
		case !there:
			if e != nil {
				all.gone = append(all.gone, c)
			}
		case st.kind() == Dir:
			if !known || e.state.Kind != Dir {
				all.dirs = append(all.dirs, c)
			}
		case !known || !e.unchanged(st):
			all.files = append(all.files, c)
		}
	}
	slices.SortFunc(all.dirs, func(a, b cand) int { return compare(a.path, b.path) })
	return nil
}

// lstat describes a path whose directory is reached without links.
func (k *Keeper) lstat(path string) (st stat, there bool, err error) {
	real, err := k.resolve(path)
	if err != nil || real != path {
		return stat{}, false, err
	}
	info, err := k.opt.Files.Lstat(path)
	if absent(err) {
		return stat{}, false, nil
	}
	if err != nil {
		return stat{}, false, err
	}
	return statOf(info), true, nil
}

// eligible reports whether a walk would have found a path.
func (k *Keeper) eligible(path string) bool {
	if !k.whole || !k.within(path, k.root) || k.ignored == nil {
		return false
	}
	for at, dir := path, false; at != k.root; dir = true {
		parent, base := k.split(at)
		if base == gitName || slices.Contains(k.own, at) || k.ignored(at, dir) {
			return false
		}
		if e := k.x.find(parent, base); e != nil && e.skip != kept {
			return false
		}
		at = parent
	}
	return true
}

// recover attributes what has changed since a call was cut off.
func (k *Keeper) recover(ctx context.Context) error {
	for _, tree := range []bool{false, true} {
		for _, r := range slices.Clone(k.running) {
			if !r.cut || r.tree != tree {
				continue
			}
			if err := k.refresh(ctx, r, false, &record{Kind: recEnd, Call: &r.ref}); err != nil {
				return err
			}
			k.running = slices.DeleteFunc(k.running, func(o *running) bool { return o == r })
		}
	}
	return nil
}

// End is called after a call, whatever has become of it. It returns what the call
// has changed, sorted by path. After an error the call still runs as far as the
// Keeper knows; End can be called again.
func (k *Keeper) End(ctx context.Context, id string) ([]Change, error) {
	done, err := k.use(ctx)
	if err != nil {
		return nil, fmt.Errorf("record what a call has changed: %w", err)
	}
	defer done()
	i := slices.IndexFunc(k.running, func(r *running) bool { return r.ref.ID == id && !r.cut })
	if i < 0 {
		return nil, fmt.Errorf("record what a call has changed: no call %q has begun", id)
	}
	r := k.running[i]
	if err := k.refresh(ctx, r, false, &record{Kind: recEnd, Call: &r.ref}); err != nil {
		// The index file may lag behind; the changes themselves are recorded then.
		if slices.ContainsFunc(k.history.begun, func(b *record) bool { return b.Call.ID == id }) {
			return nil, fmt.Errorf("record what a call has changed: %w", err)
		}
	}
	k.running = slices.Delete(k.running, i, i+1)
	if r.tree {
		k.trees--
		k.ignoreOthers()
	}
	return netOf(r.changes), nil
}

// netOf joins the changes of each path, which are in order.
func netOf(list []Change) []Change {
	at := map[string]int{}
	var all []Change
	for _, c := range list {
		if i, ok := at[c.Path]; ok {
			all[i].After = c.After
			continue
		}
		at[c.Path] = len(all)
		all = append(all, c)
	}
	all = slices.DeleteFunc(all, func(c Change) bool { return c.Before.Equal(c.After) })
	slices.SortFunc(all, func(a, b Change) int { return compare(a.Path, b.Path) })
	return all
}

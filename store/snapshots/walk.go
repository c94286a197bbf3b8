package snapshots

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// gitName is the name of git's own directory, or of the file that leads to it.
const gitName = ".git"

// workers is how many directories or files are looked at side by side.
func workers() int { return min(max(4, runtime.GOMAXPROCS(0)), 16) }

// cand is a name whose content has to be read, because it is new or differs.
type cand struct {
	dir, base, path string
	st              stat
	old             *entry // nil when it is new
	adopt           bool   // what is found was there before
}

// visit is a directory to look at.
type visit struct {
	path    string
	node    *node // nil when it is new
	adopt   bool
	ignored bool
}

// adopts reports whether what differs from an entry of the directory was there before
// anyone watched it.
func (v visit) adopts(e *entry) bool {
	if e != nil && e.skip == kept {
		return v.adopt && e.seeded
	}
	return v.adopt || e != nil
}

// skipped is a new entry that is left out.
type skipped struct {
	dir, base string
	e         *entry
}

// walked is what a walk has found. Nothing of it is in the index yet.
type walked struct {
	files []cand // files and links
	dirs  []cand // new directories, outer ones first
	skips []skipped
	gone  []cand // names that are no more
	sub   []visit
	rules map[string]stat // the ignore files
	// ignored are known directories whose rules have changed.
	ignored map[string]bool
}

// walker looks at all directories of the workspace, those of one depth side by
// side. It changes nothing but the generation of the entries it sees.
type walker struct {
	*Keeper
	gen   uint32
	reask bool // ask about ignored names again
}

// walk compares the workspace with the index. When ignore files have changed it
// looks again with the new rules.
func (k *Keeper) walk(ctx context.Context) (*walked, error) {
	reask := k.ignored == nil
	for range 3 {
		if reask {
			k.ignored = k.opt.Ignored()
		}
		k.gen++
		w := walker{Keeper: k, gen: k.gen, reask: reask}
		all, err := w.all(ctx)
		if err != nil {
			return nil, fmt.Errorf("look through the workspace: %w", err)
		}
		if reask && k.rules == nil {
			k.rules = all.rules
		}
		if maps.Equal(k.rules, all.rules) {
			return all, nil
		}
		k.rules, reask = all.rules, true
	}
	return nil, errors.New("look through the workspace: its ignore files change all the time; try again")
}

func (w walker) all(ctx context.Context) (*walked, error) {
	all := &walked{rules: map[string]stat{}, ignored: map[string]bool{}}
	if info, err := w.opt.Files.Lstat(w.join(w.join(w.join(w.root, gitName), "info"), "exclude")); err == nil {
		all.rules[gitName] = statOf(info)
	}
	level := []visit{{path: w.root, node: w.x.nodes[w.root], adopt: !w.whole}}
	for len(level) > 0 {
		results := make([]walked, len(level))
		err := parallel(ctx, len(level), func(i int) (err error) {
			results[i], err = w.visit(level[i])
			return err
		})
		if err != nil {
			return nil, err
		}
		level = level[:0:0]
		for i := range results {
			level = append(level, w.merge(all, &results[i])...)
		}
	}
	return all, nil
}

// merge adds what a directory has shown and gives the directories to look at
// next. New files are admitted in the order of depth and name until there are too
// many.
func (w walker) merge(all, r *walked) []visit {
	room := func() bool { return w.x.files+len(all.files) < w.opt.Limits.Files }
	full := func(c cand) {
		all.skips = append(all.skips, skipped{c.dir, c.base, &entry{skip: skipMany, st: c.st}})
	}
	for _, c := range r.files {
		if (c.old == nil || !c.old.counts()) && !room() {
			full(c)
			continue
		}
		all.files = append(all.files, c)
	}
	refused := map[string]bool{}
	for _, c := range r.dirs {
		if !room() && c.old == nil {
			full(c)
			refused[c.path] = true
			continue
		}
		all.dirs = append(all.dirs, c)
	}
	all.skips = append(all.skips, r.skips...)
	all.gone = append(all.gone, r.gone...)
	maps.Copy(all.rules, r.rules)
	maps.Copy(all.ignored, r.ignored)
	if len(refused) == 0 {
		return r.sub
	}
	return slices.DeleteFunc(r.sub, func(v visit) bool { return refused[v.path] })
}

// visit looks at a directory.
func (w walker) visit(v visit) (walked, error) {
	var r walked
	list, err := w.opt.Files.ReadDir(v.path)
	switch {
	case errors.Is(err, fs.ErrPermission) && v.path != w.root:
		dir, base := w.split(v.path)
		if v.node == nil {
			r.skips = append(r.skips, skipped{dir, base, &entry{skip: skipLocked, st: stat{mode: fs.ModeDir}}})
		}
		return r, nil
	case errors.Is(err, fs.ErrNotExist) && v.path != w.root:
		list = nil // it has just been removed
	case err != nil:
		return r, err
	}
	if w.reask && v.node != nil && v.node.ignored != v.ignored {
		r.ignored = map[string]bool{v.path: v.ignored}
	}
	seen := 0
	for _, d := range list {
		there, err := w.look(v, d, &r)
		if err != nil {
			return r, err
		}
		if there {
			seen++
		}
	}
	if v.node != nil && seen < len(v.node.entries) {
		for base, e := range v.node.entries {
			if e.gen != w.gen {
				r.gone = append(r.gone, cand{dir: v.path, base: base, path: w.join(v.path, base), old: e, adopt: v.adopt && e.seeded})
			}
		}
		slices.SortFunc(r.gone, func(a, b cand) int { return strings.Compare(a.base, b.base) })
	}
	return r, nil
}

// look looks at a name of a directory; true when it was known and still is there.
func (w walker) look(v visit, d fs.DirEntry, r *walked) (bool, error) {
	base := d.Name()
	var e *entry
	if v.node != nil {
		e = v.node.entries[base]
	}
	if e == nil && (base == "" || base == "." || base == ".." || strings.Contains(base, w.sep) || strings.ContainsRune(base, 0)) {
		return false, fmt.Errorf("the directory %s lists the impossible name %q", v.path, base)
	}
	if e != nil && e.skip != kept {
		if done := w.stillSkipped(v, d, e, r); done {
			e.gen = w.gen
			return true, nil
		}
	}
	if d.IsDir() {
		w.lookDir(v, base, e, r)
		if e != nil {
			e.gen = w.gen
		}
		return e != nil, nil
	}
	return w.lookFile(v, d, e, r)
}

// stillSkipped settles a name that was left out and still is.
func (w walker) stillSkipped(v visit, d fs.DirEntry, e *entry, r *walked) bool {
	if d.Type() != e.st.mode.Type() {
		return false
	}
	path := w.join(v.path, d.Name())
	stays := true
	switch e.skip {
	case skipIgnored:
		stays = !w.reask || w.ignored(path, d.IsDir())
	case skipMany, skipLocked:
		stays = !w.reask
	}
	if n := w.x.nodes[path]; stays && n != nil {
		r.sub = append(r.sub, visit{path: path, node: n, ignored: true}) // named files are in it
	}
	return stays
}

// lookDir looks at a name that is a directory now.
func (w walker) lookDir(v visit, base string, e *entry, r *walked) {
	path := w.join(v.path, base)
	if e != nil && e.skip == kept && e.state.Kind == Dir {
		n := w.x.nodes[path]
		ignored := v.ignored || !w.reask && n != nil && n.ignored || w.reask && w.ignored(path, true)
		r.sub = append(r.sub, visit{path: path, node: n, adopt: v.adopt, ignored: ignored})
		return
	}
	if v.ignored && e == nil {
		return
	}
	st := stat{mode: fs.ModeDir | 0o755}
	if s := w.excluded(path, base, true); s != kept {
		if e == nil || e.skip == kept {
			r.skips = append(r.skips, skipped{v.path, base, &entry{skip: s, st: stat{mode: fs.ModeDir}}})
		}
		return
	}
	adopt := v.adopts(e)
	r.dirs = append(r.dirs, cand{dir: v.path, base: base, path: path, st: st, old: e, adopt: adopt})
	r.sub = append(r.sub, visit{path: path, node: w.x.nodes[path], adopt: adopt})
}

// lookFile looks at a name that is no directory now.
func (w walker) lookFile(v visit, d fs.DirEntry, e *entry, r *walked) (bool, error) {
	base := d.Name()
	known := e != nil && e.skip == kept
	if !known && v.ignored {
		return false, nil
	}
	info, err := d.Info()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, fs.ErrPermission): // a directory that may be listed, but not entered
		if e != nil {
			e.gen = w.gen
		}
		return e != nil, nil
	case err != nil:
		return false, err
	}
	st := statOf(info)
	if e != nil {
		e.gen = w.gen
	}
	if slices.Contains(ignoreFiles[:], base) {
		r.addRule(w.join(v.path, base), st)
	}
	if known && e.unchanged(st) {
		return true, nil
	}
	path := w.join(v.path, base)
	if !known {
		s := w.excluded(path, base, false)
		if s == kept && st.kind() == None {
			s = skipSpecial
		}
		if s != kept {
			r.skips = append(r.skips, skipped{v.path, base, &entry{skip: s, st: st}})
			return e != nil, nil
		}
	}
	r.files = append(r.files, cand{dir: v.path, base: base, path: path, st: st, old: e, adopt: v.adopts(e)})
	return e != nil, nil
}

func (r *walked) addRule(path string, st stat) {
	if r.rules == nil {
		r.rules = map[string]stat{}
	}
	r.rules[path] = stat{mode: st.mode, size: st.size, mtime: st.mtime, ctime: st.ctime, inode: st.inode}
}

// excluded tells why a new name is left out.
func (w walker) excluded(path, base string, dir bool) skip {
	switch {
	case base == gitName:
		return skipGit
	case slices.Contains(w.own, path):
		return skipOwn
	case w.ignored(path, dir):
		return skipIgnored
	}
	return kept
}

// parallel does n things side by side and gives the first error.
func parallel(ctx context.Context, n int, do func(i int) error) error {
	if n == 0 {
		return nil
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers(), n) {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(n) && ctx.Err() == nil; i = next.Add(1) {
				if err := do(int(i) - 1); err != nil {
					fail(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

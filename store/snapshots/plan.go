package snapshots

import (
	"context"
	"fmt"
	"slices"
)

// special is what may not be touched at all: a pipe, socket or device.
const special Kind = "special"

// Filter says which changes are meant; the zero Filter means none.
type Filter struct {
	All   bool // everything that agents have changed
	Turns []string
	Calls []string
	// Undone means them as if nothing of them had been taken back since.
	Undone bool
}

func (f Filter) selection() selection {
	s := selection{all: f.All, undone: f.Undone, turns: map[string]bool{}, calls: map[string]bool{}}
	for _, t := range f.Turns {
		s.turns[t] = true
	}
	for _, c := range f.Calls {
		s.calls[c] = true
	}
	return s
}

// Changes gives what the meant calls have changed, one Change for each path, from
// what the first of them found to what the last of them left. What was undone, or
// comes to nothing, is not there. The list is sorted by path.
func (k *Keeper) Changes(ctx context.Context, f Filter) ([]Change, error) {
	done, err := k.use(ctx)
	if err != nil {
		return nil, fmt.Errorf("list file changes: %w", err)
	}
	defer done()
	if err := k.recover(ctx); err != nil {
		return nil, fmt.Errorf("list file changes: %w", err)
	}
	var all []Change
	for _, n := range k.history.nets(f.selection()) {
		if !n.before.Equal(n.left) {
			all = append(all, Change{Path: n.path, Before: n.before, After: n.left, By: n.by, Unsure: n.unsure, Doubt: n.doubt})
		}
	}
	return all, nil
}

// Item is a path of a [Plan].
type Item struct {
	Path string
	Now  State // what stands there
	Want State // what would stand there
	Left State // what an agent left there last
	By   []CallRef
	// Why says in words why it is a conflict, impossible or was left; Note what
	// else the user should know.
	Why, Note string

	back uint64
}

// Kind is what restoring does to the path.
func (i Item) Kind() ChangeKind { return Change{Before: i.Now, After: i.Want}.Kind() }

// Plan says what a rewind would do. Each list is sorted by path.
type Plan struct {
	Restore    []Item
	Doubtful   []Item // restored only when chosen: perhaps someone else's work
	Conflicts  []Item // restored only when chosen: someone else's work is there
	Impossible []Item
	// Undoes is the rewind that the plan takes back, if it does that.
	Undoes string
	// Unwatched is of what no change is known; empty when every meant call named the
	// files that it may change.
	Unwatched []Exclusion
}

// Plan says what undoing the meant changes comes to. Nothing is changed. It fails
// with [*UnfinishedError] while a rewind is cut off.
func (k *Keeper) Plan(ctx context.Context, f Filter) (*Plan, error) {
	done, err := k.use(ctx)
	if err != nil {
		return nil, fmt.Errorf("plan a rewind: %w", err)
	}
	defer done()
	if p := k.history.pending; p != nil {
		return nil, &UnfinishedError{ID: p.rewind}
	}
	return k.plan(ctx, f.selection())
}

// Undo says what taking a rewind back comes to; the plan is for [Keeper.Apply]. A
// rewind that was cut off is ended where it stands first.
func (k *Keeper) Undo(ctx context.Context, id string) (*Plan, error) {
	done, err := k.use(ctx)
	if err != nil {
		return nil, fmt.Errorf("plan to undo a rewind: %w", err)
	}
	defer done()
	if !slices.ContainsFunc(k.history.sets, func(s *set) bool { return s.rewind == id && id != "" }) {
		return nil, fmt.Errorf("plan to undo a rewind: there is no rewind %q", id)
	}
	if p := k.history.pending; p != nil {
		if p.rewind != id {
			return nil, &UnfinishedError{ID: p.rewind}
		}
		if _, err := k.resume(ctx, false); err != nil {
			return nil, fmt.Errorf("end a rewind that was cut off: %w", err)
		}
	}
	plan, err := k.plan(ctx, selection{rewind: id})
	if err != nil {
		return nil, err
	}
	plan.Undoes = id
	return plan, nil
}

func (k *Keeper) plan(ctx context.Context, sel selection) (*Plan, error) {
	if err := k.recover(ctx); err != nil {
		return nil, fmt.Errorf("plan a rewind: %w", err)
	}
	var paths []string
	for _, n := range k.history.nets(sel) {
		paths = append(paths, n.path)
	}
	all := &walked{}
	err := k.lookAt(paths, false, all)
	if err == nil {
		err = k.settle(ctx, all)
	}
	if err != nil {
		return nil, fmt.Errorf("plan a rewind: %w", err)
	}
	p := &Plan{}
	for _, n := range k.history.nets(sel) {
		if err := k.planPath(n, p); err != nil {
			return nil, fmt.Errorf("plan a rewind: %w", err)
		}
	}
	if k.history.anything(sel) {
		p.Unwatched = k.unwatched()
	}
	return p, k.planDirs(p)
}

// planPath puts a path into the list where it belongs.
func (k *Keeper) planPath(n net, p *Plan) error {
	now, st, err := k.observe(n.path)
	if err != nil || now.Equal(n.before) {
		return err
	}
	i := Item{Path: n.path, Now: now, Want: n.before, Left: n.left, By: n.by, back: n.first}
	switch {
	case now.Kind == File && st.links > 1:
		i.Note = fmt.Sprintf("the file has %d names; only this one is changed", st.links)
	case now.Kind == File && now.Unread != "":
		i.Note = "what stands there now is " + now.Unread + ", so this can't be undone"
	}
	switch {
	case now.Kind == special:
		i.Why = "a pipe, socket or device stands there now"
		p.Impossible = append(p.Impossible, i)
	case !k.hasContent(n.before) && n.before.Unread != "":
		i.Why = "what it held was not kept: it was " + n.before.Unread
		p.Impossible = append(p.Impossible, i)
	case !k.hasContent(n.before):
		i.Why = "what it held is not kept, or no longer"
		p.Impossible = append(p.Impossible, i)
	case !now.Equal(n.left):
		i.Why = afterwards(n, now)
		p.Conflicts = append(p.Conflicts, i)
	case n.broken:
		i.Why = "in between it was changed by " + who(n.other)
		p.Conflicts = append(p.Conflicts, i)
	case n.doubt != "":
		i.Why = n.doubt
		p.Doubtful = append(p.Doubtful, i)
	case n.unsure:
		i.Why = "it is not sure who changed it: the call was cut off, or another one ran at the same time"
		p.Doubtful = append(p.Doubtful, i)
	default:
		p.Restore = append(p.Restore, i)
	}
	return nil
}

// afterwards says what has become of what an agent left.
func afterwards(n net, now State) string {
	what := "changed"
	switch {
	case now.Kind == None:
		what = "deleted"
	case n.left.Kind == None:
		what = "made again"
	}
	return "afterwards it was " + what + " by " + who(n.other)
}

// who names the author of a set.
func who(s *set) string {
	switch {
	case s == nil || len(s.calls) == 0 && s.rewind == "":
		return "someone else"
	case s.rewind != "":
		return "the rewind " + s.rewind
	}
	return "the call " + s.calls[0].ID + " of turn " + s.calls[0].Turn
}

// planDirs moves what lies behind links, or below what is no directory, to the
// impossible, unless the plan makes a directory of that again.
func (k *Keeper) planDirs(p *Plan) error {
	makes := map[string]bool{}
	for _, list := range [][]Item{p.Restore, p.Doubtful, p.Conflicts} {
		for _, i := range list {
			makes[i.Path] = i.Want.Kind == Dir
		}
	}
	var failed error
	barred := func(i Item) bool {
		if i.Want.Kind == None {
			return false
		}
		why, err := k.barrier(i.Path, makes)
		if err != nil {
			failed = err
		}
		if why != "" {
			i.Why = why
			p.Impossible = append(p.Impossible, i)
		}
		return why != ""
	}
	p.Restore = slices.DeleteFunc(p.Restore, barred)
	p.Doubtful = slices.DeleteFunc(p.Doubtful, barred)
	p.Conflicts = slices.DeleteFunc(p.Conflicts, barred)
	slices.SortFunc(p.Impossible, func(a, b Item) int { return compare(a.Path, b.Path) })
	if failed != nil {
		return fmt.Errorf("plan a rewind: %w", failed)
	}
	return nil
}

// barrier says in words why a path cannot be reached through real directories;
// empty when it can.
func (k *Keeper) barrier(path string, makes map[string]bool) (string, error) {
	for dir, base := k.split(path); base != ""; {
		if makes[dir] {
			return "", nil
		}
		info, err := k.opt.Files.Lstat(dir)
		switch {
		case absent(err):
		case err != nil:
			return "", fmt.Errorf("look at %s: %w", dir, err)
		case statOf(info).kind() == Link:
			return "its directory " + dir + " is a link now; what that leads to is left alone", nil
		case statOf(info).kind() != Dir:
			return dir + " is not a directory now", nil
		default:
			real, err := k.opt.Files.Resolve(dir)
			if err == nil && real != dir {
				return "its directory " + dir + " is behind a link now; what that leads to is left alone", nil
			}
			return "", err
		}
		dir, base = k.split(dir)
	}
	return "", nil
}

// observe gives what stands at a path now.
func (k *Keeper) observe(path string) (State, stat, error) {
	st, there, err := k.lstat(path)
	switch {
	case err != nil:
		return State{}, st, fmt.Errorf("look at %s: %w", path, err)
	case !there:
		return State{}, st, nil
	case st.kind() == None:
		return State{Kind: special}, st, nil
	}
	dir, base := k.split(path)
	if e := k.x.find(dir, base); e != nil && e.skip == kept && e.state.Kind != Dir && e.unchanged(st) {
		return e.state, st, nil
	}
	links := st.links
	s, _, st, err := k.content(path, st)
	st.links = links
	return s, st, err
}

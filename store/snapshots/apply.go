package snapshots

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Choice says what of a plan is restored beyond what is surely an agent's.
type Choice struct {
	Doubtful bool
	All      bool // conflicts, too
	Paths    map[string]bool
	// Note is kept with the intent, for whoever finds the rewind unsettled, see
	// [Keeper.Pending].
	Note string
}

// Result is what came of a rewind.
type Result struct {
	ID       string // for [Keeper.Undo]; empty when there was nothing to do
	Restored []Item
	Left     []Item // not restored, each with its Why
}

// Apply restores what a plan says. No call may be running: [*BusyError]. A path
// that does not hold any more what the plan says is left. What it will do is
// recorded before anything is changed; when ctx ends or it fails after that, the
// rewind is to be finished, or undone: see [Keeper.Pending].
func (k *Keeper) Apply(ctx context.Context, p *Plan, c Choice) (Result, error) {
	done, err := k.use(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("rewind files: %w", err)
	}
	defer done()
	var busy []string
	for _, r := range k.running {
		if !r.cut {
			busy = append(busy, r.ref.ID)
		}
	}
	if len(busy) > 0 {
		return Result{}, &BusyError{Calls: busy}
	}
	if s := k.history.pending; s != nil {
		return Result{}, &UnfinishedError{ID: s.rewind}
	}
	items, result, err := k.chosen(p, c)
	if err != nil || len(items) == 0 {
		return result, err
	}
	if result.ID, err = k.rewindID(); err != nil {
		return Result{}, fmt.Errorf("rewind files: %w", err)
	}
	if err := k.intend(result.ID, p.Undoes, c.Note, items); err != nil {
		return Result{}, fmt.Errorf("rewind files: %w", err)
	}
	err = k.carryOut(ctx, items, nil, &result)
	return result, err
}

func (k *Keeper) rewindID() (string, error) {
	var b [8]byte
	if _, err := io.ReadFull(k.opt.Rand, b[:]); err != nil {
		return "", err
	}
	return "rewind-" + hex.EncodeToString(b[:]), nil
}

// chosen gives the items to restore, after another look at each.
func (k *Keeper) chosen(p *Plan, c Choice) (items []Item, r Result, err error) {
	r.Left = append(r.Left, p.Impossible...)
	todo := slices.Clone(p.Restore)
	choose := func(list []Item, all bool) {
		for _, i := range list {
			if all || c.Paths[i.Path] {
				todo = append(todo, i)
			} else {
				r.Left = append(r.Left, i)
			}
		}
	}
	choose(p.Doubtful, c.All || c.Doubtful)
	choose(p.Conflicts, c.All)
	slices.SortFunc(todo, func(a, b Item) int { return compare(a.Path, b.Path) }) // directories before what is in them
	for _, i := range todo {
		now, _, err := k.observe(i.Path)
		if err != nil {
			return nil, r, fmt.Errorf("rewind files: %w", err)
		}
		if !now.Equal(i.Now) {
			i.Why = "it has changed since the plan was made"
			r.Left = append(r.Left, i)
			continue
		}
		items = append(items, i)
	}
	return items, r, nil
}

// intend keeps what is about to be replaced and records what will be done.
func (k *Keeper) intend(id, undoes, note string, items []Item) error {
	var records []*record
	for n, i := range items {
		if err := k.keepNow(i.Path, i.Now); err != nil {
			return storeError(k.dir, "keep what "+i.Path+" holds", err)
		}
		if err := k.ownContent(i.Want); err != nil {
			return storeError(k.dir, "keep what "+i.Path+" held", err)
		}
		if n%rowsPerRecord == 0 {
			records = append(records, &record{Kind: recRewind, ID: id, Undoes: undoes})
		}
		r := records[len(records)-1]
		r.Changes = append(r.Changes, changeRow{Path: name(i.Path), Before: i.Now, After: i.Want, Back: i.back})
	}
	if err := k.conv.sync(); err != nil {
		return storeError(k.dir, "keep what files hold", err)
	}
	k.step("intend")
	records = append(records, &record{Kind: recGo, ID: id, Note: note})
	if err := k.journal.append(records...); err != nil {
		return err
	}
	k.step("intended")
	for _, r := range records {
		k.history.add(r)
	}
	return nil
}

// carryOut restores items of the pending rewind and ends it. skip are paths that
// are not to be restored.
func (k *Keeper) carryOut(ctx context.Context, items []Item, skip []name, r *Result) error {
	w := work{Keeper: k, ctx: ctx, failed: map[string]string{}}
	w.clear(items)
	w.make(items)
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("rewind files: %w", err)
	}
	for _, i := range items {
		if why, bad := w.failed[i.Path]; bad {
			i.Why = why
			r.Left = append(r.Left, i)
			skip = append(skip, name(i.Path))
			continue
		}
		r.Restored = append(r.Restored, i)
	}
	slices.SortFunc(r.Left, func(a, b Item) int { return compare(a.Path, b.Path) })
	k.step("restored")
	rec := &record{Kind: recRewound, ID: r.ID, Paths: skip}
	if err := k.journal.append(rec); err != nil {
		return fmt.Errorf("rewind files: %w", err)
	}
	k.history.add(rec)
	if err := k.note(append(items, r.Restored...)); err != nil {
		return fmt.Errorf("rewind files: %w", err)
	}
	return nil
}

// note brings the index up to date with what was done.
func (k *Keeper) note(items []Item) error {
	for _, i := range items {
		dir, base := k.split(i.Path)
		last, _ := k.history.last(i.Path)
		st, there, err := k.lstat(i.Path)
		switch {
		case err != nil || !there && last.Kind != None || !last.Equal(i.Want):
			continue // the next look tells
		case !there:
			k.forget(dir, base, i.Path)
		default:
			k.put(cand{dir: dir, base: base}, &entry{st: st, state: i.Want, racy: i.Want.Kind != Dir, gen: k.gen})
			if i.Want.Kind == Dir {
				k.delta.enter(i.Path, k.x.node(i.Path))
			}
		}
	}
	if err := k.base.flush(); err != nil {
		return storeError(k.dir, "keep what files hold", err)
	}
	return k.saveIndex()
}

// Pending is a rewind that was begun and has not been settled.
type Pending struct {
	ID, Note string
	// Undoes is the rewind that it takes back, if it does that.
	Undoes string
	// Cut says that it was cut off, so that some files have been restored and others
	// not.
	Cut bool
}

// Pending gives the newest rewind unless it was settled; nil for none.
func (k *Keeper) Pending(ctx context.Context) (*Pending, error) {
	done, err := k.use(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for a rewind that was cut off: %w", err)
	}
	defer done()
	s := k.history.unsaid
	if s == nil {
		return nil, nil
	}
	return &Pending{ID: s.rewind, Note: s.note, Undoes: s.undoes, Cut: s.open}, nil
}

// Finish does what is left of the pending rewind and gives all that came of it.
// Paths that someone has changed meanwhile are left.
func (k *Keeper) Finish(ctx context.Context) (Result, error) {
	done, err := k.use(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("finish a rewind: %w", err)
	}
	defer done()
	s := k.history.unsaid
	switch {
	case s == nil:
		return Result{}, errors.New("finish a rewind: none is pending")
	case s.open:
		return k.resume(ctx, true)
	}
	r := Result{ID: s.rewind}
	for _, row := range s.rows {
		i := row.item()
		if s.skip[row.Path] {
			i.Why = "it could not be restored"
			r.Left = append(r.Left, i)
			continue
		}
		r.Restored = append(r.Restored, i)
	}
	return r, nil
}

// Settle records that whoever asked for a rewind knows that it has ended.
func (k *Keeper) Settle(ctx context.Context, id string) error {
	done, err := k.use(ctx)
	if err != nil {
		return fmt.Errorf("settle a rewind: %w", err)
	}
	defer done()
	if s := k.history.unsaid; s == nil || s.rewind != id || s.open {
		return nil
	}
	rec := &record{Kind: recSettled, ID: id}
	if err := k.journal.append(rec); err != nil {
		return fmt.Errorf("settle a rewind: %w", err)
	}
	k.history.add(rec)
	return nil
}

// Recorded reports whether there is a record of a conversation.
func Recorded(dir, conv string) bool {
	_, err := os.Stat(filepath.Join(dir, conv, "journal"))
	return err == nil
}

// Unsettled reports whether a conversation may have a pending rewind, without
// opening its record.
func Unsettled(dir, conv string) bool {
	data, err := os.ReadFile(filepath.Join(dir, conv, "journal"))
	mark := func(kind string) int { return bytes.LastIndex(data, []byte(`"kind":"`+kind+`"`)) }
	return err == nil && mark(recGo) > mark(recSettled)
}

// resume ends the pending rewind: with all of it, or, unless whole is set, only
// with the paths it was at when it was cut off.
func (k *Keeper) resume(ctx context.Context, whole bool) (Result, error) {
	s := k.history.pending
	r := Result{ID: s.rewind}
	var items []Item
	var skip []name
	for _, row := range s.rows {
		i := row.item()
		now, _, err := k.observe(i.Path)
		if err != nil {
			return r, err
		}
		half := now.Kind == None && twoSteps(row.Before, row.After)
		switch {
		case now.Equal(row.After):
			r.Restored = append(r.Restored, i)
		case half, whole && now.Equal(row.Before):
			i.Now = now
			items = append(items, i)
		default:
			i.Now, i.Why = now, "it was not restored before the rewind was cut off"
			if !now.Equal(row.Before) {
				i.Why = "it has changed since the rewind was cut off"
			}
			r.Left = append(r.Left, i)
			skip = append(skip, name(i.Path))
		}
	}
	err := k.carryOut(ctx, items, skip, &r)
	slices.SortFunc(r.Restored, func(a, b Item) int { return compare(a.Path, b.Path) })
	return r, err
}

func (r row) item() Item {
	return Item{Path: r.Path, Now: r.Before, Want: r.After, Left: r.Before, back: r.back}
}

// twoSteps reports whether nothing stands at a path for a moment while one state
// becomes another.
func twoSteps(from, to State) bool {
	return from.Kind != None && to.Kind != None && (from.Kind != to.Kind || to.Kind == Link)
}

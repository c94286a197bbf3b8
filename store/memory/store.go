package memory

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"hermes-tui/store/atomicfile"
)

// Options say where memory is kept, and how.
type Options struct {
	// Dir is the folder of the files. It is made when something is stored.
	Dir string
	// Pending is the folder of changes that wait for the user, made with the first.
	Pending string
	// Limits are the most characters of each target, with what stands between entries.
	Limits map[Target]int
	// Archive says that the oldest entries make room for new ones. Without, what is over
	// the limit is refused.
	Archive bool
	// Scan names what in a text tries to take over the agent.
	Scan func(string) []string
	Now  func() time.Time
}

// Store is the memory of one home.
type Store struct{ o Options }

// New makes a store. Nothing is read or written yet.
func New(o Options) *Store { return &Store{o} }

// Entry is one entry.
type Entry struct {
	Text string
	// At is when it was written, zero where that is not known.
	At time.Time
	// Project is the folder that it is about, empty for none.
	Project string
}

// Usage is how full a target is, in characters.
type Usage struct{ Used, Limit int }

// Percent is rounded down, and at most 100.
func (u Usage) Percent() int {
	if u.Limit <= 0 {
		return 100
	}
	return min(u.Used*100/u.Limit, 100)
}

// String says it as the model reads it.
func (u Usage) String() string {
	return fmt.Sprintf("%d%% — %s/%s chars", u.Percent(), grouped(u.Used), grouped(u.Limit))
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return grouped(n/1000) + fmt.Sprintf(",%03d", n%1000)
}

// Plan is what a change comes to.
type Plan struct {
	// Change has the whole entries that it means, so that made later it does this or
	// nothing.
	Change        Change
	Before, After []string
	// Evicted are the entries that made room for others, the oldest first.
	Evicted []string
	Usage   Usage // after it

	undoes string // the write that it takes back
}

// Same reports whether a plan changes nothing.
func (p Plan) Same() bool { return slices.Equal(p.Before, p.After) }

// Path is the file of a target.
func (s *Store) Path(t Target) string { return filepath.Join(s.o.Dir, t.File()) }

// List gives the entries of a target in their order. A file that was damaged gives what
// can be read of it.
func (s *Store) List(t Target) ([]Entry, Usage, error) {
	text, err := read(s.Path(t))
	if err != nil {
		return nil, Usage{}, fmt.Errorf("read memory: %w", err)
	}
	side := s.side()
	entries := split(text)
	list := make([]Entry, len(entries))
	for i, e := range entries {
		m := side[keyOf(t, e)]
		list[i] = Entry{e, m.At, m.Project}
	}
	return list, s.usage(t, entries), nil
}

func (s *Store) usage(t Target, entries []string) Usage { return Usage{size(entries), s.o.Limits[t]} }

// Plan tells what a change would do, without making it.
func (s *Store) Plan(c Change) (Plan, error) {
	if err := s.Check(c); err != nil {
		return Plan{}, err
	}
	text, err := s.load(c.Target)
	if err != nil {
		return Plan{}, err
	}
	return s.plan(c, text, s.side())
}

// Apply makes a change. Every error but a full disk leaves all files as they were.
func (s *Store) Apply(ctx context.Context, c Change) (p Plan, err error) {
	if err := s.Check(c); err != nil {
		return Plan{}, err
	}
	err = s.locked(ctx, c.Target, func() error {
		p, err = s.apply(c)
		return err
	})
	return p, err
}

// locked runs do while no other process changes a target or what stands beside it.
func (s *Store) locked(ctx context.Context, t Target, do func() error) (err error) {
	if err := atomicfile.MkdirPrivate(s.o.Dir); err != nil {
		return fmt.Errorf("keep memory: %w", err)
	}
	for _, name := range []string{filepath.Join(s.o.Dir, ".lock"), s.Path(t) + ".lock"} {
		lock, err2 := atomicfile.Acquire(ctx, name)
		if err2 != nil {
			return fmt.Errorf("keep memory: %w", err2)
		}
		defer func() { err = errors.Join(err, lock.Close()) }()
	}
	return do()
}

// load reads the entries of a target that is to be changed.
func (s *Store) load(t Target) ([]string, error) {
	text, err := read(s.Path(t))
	if err != nil {
		return nil, fmt.Errorf("read memory: %w", err)
	}
	entries := split(text)
	if readable(text, entries, s.o.Limits[t]) {
		return entries, nil
	}
	bak, err := keepCopy(s.Path(t), text, s.o.Now())
	if err != nil {
		return nil, fmt.Errorf("keep a copy of memory: %w", err)
	}
	return nil, refuse(Drift, "%s was changed by hand so that it cannot be written back as it is: entries are separated by a line with only a section sign, and none is over %d characters. It was left alone, with a copy in %s. Mend it, then try again.",
		s.Path(t), s.o.Limits[t], bak)
}

// plan works out a change.
func (s *Store) plan(c Change, before []string, side side) (Plan, error) {
	after, fresh, whole, err := apply(before, c.Operations)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Change: Change{c.Target, whole, c.By}, Before: before, After: after}
	limit := s.o.Limits[c.Target]
	shorter := size(after) < size(before) // which helps, whatever the limit is
	for size(p.After) > limit && !shorter {
		i := oldest(c.Target, p.After, fresh, side)
		if i < 0 || !s.o.Archive {
			return Plan{}, refuse(OverLimit, "The entries would exceed the limit: %s. Shorten or remove some first.", s.usage(c.Target, after))
		}
		p.Evicted = append(p.Evicted, p.After[i])
		p.After = slices.Delete(slices.Clone(p.After), i, i+1)
	}
	p.Usage = s.usage(c.Target, p.After)
	return p, nil
}

// oldest gives the place of the entry that makes room first: of those that a change does
// not write, the one with the earliest date, the first in the file where none is known.
// It is negative when there is none.
func oldest(t Target, entries, fresh []string, side side) int {
	at := -1
	for i, e := range entries {
		if slices.Contains(fresh, e) {
			continue
		}
		if at < 0 || side[keyOf(t, e)].At.Before(side[keyOf(t, entries[at])].At) {
			at = i
		}
	}
	return at
}

// apply makes a change under the locks. What stands beside the file goes first: a process
// that is killed in between leaves an entry archived as well as kept, never neither.
func (s *Store) apply(c Change) (Plan, error) {
	before, err := s.load(c.Target)
	if err != nil {
		return Plan{}, err
	}
	side := s.side()
	p, err := s.plan(c, before, side)
	if err != nil || p.Same() {
		return p, err
	}
	return p, s.commit(p, side)
}

// commit writes what a plan comes to.
func (s *Store) commit(p Plan, side side) error {
	if err := s.archive(p, side); err != nil {
		return fmt.Errorf("nothing was changed, since what makes room could not be archived: %w", err)
	}
	if err := s.note(p, side); err != nil {
		return fmt.Errorf("keep memory: %w", err)
	}
	if err := s.record(p, side); err != nil {
		return fmt.Errorf("keep memory: %w", err)
	}
	if err := write(s.Path(p.Change.Target), []byte(join(p.After))); err != nil {
		return fmt.Errorf("keep memory: %w", err)
	}
	return nil
}

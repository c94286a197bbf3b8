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

// Entry is one entry. The same text about two projects is two of them, with one line in
// the file.
type Entry struct {
	Text string
	// At is when it was written, zero where that is not known.
	At time.Time
	// Project is the folder that it is about, empty for none.
	Project string
}

// same reports whether two entries say the same of the same project.
func (e Entry) same(o Entry) bool { return e.Text == o.Text && e.Project == o.Project }

// has reports whether an entry is in a list.
func has(list []Entry, e Entry) bool { return slices.ContainsFunc(list, e.same) }

// Seen reports whether an entry concerns those who work on a project.
func (e Entry) Seen(project string) bool { return e.Project == "" || e.Project == project }

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
	Before, After []Entry
	// Evicted are the entries that made room for others, the oldest first.
	Evicted []Entry
	Usage   Usage // after it

	undoes string // the write that it takes back
}

// Same reports whether a plan changes nothing.
func (p Plan) Same() bool { return slices.EqualFunc(p.Before, p.After, Entry.same) }

// Path is the file of a target.
func (s *Store) Path(t Target) string { return filepath.Join(s.o.Dir, t.File()) }

// List gives the entries of a target in their order. A file that was damaged gives what
// can be read of it.
func (s *Store) List(t Target) ([]Entry, Usage, error) {
	text, err := read(s.Path(t))
	if err != nil {
		return nil, Usage{}, fmt.Errorf("read memory: %w", err)
	}
	lines := split(text)
	return s.side().entries(t, lines), Usage{size(lines), s.o.Limits[t]}, nil
}

func (s *Store) usage(t Target, entries []Entry) Usage {
	return Usage{size(lines(entries)), s.o.Limits[t]}
}

// Plan tells what a change would do, without making it.
func (s *Store) Plan(c Change) (Plan, error) {
	if err := s.Check(c); err != nil {
		return Plan{}, err
	}
	entries, err := s.load(c.Target)
	if err != nil {
		return Plan{}, err
	}
	return s.plan(c, entries)
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
func (s *Store) load(t Target) ([]Entry, error) {
	text, err := read(s.Path(t))
	if err != nil {
		return nil, fmt.Errorf("read memory: %w", err)
	}
	entries := split(text)
	if readable(text, entries, s.o.Limits[t]) {
		return s.side().entries(t, entries), nil
	}
	bak, err := keepCopy(s.Path(t), text, s.o.Now())
	if err != nil {
		return nil, fmt.Errorf("keep a copy of memory: %w", err)
	}
	return nil, refuse(Drift, "%s was changed by hand so that it cannot be written back as it is: entries are separated by a line with only a section sign, and none is over %d characters. It was left alone, with a copy in %s. Mend it, then try again.",
		s.Path(t), s.o.Limits[t], bak)
}

// plan works out a change.
func (s *Store) plan(c Change, before []Entry) (Plan, error) {
	after, fresh, whole, err := apply(before, c, s.o.Now().UTC().Truncate(time.Second))
	if err != nil {
		return Plan{}, err
	}
	pinned := c
	pinned.Operations = whole
	p := Plan{Change: pinned, Before: before, After: after}
	limit := s.o.Limits[c.Target]
	shorter := size(lines(after)) < size(lines(before)) // which helps, whatever the limit is
	for size(lines(p.After)) > limit && !shorter {
		text, found := oldest(p.After, fresh)
		if !found || !s.o.Archive {
			return Plan{}, refuse(OverLimit, "The entries would exceed the limit: %s. Shorten or remove some first.", s.usage(c.Target, after))
		}
		var left []Entry
		for _, e := range p.After {
			if e.Text == text {
				p.Evicted = append(p.Evicted, e)
			} else {
				left = append(left, e)
			}
		}
		p.After = left
	}
	p.Usage = s.usage(c.Target, p.After)
	return p, nil
}

// oldest gives the text that makes room first: of those that a change does not write, the
// one whose last date is the earliest, the first in the file where none is known.
func oldest(entries []Entry, fresh []string) (text string, found bool) {
	last := map[string]time.Time{}
	for _, e := range entries {
		if e.At.After(last[e.Text]) {
			last[e.Text] = e.At
		}
	}
	for _, e := range entries {
		if !slices.Contains(fresh, e.Text) && (!found || last[e.Text].Before(last[text])) {
			text, found = e.Text, true
		}
	}
	return text, found
}

// apply makes a change under the locks. What stands beside the file goes first: a process
// that is killed in between leaves an entry archived as well as kept, never neither.
func (s *Store) apply(c Change) (Plan, error) {
	before, err := s.load(c.Target)
	if err != nil {
		return Plan{}, err
	}
	p, err := s.plan(c, before)
	if err != nil || p.Same() {
		return p, err
	}
	return p, s.commit(p)
}

// commit writes what a plan comes to.
func (s *Store) commit(p Plan) error {
	if err := s.archive(p); err != nil {
		return fmt.Errorf("nothing was changed, since what makes room could not be archived: %w", err)
	}
	if err := s.record(p); err != nil {
		return fmt.Errorf("keep memory: %w", err)
	}
	if err := s.note(p); err != nil {
		return fmt.Errorf("keep memory: %w", err)
	}
	if err := write(s.Path(p.Change.Target), []byte(join(lines(p.After)))); err != nil {
		return fmt.Errorf("keep memory: %w", err)
	}
	return nil
}

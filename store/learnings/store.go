package learnings

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hermes-tui/store/atomicfile"
)

// maxFile bounds what is read of the file, in bytes.
const maxFile = 16 << 20

// Options say where learnings are kept, and how.
type Options struct {
	// Path is the file. Its folder is made when something is stored.
	Path string
	// Limit is how many entries are kept.
	Limit int
	// Mask takes secrets out of a text.
	Mask func(string) string
	// Scan returns the names of phrases that try to instruct a model.
	Scan func(string) []string
	Now  func() time.Time
}

// Store is the file of learnings with its contents in memory.
type Store struct {
	o Options

	mu    sync.Mutex
	info  os.FileInfo // of the file that was read; nil for none
	lines lines
	index *index
}

// lines are the contents of the file.
type lines struct {
	entries []Entry
	unread  [][]byte // kept as they are, behind the entries
}

// The errors of a change.
var (
	// ErrNone is the error for an entry that is not there.
	ErrNone = errors.New("there is no such learning")
	// ErrEmpty is the error for an entry without a failure or without a fix.
	ErrEmpty = errors.New("a learning needs what failed and what to do instead")
)

// ScanError is a text that was refused because it instructs a model.
type ScanError struct{ Found []string }

// Error implements error.
func (e *ScanError) Error() string {
	return "not kept: it reads as an instruction to a model (" + strings.Join(e.Found, ", ") + ")"
}

// New makes a store; the file is read when it is needed.
func New(o Options) *Store { return &Store{o: o} }

// List returns all entries, the last used or learnt first, and how many lines of the file
// cannot be read.
func (s *Store) List() (list []Entry, unread int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return nil, 0, err
	}
	list = slices.Clone(s.lines.entries)
	slices.SortStableFunc(list, func(a, b Entry) int { return b.last().Compare(a.last()) })
	return list, len(s.lines.unread), nil
}

// last returns when an entry was used or learnt last.
func (e Entry) last() time.Time {
	if e.UsedAt.After(e.CreatedAt) {
		return e.UsedAt
	}
	return e.CreatedAt
}

// Add keeps an entry, or counts it as a use of one that says the same: known reports which.
// An entry that holds in two projects holds everywhere.
func (s *Store) Add(ctx context.Context, e Entry) (kept Entry, known bool, err error) {
	if err := s.prepare(&e); err != nil {
		return Entry{}, false, err
	}
	err = s.change(ctx, func(l *lines) error {
		e.ID, e.CreatedAt = newID(), s.o.Now()
		var at int
		l.entries, at = merge(append(l.entries, e))
		kept = l.entries[at]
		known = kept.ID != e.ID
		return nil
	})
	return kept, known, err
}

// Replace puts an edited entry into the place of the one with its id.
func (s *Store) Replace(ctx context.Context, e Entry) error {
	if err := s.prepare(&e); err != nil {
		return err
	}
	return s.at(ctx, e.ID, func(l *lines, i int) {
		old := l.entries[i]
		e.CreatedAt, e.UsedAt, e.TimesUsed, e.rest = old.CreatedAt, old.UsedAt, old.TimesUsed, old.rest
		l.entries[i] = e
	})
}

// Forget deletes an entry.
func (s *Store) Forget(ctx context.Context, id string) error {
	return s.at(ctx, id, func(l *lines, i int) { l.entries = slices.Delete(l.entries, i, i+1) })
}

// Restore puts a forgotten entry back as it was.
func (s *Store) Restore(ctx context.Context, e Entry) error {
	return s.change(ctx, func(l *lines) error {
		if !slices.ContainsFunc(l.entries, func(o Entry) bool { return o.ID == e.ID }) {
			l.entries = append(l.entries, e)
		}
		return nil
	})
}

// Used counts that entries were shown to an agent.
func (s *Store) Used(ctx context.Context, ids ...string) error {
	return s.change(ctx, func(l *lines) error {
		for i := range l.entries {
			if e := &l.entries[i]; slices.Contains(ids, e.ID) {
				e.TimesUsed++
				e.UsedAt = s.o.Now()
			}
		}
		return nil
	})
}

// at changes the entry with an id.
func (s *Store) at(ctx context.Context, id string, edit func(l *lines, i int)) error {
	return s.change(ctx, func(l *lines) error {
		i := slices.IndexFunc(l.entries, func(e Entry) bool { return e.ID == id })
		if i < 0 {
			return ErrNone
		}
		edit(l, i)
		return nil
	})
}

// prepare makes an entry fit to be stored.
func (s *Store) prepare(e *Entry) error {
	for _, text := range []*string{&e.Pattern, &e.ErrorType, &e.Fix, &e.Context} {
		*text = clean(s.o.Mask(*text))
	}
	e.Tags = slices.Clone(e.Tags[:min(len(e.Tags), MaxTags)])
	for i := range e.Tags {
		e.Tags[i] = clean(s.o.Mask(e.Tags[i]))
	}
	if e.Pattern == "" || e.Fix == "" {
		return ErrEmpty
	}
	if found := s.o.Scan(e.whole()); len(found) > 0 {
		return &ScanError{found}
	}
	return nil
}

// whole returns all text of an entry.
func (e Entry) whole() string {
	return strings.Join(append([]string{e.Pattern, e.ErrorType, e.Fix, e.Context}, e.Tags...), "\n")
}

// change replaces the file by what edit makes of its contents, under the lock
// between processes. An error of edit leaves it alone.
func (s *Store) change(ctx context.Context, edit func(*lines) error) (err error) {
	if err := atomicfile.MkdirPrivate(filepath.Dir(s.o.Path)); err != nil {
		return fmt.Errorf("keep learnings: %w", err)
	}
	lock, err := atomicfile.Acquire(ctx, s.o.Path+".lock")
	if err != nil {
		return fmt.Errorf("keep learnings: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(); err != nil {
		return err
	}
	next := lines{slices.Clone(s.lines.entries), s.lines.unread}
	if err := edit(&next); err != nil {
		return err
	}
	next.entries = bound(next.entries, s.o.Limit)
	data, err := next.encode()
	if err != nil {
		return fmt.Errorf("keep learnings: %w", err)
	}
	s.info = nil // whatever comes of it, it is read again
	if err := atomicfile.Put(s.o.Path, data, 0o600); err != nil {
		return fmt.Errorf("keep learnings: %w", err)
	}
	return nil
}

// encode writes the contents of the file.
func (l lines) encode() ([]byte, error) {
	var b bytes.Buffer
	for _, e := range l.entries {
		line, err := e.MarshalJSON()
		if err != nil {
			return nil, err
		}
		b.Write(append(line, '\n'))
	}
	for _, line := range l.unread {
		b.Write(append(slices.Clone(line), '\n'))
	}
	return b.Bytes(), nil
}

// load reads the file if it has changed. The caller holds mu.
func (s *Store) load() error {
	now, err := os.Stat(s.o.Path)
	if err == nil && atomicfile.Unchanged(s.info, now) {
		return nil
	}
	data, info, err := atomicfile.Read(s.o.Path, maxFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read learnings in %s: %w", s.o.Path, err)
	}
	s.info, s.lines, s.index = info, parse(data), nil
	return nil
}

// parse reads the contents of the file.
func parse(data []byte) lines {
	var l lines
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
		var e Entry
		switch {
		case len(line) == 0:
		case json.Unmarshal(line, &e) != nil || e.Pattern == "" || e.Fix == "":
			l.unread = append(l.unread, line)
		default:
			l.entries = append(l.entries, e)
		}
	}
	return l
}

// bound drops what was used least, the oldest first.
func bound(list []Entry, limit int) []Entry {
	over := len(list) - limit
	if limit <= 0 || over <= 0 {
		return list
	}
	worst := slices.Clone(list[:len(list)-1]) // the newest has had no chance yet
	slices.SortStableFunc(worst, func(a, b Entry) int {
		if a.TimesUsed != b.TimesUsed {
			return a.TimesUsed - b.TimesUsed
		}
		return a.last().Compare(b.last())
	})
	drop := map[string]bool{}
	for _, e := range worst[:min(over, len(worst))] {
		drop[e.ID] = true
	}
	return slices.DeleteFunc(list, func(e Entry) bool { return drop[e.ID] })
}

package memory

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"hermes-tui/store/atomicfile"
)

// Pending is a change that waits for the user.
type Pending struct {
	ID string    `json:"id"`
	At time.Time `json:"created_at"`
	// Change has the whole entries that it means, so that made later it does this or
	// nothing.
	Change Change `json:"change"`
	Diff   string `json:"diff"`
}

// maxPending is how many changes may wait.
const maxPending = 200

// errDecided says that a change does not wait: it was taken or dropped, maybe by another
// program.
var errDecided = errors.New("this change does not wait any more")

// Stage keeps a plan for the user to decide on, with the diff that they are to see. One
// that waits already is not kept twice.
func (s *Store) Stage(p Plan, diff string) (Pending, error) {
	if err := atomicfile.MkdirPrivate(s.o.Pending); err != nil {
		return Pending{}, fmt.Errorf("keep a change of memory: %w", err)
	}
	waiting, err := s.Staged()
	if err != nil {
		return Pending{}, err
	}
	same := func(w Pending) bool {
		return w.Change.Target == p.Change.Target && reflect.DeepEqual(w.Change.Operations, p.Change.Operations)
	}
	if i := slices.IndexFunc(waiting, same); i >= 0 {
		return waiting[i], nil
	}
	if len(waiting) >= maxPending {
		return Pending{}, fmt.Errorf("%d changes of memory wait for the user already", len(waiting))
	}
	id := make([]byte, 4)
	_, _ = rand.Read(id) // which never fails
	w := Pending{ID: hex.EncodeToString(id), At: s.o.Now().UTC(), Change: p.Change, Diff: diff}
	data, err := json.MarshalIndent(w, "", "  ")
	if err == nil {
		err = write(s.pendingFile(w.ID), data)
	}
	if err != nil {
		return Pending{}, fmt.Errorf("keep a change of memory: %w", err)
	}
	return w, nil
}

func (s *Store) pendingFile(id string) string { return filepath.Join(s.o.Pending, id+".json") }

// Staged gives the changes that wait, the oldest first. Files that hold none are passed
// over.
func (s *Store) Staged() ([]Pending, error) {
	files, err := os.ReadDir(s.o.Pending)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []Pending
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name(), ".json")
		if !ok {
			continue
		}
		if w, err := s.staged(id); err == nil {
			list = append(list, w)
		}
	}
	slices.SortStableFunc(list, func(a, b Pending) int { return a.At.Compare(b.At) })
	return list, err
}

func (s *Store) staged(id string) (Pending, error) {
	var w Pending
	text, err := read(s.pendingFile(id))
	if err != nil || filepath.Base(id) != id || json.Unmarshal([]byte(text), &w) != nil || s.Check(w.Change) != nil {
		return w, errors.Join(errDecided, err)
	}
	w.ID = id
	return w, nil
}

// Take makes a change that waits. One that can no longer be made as the user has seen it
// stays, with an error; so does one whose process is killed before it is made. Of several
// programs that take it, one does.
func (s *Store) Take(ctx context.Context, id string) (p Plan, err error) {
	w, err := s.staged(id)
	if err != nil {
		return Plan{}, errDecided
	}
	err = s.locked(ctx, w.Change.Target, func() error {
		if w, err = s.staged(id); err != nil {
			return errDecided
		}
		if p, err = s.apply(w.Change); err != nil {
			return err
		}
		return os.Remove(s.pendingFile(id))
	})
	return p, err
}

// Drop forgets a change that waits.
func (s *Store) Drop(ctx context.Context, id string) error {
	w, err := s.staged(id)
	if err != nil {
		return errDecided
	}
	return s.locked(ctx, w.Change.Target, func() error {
		if err := os.Remove(s.pendingFile(id)); errors.Is(err, fs.ErrNotExist) {
			return errDecided
		} else if err != nil {
			return fmt.Errorf("drop a change of memory: %w", err)
		}
		return nil
	})
}

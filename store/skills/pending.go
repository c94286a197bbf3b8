package skills

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
	"slices"
	"strings"
	"time"

	"hermes-tui/store/atomicfile"
)

// Pending is a change that waits for the user.
type Pending struct {
	ID     string    `json:"id"`
	At     time.Time `json:"created_at"`
	Edit   Edit      `json:"edit"`
	Path   string    `json:"path"`
	Before string    `json:"before"`
	Diff   string    `json:"diff"`
}

// maxPending is how many changes may wait.
const maxPending = 200

// Stage keeps a plan for the user to decide on; dir is the folder for such plans, which
// is made when it is missing.
func Stage(dir string, p Plan, now time.Time) (Pending, error) {
	if err := atomicfile.MkdirPrivate(dir); err != nil {
		return Pending{}, err
	}
	waiting, err := Staged(dir)
	if err != nil {
		return Pending{}, err
	}
	if len(waiting) >= maxPending {
		return Pending{}, fmt.Errorf("%d changes of skills wait for the user already", len(waiting))
	}
	id := make([]byte, 4)
	if _, err := rand.Read(id); err != nil {
		return Pending{}, err
	}
	s := Pending{ID: hex.EncodeToString(id), At: now.UTC(), Edit: p.Edit, Path: p.Path, Before: p.Before, Diff: p.Diff()}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return s, err
	}
	return s, atomicfile.Write(filepath.Join(dir, s.ID+".json"), data, 0o600)
}

// Staged are the changes that wait, the oldest first. Files that hold none are passed over.
func Staged(dir string) ([]Pending, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []Pending
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		var p Pending
		if data, err := os.ReadFile(filepath.Join(dir, e.Name())); err == nil && json.Unmarshal(data, &p) == nil && p.Edit.Name != "" {
			p.ID = id
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b Pending) int { return a.At.Compare(b.At) })
	return list, err
}

// Decide makes a change that waits, or drops it. One that can no longer be made as the
// user has seen it stays, with an error.
func (w *Writer) Decide(ctx context.Context, dir, id string, index func() *Index, yes bool) error {
	list, err := Staged(dir)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(p Pending) bool { return p.ID == id })
	if i < 0 {
		return errors.New("this change does not wait any more")
	}
	if yes {
		if _, err := w.Apply(ctx, index, list[i].Edit, &list[i].Before); err != nil {
			return err
		}
	}
	return os.Remove(filepath.Join(dir, list[i].ID+".json"))
}

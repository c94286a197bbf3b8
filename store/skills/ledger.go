package skills

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes-tui/store/atomicfile"
	"hermes-tui/tools/shorten"
)

// Who changes skills, as the ledger says it.
const (
	ByAgent   = "agent"
	ByCurator = "curator"
	ByUser    = "user"
)

// The actions of changes that are no edits.
const (
	Archive = "archive"
	Restore = "restore"
	Undo    = "rollback"
)

// Change is an entry of the ledger: one file written or removed, or one folder moved.
// Paths have slashes and are relative to HERMES_HOME/skills.
type Change struct {
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	Actor  string    `json:"actor"`
	Action string    `json:"action"`
	Name   string    `json:"skill"`
	Path   string    `json:"path"`
	// To is where a folder was moved to; empty for a file.
	To string `json:"to,omitempty"`
	// Before and After are the SHA-256 of a file, empty where there was none.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Undoes is the entry that this one takes back.
	Undoes string `json:"undoes,omitempty"`
	// Holds reports whether the disk is as this change left it: it can be taken back.
	Holds bool `json:"-"`
}

const (
	ledgerFile  = ".curator_ledger.jsonl"
	ledgerBlobs = ".curator_blobs" // texts, by their hash
	maxLedger   = 1 << 20          // bytes; of more, the older half is dropped
)

// Ledger returns the changes of the skills of a home, the oldest first. Lines that a killed
// program has left half written are passed over.
func Ledger(home string) ([]Change, error) {
	data, err := os.ReadFile(filepath.Join(home, ledgerFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []Change
	for line := range bytes.Lines(data) {
		var c Change
		if json.Unmarshal(line, &c) == nil && c.ID != "" && filepath.IsLocal(c.Path) && (c.To == "" || filepath.IsLocal(c.To)) {
			c.Holds = c.holds(home)
			list = append(list, c)
		}
	}
	return list, err
}

// holds reports whether the disk is as the change left it.
func (c Change) holds(home string) bool {
	if c.To != "" {
		return exists(home, c.To) && !exists(home, c.Path)
	}
	data, err := os.ReadFile(filepath.Join(home, filepath.FromSlash(c.Path)))
	if errors.Is(err, fs.ErrNotExist) {
		return c.After == ""
	}
	return err == nil && sum(data) == c.After
}

func exists(home, name string) bool {
	_, err := os.Lstat(filepath.Join(home, filepath.FromSlash(name)))
	return err == nil
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// enter adds a change to the ledger before it is made, with the text that it takes away.
// One that was not made after all does not hold. The caller has the lock.
func enter(home string, c Change, before []byte) error {
	id := make([]byte, 4)
	if _, err := rand.Read(id); err != nil {
		return err
	}
	c.ID = hex.EncodeToString(id)
	if c.Before != "" {
		dir := filepath.Join(home, ledgerBlobs)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if !exists(home, path.Join(ledgerBlobs, c.Before)) {
			if err := atomicfile.Write(filepath.Join(dir, c.Before), before, 0o600); err != nil {
				return err
			}
		}
	}
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	name := filepath.Join(home, ledgerFile)
	old, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	line = append(line, '\n')
	if len(old) > maxLedger {
		return shortenLedger(home, old, line)
	}
	return atomicfile.Append(name, line)
}

// shortenLedger drops the older half of the ledger, and the texts that only it needs.
func shortenLedger(home string, old, line []byte) error {
	half := old[len(old)/2:]
	half = half[bytes.IndexByte(half, '\n')+1:]
	if n := len(half); n > 0 && half[n-1] != '\n' { // a killed program has left it
		half = append(half, '\n')
	}
	kept := slices.Concat(half, line)
	if err := atomicfile.Write(filepath.Join(home, ledgerFile), kept, 0o600); err != nil {
		return err
	}
	blobs, err := os.ReadDir(filepath.Join(home, ledgerBlobs))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, b := range blobs {
		if !bytes.Contains(kept, []byte(b.Name())) {
			err = errors.Join(err, os.Remove(filepath.Join(home, ledgerBlobs, b.Name())))
		}
	}
	return err
}

// Rollback takes back one change: that with the id, or with none the newest that can be.
// It is refused when what it left has changed since.
func (w *Writer) Rollback(ctx context.Context, id string) (Change, error) {
	var c Change
	err := locked(ctx, w.Home, func() error {
		list, err := Ledger(w.Home)
		if err != nil {
			return err
		}
		slices.Reverse(list)
		taken := map[string]bool{}
		i := slices.IndexFunc(list, func(c Change) bool {
			taken[c.Undoes] = true
			return c.ID == id || id == "" && c.Holds && c.Action != Undo && !taken[c.ID]
		})
		switch {
		case i < 0 && id == "":
			return errors.New("there is no change of skills to take back")
		case i < 0:
			return fmt.Errorf("there is no change %q: /curator lists them", shorten.After(id, 80))
		}
		if c = list[i]; !c.Holds {
			return fmt.Errorf("%s of the skill %s has changed since: that cannot be taken back", path.Base(c.Path), c.Name)
		}
		return w.takeBack(c)
	})
	return c, err
}

// takeBack does the reverse of a change that holds.
func (w *Writer) takeBack(c Change) error {
	back := Change{At: w.Now().UTC(), Actor: ByUser, Action: Undo, Name: c.Name, Path: c.Path, Before: c.After, After: c.Before, Undoes: c.ID}
	if c.To != "" {
		back.Path, back.To = c.To, c.Path
		return w.move(back)
	}
	old, text := []byte(nil), []byte(nil)
	var err error
	if c.After != "" {
		if old, err = os.ReadFile(filepath.Join(w.Home, filepath.FromSlash(c.Path))); err != nil {
			return err
		}
	}
	if c.Before != "" {
		if text, err = os.ReadFile(filepath.Join(w.Home, ledgerBlobs, path.Base(c.Before))); err != nil || sum(text) != c.Before {
			return errors.Join(errors.New("what was there before is no longer kept"), err)
		}
	}
	if err := enter(w.Home, back, old); err != nil {
		return err
	}
	return inHome(w.Home, func(root *os.Root) error {
		if c.Before == "" {
			return root.Remove(c.Path)
		}
		return replace(root, c.Path, string(text))
	})
}

// move moves the folder of a skill and notes its state. The caller has the lock.
func (w *Writer) move(c Change) error {
	if err := enter(w.Home, c, nil); err != nil {
		return err
	}
	err := inHome(w.Home, func(root *os.Root) error {
		if err := root.MkdirAll(path.Dir(c.To), 0o755); err != nil {
			return err
		}
		return root.Rename(c.Path, c.To)
	})
	if err != nil {
		return err
	}
	return note(w.Home, map[string]func(*Use){c.Name: func(u *Use) { u.moved(c) }})
}

// moved returns where the folder of a skill is now.
func (u *Use) moved(c Change) {
	if strings.HasPrefix(c.To, archive+"/") {
		u.State, u.Archived = "archived", &c.At
		return
	}
	u.State, u.Archived, u.Restored = "active", nil, &c.At
}

// inHome does something to files below a folder, whatever links there are.
func inHome(home string, do func(*os.Root) error) error {
	root, err := os.OpenRoot(home)
	if err != nil {
		return err
	}
	return errors.Join(do(root), root.Close())
}

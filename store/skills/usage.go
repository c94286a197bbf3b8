package skills

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"hermes-tui/store/atomicfile"
)

// Use is what is known of the use of a skill, by its name. The file is that of the
// Hermes Agent system; what it holds besides stays in it.
type Use struct {
	CreatedBy string     `json:"created_by,omitempty"` // "agent" for those that agents made
	Views     int        `json:"view_count"`
	Uses      int        `json:"use_count"`
	Patches   int        `json:"patch_count"`
	Created   *time.Time `json:"created_at,omitempty"`
	Viewed    *time.Time `json:"last_viewed_at,omitempty"`
	Used      *time.Time `json:"last_used_at,omitempty"`
	Patched   *time.Time `json:"last_patched_at,omitempty"`
	State     string     `json:"state,omitempty"` // active, stale, archived
	Archived  *time.Time `json:"archived_at,omitempty"`
	Restored  *time.Time `json:"restored_at,omitempty"` // out of the archive
	Pinned    bool       `json:"pinned"`
}

// Last is when the skill was read, changed or restored last, zero for never.
func (u Use) Last() time.Time {
	var last time.Time
	for _, t := range []*time.Time{u.Viewed, u.Used, u.Patched, u.Restored} {
		if t != nil && t.After(last) {
			last = *t
		}
	}
	return last
}

// usageFile is the file with the use of skills, in HERMES_HOME/skills.
func usageFile(home string) string { return filepath.Join(home, ".usage.json") }

// Usage reads the use of skills, by name; home is HERMES_HOME/skills. A file that is not
// there is empty; one that cannot be read is an error.
func Usage(home string) (map[string]Use, error) {
	raw, err := readUsage(home)
	all := make(map[string]Use, len(raw))
	for name, entry := range raw {
		var u Use
		if json.Unmarshal(entry, &u) == nil { // what is of no use is as good as none
			all[name] = u
		}
	}
	return all, err
}

func readUsage(home string) (map[string]json.RawMessage, error) {
	raw := map[string]json.RawMessage{}
	data, err := os.ReadFile(usageFile(home))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) == 0 {
		return raw, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &raw)
	}
	if err != nil {
		return nil, fmt.Errorf("read the use of skills: %w", err)
	}
	return raw, nil
}

// Note changes what is known of the use of a skill. change gets the present value;
// ctx bounds the wait for other programs.
func Note(ctx context.Context, home, name string, change func(*Use)) error {
	return locked(ctx, home, func() error { return note(home, map[string]func(*Use){name: change}) })
}

// note changes the use of some skills. The caller has the lock.
func note(home string, changes map[string]func(*Use)) error {
	if len(changes) == 0 {
		return nil
	}
	raw, err := readUsage(home)
	if err != nil {
		return err
	}
	if raw == nil { // "null"
		raw = map[string]json.RawMessage{}
	}
	for name, change := range changes {
		var u Use
		var entry map[string]json.RawMessage
		if raw[name] != nil {
			if json.Unmarshal(raw[name], &u) != nil || json.Unmarshal(raw[name], &entry) != nil {
				u, entry = Use{}, nil
			}
		}
		change(&u)
		if raw[name], err = merge(entry, u); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(raw, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(usageFile(home), data, 0o600)
}

// merge writes a value over what an entry held, of which the fields stay that this
// program does not know.
func merge(old map[string]json.RawMessage, u Use) (json.RawMessage, error) {
	data, err := json.Marshal(u)
	if err != nil {
		return nil, err
	}
	fields := maps.Clone(old)
	if fields == nil {
		fields = map[string]json.RawMessage{}
	}
	for _, key := range []string{"created_by", "created_at", "last_viewed_at", "last_used_at", "last_patched_at", "state", "archived_at", "restored_at"} {
		delete(fields, key) // those that are left out when they are empty
	}
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

// Lock keeps other programs and goroutines from changing the skills of a home; home is
// HERMES_HOME/skills and is made when it is missing. The caller closes it.
func Lock(ctx context.Context, home string) (*atomicfile.Lock, error) {
	if err := os.MkdirAll(home, 0o755); err != nil {
		return nil, err
	}
	return atomicfile.Acquire(ctx, filepath.Join(home, ".skills.lock"))
}

func locked(ctx context.Context, home string, do func() error) error {
	lock, err := Lock(ctx, home)
	if err != nil {
		return fmt.Errorf("change skills: %w", err)
	}
	return errors.Join(do(), lock.Close())
}

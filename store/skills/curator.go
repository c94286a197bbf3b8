package skills

import (
	"cmp"
	"context"
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

// Curator archives skills that agents have made and that no one uses. Those of the user,
// installed ones and pinned ones it leaves alone, and it deletes nothing.
type Curator struct {
	*Writer
	// Interval is how long after a run the next one is due.
	Interval time.Duration
	// Stale and Old are after which time without use a skill is stale, and archived.
	Stale, Old time.Duration
}

// CuratorState is what is known of the runs. The file is that of the Hermes Agent system;
// what it holds besides stays in it.
type CuratorState struct {
	Last    *time.Time `json:"last_run_at"`
	Seconds float64    `json:"last_run_duration_seconds"`
	Summary string     `json:"last_run_summary"`
	Paused  bool       `json:"paused"`
	Runs    int        `json:"run_count"`
}

const stateFile = ".curator_state"

// State reads what is known of the runs. A file that is missing or cannot be read is as
// good as none: nothing has run.
func (c *Curator) State() CuratorState {
	var s CuratorState
	if data, err := os.ReadFile(filepath.Join(c.Home, stateFile)); err != nil || json.Unmarshal(data, &s) != nil {
		return CuratorState{}
	}
	return s
}

func (c *Curator) setState(s CuratorState) error {
	name := filepath.Join(c.Home, stateFile)
	var fields map[string]json.RawMessage
	if data, err := os.ReadFile(name); err != nil || json.Unmarshal(data, &fields) != nil || fields == nil {
		fields = map[string]json.RawMessage{}
	}
	data, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(data, &fields)
	}
	if err == nil {
		data, err = json.MarshalIndent(fields, "", "  ")
	}
	if err != nil {
		return err
	}
	return atomicfile.Write(name, data, 0o600)
}

// Pause stops runs that are due, or lets them happen again.
func (c *Curator) Pause(ctx context.Context, on bool) error {
	return locked(ctx, c.Home, func() error {
		s := c.State()
		s.Paused = on
		return c.setState(s)
	})
}

// Due reports whether a run is due. Where none has been, the time until the first begins
// now: what is known of the use of skills may be young.
func (c *Curator) Due(ctx context.Context) (bool, error) {
	s, now := c.State(), c.Now()
	if s.Last == nil || s.Last.After(now) {
		if _, err := os.Stat(c.Home); errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return false, locked(ctx, c.Home, func() error {
			s, at := c.State(), now.UTC()
			s.Last = &at
			return c.setState(s)
		})
	}
	return !s.Paused && now.Sub(*s.Last) >= c.Interval, nil
}

// Run marks and archives what has not been used, and gives the names of what it archived.
// Unless forced it does nothing when another program has run since it was due.
func (c *Curator) Run(ctx context.Context, index func() *Index, forced bool) (archived []string, err error) {
	err = locked(ctx, c.Home, func() error {
		begun := c.Now()
		s := c.State()
		if !forced && (s.Paused || s.Last != nil && begun.Sub(*s.Last) < c.Interval) {
			return nil
		}
		idle, stale, err := c.review(index(), begun)
		for _, k := range idle {
			if err = errors.Join(err, ctx.Err()); err != nil {
				break
			}
			if err = c.move(Change{At: begun.UTC(), Actor: ByCurator, Action: Archive, Name: k.Name, Path: c.below(k), To: c.place(k)}); err == nil {
				archived = append(archived, k.Name)
			}
		}
		if err != nil {
			return err
		}
		at := begun.UTC()
		s.Last, s.Seconds, s.Runs = &at, c.Now().Sub(begun).Seconds(), s.Runs+1
		s.Summary = fmt.Sprintf("%d archived, %d stale", len(archived), stale)
		return c.setState(s)
	})
	return archived, err
}

// review gives the skills to archive, and counts and marks the stale ones.
func (c *Curator) review(ix *Index, now time.Time) (idle []Skill, stale int, err error) {
	used, err := Usage(c.Home)
	if err != nil {
		return nil, 0, err
	}
	marks := map[string]func(*Use){}
	mark := func(name, state string) {
		if used[name].State != state {
			marks[name] = func(u *Use) { u.State = state }
		}
	}
	for name, at := range archivedAt(c.Home) { // by a run that was killed
		if _, there := c.homeSkill(ix, name); !there && used[name].State != "archived" && used[name].CreatedBy == ByAgent {
			marks[name] = func(u *Use) { u.State, u.Archived = "archived", &at }
		}
	}
	for _, k := range ix.Skills {
		u := used[k.Name]
		if k.Origin != Home || u.CreatedBy != ByAgent || u.Pinned || c.below(k) == "" || c.installed(k.Name) {
			continue
		}
		switch unused := now.Sub(lastTouched(k, u)); {
		case unused >= c.Old:
			idle = append(idle, k)
		case unused >= c.Stale:
			stale++
			mark(k.Name, "stale")
		default:
			mark(k.Name, "active")
		}
	}
	return idle, stale, note(c.Home, marks)
}

// lastTouched is when a skill was used, made or changed last.
func lastTouched(k Skill, u Use) time.Time {
	last := u.Last()
	if u.Created != nil && u.Created.After(last) {
		last = *u.Created
	}
	if info, err := os.Stat(k.Path()); err == nil && info.ModTime().After(last) {
		last = info.ModTime() // the user may have written it by hand
	}
	return last
}

// homeSkill finds the skill of a name in the home.
func (c *Curator) homeSkill(ix *Index, name string) (s Skill, there bool) {
	i := slices.IndexFunc(ix.Skills, func(k Skill) bool { return k.Origin == Home && k.Name == name })
	if i < 0 {
		return Skill{}, false
	}
	return ix.Skills[i], true
}

// below is the folder of a skill relative to the home, empty for one that is elsewhere.
func (c *Curator) below(k Skill) string {
	dir, err := filepath.Rel(realOf(c.Home), k.Dir)
	if err != nil || !filepath.IsLocal(dir) || dir == "." {
		return ""
	}
	return filepath.ToSlash(dir)
}

// place is a free folder of the archive.
func (c *Curator) place(k Skill) string {
	to := path.Join(archive, path.Base(c.below(k)))
	if exists(c.Home, to) {
		to += "-" + c.Now().UTC().Format(archiveStamp)
	}
	return to
}

// archiveStamp is the time behind the name of an archived folder.
const archiveStamp = "20060102T150405.000"

// Archived is a skill in the archive.
type Archived struct {
	Name, Description string
	Dir               string // absolute
	At                time.Time
}

// ArchivedSkills are those in the archive of a home, the newest first.
func ArchivedSkills(home string) ([]Archived, error) {
	entries, err := os.ReadDir(filepath.Join(home, archive))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	used, err := Usage(home)
	var list []Archived
	for _, e := range entries {
		dir := filepath.Join(home, archive, e.Name())
		info, statErr := os.Lstat(filepath.Join(dir, File))
		if !e.IsDir() || statErr != nil || !info.Mode().IsRegular() || info.Size() > MaxFile {
			continue
		}
		data, readErr := os.ReadFile(filepath.Join(dir, File))
		if readErr != nil {
			continue // no one can restore what cannot be read
		}
		t := Parse(data)
		name, _ := nameFor(t.Name, e.Name())
		a := Archived{Name: name, Description: t.Description, Dir: dir}
		if at := used[name].Archived; at != nil {
			a.At = *at
		} else if dir, err := e.Info(); err == nil {
			a.At = dir.ModTime()
		}
		list = append(list, a)
	}
	slices.SortStableFunc(list, func(a, b Archived) int { return cmp.Or(b.At.Compare(a.At), strings.Compare(b.Dir, a.Dir)) })
	return list, err
}

// archivedAt gives the names in the archive with when they went there.
func archivedAt(home string) map[string]time.Time {
	list, err := ArchivedSkills(home)
	if err != nil {
		return nil // as good as empty: it is looked at again at the next run
	}
	at := map[string]time.Time{}
	for _, a := range slices.Backward(list) {
		at[a.Name] = a.At.UTC()
	}
	return at
}

// Restore takes a skill out of the archive, that one of a name which went there last, to
// where it was.
func (c *Curator) Restore(ctx context.Context, index func() *Index, name string) error {
	return locked(ctx, c.Home, func() error {
		list, err := ArchivedSkills(c.Home)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(a Archived) bool { return a.Name == name || filepath.Base(a.Dir) == name })
		if i < 0 {
			return fmt.Errorf("there is no skill %q in the archive", shorten.After(name, 80))
		}
		a := list[i]
		if s, there := c.homeSkill(index(), a.Name); there {
			return fmt.Errorf("there is a skill %s already (%s): it has to go first", a.Name, s.Path())
		}
		from, to := path.Join(archive, filepath.Base(a.Dir)), a.Name
		changes, err := Ledger(c.Home)
		if err != nil {
			return err
		}
		for _, ch := range changes {
			if ch.To == from && ch.Action != Restore {
				to = ch.Path
			}
		}
		if exists(c.Home, to) {
			return fmt.Errorf("%s is in the way", filepath.Join(c.Home, filepath.FromSlash(to)))
		}
		return c.move(Change{At: c.Now().UTC(), Actor: ByUser, Action: Restore, Name: a.Name, Path: from, To: to})
	})
}

// Counts are how many skills that agents made are in which state, by state.
func (c *Curator) Counts(ix *Index) (map[string]int, error) {
	used, err := Usage(c.Home)
	counts := map[string]int{}
	for name, u := range used {
		if s, there := c.homeSkill(ix, name); there && u.CreatedBy == ByAgent && c.below(s) != "" {
			counts[cmp.Or(u.State, "active")]++
		}
	}
	return counts, err
}

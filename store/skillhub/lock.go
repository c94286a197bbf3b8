package skillhub

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hermes-tui/store/atomicfile"
	"hermes-tui/store/skillguard"
	"hermes-tui/store/skills"
)

// lockFile is .hub/lock.json, as Hermes Agent has it. What is not known stays.
type lockFile struct {
	Installed map[string]*entry
	rest      map[string]json.RawMessage
}

// entry is an installed skill in it.
type entry struct {
	Source      string    `json:"source"`
	Identifier  string    `json:"identifier"`
	Trust       string    `json:"trust_level"`
	Verdict     string    `json:"scan_verdict"`
	ContentHash string    `json:"content_hash"`
	InstallPath string    `json:"install_path"`
	Files       []string  `json:"files"`
	InstalledAt time.Time `json:"installed_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	Metadata    struct {
		// Origin is where it comes from, nil for a skill that another program installed.
		Origin   *Source  `json:"origin,omitempty"`
		Commit   string   `json:"commit,omitempty"`
		Findings []string `json:"findings,omitempty"`
		// Before is the hash of what it replaced: what is found after a kill in the
		// middle of it.
		Before string `json:"before,omitempty"`
	} `json:"metadata"`

	raw json.RawMessage // of one that is not ours
}

const hashMark = "sha256:"

func (l *lockFile) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &l.rest); err != nil {
		return err
	}
	var raw map[string]json.RawMessage
	if in := l.rest["installed"]; in != nil {
		if err := json.Unmarshal(in, &raw); err != nil {
			return err
		}
	}
	l.Installed = map[string]*entry{}
	for name, text := range raw {
		e := &entry{}
		if err := json.Unmarshal(text, e); err != nil || e.Metadata.Origin == nil {
			e = &entry{raw: text}
		}
		l.Installed[name] = e
	}
	return nil
}

func (l *lockFile) MarshalJSON() ([]byte, error) {
	all := map[string]any{"version": 1}
	for name, text := range l.rest {
		all[name] = text
	}
	installed := map[string]any{}
	for name, e := range l.Installed {
		if installed[name] = e; e.raw != nil {
			installed[name] = e.raw
		}
	}
	all["installed"] = installed
	return json.MarshalIndent(all, "", "  ")
}

// State is what is here of a skill from elsewhere.
type State struct {
	// Dir is its folder, empty when it is not there.
	Dir string
	// Installed says that it came from elsewhere, from Source, which was at Commit.
	Installed bool
	Source    Source
	Commit    string
	At        time.Time
	// Edited says that it is no longer as it was installed, Foreign that another program
	// installed it.
	Edited, Foreign bool
	Hash            string
}

// refuses is why it is not replaced or removed, empty if it may be.
func (s State) refuses() string {
	switch {
	case s.Foreign:
		return "Hermes Agent has installed it, which updates it"
	case s.Edited:
		return "you have changed it"
	case s.Dir != "" && !s.Installed:
		return "you have a skill of that name in " + s.Dir
	}
	return ""
}

// home is what is in HERMES_HOME/skills.
type home struct {
	*Hub
	lock   *lockFile
	skills map[string]skills.Skill
	hashes map[string]string
}

func (h *Hub) lockName() string { return filepath.Join(h.o.Home, ".hub", "lock.json") }

// home reads what is there.
func (h *Hub) home() (*home, error) {
	all := &home{Hub: h, lock: &lockFile{Installed: map[string]*entry{}}, skills: map[string]skills.Skill{}, hashes: map[string]string{}}
	data, err := os.ReadFile(h.lockName())
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		if err := json.Unmarshal(data, all.lock); err != nil {
			return nil, fmt.Errorf("%s cannot be read (%w): repair it, or move it away and install again", h.lockName(), err)
		}
	}
	for _, k := range skills.Open(skills.Options{Now: h.o.Now}).Index(skills.Root{Origin: skills.Home, Dir: h.o.Home}).Skills {
		if _, taken := all.skills[k.Name]; taken {
			continue
		}
		hash, err := k.ContentHash()
		if err != nil {
			return nil, fmt.Errorf("the skill %s: %w", k.Name, err)
		}
		all.skills[k.Name], all.hashes[k.Name] = k, hash
	}
	return all, nil
}

// state is what is there of a skill.
func (h *home) state(name string) State {
	k, here := h.skills[name]
	s := State{Hash: h.hashes[name]}
	if here {
		s.Dir = k.Dir
	} else if _, err := os.Lstat(filepath.Join(h.o.Home, name)); err == nil {
		s.Dir = filepath.Join(h.o.Home, name) // no skill, but not to be written over
		return s
	}
	e := h.lock.Installed[name]
	if e == nil {
		return s
	}
	if s.Installed = true; e.raw != nil {
		s.Foreign = true
		return s
	}
	s.Source, s.Commit, s.At = *e.Metadata.Origin, e.Metadata.Commit, e.UpdatedAt
	s.Edited = here && hashMark+s.Hash != e.ContentHash && hashMark+s.Hash != e.Metadata.Before
	return s
}

// trustLevel is how far it is trusted in the words of the lock file, which knows no more of
// this disk than of anyone.
func (c *Candidate) trustLevel() string {
	if c.Trust == string(skillguard.Trusted) {
		return c.Trust
	}
	return string(skillguard.Community)
}

// aside begins the names of folders in the quarantine that were moved out of their place.
const aside = "aside@"

// install moves a skill into its place. The lock file is written before: a kill between
// the two leaves a skill that it knows.
func (h *home) install(o *Offer, c *Candidate) error {
	now := h.o.Now().UTC().Truncate(time.Second)
	source := o.Source
	e := &entry{
		Source: source.Kind, Identifier: source.String(), Trust: c.trustLevel(), Verdict: c.Verdict, ContentHash: hashMark + c.hash,
		Files: c.Files, InstalledAt: now, UpdatedAt: now,
	}
	place, old := filepath.Join(h.o.Home, c.Name), filepath.Join(h.quarantine(), aside+c.Name)
	if c.Was.Dir != "" {
		place = c.Was.Dir
	}
	rel, err := filepath.Rel(h.o.Home, place)
	if err != nil {
		return err
	}
	e.InstallPath = filepath.ToSlash(rel)
	e.Metadata.Origin, e.Metadata.Commit, e.Metadata.Findings = &source, o.Commit, c.Findings
	verb := "INSTALL"
	if was := h.lock.Installed[c.Name]; was != nil {
		e.InstalledAt, verb = was.InstalledAt, "UPDATE"
	}
	if c.Was.Hash != "" {
		e.Metadata.Before = hashMark + c.Was.Hash
	}
	h.lock.Installed[c.Name] = e
	if err := h.write(); err != nil {
		return err
	}
	if c.Was.Dir != "" {
		if err := os.Rename(place, old); err != nil {
			return err
		}
	}
	if err := os.Rename(c.dir, place); err != nil {
		return errors.Join(err, h.tidy())
	}
	if err := os.Chmod(place, 0o755); err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(old), h.log(now, verb, c.Name, e))
}

// uninstall removes a skill.
func (h *home) uninstall(name string, was State) error {
	e := h.lock.Installed[name]
	gone := filepath.Join(h.quarantine(), fmt.Sprintf("%d-gone-%s", os.Getpid(), name))
	if was.Dir != "" {
		if err := atomicfile.MkdirPrivate(h.quarantine()); err != nil {
			return err
		}
		if err := os.Rename(was.Dir, gone); err != nil {
			return err
		}
	}
	delete(h.lock.Installed, name)
	return errors.Join(h.write(), os.RemoveAll(gone), h.log(h.o.Now().UTC(), "UNINSTALL", name, e))
}

func (h *home) write() error {
	data, err := json.Marshal(h.lock)
	if err != nil {
		return err
	}
	return atomicfile.Write(h.lockName(), append(data, '\n'), 0o600)
}

// log adds a line to .hub/audit.log.
func (h *home) log(at time.Time, verb, name string, e *entry) error {
	line := fmt.Sprintf("%s %s %s %s:%s %s\n", at.Format(time.RFC3339), verb, name, e.Source, e.Trust, e.Verdict)
	return atomicfile.Append(filepath.Join(h.o.Home, ".hub", "audit.log"), []byte(line))
}

// forgotten is how long a program that was killed leaves something in the quarantine.
const forgotten = 24 * time.Hour

// tidy puts back what a killed program has moved aside, and removes what it has left. The
// caller has the lock.
func (h *Hub) tidy() error {
	list, err := os.ReadDir(h.quarantine())
	if err != nil {
		return err
	}
	var all error
	for _, d := range list {
		path := filepath.Join(h.quarantine(), d.Name())
		if name, moved := strings.CutPrefix(d.Name(), aside); moved {
			if place := filepath.Join(h.o.Home, name); !exists(place) {
				all = errors.Join(all, os.Rename(path, place))
				continue
			}
			all = errors.Join(all, os.RemoveAll(path))
			continue
		}
		if info, err := d.Info(); err == nil && h.o.Now().Sub(info.ModTime()) > forgotten {
			all = errors.Join(all, os.RemoveAll(path))
		}
	}
	return all
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

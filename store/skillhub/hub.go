package skillhub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes-tui/store/atomicfile"
	"hermes-tui/store/skillguard"
	"hermes-tui/store/skills"
)

// Options are what a hub is made of.
type Options struct {
	// Home is HERMES_HOME/skills.
	Home string
	// Git and Client reach the outside.
	Git    Git
	Client Client
	// Guard looks through what is fetched.
	Guard skillguard.Guard
	Now   func() time.Time
}

// Hub installs skills into one HERMES_HOME. It is safe for concurrent use, also by several
// programs.
type Hub struct{ o Options }

// New makes a hub. Nothing is read or written before its methods are called.
func New(o Options) *Hub { return &Hub{o} }

// The verdicts of the look through a skill.
const (
	Safe      = string(skillguard.Safe)
	Caution   = string(skillguard.Caution)   // something in it calls for a look, such as programs
	Dangerous = string(skillguard.Dangerous) // it would harm who follows it
)

// Candidate is a skill of a source.
type Candidate struct {
	Name, Description string
	// Files are its files, with slashes.
	Files []string
	// Verdict is what the look through it came to, Findings say why, Trust is how far its
	// source is trusted.
	Verdict  string
	Findings []string
	Trust    string
	// Problems are sentences about what is wrong with its SKILL.md.
	Problems []string
	// Refused is why it cannot be installed, empty if it can.
	Refused string
	// Was is what it would replace, if anything.
	Was State
	// Changed are the files that differ from what it would replace.
	Changed []string

	dir, hash string
}

// Offer is a source that was fetched into the quarantine. It must be closed.
type Offer struct {
	Source Source
	Commit string // of a repository
	Skills []Candidate
	// Notes are sentences about what is left out.
	Notes []string

	hub *Hub
	dir string
}

// fetchedInto is the folder of the quarantine that a source is brought into.
const fetchedInto = "from-elsewhere"

// Close throws away what was fetched.
func (o *Offer) Close() error { return os.RemoveAll(o.dir) }

// quarantine is where fetched skills lie, below Home.
func (h *Hub) quarantine() string { return filepath.Join(h.o.Home, ".hub", "quarantine") }

// Fetch brings a source into the quarantine and looks through it. Its errors are
// sentences.
func (h *Hub) Fetch(ctx context.Context, s Source) (_ *Offer, err error) {
	if err := os.MkdirAll(h.o.Home, 0o700); err != nil {
		return nil, err
	}
	for _, dir := range []string{filepath.Join(h.o.Home, ".hub"), h.quarantine()} {
		if err := atomicfile.MkdirPrivate(dir); err != nil {
			return nil, err
		}
	}
	if err := h.locked(ctx, h.tidy); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(h.quarantine(), fmt.Sprintf("%d-", os.Getpid()))
	if err != nil {
		return nil, err
	}
	o := &Offer{Source: s, hub: h, dir: dir}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s: %w", s, err), o.Close())
		}
	}()
	into := filepath.Join(dir, fetchedInto)
	if err := os.Mkdir(into, 0o700); err != nil {
		return nil, err
	}
	got, err := h.fetch(ctx, s, into)
	if err != nil {
		return nil, err
	}
	o.Commit = got.commit
	return o, h.look(o, got.leftOut)
}

// locked does something while no one else changes the skills.
func (h *Hub) locked(ctx context.Context, do func() error) error {
	lock, err := skills.Lock(ctx, h.o.Home)
	if err != nil {
		return fmt.Errorf("change skills: %w", err)
	}
	return errors.Join(do(), lock.Close())
}

// look finds the skills of an offer and judges them.
func (h *Hub) look(o *Offer, leftOut []string) error {
	top := filepath.Join(o.dir, fetchedInto)
	from := filepath.Join(top, filepath.FromSlash(o.Source.Path))
	if o.Source.Kind == FromWellKnown {
		from = top
	}
	found := skills.Open(skills.Options{Now: h.o.Now}).Index(skills.Root{Origin: skills.External, Dir: filepath.Dir(from)})
	below := func(dir string) bool { return dir == from || strings.HasPrefix(dir, from+string(filepath.Separator)) }
	list := slices.DeleteFunc(found.Skills, func(k skills.Skill) bool { return !below(k.Dir) })
	for _, p := range found.Problems {
		if below(p.Path) {
			o.Notes = append(o.Notes, strings.TrimPrefix(p.Path, o.dir)+": "+p.Text)
		}
	}
	switch n := len(list); {
	case n == 0:
		return errors.New(strings.Join(append([]string{"there is no skill in it, which is a folder with a SKILL.md"}, o.Notes...), "; "))
	case n > MaxSkills:
		return fmt.Errorf("there are %d skills in it, more than %d: name a folder of it behind a #", n, MaxSkills)
	}
	home, err := h.home()
	if err != nil {
		return err
	}
	for _, k := range list {
		if slices.ContainsFunc(o.Skills, func(c Candidate) bool { return c.Name == k.Name }) {
			o.Notes = append(o.Notes, fmt.Sprintf("There are several skills named %s; the first counts.", k.Name))
			continue
		}
		c, err := h.judge(k)
		if err != nil {
			return fmt.Errorf("the skill %s: %w", k.Name, err)
		}
		c.Trust = string(o.Source.trust())
		rel, err := filepath.Rel(top, k.Dir)
		if err != nil {
			return err
		}
		for _, l := range leftOut {
			if in, ok := strings.CutPrefix(l, filepath.ToSlash(rel)+"/"); ok || rel == "." {
				c.Problems = append(c.Problems, fmt.Sprintf("%s is left out: it is a link that leads out of the source, or no plain file.", shown(in)))
			}
		}
		c.Was = home.state(c.Name)
		if why := c.Was.refuses(); why != "" {
			c.Refused = why
		}
		if c.Was.Dir != "" {
			if c.Changed, err = differences(c.Was.Dir, c.dir); err != nil {
				return err
			}
		}
		o.Skills = append(o.Skills, c)
	}
	return nil
}

// judge looks through a skill.
func (h *Hub) judge(k skills.Skill) (c Candidate, err error) {
	c = Candidate{Name: k.Name, Description: k.Description, dir: k.Dir}
	c.Problems = slices.DeleteFunc(slices.Clone(k.Problems), func(p string) bool { return strings.Contains(p, fetchedInto) })
	if c.hash, err = k.ContentHash(); err != nil {
		return c, err
	}
	others, err := k.Files()
	if err != nil {
		return c, err
	}
	c.Files = append([]string{filepath.Base(k.Path())}, others...)
	var files []skillguard.File
	for _, name := range c.Files {
		data, err := os.ReadFile(filepath.Join(k.Dir, filepath.FromSlash(name)))
		if err != nil {
			return c, err
		}
		files = append(files, skillguard.File{Name: name, Data: data})
	}
	r := h.o.Guard.Look(files)
	c.Verdict, c.Findings = string(r.Verdict), r.Texts()
	return c, nil
}

// differences lists the files in which two folders differ: + NAME, - NAME, ~ NAME.
func differences(before, now string) ([]string, error) {
	sums := map[string][2]string{}
	for i, dir := range []string{before, now} {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(dir, name)
			both := sums[filepath.ToSlash(rel)]
			both[i] = string(data) + "."
			sums[filepath.ToSlash(rel)] = both
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		switch both := sums[name]; {
		case both[0] == "":
			list = append(list, "+ "+name)
		case both[1] == "":
			list = append(list, "- "+name)
		case both[0] != both[1]:
			list = append(list, "~ "+name)
		}
	}
	return list, nil
}

// Install moves skills of an offer into their places, and returns the names of those
// that it has installed. One that looks dangerous is installed only from this disk and when
// dangerous says so; it is held back until the user allows its content.
func (o *Offer) Install(ctx context.Context, names []string, dangerous bool) (done []string, err error) {
	err = o.hub.locked(ctx, func() error {
		home, err := o.hub.home()
		if err != nil {
			return err
		}
		for _, name := range names {
			i := slices.IndexFunc(o.Skills, func(c Candidate) bool { return c.Name == name })
			if i < 0 {
				return fmt.Errorf("there is no skill %s in %s", shown(name), o.Source)
			}
			c := &o.Skills[i]
			why := c.Refused
			if was := home.state(name); why == "" && (was.Hash != c.Was.Hash || was.Dir != c.Was.Dir) {
				why = "it has changed here in the meantime: look again"
			}
			if why == "" && c.Verdict == Dangerous && !dangerous {
				why = "it looks dangerous (" + strings.Join(c.Findings, "; ") + ")"
			}
			if why != "" {
				return fmt.Errorf("the skill %s is not installed: %s", name, why)
			}
			if err := home.install(o, c); err != nil {
				return fmt.Errorf("the skill %s is not installed: %w", name, err)
			}
			done = append(done, name)
		}
		return nil
	})
	return done, err
}

// Update fetches the source of an installed skill again. The offer holds that skill only;
// it has nothing in Changed when there is nothing new.
func (h *Hub) Update(ctx context.Context, name string) (*Offer, error) {
	home, err := h.home()
	if err != nil {
		return nil, err
	}
	was := home.state(name)
	switch {
	case !was.Installed:
		return nil, fmt.Errorf("the skill %s was not installed from elsewhere", shown(name))
	case was.refuses() != "":
		return nil, fmt.Errorf("the skill %s is left as it is: %s", name, was.refuses())
	}
	o, err := h.Fetch(ctx, was.Source)
	if err != nil {
		return nil, err
	}
	o.Skills = slices.DeleteFunc(o.Skills, func(c Candidate) bool { return c.Name != name })
	if len(o.Skills) == 0 {
		return nil, errors.Join(fmt.Errorf("the skill %s is no longer in %s", name, was.Source), o.Close())
	}
	return o, nil
}

// Uninstall removes a skill that was installed from elsewhere. One that the user has
// changed stays.
func (h *Hub) Uninstall(ctx context.Context, name string) error {
	return h.locked(ctx, func() error {
		home, err := h.home()
		if err != nil {
			return err
		}
		was := home.state(name)
		switch {
		case !was.Installed:
			return fmt.Errorf("the skill %s was not installed from elsewhere: delete its folder to remove it", shown(name))
		case was.refuses() != "":
			return fmt.Errorf("the skill %s stays: %s; delete its folder to remove it", name, was.refuses())
		}
		return home.uninstall(name, was)
	})
}

// Installed are the names of skills that came from elsewhere.
func (h *Hub) Installed() (map[string]bool, error) {
	names := map[string]bool{}
	data, err := os.ReadFile(h.lockName())
	if errors.Is(err, fs.ErrNotExist) {
		return names, nil
	}
	var lock lockFile
	if err == nil {
		err = json.Unmarshal(data, &lock)
	}
	for name := range lock.Installed {
		names[name] = true
	}
	return names, err
}

// Audited is what became of an installed skill.
type Audited struct {
	State
	Name string
	// Verdict and Findings are those of a look through it as it is now.
	Verdict  string
	Findings []string
}

// Is says in words what became of it.
func (a Audited) Is() string {
	switch {
	case a.Dir == "":
		return "its folder is gone"
	case a.Foreign:
		return a.Verdict + ", installed by Hermes Agent"
	case a.Edited:
		return a.Verdict + ", changed since it was installed"
	}
	return a.Verdict
}

// Audit looks through what is installed again, in the order of its names.
func (h *Hub) Audit() ([]Audited, error) {
	home, err := h.home()
	if err != nil {
		return nil, err
	}
	var list []Audited
	for _, name := range slices.Sorted(maps.Keys(home.lock.Installed)) {
		a := Audited{State: home.state(name), Name: name}
		if k, here := home.skills[name]; here {
			c, err := h.judge(k)
			if err != nil {
				return nil, fmt.Errorf("the skill %s: %w", name, err)
			}
			a.Verdict, a.Findings = c.Verdict, c.Findings
		}
		list = append(list, a)
	}
	return list, nil
}

package plugins

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hermes-tui/store/atomicfile"
)

// Store is the folder of plugins. It is safe for use by several programs.
type Store struct {
	dir string
	now func() time.Time
}

// New makes a store of a folder, which need not exist yet.
func New(dir string, now func() time.Time) *Store { return &Store{dir, now} }

// Problem is a folder that is no plugin.
type Problem struct{ Name, Text string }

// hidden begins the names of what is not a plugin in the folder.
const hidden = "."

// List reads all plugins, by name.
func (s *Store) List() (list []Plugin, problems []Problem, err error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	for _, d := range entries {
		if strings.HasPrefix(d.Name(), hidden) {
			continue
		}
		p, e := s.Get(d.Name())
		if e != nil {
			problems = append(problems, Problem{d.Name(), e.Error()})
			continue
		}
		list = append(list, p)
	}
	return list, problems, err
}

// Get reads the plugin of a name.
func (s *Store) Get(name string) (Plugin, error) {
	if !ValidName(name) {
		return Plugin{}, fmt.Errorf("%q cannot be the name of a plugin", clip(name))
	}
	st, err := os.Lstat(filepath.Join(s.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return Plugin{}, fmt.Errorf("there is no plugin %s", name)
	}
	if err != nil || !st.IsDir() {
		return Plugin{}, fmt.Errorf("%s is no folder", name)
	}
	p, err := Read(filepath.Join(s.dir, name))
	if err == nil && p.Name != name {
		err = fmt.Errorf("its folder is called %s, and its plugin.json says %s", name, p.Name)
	}
	if data, e := readFile(s.note(name)); e == nil {
		_ = json.Unmarshal(data, &p.Source) // what is damaged is not known
	}
	return p, err
}

// note is where the source of a plugin is kept.
func (s *Store) note(name string) string { return filepath.Join(s.dir, hidden+"sources", name+".json") }

// lock keeps other programs out.
func (s *Store) lock(ctx context.Context) (*atomicfile.Lock, error) {
	if err := atomicfile.MkdirPrivate(s.dir); err != nil {
		return nil, err
	}
	return atomicfile.Acquire(ctx, filepath.Join(s.dir, hidden+"lock"))
}

// Install takes in what fill puts into an empty folder, or the plugin of it that is
// wanted. It is read in quarantine, and takes the place of an earlier one of its name.
// An [*ElsewhereError] says that what is wanted has to be fetched.
func (s *Store) Install(ctx context.Context, from Source, want Choice, fill func(into string) error) (p Plugin, err error) {
	lock, err := s.lock(ctx)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	quarantine := filepath.Join(s.dir, hidden+"quarantine")
	if err := os.RemoveAll(quarantine); err != nil { // of a program that was killed
		return p, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(quarantine)) }()
	at := filepath.Join(quarantine, "new")
	if err := os.MkdirAll(at, 0o700); err != nil {
		return p, err
	}
	if err := fill(at); err != nil {
		return p, err
	}
	if want.entry == nil {
		at, err = top(at)
	}
	if err == nil {
		at, err = pick(at, want)
	}
	if err != nil {
		return p, err
	}
	if p, err = Read(at); err != nil {
		return p, err
	}
	dir := filepath.Join(s.dir, p.Name)
	old := filepath.Join(quarantine, "old")
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	if err := os.Rename(at, dir); err != nil {
		return p, errors.Join(err, back(old, dir))
	}
	from.At = s.now().UTC()
	data, err := json.Marshal(from)
	if err == nil {
		err = atomicfile.MkdirPrivate(filepath.Dir(s.note(p.Name)))
	}
	if err == nil {
		err = atomicfile.Write(s.note(p.Name), data, 0o600)
	}
	if err != nil {
		return p, err
	}
	return s.Get(p.Name)
}

// back puts an earlier plugin into its place again, if there was one.
func back(old, dir string) error {
	if err := os.Rename(old, dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// top is the folder with a plugin or a list of plugins: at, or the one folder in it.
func top(at string) (string, error) {
	list, err := os.ReadDir(at)
	if listed, _ := offers(at); err != nil || len(listed) > 0 || len(manifests(at)) > 0 {
		return at, err
	}
	if len(list) == 1 && list[0].IsDir() {
		return filepath.Join(at, list[0].Name()), nil
	}
	return at, nil
}

// Remove deletes a plugin.
func (s *Store) Remove(ctx context.Context, name string) (err error) {
	if !ValidName(name) {
		return fmt.Errorf("%q cannot be the name of a plugin", clip(name))
	}
	lock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if _, err := os.Lstat(filepath.Join(s.dir, name)); err != nil {
		return fmt.Errorf("there is no plugin %s", name)
	}
	err = os.RemoveAll(filepath.Join(s.dir, name))
	if e := os.Remove(s.note(name)); e != nil && !errors.Is(e, fs.ErrNotExist) {
		err = errors.Join(err, e)
	}
	return err
}

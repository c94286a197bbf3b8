package skillhub

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
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

// Listed is a skill of an index, that is of a source which is looked through for skills to
// install.
type Listed struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Source is what installs it, as [ParseSource] reads it.
	Source string `json:"source"`
	// Index is the source that it was found in.
	Index string `json:"-"`
}

// listFor is how long what an index lists is kept, for those that are not on this disk.
const listFor = time.Hour

// Taps are the indexes that Hermes Agent has been given in this home, as [ParseSource] reads
// them.
func (h *Hub) Taps() []string {
	var taps struct {
		Taps []struct{ Repo, Path string } `json:"taps"`
	}
	data, err := os.ReadFile(filepath.Join(h.o.Home, ".hub", "taps.json"))
	if err != nil || json.Unmarshal(data, &taps) != nil {
		return nil
	}
	var list []string
	for _, t := range taps.Taps {
		if !gitHub.MatchString(t.Repo) {
			continue
		}
		if t.Path = strings.Trim(t.Path, "/"); t.Path != "" {
			t.Repo += "#" + t.Path
		}
		list = append(list, t.Repo)
	}
	return list
}

// Find gives the skills of indexes in whose names or descriptions all words are, by index
// and name. problems are sentences about indexes that could not be read.
func (h *Hub) Find(ctx context.Context, indexes []Source, words string) (list []Listed, problems []string) {
	lists, errs := make([][]Listed, len(indexes)), make([]error, len(indexes))
	var all sync.WaitGroup
	for i, s := range indexes {
		all.Go(func() { lists[i], errs[i] = h.list(ctx, s) })
	}
	all.Wait()
	wanted := strings.Fields(strings.ToLower(words))
	for i, s := range indexes {
		if errs[i] != nil {
			problems = append(problems, errs[i].Error()+".")
		}
		for _, k := range lists[i] {
			text := strings.ToLower(k.Name + " " + k.Description)
			if !slices.ContainsFunc(wanted, func(w string) bool { return !strings.Contains(text, w) }) {
				k.Index = s.String()
				list = append(list, k)
			}
		}
	}
	return list, problems
}

// list gives what an index lists, as it was within the last hour.
func (h *Hub) list(ctx context.Context, s Source) ([]Listed, error) {
	sum := sha256.Sum256([]byte(s.String()))
	kept := filepath.Join(h.o.Home, ".hub", "index-cache", "tui-"+hex.EncodeToString(sum[:8])+".json")
	var saved struct {
		At     time.Time `json:"at"`
		Source string    `json:"source"`
		Skills []Listed  `json:"skills"`
	}
	local := s.Kind == FromFolder || s.Kind == FromArchive && !strings.Contains(s.Address, "://")
	if data, err := os.ReadFile(kept); !local && err == nil && json.Unmarshal(data, &saved) == nil && saved.Source == s.String() {
		if age := h.o.Now().Sub(saved.At); age >= 0 && age < listFor {
			return saved.Skills, nil
		}
	}
	list, err := h.listing(ctx, s)
	if err != nil || local {
		return list, err
	}
	saved.At, saved.Source, saved.Skills = h.o.Now().UTC(), s.String(), list
	data, err := json.Marshal(saved)
	if err == nil {
		if err = atomicfile.MkdirPrivate(filepath.Dir(kept)); err == nil {
			err = atomicfile.Write(kept, data, 0o600)
		}
	}
	if err != nil {
		err = fmt.Errorf("keep what %s lists: %w", s, err)
	}
	return list, err
}

// listing reads what an index lists: of a web site its list, of anything else what is in it.
func (h *Hub) listing(ctx context.Context, s Source) (list []Listed, err error) {
	if s.Kind == FromWellKnown {
		index, _, err := h.listedAt(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s, err)
		}
		for _, k := range index.Skills {
			one := s
			one.Path = k.Name
			list = append(list, Listed{Name: k.Name, Description: k.Description, Source: one.String()})
		}
		return list, nil
	}
	o, err := h.Fetch(ctx, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	for _, c := range o.Skills {
		rel, err := filepath.Rel(filepath.Join(o.dir, fetchedInto), c.dir)
		if err != nil {
			return nil, err
		}
		one := s
		switch {
		case rel == ".":
		case s.Kind == FromFolder:
			one.Address = filepath.Join(s.Address, rel)
		case s.Kind == FromGit:
			one.Path = filepath.ToSlash(rel)
		}
		list = append(list, Listed{Name: c.Name, Description: c.Description, Source: one.String()})
	}
	slices.SortFunc(list, func(a, b Listed) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

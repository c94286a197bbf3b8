package skills

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hermes-tui/store/atomicfile"
)

// Options are what a library is made of.
type Options struct {
	// Roots are the folders besides those of projects, see [Roots].
	Roots []Root
	// More gives folders behind those, which may change; nil: none.
	More func() []Root
	// Bundles is the folder of bundles, empty for none.
	Bundles string
	// Cache is the file that keeps what was read, empty for none. Its folder exists.
	Cache string
	// Disabled are the names of skills that the user does not want.
	Disabled func() []string
	// Allowed reports whether the user has allowed the content of a folder, by its
	// hash; nil allows nothing.
	Allowed func(dir, hash string) bool
	// Scan names what in a text reads like an attempt to take over an agent; nil finds
	// nothing.
	Scan func(text string) []string
	// Now tells the time.
	Now func() time.Time
}

// Library finds the skills of one HERMES_HOME and of the projects worked in.
type Library struct {
	o Options

	mu     sync.Mutex
	loaded bool
	scans  map[string]scan // by root
}

// Open makes a library. Nothing is read before [Library.Index].
func Open(o Options) *Library { return &Library{o: o, scans: map[string]scan{}} }

// Index gives the skills, with those of a project before the others. What has changed
// on the disk since the last call is read.
func (l *Library) Index(project ...Root) *Index {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.load()
	ix, changed := &Index{}, false
	var more []Root
	if l.o.More != nil {
		more = l.o.More()
	}
	for _, root := range slices.Concat(project, l.o.Roots, more) {
		key := root.Dir + strings.Join(root.Files, "\x00")
		if root.FS != nil {
			key = string(Bundled)
		}
		w := walkRoot(root, l.scans[key], l.o.Now())
		if changed = changed || w.changed && root.Origin != Project && root.FS == nil; w.changed {
			l.scans[key] = w.new
		}
		ix.Problems = append(ix.Problems, w.problems...)
		var dangerous map[string]bool
		if root.Origin == Home {
			dangerous = dangerousIn(root.Dir)
		}
		for _, s := range w.skills {
			if l.judge(&s, root); dangerous[s.Name] && s.State == Ready {
				l.hold(&s, "It looks dangerous, as the look through it said when it was installed.")
			}
			ix.Skills = append(ix.Skills, s)
		}
	}
	if changed {
		l.save(project)
	}
	ix.drop(l.o.Roots)
	ix.shadow()
	slices.SortStableFunc(ix.Skills, func(a, b Skill) int {
		return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.Name, b.Name))
	})
	bundles, problems := bundlesIn(l.o.Bundles)
	for _, b := range bundles {
		l.judgeBundle(&b, ix)
		ix.Bundles = append(ix.Bundles, b)
	}
	ix.Problems = append(ix.Problems, problems...)
	return ix
}

// judge says whether a skill may be offered.
func (l *Library) judge(s *Skill, root Root) {
	s.State = Ready
	disabled := l.o.Disabled != nil && slices.Contains(l.o.Disabled(), s.Name)
	switch {
	case disabled:
		s.State, s.Why = Disabled, "It is switched off in the settings (skills.disabled)."
	case !s.Head.supported():
		s.State, s.Why = Unsupported, fmt.Sprintf("It is made for %s.", list(s.Head.Platforms))
	case root.Origin == Project && !root.Trusted:
		s.State, s.Why = Held, "It belongs to a folder that is not trusted (/trust yes)."
	case root.Origin == Project:
		hash, err := s.hash()
		switch s.Hash = hash; {
		case err != nil:
			s.State, s.Why = Held, "Its files cannot be checked: "+cause(err)+"."
		case root.Taken:
			l.suspect(s, s.Given+"\n"+s.Description)
		case !l.allowed(*s):
			s.State, s.Why = Held, "It belongs to this project and is new, or has changed since you allowed it."
		}
	case root.Origin != Bundled:
		l.suspect(s, s.Given+"\n"+s.Description)
	}
}

// suspect holds a skill back in which something was found that the user has not allowed.
func (l *Library) suspect(s *Skill, text string) {
	if l.o.Scan == nil || s.Origin == Bundled {
		return
	}
	if found := l.o.Scan(text); len(found) > 0 {
		l.hold(s, fmt.Sprintf("It reads like an attempt to take over the agent (%s).", list(found)))
	}
}

// hold holds a skill back unless the user has allowed its content.
func (l *Library) hold(s *Skill, why string) {
	var err error
	if s.Hash == "" {
		s.Hash, err = s.hash()
	}
	if err != nil || !l.allowed(*s) {
		s.State, s.Why = Held, why
	}
}

// dangerousIn are the installed skills of a home that looked dangerous then.
func dangerousIn(home string) map[string]bool {
	var lock struct {
		Installed map[string]struct {
			Verdict string `json:"scan_verdict"`
		} `json:"installed"`
	}
	data, err := os.ReadFile(filepath.Join(home, ".hub", "lock.json"))
	if err != nil || json.Unmarshal(data, &lock) != nil {
		return nil
	}
	names := map[string]bool{}
	for name, e := range lock.Installed {
		names[name] = e.Verdict == "dangerous"
	}
	return names
}

func (l *Library) allowed(s Skill) bool {
	return l.o.Allowed != nil && l.o.Allowed(s.Dir, s.Hash)
}

// drop marks the bundled skills that the user has deleted from the home. Hermes Agent
// copies its bundled skills there and lists them in a file: one of the list that is gone
// was deleted, and one that is there, edited or not, counts before that of the program.
func (ix *Index) drop(roots []Root) {
	at := slices.IndexFunc(roots, func(r Root) bool { return r.Origin == Home })
	if at < 0 {
		return
	}
	listed := bundledManifest(roots[at].Dir)
	for _, s := range ix.Skills {
		if s.Origin == Home {
			delete(listed, s.Name)
			delete(listed, path.Base(filepath.ToSlash(s.Dir)))
		}
	}
	for i := range ix.Skills {
		if s := &ix.Skills[i]; s.Origin == Bundled && s.State == Ready && listed[s.Name] {
			s.State, s.Why = Disabled, "It was deleted from "+roots[at].Dir+" (.bundled_manifest)."
		}
	}
}

// bundledManifest reads the names of the bundled skills that were copied to a home: lines
// of a name, a colon and a hash. The file is that of the Hermes Agent system.
func bundledManifest(home string) map[string]bool {
	data, err := os.ReadFile(filepath.Join(home, ".bundled_manifest"))
	if err != nil {
		return nil
	}
	names := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if name, _, _ := strings.Cut(strings.TrimSpace(line), ":"); name != "" {
			names[name] = true
		}
	}
	return names
}

// shadow marks the skills whose name an earlier one has. One that is held hides none.
func (ix *Index) shadow() {
	first := map[string]*Skill{}
	for i := range ix.Skills {
		s := &ix.Skills[i]
		if s.State != Ready {
			continue
		}
		if by := first[s.Name]; by != nil {
			s.State, s.Why = Shadowed, "Another skill of that name counts: "+by.Path()+"."
			continue
		}
		first[s.Name] = s
	}
}

// cacheForm is the form of the cache file; another one is not read.
const cacheForm = 3

type cacheFile struct {
	Form  int             `json:"form"`
	Roots map[string]scan `json:"roots"`
}

// load reads the cache file, once. One that cannot be read is as good as none.
func (l *Library) load() {
	if l.loaded || l.o.Cache == "" {
		return
	}
	l.loaded = true
	var c cacheFile
	if data, err := os.ReadFile(l.o.Cache); err == nil && json.Unmarshal(data, &c) == nil && c.Form == cacheForm && c.Roots != nil {
		l.scans = c.Roots
	}
}

// save writes the cache file, without what belongs to projects. It is a cache: that it
// cannot be written costs time only.
func (l *Library) save(project []Root) {
	if l.o.Cache == "" {
		return
	}
	c := cacheFile{cacheForm, map[string]scan{}}
	for _, r := range l.o.Roots {
		own := slices.ContainsFunc(project, func(p Root) bool { return p.Dir == r.Dir })
		if s, ok := l.scans[r.Dir]; ok && r.Dir != "" && !own {
			c.Roots[r.Dir] = s
		}
	}
	if data, err := json.Marshal(c); err == nil {
		_ = atomicfile.Write(l.o.Cache, data, 0o600) // nothing depends on it
	}
}

package skills

import (
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
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"hermes-tui/tools/shorten"
)

// The bounds of what agents write.
const (
	maxWritten  = 100_000 // characters of a SKILL.md
	maxAttached = 1 << 20 // bytes of another file
)

// The actions of an [Edit].
const (
	Create     = "create"
	Patch      = "patch"
	Rewrite    = "edit"
	Delete     = "delete"
	WriteFile  = "write"
	RemoveFile = "remove"
)

// Edit is a change of a skill of the home.
type Edit struct {
	Action   string `json:"action"`
	Name     string `json:"name"`
	Content  string `json:"content,omitempty"`
	Old      string `json:"old_string,omitempty"`
	New      string `json:"new_string,omitempty"`
	All      bool   `json:"replace_all,omitempty"`
	Category string `json:"category,omitempty"`
	File     string `json:"file_path,omitempty"`
	Text     string `json:"file_content,omitempty"`
	Absorbed string `json:"absorbed_into,omitempty"`
}

// Plan is what an edit does.
type Plan struct {
	Edit Edit
	// Path is the file, or the folder of a skill that is deleted, with slashes and
	// relative to the home.
	Path string
	// Before and After are its texts.
	Before, After string
	// Foreign says that the skill was installed: a change would keep it from updates.
	Foreign bool
	// Advice are remarks on the skill as it will be, Dangers what would harm who follows it.
	Advice, Dangers []string
}

// Diff is a unified diff.
func (p Plan) Diff() string {
	return udiff.Unified("a/"+p.Path, "b/"+p.Path, p.Before, p.After)
}

// Message says in a sentence what was done.
func (p Plan) Message() string {
	switch p.Edit.Action {
	case Create:
		return fmt.Sprintf("The skill %s was made.", p.Edit.Name)
	case Delete:
		return fmt.Sprintf("The skill %s was deleted; it is kept in %s.", p.Edit.Name, archive)
	case RemoveFile:
		return fmt.Sprintf("%s of the skill %s was deleted.", p.Edit.File, p.Edit.Name)
	}
	return fmt.Sprintf("%s of the skill %s was written.", path.Base(p.Path), p.Edit.Name)
}

// Writer changes the skills of a home, for agents. It is safe for concurrent use, by
// several programs as well.
type Writer struct {
	Home string // HERMES_HOME/skills
	// Scan names what in a text reads like an attempt to take over an agent.
	Scan func(text string) []string
	// Guard says what in a text of a skill, in a file, would harm who follows it; nil says
	// nothing.
	Guard func(file, text string) []string
	// Replace finds and replaces a text as agents quote it.
	Replace func(body, before, after string, all bool) (string, error)
	Now     func() time.Time
}

// archive is where deleted skills go.
const archive = ".archive"

// Plan says what an edit would do. Its errors are sentences for who wants it done. ix
// are the skills as they are.
func (w *Writer) Plan(ix *Index, e Edit) (Plan, error) {
	p := Plan{Edit: e}
	if e.Action == Create {
		return w.create(ix, p)
	}
	s, several, found := ix.Find(e.Name)
	switch {
	case len(several) > 0:
		return p, fmt.Errorf("%q can be any of %s: name one of them", e.Name, strings.Join(several, ", "))
	case !found:
		return p, fmt.Errorf("there is no skill %q", e.Name)
	case s.Origin != Home:
		return p, fmt.Errorf("the skill %s (%s) is not one of the user's own in %s and cannot be changed: make one with another name", s.Name, s.Origin, w.Home)
	}
	dir, err := filepath.Rel(realOf(w.Home), s.Dir)
	if err != nil || !filepath.IsLocal(dir) {
		return p, fmt.Errorf("the skill %s is a link to %s and cannot be changed from here", s.Name, s.Dir)
	}
	dir = filepath.ToSlash(dir)
	p.Edit.Name, p.Foreign = s.Name, w.installed(s.Name)
	switch e.Action {
	case Rewrite, Patch, WriteFile, RemoveFile:
		return w.change(p, s, dir)
	case Delete:
		return w.remove(ix, p, s, dir)
	}
	return p, fmt.Errorf("%q is no action: create, patch, edit, delete, write_file or remove_file", e.Action)
}

func (w *Writer) create(ix *Index, p Plan) (Plan, error) {
	e := p.Edit
	if !ValidName(e.Name) {
		return p, fmt.Errorf("%q cannot be the name of a skill: small letters, digits, dots, hyphens and underscores, at most %d", shorten.After(e.Name, 80), MaxName)
	}
	for part := range strings.SplitSeq(e.Category, "/") {
		if e.Category != "" && !ValidName(part) {
			return p, fmt.Errorf("%q cannot be a category: small letters, digits and hyphens", shorten.After(e.Category, 80))
		}
	}
	if s, _, found := ix.Find(e.Name); found && s.Name == e.Name {
		return p, fmt.Errorf("there is a skill %s already (%s): change that one, or choose another name", e.Name, s.Path())
	}
	p.Path, p.After = path.Join(e.Category, e.Name, File), e.Content
	return w.check(p, File)
}

func (w *Writer) change(p Plan, s Skill, dir string) (Plan, error) {
	e, name := p.Edit, s.file
	if e.File != "" && e.File != s.file || e.Action == WriteFile || e.Action == RemoveFile {
		if name = path.Clean(filepath.ToSlash(e.File)); !attachable(name) {
			return p, fmt.Errorf("%q is no file of a skill: it lies below references, templates, scripts or assets", shorten.After(e.File, 200))
		}
	}
	p.Path = path.Join(dir, name)
	before, err := s.read(name)
	if err != nil && (!Missing(err) || e.Action != WriteFile) {
		return p, fmt.Errorf("%s of the skill %s cannot be read: %s", name, s.Name, cause(err))
	}
	p.Before = string(before)
	switch e.Action {
	case RemoveFile:
		return p, nil
	case WriteFile:
		p.After = e.Text
	case Rewrite:
		p.After = e.Content
	case Patch:
		if p.After, err = w.Replace(p.Before, e.Old, e.New, e.All); err != nil {
			return p, err
		}
	}
	return w.check(p, name)
}

// attachable reports whether an agent may write a file of a skill.
func attachable(name string) bool {
	top, rest, deeper := strings.Cut(name, "/")
	return deeper && fs.ValidPath(name) && !strings.HasPrefix(rest, ".") && !strings.Contains(rest, "/.") &&
		slices.Contains([]string{"references", "templates", "scripts", "assets"}, top)
}

func (w *Writer) remove(ix *Index, p Plan, s Skill, dir string) (Plan, error) {
	used, err := Usage(w.Home)
	switch into := p.Edit.Absorbed; {
	case err != nil:
		return p, err
	case used[s.Name].Pinned:
		return p, fmt.Errorf("the skill %s is pinned by the user and cannot be deleted", s.Name)
	case into == s.Name:
		return p, fmt.Errorf("the skill %s cannot be absorbed into itself", s.Name)
	case into != "":
		if _, _, found := ix.Find(into); !found {
			return p, fmt.Errorf("absorbed_into: there is no skill %q", into)
		}
	}
	text, err := s.read(s.file)
	p.Path, p.Before = dir, string(text)
	return p, err
}

// check holds a text to what may be written.
func (w *Writer) check(p Plan, name string) (Plan, error) {
	if found := w.Scan(p.After); len(found) > 0 {
		return p, fmt.Errorf("the text was refused: it reads like an attempt to take over the agent (%s)", list(found))
	}
	if w.Guard != nil {
		p.Dangers = w.Guard(name, p.After)
	}
	if strings.EqualFold(name, File) {
		return w.checkSkill(p)
	}
	if len(p.After) > maxAttached {
		return p, fmt.Errorf("%s would have %.1f MB; a file of a skill may have 1", name, float64(len(p.After))/(1<<20))
	}
	return p, nil
}

func (w *Writer) checkSkill(p Plan) (Plan, error) {
	t := Parse([]byte(p.After))
	n := utf8.RuneCountInString(p.After)
	switch {
	case n > maxWritten:
		return p, fmt.Errorf("the SKILL.md would have %d characters; it may have %d: put details into files below references", n, maxWritten)
	case !strings.HasPrefix(p.After, "---"):
		return p, errors.New("the SKILL.md has to begin with front matter: name and description between lines of ---")
	case t.Name != p.Edit.Name:
		return p, fmt.Errorf("the front matter calls the skill %q, not %q", shorten.After(t.Name, 80), p.Edit.Name)
	case t.Description == "":
		return p, errors.New("the SKILL.md has no description: one says what the skill is for and when")
	case len(t.Problems) > 0:
		return p, fmt.Errorf("the SKILL.md is not in order: %s", strings.Join(t.Problems, " "))
	}
	if n > maxWritten/2 {
		p.Advice = append(p.Advice, "It is long: whoever reads it pays for all of it. Move details into files below references.")
	}
	return p, nil
}

// installed reports whether a skill came from elsewhere, as the file of installed ones
// says.
func (w *Writer) installed(name string) bool {
	var lock struct {
		Installed map[string]json.RawMessage `json:"installed"`
	}
	data, err := os.ReadFile(filepath.Join(w.Home, ".hub", "lock.json"))
	return err == nil && json.Unmarshal(data, &lock) == nil && lock.Installed[name] != nil
}

// Apply makes a change. index gives the skills as they are once no one else changes them.
// With before, which is what the user has seen, it is refused when the file is another one
// by now. ctx bounds the wait for other programs.
func (w *Writer) Apply(ctx context.Context, index func() *Index, e Edit, before *string) (Plan, error) {
	var p Plan
	err := locked(ctx, w.Home, func() (err error) {
		if p, err = w.Plan(index(), e); err != nil {
			return err
		}
		if before != nil && *before != p.Before {
			return fmt.Errorf("the skill %s has changed since: look at it again", p.Edit.Name)
		}
		return w.write(p)
	})
	return p, err
}

// write does it, after it was entered into the ledger, and notes it. The caller has the
// lock.
func (w *Writer) write(p Plan) error {
	now := w.Now().UTC()
	c := Change{At: now, Actor: ByAgent, Action: p.Edit.Action, Name: p.Edit.Name, Path: p.Path}
	if p.Edit.Action == Delete {
		c.To = path.Join(archive, path.Base(p.Path)+"-"+now.Format(archiveStamp))
		return w.move(c)
	}
	if exists(w.Home, p.Path) {
		c.Before = sum([]byte(p.Before))
	}
	if p.Edit.Action != RemoveFile {
		c.After = sum([]byte(p.After))
	}
	if err := enter(w.Home, c, []byte(p.Before)); err != nil {
		return err
	}
	err := inHome(w.Home, func(root *os.Root) error {
		if p.Edit.Action == RemoveFile {
			return root.Remove(p.Path)
		}
		return replace(root, p.Path, p.After)
	})
	if err != nil {
		return err
	}
	return note(w.Home, map[string]func(*Use){p.Edit.Name: func(u *Use) {
		if p.Edit.Action == Create {
			u.CreatedBy, u.Created, u.State = ByAgent, &now, "active"
		} else {
			u.Patches, u.Patched = u.Patches+1, &now
		}
	}})
}

// replace writes a file and makes its folder.
func replace(root *os.Root, name, text string) error {
	dir := path.Dir(name)
	if err := root.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temporary := path.Join(dir, ".tmp-skill") // one writer at a time; what a killed one has left is written over
	if err := writeSynced(root, temporary, text); err != nil {
		return errors.Join(err, root.Remove(temporary))
	}
	return root.Rename(temporary, name)
}

func writeSynced(root *os.Root, name, text string) error {
	mode := fs.FileMode(0o644)
	if strings.HasPrefix(text, "#!") {
		mode = 0o755
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

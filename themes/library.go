package themes

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hermes-tui/store/atomicfile"
)

// Library is where themes are found: those that are built in, and the skins in a folder,
// files named NAME.yaml. A skin with the name of a built-in theme stands in for it. Files
// are read when they are asked for.
type Library struct {
	// Dir is the folder; it need not exist. Empty is none.
	Dir string
}

// The limits of skins.
const (
	maxSkin  = 64 << 10 // bytes of a file
	maxSkins = 200      // that are listed
	maxDepth = 8        // skins that inherit from each other
)

// Find gives the theme of a name. The error says what is wrong with a skin, with the line,
// or names what was probably meant.
func (l Library) Find(name string) (Scheme, error) {
	s, err := l.find(name, nil)
	if errors.Is(err, errNoSkin) {
		err = fmt.Errorf("there is no theme %q: %s", clip(name), l.choices(name))
	}
	return s, err
}

// Exists reports whether there is a theme of a name, and if not, what to do about it.
// It does not read it.
func (l Library) Exists(name string) error {
	if _, builtin := Named(name); builtin || name == "" || name == Auto || l.file(name) != "" {
		return nil
	}
	return errors.New(l.choices(name))
}

// choices says what there is in place of a name.
func (l Library) choices(name string) string {
	names := l.names()
	text := "choose one of auto, " + strings.Join(names, ", ")
	if near := Nearest(strings.ToLower(name), append(names, Auto)); near != "" {
		text = "do you mean " + near + "? Else " + text
	}
	if l.Dir != "" {
		text += ", or write it as " + filepath.Join(l.Dir, "NAME.yaml")
	}
	return text
}

// names are those of all themes.
func (l Library) names() []string {
	list := Names()
	for _, name := range l.skins() {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// skins are the names of the files in the folder, sorted.
func (l Library) skins() []string {
	if l.Dir == "" {
		return nil
	}
	entries, _ := os.ReadDir(l.Dir) // a folder that cannot be read has none
	var list []string
	for _, e := range entries {
		name, yaml := strings.CutSuffix(e.Name(), ".yaml")
		if !yaml {
			name, yaml = strings.CutSuffix(e.Name(), ".yml")
		}
		if yaml && plain(name) && !slices.Contains(list, name) && len(list) < maxSkins {
			list = append(list, name)
		}
	}
	return list
}

// plain reports whether a name names a file in the folder itself.
func plain(name string) bool {
	return name != "" && len(name) <= 64 && !strings.HasPrefix(name, ".") && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r == '/' || r == '\\' || r == ':' || r >= 0x7f
	})
}

// file is that of a skin, empty when there is none.
func (l Library) file(name string) string {
	if l.Dir == "" || !plain(name) {
		return ""
	}
	for _, end := range []string{".yaml", ".yml"} {
		file := filepath.Join(l.Dir, name+end)
		if _, err := os.Stat(file); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return file
		}
	}
	return ""
}

// find gives the theme of a name for a skin that was reached through others. One that
// inherits what has its own name means the built-in theme.
func (l Library) find(name string, through []string) (Scheme, error) {
	file := l.file(name)
	if n := len(through); n > 0 && through[n-1] == name {
		file = ""
	}
	if file == "" {
		s, is := Named(name)
		if !is {
			return Scheme{}, errNoSkin
		}
		return s, nil
	}
	s, err := readSkin(file)
	if err == nil && (slices.Contains(through, name) || len(through) >= maxDepth) {
		err = &ProblemError{Line: s.inheritsAt, What: "skins inherit in a circle, or through too many files: " + strings.Join(append(through, name), " → ")}
	}
	if err != nil {
		return Scheme{}, in(file, err)
	}
	base := s.inherits
	if base == "" || base == "default" && l.file(base) == "" {
		base = s.base()
		if _, builtin := Named(name); builtin {
			base = name
		}
	}
	parent, err := l.find(base, append(through, name))
	if errors.Is(err, errNoSkin) {
		err = in(file, &ProblemError{Line: s.inheritsAt, What: fmt.Sprintf("there is no theme %q to inherit: %s", clip(base), l.choices(base))})
	}
	if err != nil {
		return Scheme{}, err
	}
	t := s.over(parent)
	t.Name, t.File = name, file
	return t, nil
}

// in says in which file an error is, as it lies in HERMES_HOME.
func in(file string, err error) error {
	file = filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file))
	if p, is := errors.AsType[*ProblemError](err); is {
		p.File = file
		return p
	}
	return fmt.Errorf("%s: %w", file, err)
}

func readSkin(file string) (skin, error) {
	text, _, err := atomicfile.Read(file, maxSkin)
	switch _, large := errors.AsType[*atomicfile.LargeError](err); {
	case errors.Is(err, atomicfile.ErrNotRegular):
		return skin{}, errors.New("this is no file")
	case large:
		return skin{}, fmt.Errorf("more than %d KB are no skin", maxSkin>>10)
	case err != nil:
		return skin{}, reason(err)
	}
	return parseSkin(text)
}

// reason leaves out the name of the file, which stands before.
func reason(err error) error {
	if p, is := errors.AsType[*fs.PathError](err); is {
		return p.Err
	}
	return err
}

// Entry is a theme of a list, or what is wrong with a skin.
type Entry struct {
	Scheme

	Err error
}

// List gives all themes: those that are built in, and the skins.
func (l Library) List() []Entry {
	var list []Entry
	skins := l.skins()
	for _, s := range Builtin() {
		if !slices.Contains(skins, s.Name) {
			list = append(list, Entry{Scheme: s})
		}
	}
	for _, name := range skins {
		s, err := l.Find(name)
		if err != nil {
			s = Scheme{Name: name, File: l.file(name)}
		}
		list = append(list, Entry{s, err})
	}
	return list
}

// Weak says what of a theme cannot be read well on its background: text below 4.5:1,
// hints below 3:1. Empty says that all can, or that the background is not known.
func (s Scheme) Weak() string {
	if s.Background == "" || s.True.Mono {
		return ""
	}
	var weak []string
	for _, m := range Meanings() {
		least := 4.5
		switch {
		case m.Name == "faint":
			least = 3
		case m.behind(), m.Name == "border", m.Name == "badge_fg":
			continue
		}
		if c := *m.of(&s.True); c != "" && contrast(c, s.Background) < least {
			weak = append(weak, fmt.Sprintf("%s %.1f:1", m.Name, contrast(c, s.Background)))
		}
	}
	return strings.Join(weak, ", ")
}

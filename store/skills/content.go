package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// The bounds of what is hashed of a skill.
const (
	maxFiles = 1000
	maxBytes = 32 << 20
)

// HeldError says that a skill has to be allowed by the user before it is used.
type HeldError struct{ Name, Why string }

// Error is a sentence.
func (e *HeldError) Error() string {
	return fmt.Sprintf("The skill %s is held back. %s You can look at it and allow it under /skills.", e.Name, e.Why)
}

// open gives the files of a skill, and what closes them. Links out of its folder are
// errors.
func (s Skill) open() (fs.FS, func(), error) {
	if s.bundle != nil {
		return s.bundle, func() {}, nil
	}
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return nil, nil, err
	}
	return root.FS(), func() { _ = root.Close() }, nil
}

// Text reads the SKILL.md of a skill that is ready. One in which something is found
// that the user has to allow gives a [*HeldError].
func (l *Library) Text(s Skill) (Text, error) {
	data, err := l.content(s, s.file)
	return Parse(data), err
}

// Raw reads the SKILL.md of any skill, for the user to look at.
func (s Skill) Raw() (string, error) {
	data, err := s.read(s.file)
	return string(data), err
}

// Content reads another file of a skill that is ready, by its path in the folder with
// slashes.
func (l *Library) Content(s Skill, name string) ([]byte, error) { return l.content(s, name) }

func (l *Library) content(s Skill, name string) ([]byte, error) {
	if s.State != Ready && s.State != Shadowed {
		return nil, &HeldError{s.Name, s.Why}
	}
	data, err := s.read(name)
	if err != nil {
		return nil, err
	}
	if s.Origin == Project { // it was allowed as it was then
		hash, err := s.hash()
		if err != nil || hash != s.Hash {
			return nil, &HeldError{s.Name, "It has changed just now."}
		}
	}
	if l.suspect(&s, string(data)); s.State == Held {
		return nil, &HeldError{s.Name, s.Why}
	}
	return data, nil
}

func (s Skill) read(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("%q leads out of the folder of the skill", name)
	}
	files, done, err := s.open()
	if err != nil {
		return nil, err
	}
	defer done()
	info, err := fs.Stat(files, name)
	switch {
	case err != nil && !Missing(err) && linked(files, name):
		return nil, fmt.Errorf("%s is a link that leads out of the folder of the skill", name)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no ordinary file", name)
	case info.Size() > MaxFile:
		return nil, fmt.Errorf("%s has %.1f MB, more than the %d that are read", name, float64(info.Size())/(1<<20), MaxFile>>20)
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxFile))
}

// linked reports whether a name is a link, or below one.
func linked(files fs.FS, name string) bool {
	for ; name != "."; name = path.Dir(name) {
		if info, err := fs.Lstat(files, name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// Files lists the further files of a skill, sorted, with slashes.
func (s Skill) Files() ([]string, error) {
	var list []string
	err := s.each(func(_ fs.FS, name string, d fs.DirEntry) error {
		if name != s.file {
			list = append(list, name)
		}
		return nil
	})
	return list, err
}

// each visits the files of a skill, in order.
func (s Skill) each(visit func(files fs.FS, name string, d fs.DirEntry) error) error {
	files, done, err := s.open()
	if err != nil {
		return err
	}
	defer done()
	n := 0
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (s.single && name != "." || d.Name() == ".git" || d.Name() == "__pycache__"):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		if s.single && name != s.file {
			return nil
		}
		if n++; n > maxFiles {
			return fmt.Errorf("it has more than %d files", maxFiles)
		}
		return visit(files, name, d)
	})
}

// hash is that of all files of a skill with their names. What cannot be read counts by
// what it is.
func (s Skill) hash() (string, error) {
	sum, left := sha256.New(), int64(maxBytes)
	err := s.each(func(files fs.FS, name string, d fs.DirEntry) error {
		fmt.Fprintf(sum, "%q %v\n", name, d.Type())
		if !d.Type().IsRegular() { // a link within leads to what is hashed itself
			if l, ok := files.(fs.ReadLinkFS); ok && d.Type()&fs.ModeSymlink != 0 {
				to, _ := l.ReadLink(name)
				fmt.Fprintf(sum, "%q\n", to)
			}
			return nil
		}
		f, err := files.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		n, err := io.Copy(sum, io.LimitReader(f, left+1))
		if left -= n; left < 0 {
			return fmt.Errorf("it has more than %d MB", maxBytes>>20)
		}
		fmt.Fprintf(sum, "\n%d\n", n)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// ContentHash is that of the content of a skill, by which it is allowed.
func (s Skill) ContentHash() (string, error) { return s.hash() }

// Links sorts the files of a skill by the folders that the specification knows; what
// lies elsewhere is under "other".
func Links(files []string) map[string][]string {
	sorted := map[string][]string{}
	for _, f := range files {
		kind, _, deeper := strings.Cut(f, "/")
		if !deeper || !slices.Contains([]string{"references", "templates", "assets", "scripts"}, kind) {
			kind = "other"
		}
		if base := path.Base(f); !strings.HasPrefix(base, ".") {
			sorted[kind] = append(sorted[kind], f)
		}
	}
	return sorted
}

func list(words []string) string {
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// Missing reports whether an error says that there is no such file.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

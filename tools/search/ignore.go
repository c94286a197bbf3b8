package search

import (
	"io"
	"path/filepath"
	"strings"

	"hermes-tui/tools/place"
)

// maxIgnoreFile is how much of an ignore file is read, in bytes.
const maxIgnoreFile = 1 << 20

// rule is one line of an ignore file, in the syntax of gitignore. POSIX
// character classes such as [[:digit:]] are not known.
type rule struct {
	negate  bool // what matches is not ignored after all
	dirOnly bool
	// parts are the elements of a pattern with a slash, matched from the
	// directory of the ignore file on. A pattern without slash has one element,
	// which is matched with the name alone.
	parts    []glob
	nameOnly bool
}

// parseRules reads the lines of an ignore file.
func parseRules(text string) []rule {
	var rules []rule
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\uFEFF"), "\n") {
		if r, ok := parseRule(strings.TrimSuffix(line, "\r")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

// parseRule reads one line; comments, blank lines and patterns that match
// nothing give none.
func parseRule(line string) (rule, bool) {
	line = trimBlanks(line)
	if line == "" || line[0] == '#' {
		return rule{}, false
	}
	var r rule
	if line[0] == '!' {
		r.negate, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.dirOnly, line = true, strings.TrimSuffix(line, "/")
	}
	r.nameOnly = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return rule{}, false
	}
	for part := range strings.SplitSeq(line, "/") {
		g, ok := ignoreGlob(part)
		if !ok {
			return rule{}, false
		}
		r.parts = append(r.parts, g)
	}
	return r, true
}

// trimBlanks removes trailing blanks, but for those after a backslash.
func trimBlanks(line string) string {
	for strings.HasSuffix(line, " ") {
		rest := line[:len(line)-1]
		slashes := len(rest) - len(strings.TrimRight(rest, `\`))
		if slashes%2 == 1 {
			return line
		}
		line = rest
	}
	return line
}

// matches reports whether a rule is about a path, which is relative to the
// directory of the ignore file and has slashes.
func (r rule) matches(path string, isDir bool) bool {
	if r.dirOnly && !isDir {
		return false
	}
	if r.nameOnly {
		return r.parts[0].match(path[strings.LastIndexByte(path, '/')+1:])
	}
	return matchPath(r.parts, path)
}

// matchPath matches the elements of a path. An element "**" stands for any
// number of them, at the end for at least one. Going back to the last "**" is
// enough, so the time is bounded by the product of both lengths.
func matchPath(parts []glob, path string) bool {
	at, rest := 0, path
	star, starRest := -1, ""
	for {
		if at < len(parts) && parts[at].kind == globAnyPath {
			if at == len(parts)-1 {
				return rest != ""
			}
			star, starRest = at, rest
			at++
			continue
		}
		if rest == "" && at == len(parts) {
			return true
		}
		if rest != "" && at < len(parts) {
			name, tail, _ := strings.Cut(rest, "/")
			if parts[at].match(name) {
				at, rest = at+1, tail
				continue
			}
		}
		if star < 0 || starRest == "" {
			return false
		}
		_, starRest, _ = strings.Cut(starRest, "/")
		at, rest = star+1, starRest
	}
}

// scope is the ignore files of a directory and of those above it.
type scope struct {
	parent *scope
	dir    string
	// git are the rules of .gitignore.
	git []rule
	// plain are those of .ignore, which win over all .gitignore files.
	plain []rule
}

// ignored reports whether a path below the scope's directory is left out. A rule
// wins over those above it in its file and over those of directories above.
func (s *scope) ignored(path string, isDir bool) bool {
	for _, plain := range []bool{true, false} {
		for at := s; at != nil; at = at.parent {
			rules := at.git
			if plain {
				rules = at.plain
			}
			if len(rules) == 0 {
				continue
			}
			rel := filepath.ToSlash(strings.TrimPrefix(path[len(at.dir):], string(filepath.Separator)))
			for i := len(rules) - 1; i >= 0; i-- {
				if rules[i].matches(rel, isDir) {
					return !rules[i].negate
				}
			}
		}
	}
	return false
}

// enter gives the scope of a directory. git and plain report whether it has the
// ignore files; without any, its parent's scope serves.
func (s *scope) enter(fs place.FS, dir string, git, plain bool) *scope {
	if !git && !plain {
		return s
	}
	next := &scope{parent: s, dir: dir}
	if git {
		next.git = loadRules(fs, filepath.Join(dir, ".gitignore"))
	}
	if plain {
		next.plain = loadRules(fs, filepath.Join(dir, ".ignore"))
	}
	return next
}

// loadRules reads an ignore file. One that cannot be read has no rules.
func loadRules(fs place.FS, path string) []rule {
	file, err := fs.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxIgnoreFile))
	if err != nil {
		return nil
	}
	return parseRules(string(text))
}

// outerScope collects what applies to a directory before its own ignore files:
// the user's global ignore file, the exclude file of the repository around the
// directory, and the ignore files from the repository's root down.
func outerScope(fs place.FS, dir, home string) *scope {
	var above []string // of dir, innermost first
	root := ""
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := fs.Lstat(filepath.Join(at, ".git")); err == nil {
			root = at
			break
		}
		if at == filepath.Dir(at) {
			break
		}
		above = append(above, filepath.Dir(at))
	}
	base := root
	if base == "" {
		base, above = dir, nil
	}
	s := &scope{dir: base}
	if home != "" {
		s.git = loadRules(fs, filepath.Join(home, ".config", "git", "ignore"))
	}
	if root != "" {
		s.git = append(s.git, loadRules(fs, filepath.Join(root, ".git", "info", "exclude"))...)
	}
	for i := len(above) - 1; i >= 0; i-- {
		s = s.enter(fs, above[i], true, true)
		if inner := append([]string{dir}, above...)[i]; s.ignored(inner, true) { // what leaves the whole of it out says nothing of what is in it
			return &scope{dir: dir}
		}
	}
	return s
}

package shellrisk

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"
)

// pathPattern is a pattern for absolute paths: * stands for anything in one
// element, ** for any elements, and there are ?, [a-z] and {a,b}.
type pathPattern struct {
	plain  string // as it is
	folded string // with names made equal that some file system takes for equal
	below  string // the same with everything below
	exact  bool
}

// newPathPattern reads a pattern; problem completes "the rule …".
func newPathPattern(text string, at RulePlace) (p *pathPattern, problem string) {
	full, ok := at.pattern(text)
	switch {
	case !ok:
		return nil, "has a pattern that starts from a folder which is not known here: write the whole path"
	case !doublestar.ValidatePattern(full):
		return nil, "has a pattern that is not well formed: look at its brackets and backslashes"
	case strings.Count(full, "**") > 4 || strings.Count(full, "{") > 4:
		return nil, "has a pattern with too many ** or braces: at most four of each are possible"
	}
	p = &pathPattern{plain: full, exact: !strings.ContainsAny(full, `*?[{\`)}
	p.folded = foldPath(full)
	p.below = strings.TrimSuffix(p.folded, "/") + "/**"
	return p, ""
}

// pattern makes a pattern absolute.
func (at RulePlace) pattern(text string) (string, bool) {
	base, rest := at.start(text)
	if base == "" {
		return "", false
	}
	return realPrivate(path.Clean(escapeGlob(base) + "/" + rest)), true
}

// expand makes a path absolute as patterns are.
func (at RulePlace) expand(file string) string {
	base, rest := at.start(file)
	return realPrivate(path.Clean(base + "/" + rest))
}

// start gives the folder that a path or pattern starts from, empty when it is not
// known, and what follows.
func (at RulePlace) start(text string) (base, rest string) {
	switch {
	case strings.HasPrefix(text, "/"):
		return "/", text[1:]
	case text == "~" || strings.HasPrefix(text, "~/"):
		return at.Home, text[1:]
	}
	for _, name := range []string{"$HERMES_HOME", "${HERMES_HOME}"} {
		if rest, ok := strings.CutPrefix(text, name); ok && (rest == "" || rest[0] == '/') {
			return at.HermesHome, rest
		}
	}
	return at.Workspace, text
}

// escapeGlob makes a folder match itself only.
func escapeGlob(dir string) string {
	if !strings.ContainsAny(dir, `*?[]{}\`) {
		return dir
	}
	var b strings.Builder
	for i := range len(dir) {
		if strings.IndexByte(`*?[]{}\`, dir[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(dir[i])
	}
	return b.String()
}

// meets reports whether a rule that forbids or asks is about a file: the pattern
// matches it or a folder it is in, names of any spelling that some file system
// takes for the same included.
func (p *pathPattern) meets(file string) bool {
	file = foldPath(realPrivate(path.Clean(file)))
	for _, pattern := range []string{p.folded, p.below} {
		if ok, err := doublestar.Match(pattern, file); ok || err != nil {
			return true
		}
	}
	return false
}

// allows reports whether a rule that allows is about a file: the pattern matches
// the name that was given and the one behind all links. Spellings count as the
// same only where the file system takes them for the same.
func (p *pathPattern) allows(named, real string, folds bool) bool {
	return p.allowsOne(named, folds) && p.allowsOne(real, folds)
}

func (p *pathPattern) allowsOne(file string, folds bool) bool {
	pattern := p.plain
	file = realPrivate(path.Clean(file))
	if folds {
		pattern, file = p.folded, foldPath(file)
	}
	ok, err := doublestar.Match(pattern, file)
	return ok && err == nil
}

// foldPath makes names equal that some file system takes for equal: in their
// case, in characters that are not seen, and in whether an accent is part of its
// letter. Bytes that are no text all become the same.
func foldPath(s string) string {
	return foldName(norm.NFD.String(strings.Map(func(r rune) rune { return r }, s)))
}

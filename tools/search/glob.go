package search

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// globKind says how the name of a file is compared with a pattern.
type globKind byte

const (
	globGeneral  globKind = iota
	globLiteral           // the name is the text
	globSuffix            // the name ends with the text: "*.go"
	globPrefix            // the name begins with the text: "test_*"
	globContains          // the text is somewhere in the name
	globAnyPath           // "**" as an element of a path
)

// glob is a compiled pattern for one element of a path.
type glob struct {
	kind globKind
	text string
}

const globMeta = `*?[{\`

// match compares a name, which has no slash.
func (g glob) match(name string) bool {
	switch g.kind {
	case globLiteral:
		return name == g.text
	case globSuffix:
		return strings.HasSuffix(name, g.text)
	case globPrefix:
		return strings.HasPrefix(name, g.text)
	case globContains:
		return strings.Contains(name, g.text)
	case globAnyPath:
		return true
	}
	ok, err := doublestar.Match(g.text, name)
	return ok && err == nil
}

// simpleGlob compiles the patterns that need no general matching.
func simpleGlob(part, meta string) (glob, bool) {
	switch {
	case !strings.ContainsAny(part, meta):
		return glob{globLiteral, part}, true
	case part[0] == '*' && !strings.ContainsAny(part[1:], meta):
		return glob{globSuffix, part[1:]}, true
	case part[len(part)-1] == '*' && !strings.ContainsAny(part[:len(part)-1], meta):
		return glob{globPrefix, part[:len(part)-1]}, true
	}
	return glob{}, false
}

// ignoreGlob compiles an element of an ignore pattern, in which braces mean
// nothing and "]" may come first in a class.
func ignoreGlob(part string) (glob, bool) {
	if part == "" {
		return glob{}, false
	}
	if part == "**" {
		return glob{kind: globAnyPath}, true
	}
	if g, ok := simpleGlob(part, `*?[\`); ok {
		return g, true
	}
	var b strings.Builder
	inClass := false
	for i := 0; i < len(part); i++ {
		c := part[i]
		switch {
		case c == '\\' && i+1 < len(part):
			i++
			b.WriteString(part[i-1 : i+1])
		case c == '{' || c == '}':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '[' && !inClass:
			inClass = true
			b.WriteByte(c)
			if rest := part[i+1:]; strings.HasPrefix(rest, "!") || strings.HasPrefix(rest, "^") {
				i++
				b.WriteByte('!')
			}
			if strings.HasPrefix(part[i+1:], "]") {
				i++
				b.WriteString(`\]`)
			}
		default:
			inClass = inClass && c != ']'
			b.WriteByte(c)
		}
	}
	return glob{globGeneral, b.String()}, doublestar.ValidatePattern(b.String())
}

// filter selects files by name or path.
type filter struct {
	// name is compared with the name when the pattern has no slash.
	name glob
	// paths are compared with the path below the searched directory.
	paths []string
	// hidden says that the pattern names something that begins with a dot, so
	// hidden files are meant.
	hidden bool
}

const (
	// maxGlob bounds a pattern in bytes.
	maxGlob = 1000
	// maxAlternatives bounds what the braces of a pattern stand for.
	maxAlternatives = 256
)

// newFilter compiles a pattern given by the model. One without a slash is
// compared with names, another with paths at any depth below root. Text without
// any wildcard is the whole name, or, with loose, a part of it.
func newFilter(pattern, root string, loose bool) (*filter, error) {
	p := strings.TrimPrefix(filepath.ToSlash(strings.TrimSpace(pattern)), "./")
	if rel, ok := strings.CutPrefix(p, strings.TrimSuffix(filepath.ToSlash(root), "/")+"/"); ok {
		p = rel
		if !strings.Contains(p, "/") {
			p = "/" + p
		}
	}
	if strings.HasSuffix(p, "/") {
		p += "**"
	}
	switch {
	case p == "":
		return nil, errors.New("the glob is empty; use * for all files")
	case len(p) > maxGlob:
		return nil, fmt.Errorf("the glob is %d bytes long; at most %d are possible", len(p), maxGlob)
	case !doublestar.ValidatePattern(p):
		return nil, fmt.Errorf("%q is not a valid glob; close brackets and braces, or escape them with a backslash", pattern)
	case alternatives(p) > maxAlternatives:
		return nil, fmt.Errorf("the braces of the glob stand for more than %d patterns; use fewer", maxAlternatives)
	}
	f := &filter{}
	for part := range strings.SplitSeq(p, "/") {
		if strings.HasPrefix(part, ".") && part != "." && part != ".." {
			f.hidden = true
		}
	}
	if strings.Contains(p, "/") {
		rooted, isRooted := strings.CutPrefix(p, "/")
		f.paths = []string{rooted}
		if !isRooted && !strings.HasPrefix(p, "**/") {
			f.paths = append(f.paths, "**/"+p)
		}
		return f, nil
	}
	if g, ok := simpleGlob(p, globMeta); ok {
		f.name = g
		if g.kind == globLiteral && loose {
			f.name.kind = globContains
		}
		return f, nil
	}
	f.name = glob{globGeneral, p}
	return f, nil
}

// alternatives is an upper bound for the number of patterns that braces stand
// for.
func alternatives(pattern string) int {
	product := 1
	var commas []int // of the open braces
	for _, c := range pattern {
		switch {
		case c == '{':
			commas = append(commas, 0)
		case c == ',' && len(commas) > 0:
			commas[len(commas)-1]++
		case c == '}' && len(commas) > 0:
			product = min(product*(commas[len(commas)-1]+1), maxAlternatives+1)
			commas = commas[:len(commas)-1]
		}
	}
	return product
}

// match reports whether a file is selected; rel is its path below the searched
// directory, with slashes.
func (f *filter) match(rel string) bool {
	if f == nil {
		return true
	}
	for _, p := range f.paths {
		if ok, err := doublestar.Match(p, rel); ok && err == nil {
			return true
		}
	}
	return f.paths == nil && f.name.match(rel[strings.LastIndexByte(rel, '/')+1:])
}

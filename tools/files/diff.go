package files

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"hermes-tui/tools"
	"hermes-tui/tools/hunks"
)

// maxDiff is how many bytes of differences a result has.
const maxDiff = 4 << 20

// diff compares a file before and after a change: lines added, lines removed and
// a unified diff, whose names are /dev/null where the file was or is not. The
// diff is left out for texts too large to compare; then all old lines count as
// removed and all new ones as added.
func (f *Files) diff(from, to string, was, is bool, before, after string) (added, removed int, body string) {
	if len(before)+len(after) > hunks.MaxCompared {
		return countLines(after), countLines(before), ""
	}
	from, to = f.side("a/", from, was), f.side("b/", to, is)
	c := hunks.Compare(before, after)
	if len(c.Hunks) == 0 && from != to {
		return 0, 0, "--- " + from + "\n+++ " + to + "\n"
	}
	added, removed = c.Counts()
	return added, removed, c.Unified(from, to)
}

// side names one side of a diff.
func (f *Files) side(prefix, path string, exists bool) string {
	if !exists {
		return "/dev/null"
	}
	return prefix + label(f.relative(path))
}

func counts(added, removed int) string { return fmt.Sprintf("+%d −%d", added, removed) }

// countLines counts the lines of a text, the last one with or without newline.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// relative shortens a path inside the workspace.
func (f *Files) relative(path string) string {
	if root, err := f.fs.Resolve(f.root); err == nil && tools.Within(path, root) {
		if rel, err := filepath.Rel(root, path); err == nil {
			return rel
		}
	}
	return strings.TrimPrefix(path, string(filepath.Separator))
}

// label keeps a name from breaking the header line of a diff.
func label(name string) string {
	if strings.IndexFunc(name, unicode.IsControl) >= 0 {
		return strconv.Quote(name)
	}
	return name
}

// language gives the name by which a highlighter may know a file's language: its
// extension, or its name when it has none.
func language(path string) string {
	name := strings.ToLower(filepath.Base(path))
	if ext := filepath.Ext(name); ext != "" && ext != name {
		return ext[1:]
	}
	switch name {
	case "makefile", "dockerfile":
		return name
	}
	return ""
}

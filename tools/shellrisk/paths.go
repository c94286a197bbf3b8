package shellrisk

import (
	"path"
	"strings"

	"hermes-tui/tools"
)

// Paths are slash-separated here: commands run in a POSIX shell.

func joinPath(dir, name string) string { return path.Join(dir, name) }

func parentPath(p string) string { return path.Dir(p) }

// cutLast splits a path after its last slash.
func cutLast(p string) (dir, name string) { return path.Split(p) }

// raw makes a text an absolute path, with its dots; not when the directory it is
// relative to is unknown.
func (st *state) raw(text string) (string, bool) {
	if strings.HasPrefix(text, "/proc/") {
		text = st.ownProcess(text)
	}
	if strings.HasPrefix(text, "/") {
		return text, true
	}
	return st.cwd + "/" + text, st.cwd != ""
}

// ownProcess replaces the folder and the root of the shell's own process.
func (st *state) ownProcess(text string) string {
	for _, self := range []string{"/proc/self/", "/proc/thread-self/"} {
		rest, ok := strings.CutPrefix(text, self)
		if !ok {
			continue
		}
		switch first, after, _ := strings.Cut(rest, "/"); first {
		case "root":
			return "/" + after
		case "cwd":
			return "./" + after
		}
	}
	return text
}

// abs makes a text an absolute, clean path, without following links.
func (st *state) abs(text string) (string, bool) {
	raw, ok := st.raw(text)
	if !ok {
		return "", false
	}
	return realPrivate(path.Clean(raw)), true
}

// real follows the links in an absolute path, the way the system does: two dots
// lead up from where a link leads. What is not known of the path stays as it is.
// Where the command makes links itself, it is one of the places.
func (s Setting) real(raw string) (string, bool) {
	if len(s.links) == 0 {
		return s.resolved(raw)
	}
	list := s.reals(raw)
	if len(list) == 0 {
		return "", false
	}
	return list[len(list)-1], true
}

// reals are all places that a path may lead to; none when links are not followed,
// or cannot be.
func (s Setting) reals(raw string) []string {
	var out []string
	for i, at := range s.links.follow(raw) {
		if real, ok := s.resolved(at); ok {
			out = append(out, real)
		} else if i > 0 {
			out = append(out, realPrivate(path.Clean(at)))
		}
	}
	return out
}

// resolved follows the links that are there already.
func (s Setting) resolved(raw string) (string, bool) {
	if s.Resolve == nil {
		return "", false
	}
	if ownStream(raw) {
		return raw, true // followed, it would be a file of this process
	}
	known, rest := raw, ""
	if i := strings.IndexAny(raw, hole+"*?["); i >= 0 {
		k := strings.LastIndexByte(raw[:i], '/')
		known, rest = raw[:k+1], raw[k:]
	}
	real, ok := s.Resolve(known)
	return realPrivate(path.Clean(real + rest)), ok
}

// ownStream reports whether a path is what a process has open itself, whichever that
// is: how it was opened is judged there.
func ownStream(raw string) bool {
	switch raw {
	case "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return true
	}
	n, ok := strings.CutPrefix(raw, "/dev/fd/")
	return ok && n != "" && strings.Trim(n, "0123456789") == ""
}

// realPrivate takes off the prefix under which macOS keeps its /etc, /tmp and
// /var.
func realPrivate(p string) string {
	rest, ok := strings.CutPrefix(p, "/private/")
	if !ok {
		return p
	}
	switch first, _, _ := strings.Cut(rest, "/"); first {
	case "etc", "tmp", "var":
		return "/" + rest
	}
	return p
}

// Within reports whether p is root or below it, element by element.
func Within(p, root string, folds bool) bool {
	if root == "" {
		return false
	}
	if folds {
		p, root = foldName(p), foldName(root)
	}
	return p == root || root == "/" || strings.HasPrefix(p, strings.TrimSuffix(root, "/")+"/")
}

// foldName makes names equal that some file system takes for equal.
func foldName(s string) string { return tools.FoldName(s) }

// elems splits an absolute path.
func elems(p string) []string {
	return strings.FieldsFunc(p, func(r rune) bool { return r == '/' })
}

// homeOf gives the part of a path below a home directory: the user's, or
// anybody's.
func (s Setting) homeOf(file string) (rest string, ok bool) {
	if s.Home != "" && Within(file, s.Home, s.FoldsCase) && s.Home != "/" {
		return strings.TrimPrefix(file[len(s.Home):], "/"), true
	}
	e := elems(file)
	switch {
	case len(e) >= 1 && e[0] == "root":
		return strings.Join(e[1:], "/"), true
	case len(e) >= 2 && (e[0] == "home" || e[0] == "Users"):
		return strings.Join(e[2:], "/"), true
	}
	return "", false
}

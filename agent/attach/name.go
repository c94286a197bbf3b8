package attach

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName bounds the name of an image, in characters.
const maxName = 80

// Name is what an image is called before others: the last element of a path, on one
// line and without brackets, which stand around it.
func Name(path string) string {
	path = strings.TrimRight(path, "/\\")
	if i := strings.LastIndexAny(path, "/\\"); i >= 0 {
		path = path[i+1:]
	}
	path = strings.Map(func(r rune) rune {
		switch {
		case r == '[' || r == ']':
			return '_'
		case r == utf8.RuneError, !unicode.IsPrint(r): // other blanks than the usual one as well
			return -1
		}
		return r
	}, path)
	path = strings.TrimSpace(path)
	if n := utf8.RuneCountInString(path); n > maxName {
		r := []rune(path)
		path = string(r[:maxName/2]) + "…" + string(r[n-maxName/2+1:])
	}
	if path == "" {
		return "image"
	}
	return path
}

package tools

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// maxPath is the longest path argument in bytes, as in most kernels.
const maxPath = 4096

// AbsPath turns the path argument of a call into a clean absolute path: "~" is
// the home directory, anything else that is relative stands below dir. Links are
// not followed; ".." is removed by name. An error says in words for the model
// why a path is refused: it is blank, has a NUL byte, is over 4,096 bytes long or
// not UTF-8, or names another user's home.
func AbsPath(arg, dir, home string) (string, error) {
	switch {
	case strings.TrimSpace(arg) == "":
		return "", errors.New("path is empty; give the path of a file")
	case strings.ContainsRune(arg, 0):
		return "", errors.New("path has a NUL byte, which no file name can have")
	case len(arg) > maxPath:
		return "", fmt.Errorf("path is %d bytes long; at most %d are possible", len(arg), maxPath)
	case !utf8.ValidString(arg):
		return "", errors.New("path is not valid UTF-8; use the terminal for such a file")
	}
	base := dir
	if arg == "~" || strings.HasPrefix(arg, "~/") {
		arg, base = "./"+arg[1:], home
	} else if strings.HasPrefix(arg, "~") {
		return "", fmt.Errorf("%s is not expanded; write the whole path, or ./%s for a file of that name", clip(arg), clip(arg))
	}
	if filepath.IsAbs(arg) {
		return filepath.Clean(arg), nil
	}
	if !filepath.IsAbs(base) {
		return "", errors.New("path is relative and there is no directory to start from; write an absolute path")
	}
	return filepath.Join(base, arg), nil
}

// Within reports whether a path is a directory or lies below it, component by
// component. Both must be clean and absolute.
func Within(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator || strings.HasSuffix(dir, string(filepath.Separator)))
}

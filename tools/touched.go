package tools

import (
	"encoding/json"
	"strings"
)

// maxTouched bounds how many names of one command count.
const maxTouched = 16

// Touched gives the clean absolute names that a call speaks of: its "path" argument,
// or, of a command, the folder it ran in and the words in it that look like names.
// Nothing says that there is anything under such a name. Relative names stand below
// the folder the call ran in, or cwd; "~" is home.
func Touched(args json.RawMessage, view View, cwd, home string) []string {
	if view.Dir != "" {
		cwd = view.Dir
	}
	var words []string
	switch view.Kind {
	case KindCommand:
		words = append([]string{"."}, namesIn(view.Subject)...)
	case KindRead, KindWrite, KindSearch:
		var with struct {
			Path string `json:"path"`
		}
		if json.Unmarshal(args, &with) == nil {
			words = []string{with.Path}
		}
	}
	var names []string
	for _, w := range words {
		if name, err := AbsPath(w, cwd, home); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// namesIn gives the words of a command that look like names of files: those with a
// slash, and where it changes to.
func namesIn(command string) []string {
	words := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\n;&|<>()\"'`=,:", r) })
	var names []string
	for i, w := range words {
		if len(names) < maxTouched && (strings.Contains(w, "/") || i > 0 && words[i-1] == "cd") {
			names = append(names, w)
		}
	}
	return names
}

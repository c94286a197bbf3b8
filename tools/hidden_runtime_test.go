package tools

import (
	"slices"
	"testing"
)

// The folders in which programs of the user are met by sockets are hidden, whether the
// environment names one or not.
func TestRuntimeFoldersAreHidden(t *testing.T) {
	for _, env := range [][]string{nil, {"XDG_RUNTIME_DIR=/run/user/1000"}, {"XDG_RUNTIME_DIR=/tmp"}} {
		list := HiddenPaths("/home/u", "/home/u/.hermes", env)
		if !slices.Contains(list, "/run/user") || slices.Contains(list, "/tmp") {
			t.Errorf("%v: %v", env, list)
		}
	}
}

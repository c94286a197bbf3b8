package prompt

import (
	"path/filepath"
	"slices"
	"testing"

	"hermes-tui/tools"
)

// No file at the top of a folder instructs an agent that confined commands can make there.
func TestObeyedNamesAreProtected(t *testing.T) {
	root := t.TempDir()
	list := tools.ProtectedPaths(root)
	for _, name := range slices.Concat(instructionNames...) {
		if !slices.Contains(list, filepath.Join(root, name)) {
			t.Errorf("%s is obeyed, and not protected where it is not there", name)
		}
	}
}

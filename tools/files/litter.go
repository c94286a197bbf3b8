package files

import (
	"path/filepath"
	"time"

	"hermes-tui/tools/lazyregexp"
)

// litterAge is how old an unfinished file must be before it counts as left
// behind: no write takes as long.
const litterAge = 10 * time.Minute

// unfinished is the name of a file that a place writes before it renames it.
var unfinished = lazyregexp.New(`^\.hermes-[0-9a-f]{16,}\.tmp$`)

// sweep removes, once for each directory, what a killed program has left
// unfinished there. That it cannot is no reason not to write.
func (f *Files) sweep(dir string) {
	if !f.memory.first(dir) {
		return
	}
	entries, err := f.fs.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !unfinished.MatchString(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		if st, err := e.Info(); err == nil && f.now().Sub(st.ModTime()) > litterAge {
			_ = f.fs.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

package files

import (
	"errors"
	"fmt"

	"hermes-tui/tools/place"
)

// realOpener is what a file system has that can open a resolved name without
// going through any link, so that no link can be put on the way between looking
// and opening.
type realOpener interface {
	OpenReal(name string) (place.File, error)
}

// open opens what a target was resolved to. A link that has appeared on the way
// since is refused: what it leads to was not judged.
func (f *Files) open(t target) (place.File, error) {
	if direct, ok := f.fs.(realOpener); ok {
		return direct.OpenReal(t.real)
	}
	file, err := f.fs.Open(t.real)
	if err != nil {
		return nil, err
	}
	if again, err := f.fs.Resolve(t.real); err != nil || again != t.real {
		return nil, errors.Join(fmt.Errorf("open %q: %w", t.name, place.ErrLink), file.Close())
	}
	return file, nil
}

package files

import (
	"errors"
	"fmt"
	"io"

	"hermes-tui/tools"
)

// Bytes reads a file of at most so many bytes as it is, for a tool that makes something
// else of it than text. It is refused where read_file is, and counts as read in no way.
// outside says that it lies outside the workspace. An error is a sentence for the model.
func (f *Files) Bytes(path string, permit tools.Permit, most int64) (data []byte, name string, outside bool, err error) {
	t, err := f.resolve(path)
	if err != nil {
		return nil, "", false, err
	}
	if why := f.readWhy(t, permit); why != "" {
		return nil, t.name, false, errors.New(why)
	}
	file, err := f.open(t)
	if err != nil {
		return nil, t.name, false, err
	}
	defer file.Close()
	st, err := file.Stat()
	switch {
	case err != nil:
		return nil, t.name, false, err
	case !st.Mode().IsRegular():
		return nil, t.name, false, fmt.Errorf("%q is no file", t.name)
	case st.Size() > most:
		return nil, t.name, false, fmt.Errorf("%q has %d bytes, more than the %d that are read of such a file", t.name, st.Size(), most)
	}
	data, err = io.ReadAll(io.LimitReader(file, most))
	return data, t.name, f.outside(t.real) != nil, err
}

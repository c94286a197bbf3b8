package refs

import (
	"bytes"
	"errors"
	"strings"
)

// Peek is the beginning of a file for the user to look at, at most so many bytes of it,
// with secrets masked. The error says why there is none, to follow "it".
func (o Options) Peek(name string, most int64) (string, error) {
	at := o.absolute(name)
	real, err := o.Files.Resolve(at)
	if err != nil {
		return "", errors.New("it is not there")
	}
	for _, file := range []string{at, real} {
		if why := o.Secret(file); why != "" {
			return "", errors.New("it " + why)
		}
	}
	if o.Files.IsDir(real) {
		return "", errors.New("it is a folder")
	}
	data, err := o.Files.Read(real, most)
	switch {
	case err != nil:
		return "", errors.New("it cannot be read")
	case bytes.IndexByte(data, 0) >= 0:
		return "", errors.New("it is no text")
	case len(data) == 0:
		return "", errors.New("it is empty")
	}
	return o.Mask(strings.ToValidUTF8(string(data), "�")), nil
}

package memory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"hermes-tui/store/atomicfile"
	"hermes-tui/tools/charset"
)

// Delimiter stands between two entries.
const Delimiter = "\n§\n"

// maxFile bounds what is read of a file with entries, in bytes.
const maxFile = 1 << 20

// split reads the entries of a file.
func split(text string) []string {
	var list []string
	for e := range strings.SplitSeq(text, Delimiter) {
		if e = strings.TrimSpace(e); e != "" {
			list = append(list, e)
		}
	}
	return list
}

func join(entries []string) string { return strings.Join(entries, Delimiter) }

func size(entries []string) int { return utf8.RuneCountInString(join(entries)) }

// readable reports whether the text of a file is what its entries are written as. A line
// break at its end, as editors make, changes nothing.
func readable(text string, entries []string, limit int) bool {
	return utf8.ValidString(text) && strings.TrimSpace(text) == join(entries) &&
		!slices.ContainsFunc(entries, func(e string) bool { return utf8.RuneCountInString(e) > limit })
}

// read returns the text of a regular file, empty if there is none. More than maxFile bytes
// are an error.
func read(name string) (string, error) {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a regular file; put the file itself there", name)
	}
	data, now, err := atomicfile.Read(name, maxFile)
	if now != nil && !os.SameFile(info, now) {
		return "", errors.Join(fmt.Errorf("%s has just been replaced", name), err)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	if whole, _, intact := charset.Decode(data); intact && charset.Wide(data) {
		return whole, err
	}
	return string(data), err
}

// keepCopy saves a file that is refused, once for each of its contents.
func keepCopy(name, text string, now time.Time) (string, error) {
	older, err := filepath.Glob(name + ".bak.*")
	if err != nil {
		return "", err
	}
	for _, o := range older {
		if same, err := read(o); err == nil && same == text {
			return o, nil
		}
	}
	bak := fmt.Sprintf("%s.bak.%d", name, now.Unix())
	return bak, write(bak, []byte(text))
}

// write replaces a file in one step.
func write(name string, data []byte) error { return atomicfile.Put(name, data, 0o600) }

// tail returns the whole lines at the end of a file, at most limit bytes.
func tail(name string, limit int64) ([][]byte, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s is not a regular file", name), err)
	}
	from := max(info.Size()-limit, 0)
	text, err := io.ReadAll(io.NewSectionReader(f, from, limit))
	if err != nil {
		return nil, err
	}
	if from > 0 {
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	return bytes.Split(text, []byte{'\n'}), nil
}

package files

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"hermes-tui/tools/charset"
)

// existing is the file that a change starts from. Without a file all but the mode
// and the encoding are zero.
type existing struct {
	exists bool
	info   fs.FileInfo
	mode   fs.FileMode
	data   []byte
	sum    sum
	text   string
	enc    charset.Encoding
	intact bool // the text is all of the file
	crlf   bool // every line ends with CRLF
}

// existing reads the file that stands where a change goes. verb says in an error
// what cannot be done to it.
func (f *Files) existing(t target, verb string) (existing, error) {
	none := existing{mode: 0o644, enc: charset.UTF8, intact: true}
	refuse := func(why string) (existing, error) {
		return existing{}, fmt.Errorf("%q cannot be %s: %s", t.name, verb, why)
	}
	st, err := f.fs.Lstat(t.real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return none, nil
	case err != nil:
		return refuse(reason(err))
	case st.IsDir():
		return refuse("it is a directory")
	case !st.Mode().IsRegular():
		return refuse("it is not a regular file")
	case st.Mode().Perm()&0o222 == 0:
		return refuse("it is marked read-only; make it writable first if that is right")
	case st.Size() > maxWhole:
		return refuse(fmt.Sprintf("it has %d bytes, more than can be %s safely; use the terminal", st.Size(), verb))
	}
	file, err := f.open(t)
	if err != nil {
		return refuse(reason(err))
	}
	data, err := io.ReadAll(io.LimitReader(file, maxWhole+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return refuse(reason(err))
	}
	if len(data) > maxWhole {
		return refuse("it has grown while it was read")
	}
	if kind := kindByContent(data); kind != "" {
		return refuse("it is " + kind + " and no text; use the terminal with a program for such files")
	}
	return decode(st, data), nil
}

// decode describes a file by its bytes.
func decode(st fs.FileInfo, data []byte) existing {
	old := existing{exists: true, info: st, mode: st.Mode().Perm(), data: data, sum: sha256.Sum256(data)}
	old.text, old.enc, old.intact = charset.Decode(data)
	breaks := strings.Count(old.text, "\n")
	old.crlf = breaks > 0 && strings.Count(old.text, "\r\n") == breaks && !strings.Contains(old.text, "\r\r\n")
	return old
}

// body is the text as an editor sees it.
func (e existing) body() string {
	if e.crlf {
		return strings.ReplaceAll(e.text, "\r\n", "\n")
	}
	return e.text
}

// keeps reports whether the file can be written back byte by byte from its text.
// Without that an edit of one line would change others.
func (e existing) keeps() bool {
	if !e.exists {
		return true
	}
	text := e.body()
	if e.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	data, err := charset.Encode(text, e.enc)
	return err == nil && bytes.Equal(data, e.data)
}

// replace gives the bytes to write, and the text they hold, in the manner of the
// file that is replaced. seen is what the agent saw of it.
func (e existing) replace(name, content string, seen stamp) ([]byte, string, error) {
	if !e.intact && strings.ContainsRune(content, '\uFFFD') {
		return nil, "", fmt.Errorf("%q has bytes that are not text and that \uFFFD stands for; writing it would lose them, use the terminal", name)
	}
	if e.exists && seen.cut && seen.sum == e.sum && strings.Contains(content, cutMark) && !strings.Contains(e.text, cutMark) {
		return nil, "", fmt.Errorf("content holds %q, which stands for the rest of a line that was shown cut; write the whole line", cutMark)
	}
	return e.encode(name, content)
}

// encode gives the bytes of a text, and the text they hold, in the manner of the
// file. What would read back as another text is refused.
func (e existing) encode(name, content string) ([]byte, string, error) {
	if strings.ContainsRune(content, 0) {
		return nil, "", fmt.Errorf("the text for %q has a NUL character, which no text file holds; leave it out", name)
	}
	if !utf8.ValidString(content) {
		return nil, "", fmt.Errorf("the text for %q is not valid UTF-8; nothing can be written that would read back the same", name)
	}
	if e.enc != charset.UTF8 {
		content = strings.TrimPrefix(content, "\uFEFF") // the encoding brings its own
	}
	if e.crlf {
		content = strings.ReplaceAll(strings.ReplaceAll(content, "\r\n", "\n"), "\n", "\r\n")
	}
	data, err := charset.Encode(content, e.enc)
	if err != nil {
		return nil, "", fmt.Errorf("%q is stored as %s and cannot take this text: %w; leave the character out, or ask the user before you convert the file", name, e.enc, err)
	}
	if back, enc, _ := charset.Decode(data); back != strings.TrimPrefix(content, "\uFEFF") {
		return nil, "", fmt.Errorf("%q is stored as %s; with this text it would read as %s and show other characters; ask the user before you convert the file", name, e.enc, enc)
	}
	return data, content, nil
}

// unchangedSince reports whether what stands at a path now is still what old
// describes, by what the directory says of it.
func (f *Files) unchangedSince(path string, old existing) bool {
	now, err := f.fs.Lstat(path)
	if !old.exists {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && now.Mode() == old.info.Mode() && now.Size() == old.info.Size() &&
		now.ModTime().Equal(old.info.ModTime()) && sameFile(now, old.info)
}

// sameFile reports whether two descriptions are of one file, where the place can
// tell.
func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) || !os.SameFile(a, a) || !os.SameFile(b, b)
}

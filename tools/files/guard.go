package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/charset"
)

// deviceWhy tells why a path that leads to no file must not be opened.
func deviceWhy(t target) string {
	if tools.SpecialFile(t.name) || tools.SpecialFile(t.real) {
		return fmt.Sprintf("%q is a device or a view into a process, not a file", t.name)
	}
	return ""
}

// secretWhy tells why a file must not be shown without the user's consent, empty
// for one that may, or that is not there.
func (f *Files) secretWhy(t target) string {
	for _, path := range []string{t.name, t.real} {
		if why := f.secrets.Holds(path); why != "" && !f.missing(t.real) {
			return fmt.Sprintf("%q is not shown: it %s. Do not try other ways to read it; ask for what you need to know.", t.name, why)
		}
	}
	return ""
}

// readWhy tells why a file must not be read by a call, empty when it may: a permit
// of the user is for exactly the file that the path leads to.
func (f *Files) readWhy(t target, permit tools.Permit) string {
	if why := deviceWhy(t); why != "" {
		return why
	}
	if tools.Covers(permit, t.real) {
		return ""
	}
	return f.secretWhy(t)
}

// readAction puts the reading of a file with keys to the gate. What cannot be read
// is said when it is tried.
func (f *Files) readAction(args json.RawMessage) (tools.Action, error) {
	return f.ReadAction(subject(args))
}

// ReadAction is the action of reading a path: none for most files.
func (f *Files) ReadAction(path string) (tools.Action, error) {
	t, err := f.resolve(path)
	if err != nil || deviceWhy(t) != "" || f.secretWhy(t) == "" {
		return tools.Action{}, nil //nolint:nilerr // reading it reports the error
	}
	return tools.Action{Kind: tools.ActRead, Paths: []string{t.real}}, nil
}

// The names of what can be read as text all the same.
const (
	notebookKind = "a notebook"
	pdfKind      = "a PDF document"
	imageKind    = "an image"
)

// documentByName names a document that is read as an extract of its text, and
// therefore cannot be edited as text.
func documentByName(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".ipynb":
		return notebookKind
	case ".docx":
		return "a Word document"
	case ".xlsx":
		return "a spreadsheet"
	}
	return ""
}

// kindByName names what a binary file is by its extension, empty for a name that
// does not tell.
func kindByName(path string) string {
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	for _, k := range []struct{ kind, extensions string }{
		{imageKind, "png jpg jpeg gif bmp ico icns webp tif tiff heic heif avif psd xcf cr2 nef"},
		{"audio", "mp3 wav flac ogg oga m4a aac wma opus aiff mid midi"},
		{"a video", "mp4 mkv avi mov webm wmv flv m4v mpg mpeg 3gp"},
		{"an archive", "zip tar gz tgz bz2 tbz2 xz txz 7z rar zst lz4 lzma jar war ear whl egg deb rpm apk dmg iso cab"},
		{"a compiled program", "exe dll so dylib a o lib pyc pyo class wasm elf bin com msi"},
		{"a document", "doc xls ppt pptx odt ods odp epub mobi pages numbers"},
		{"a database", "sqlite sqlite3 db mdb accdb"},
		{"a font", "ttf otf woff woff2 eot"},
	} {
		if slices.Contains(strings.Fields(k.extensions), ext) {
			return k.kind
		}
	}
	return ""
}

// sniffLen is how much of a file is looked at to tell text from other data.
const sniffLen = 8000

// kindByContent names what a file is by its first bytes, empty for text. Data
// with a NUL byte, or with over 30 % control characters in its first 1,000 bytes,
// is no text, except where it is UTF-16.
func kindByContent(head []byte) string {
	head = head[:min(len(head), sniffLen)]
	if _, mark := charset.Mark(head); mark > 0 || charset.Wide(head) {
		return ""
	}
	for _, m := range []struct{ magic, kind string }{
		{"\x89PNG\r\n\x1a\n", imageKind}, {"\xff\xd8\xff", imageKind}, {"GIF87a", imageKind}, {"GIF89a", imageKind},
		{"PK\x03\x04", "an archive"}, {"\x1f\x8b", "an archive"}, {"\xfd7zXZ", "an archive"}, {"7z\xbc\xaf", "an archive"},
		{"\x28\xb5\x2f\xfd", "an archive"}, {"Rar!\x1a", "an archive"},
		{"\x7fELF", "a compiled program"}, {"%PDF-", pdfKind}, {"SQLite format 3\x00", "a database"},
		{"OggS", "audio"}, {"ID3", "audio"},
	} {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return m.kind
		}
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return "binary data"
	}
	front := head[:min(len(head), 1000)]
	control := 0
	for _, c := range front {
		if c < ' ' && !strings.ContainsRune("\t\n\r\f\b\x1b", rune(c)) {
			control++
		}
	}
	if control*10 > len(front)*3 {
		return "binary data"
	}
	return ""
}

// binaryMessage tells the model that a file is no text, and what to do.
func binaryMessage(path, kind string) string {
	what := kind
	if what != "binary data" {
		what += ", not text"
	}
	if kind == imageKind {
		return fmt.Sprintf("%q is an image, not text. Look at it with vision_analyze; where that is not among your tools, use the terminal with a program for images.", path)
	}
	return fmt.Sprintf("%q is %s. read_file reads text only; use the terminal with a program for such files.", path, what)
}

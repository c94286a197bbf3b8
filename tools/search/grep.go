package search

import (
	"bytes"
	"context"
	"errors"
	"io"
	"unicode/utf8"

	"hermes-tui/tools/charset"
	"hermes-tui/tools/place"
)

const (
	// window is how much of a file is held at once, in bytes; a line longer than
	// that is searched in pieces.
	window = 8 << 20
	// firstRead is how large a worker's buffer is to begin with.
	firstRead = 64 << 10
	// sniffLen is how much of a file is looked at to tell text from other data.
	sniffLen = 8000
)

// match is a line that matched.
type match struct {
	line    int
	content string
	before  []string
	after   []string
}

// found is what a file gave.
type found struct {
	path    string
	count   int // of matching lines
	matches []match
	failed  bool // could not be read
	binary  bool // is not text
}

// grep searches files. It has one buffer, which it keeps from file to file, and
// belongs to one goroutine.
type grep struct {
	fs      place.FS
	pattern *pattern
	context int // lines around a match
	// first says that one match tells enough.
	first bool
	// narrower leaves files out that need not be read; nil for none.
	narrower *narrower
	buf      []byte
}

// open opens a file that was found. A link that has taken its place since leads where
// nothing may be shown without being asked for.
func (g *grep) open(path string) (place.File, error) {
	if direct, ok := g.fs.(interface {
		OpenReal(name string) (place.File, error)
	}); ok {
		return direct.OpenReal(path)
	}
	return g.fs.Open(path)
}

// search reads one file and collects its first keep matches, counting all. A
// file that is not text has none. When ctx ends, what was found so far is
// returned.
func (g *grep) search(ctx context.Context, path string, keep int) found {
	f := found{path: path}
	file, err := g.open(path)
	if err != nil {
		f.failed = true
		return f
	}
	defer file.Close()
	if g.buf == nil {
		g.buf = make([]byte, firstRead)
	}
	held, before := 0, 0 // bytes left over, lines behind them
	for start := true; ctx.Err() == nil; start = false {
		n, end, err := g.fill(file, held)
		if err != nil {
			f.failed = true
			return f
		}
		data := g.buf[:n]
		if start {
			var text bool
			if data, text = plain(data, end); !text {
				f.binary = true
				return f
			}
		}
		whole := len(data)
		if !end {
			if i := bytes.LastIndexByte(data, '\n'); i >= 0 {
				whole = i + 1
			}
		}
		g.collect(&f, data[:whole], before, keep)
		if end || g.first && f.count > 0 {
			return f
		}
		before += bytes.Count(data[:whole], []byte{'\n'})
		held = copy(g.buf, data[whole:])
	}
	return f
}

// fill reads behind the first held bytes of the buffer until the window is full
// or the file ends.
func (g *grep) fill(r io.Reader, held int) (n int, end bool, err error) {
	n = held
	for {
		if n == len(g.buf) {
			if len(g.buf) >= window {
				return n, false, nil
			}
			g.buf = append(g.buf, make([]byte, min(3*len(g.buf), window-len(g.buf)))...)
		}
		more, err := r.Read(g.buf[n:])
		n += more
		if errors.Is(err, io.EOF) {
			return n, true, nil
		}
		if err != nil {
			return n, false, err
		}
	}
}

// plain reports whether the beginning of a file is text, and gives it as UTF-8 where it is
// something else. Other encodings are searched only in files that fit into the window.
func plain(data []byte, whole bool) ([]byte, bool) {
	_, mark := charset.Mark(data)
	wide := charset.Wide(data)
	switch {
	case !wide && bytes.IndexByte(data[:min(len(data), sniffLen)], 0) >= 0:
		return nil, false
	case wide, whole && !utf8.Valid(data):
		return []byte(charset.Text(data)), whole
	}
	return data[mark:], true
}

// collect notes the matches in a piece of a file; before counts the lines that
// precede it.
func (g *grep) collect(f *found, data []byte, before, keep int) {
	at, line := 0, before+1 // line is the number of the line at
	shown := 0              // end of what was shown of this piece
	g.pattern.each(data, func(start, end int) bool {
		f.count++
		if g.first {
			return false
		}
		if len(f.matches) >= keep {
			return true
		}
		line += bytes.Count(data[at:start], []byte{'\n'})
		at = start
		m := match{line: line, content: g.around(data[start:end])}
		if g.context > 0 {
			if last := len(f.matches) - 1; last >= 0 && shown > 0 {
				shown = trimAfter(&f.matches[last], line, shown, start)
			}
			m.before = g.linesBefore(data[shown:start])
			m.after, shown = g.linesAfter(data, end)
		}
		f.matches = append(f.matches, m)
		return true
	})
}

// trimAfter takes those lines back that were shown after a match and belong to
// the next one, which begins at line. It returns where the shown text ends.
func trimAfter(m *match, line, shown, start int) int {
	if room := line - m.line - 1; len(m.after) >= room {
		m.after = m.after[:room]
		return start
	}
	return shown
}

// linesBefore gives the last lines of data, which ends before a match.
func (g *grep) linesBefore(data []byte) []string {
	var lines []string
	for range g.context {
		if len(data) == 0 {
			break
		}
		data = bytes.TrimSuffix(data, []byte{'\n'})
		i := bytes.LastIndexByte(data, '\n') + 1
		lines = append([]string{clean(data[i:], 0)}, lines...)
		data = data[:i]
	}
	return lines
}

// linesAfter gives the lines behind a match that ends at end, and where they
// end.
func (g *grep) linesAfter(data []byte, end int) ([]string, int) {
	next := func(from int) int {
		if i := bytes.IndexByte(data[from:], '\n'); i >= 0 {
			return from + i + 1
		}
		return len(data)
	}
	at := next(end)
	var lines []string
	for range g.context {
		if at >= len(data) {
			break
		}
		stop := next(at)
		lines = append(lines, clean(bytes.TrimSuffix(data[at:stop], []byte{'\n'}), 0))
		at = stop
	}
	return lines, at
}

// maxLine is how many characters of a line are shown, and margin how many of
// them stand before the match in a line that is cut.
const (
	maxLine = 500
	margin  = 100
)

// around gives a matching line. Of a line that is too long it is the part
// around the match.
func (g *grep) around(line []byte) string {
	if len(line) <= maxLine {
		return clean(line, 0)
	}
	at := 0
	if g.pattern.exact {
		at = max(bytes.Index(line, g.pattern.literal), 0)
	} else if loc := g.pattern.re.FindIndex(line); loc != nil {
		at = loc[0]
	}
	return clean(line, at)
}

// clean turns the bytes of a line into text of at most maxLine characters that
// shows position at; "…" stands for what is left out.
func clean(line []byte, at int) string {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	from := 0
	if utf8.RuneCount(line[:at]) > maxLine-margin && utf8.RuneCount(line) > maxLine {
		for range margin {
			_, size := utf8.DecodeLastRune(line[:at])
			at -= size
		}
		from = at
	}
	end, chars := from, 0
	for end < len(line) && chars < maxLine {
		_, size := utf8.DecodeRune(line[end:])
		end += size
		chars++
	}
	text := string(line[from:end])
	if !utf8.ValidString(text) {
		text, _, _ = charset.Decode(line[from:end])
	}
	if from > 0 {
		text = "…" + text
	}
	if end < len(line) {
		text += "…"
	}
	return text
}

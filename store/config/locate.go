package config

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// syntaxError makes an error of what the parser said. The parser knows no
// column, and as the line often the one where an enclosing section begins, so
// the place is found by [locate].
func syntaxError(name string, data []byte, err error) *Error {
	line, col := locate(data, parserLine(err.Error()))
	return &Error{Kind: KindSyntax, File: name, Line: line, Column: col, Problem: explain(err.Error()), Err: err}
}

// parserLine is the line that a message of the parser names, 1 if it names
// none.
func parserLine(problem string) int {
	_, rest, _ := strings.Cut(problem, "line ")
	digits, _, _ := strings.Cut(rest, ":")
	if n, err := strconv.Atoi(digits); err == nil {
		return n
	}
	return 1
}

// The bounds of the search for the place of an error, in bytes parsed: for its
// line, and for its column. They keep the search below a second or so for the
// largest files; files of a usual size do not come near.
const (
	lineBudget   = 1 << 20
	columnBudget = 1 << 20
)

// locate finds where the text stops being YAML: the end of its longest
// beginning that is a document by itself. That is the offending character
// itself, or the quote or bracket that is never closed. When this takes too
// long, as in very long files, it is on the line hint.
func locate(data []byte, hint int) (line, col int) {
	end := consumed(data)
	start := lineStart(data, end)
	budget := lineBudget
	for start > 0 {
		if budget -= start; budget < 0 {
			start, end = lineBounds(data, hint)
			break
		}
		if valid(data[:start]) {
			break
		}
		end = start - 1
		start = lineStart(data, end)
	}
	budget = columnBudget
	for at := end; at > start; {
		_, n := utf8.DecodeLastRune(data[start:at])
		at -= n
		if budget -= at; budget < 0 {
			break
		}
		if valid(data[:at]) {
			return lineColumn(data, at)
		}
	}
	return lineColumn(data, start+indent(data[start:]))
}

// lineBounds gives the offsets of a line's beginning and end.
func lineBounds(data []byte, line int) (start, end int) {
	for ; line > 1; line-- {
		i := bytes.IndexByte(data[start:], '\n')
		if i < 0 {
			break
		}
		start += i + 1
	}
	if i := bytes.IndexByte(data[start:], '\n'); i >= 0 {
		return start, start + i
	}
	return start, len(data)
}

// lineStart is where the line of an offset begins.
func lineStart(data []byte, offset int) int {
	return bytes.LastIndexByte(data[:offset], '\n') + 1
}

// indent counts the blanks at the beginning of a text.
func indent(s []byte) int { return len(s) - len(bytes.TrimLeft(s, " \t")) }

// valid reports whether a text is a stream of YAML documents.
func valid(data []byte) bool {
	_, _, err := documents(bytes.NewReader(data))
	return err == nil
}

// consumed tells how far the parser reads before it fails.
func consumed(data []byte) int {
	r := &countingReader{data: data}
	_, _, _ = documents(r)
	return r.read
}

// countingReader hands out a text byte by byte and counts what was taken.
type countingReader struct {
	data []byte
	read int
}

func (d *countingReader) Read(p []byte) (int, error) {
	if d.read == len(d.data) {
		return 0, io.EOF
	}
	n := copy(p[:min(1, len(p))], d.data[d.read:])
	d.read += n
	return n, nil
}

// explain puts what the parser says into words for a user.
func explain(problem string) string {
	for _, e := range []struct{ says, means string }{
		{"mapping values are not allowed", `a ":" is not allowed here: put quotes around the value, or correct this line or the one before`},
		{"found character that cannot start any token", `nothing can begin with this character: put quotes around the value, and indent with spaces, not with tabs`},
		{"found a tab character", "indent with spaces, not with tabs"},
		{"could not find expected ':'", `"key: value" is expected here: add the missing ":"`},
		{"did not find expected key", "a key is expected here: correct the indentation, or close the quote or bracket before"},
		{"did not find expected '-' indicator", "an entry of a list is expected here: begin it with - at the same column as the others"},
		{"did not find expected ',' or ']'", `the list that begins with "[" is not closed: add the missing "]" or ","`},
		{"did not find expected ',' or '}'", `the section that begins with "{" is not closed: add the missing "}" or ","`},
		{"found unexpected end of stream", "the quote that begins here is not closed: add the missing quote"},
		{"found unknown escape character", `the text holds a backslash sequence that YAML does not know: double the backslash, or use single quotes`},
		{"found unexpected document indicator", `a line "---" or "..." stands inside a quoted text: close the quote`},
		{"block sequence entries are not allowed", "a list cannot begin here: put it on a line of its own"},
		{"unknown anchor", "the alias that begins with * has no anchor: put quotes around the value"},
		{"control characters are not allowed", "a control character stands here: remove it"},
	} {
		if strings.Contains(problem, e.says) {
			return e.means
		}
	}
	return "the text is not YAML from here on: correct it"
}

package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"hermes-tui/store/atomicfile"
)

// Layered is an environment of two layers: what the process has, and below it
// what a .env file says. A variable that the process has set to nothing hides
// the one in the file.
func Layered(process func(string) (string, bool), file map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if process != nil {
			if v, ok := process(name); ok {
				return v, true
			}
		}
		v, ok := file[name]
		return v, ok
	}
}

// LoadEnv reads a .env file; a missing file has no variables. The error is an
// [*Error] that shows no value.
//
// A line is NAME=value, with "export" before it if you like, blank, or a
// comment that begins with "#". Blanks around name and value do not count. The
// value ends with the line or at a "#" after a blank. In single quotes it is
// taken as it is; in double quotes \n, \r, \t, \\, \" and \$ stand for a line
// feed, a carriage return, a tab and the character itself. Quoted values may
// span lines. Nothing is expanded. The last of several lines for a name counts.
func LoadEnv(name string) (map[string]string, error) {
	data, err := readFile(name)
	if err != nil {
		return nil, err
	}
	return parseEnv(name, data)
}

// SetEnv writes a variable into a .env file, which is made (mode 0600) when it is missing; its
// directory must exist. The other lines stay as they are. The file is replaced in one step,
// under the lock file + ".lock"; ctx bounds the wait for it. The value is text without control
// characters. A file that cannot be read gives an [*Error] and stays as it is; no error shows
// a value.
func SetEnv(ctx context.Context, file, name, value string) (err error) {
	if !validName(name) || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return &Error{Kind: KindValue, Origin: "new value", Key: printable(name), Problem: "cannot be a variable: it takes letters, digits and _ as the name, and a value in one line"}
	}
	lock, err := atomicfile.Acquire(ctx, file+".lock")
	if err != nil {
		return fmt.Errorf("write variable %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	to, mode, err := resolve(file)
	if err != nil {
		return fmt.Errorf("write variable %s: %w", name, err)
	}
	old, err := readFile(file)
	if err != nil {
		return err
	}
	if _, err := parseEnv(file, old); err != nil {
		return err
	}
	var text []byte
	for r := (&envReader{file: file, data: old}); r.at < len(r.data); {
		from := r.at
		if at, _, err := r.line(); err == nil && at != name {
			text = append(text, r.data[from:r.at]...)
		}
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(value) + `"`
	text = append(text, name+"="+quoted+"\n"...)
	if err := atomicfile.Write(to, text, mode&^0o077); err != nil {
		return fmt.Errorf("write variable %s: %w", name, err)
	}
	return nil
}

// envReader reads a .env file from the front.
type envReader struct {
	file string
	data []byte
	at   int
}

func parseEnv(file string, data []byte) (map[string]string, error) {
	r := &envReader{file: file, data: data}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return nil, r.fail(i, "a NUL byte stands here: remove it")
	}
	vars := map[string]string{}
	for r.at < len(r.data) {
		name, value, err := r.line()
		if err != nil {
			return nil, err
		}
		if name != "" {
			vars[name] = value
		}
	}
	return vars, nil
}

func (r *envReader) fail(at int, problem string) error {
	line, col := lineColumn(r.data, at)
	return &Error{Kind: KindSyntax, File: r.file, Line: line, Column: col, Problem: problem}
}

// line reads one line, and more when a quoted value goes on. A line without an
// assignment gives no name.
func (r *envReader) line() (name, value string, err error) {
	r.blanks()
	if r.end() || r.data[r.at] == '#' {
		r.skipLine()
		return "", "", nil
	}
	if name, err = r.name(); err != nil {
		return "", "", err
	}
	r.blanks()
	if r.end() || r.data[r.at] != '=' {
		return "", "", r.fail(r.at, `"=" is expected here: write NAME=value, or begin the line with # to make it a comment`)
	}
	r.at++
	r.blanks()
	if !r.end() && (r.data[r.at] == '\'' || r.data[r.at] == '"') {
		value, err = r.quoted(r.data[r.at])
	} else {
		value = r.bare()
	}
	if err != nil {
		return "", "", err
	}
	r.skipLine()
	return name, value, nil
}

// name reads a name, after "export" if that is there.
func (r *envReader) name() (string, error) {
	start := r.at
	name := r.word()
	if name == "export" {
		if r.blanks(); !r.end() && r.data[r.at] != '=' {
			start = r.at
			name = r.word()
		}
	}
	if !validName(name) {
		return "", r.fail(start, "a name is expected here: letters, digits and _, not beginning with a digit")
	}
	return name, nil
}

// word reads up to a blank, a "=" or the end of the line.
func (r *envReader) word() string {
	start := r.at
	for !r.end() && strings.IndexByte(" \t\r=", r.data[r.at]) < 0 {
		r.at++
	}
	return string(r.data[start:r.at])
}

// bare reads a value without quotes.
func (r *envReader) bare() string {
	start := r.at
	for !r.end() {
		if r.data[r.at] == '#' && (r.at == start || r.data[r.at-1] == ' ' || r.data[r.at-1] == '\t') {
			break
		}
		r.at++
	}
	return strings.Trim(string(r.data[start:r.at]), " \t\r")
}

// quoted reads a value in quotes, and what may follow it: a comment.
func (r *envReader) quoted(quote byte) (string, error) {
	start := r.at
	var b strings.Builder
	for r.at++; ; r.at++ {
		if r.at >= len(r.data) {
			return "", r.fail(start, "the quote that begins here is not closed: add the missing quote")
		}
		c := r.data[r.at]
		if c == quote {
			break
		}
		if c == '\\' && quote == '"' && r.at+1 < len(r.data) {
			if i := strings.IndexByte(`nrt\"$`, r.data[r.at+1]); i >= 0 {
				b.WriteByte("\n\r\t\\\"$"[i])
				r.at++
				continue
			}
		}
		b.WriteByte(c)
	}
	r.at++
	r.blanks()
	if !r.end() && r.data[r.at] != '#' {
		return "", r.fail(r.at, "nothing but a comment may follow the closing quote: put the whole value in quotes")
	}
	return b.String(), nil
}

// blanks skips spaces and tabs, and the carriage return before a line's end.
func (r *envReader) blanks() {
	for r.at < len(r.data) && strings.IndexByte(" \t\r", r.data[r.at]) >= 0 {
		r.at++
	}
}

// end reports whether the line has ended.
func (r *envReader) end() bool { return r.at >= len(r.data) || r.data[r.at] == '\n' }

func (r *envReader) skipLine() {
	if i := bytes.IndexByte(r.data[r.at:], '\n'); i >= 0 {
		r.at += i + 1
	} else {
		r.at = len(r.data)
	}
}

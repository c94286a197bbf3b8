package config

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"hermes-tui/store/atomicfile"
)

// Under lists the settings whose name is a given one, or that are in the section or
// entry of that name; the empty name lists all. A name that fits nothing gives an
// [*Error] that says which one may be meant.
func (c Config) Under(name string) ([]Setting, error) {
	var list []Setting
	for _, s := range c.Settings() {
		if name == "" || s.Name == name || strings.HasPrefix(s.Name, name+".") {
			list = append(list, s)
		}
	}
	if len(list) > 0 || section(schema(), name) {
		return list, nil
	}
	return nil, unknownName(name)
}

// section reports whether a name is that of sections by name, or of a list of
// sections, which may hold none.
func section(fields []*field, name string) bool {
	first, rest, deeper := strings.Cut(name, ".")
	f := find(fields, first)
	if f == nil || f.children == nil {
		return false
	}
	return !deeper || f.shape == shapeSection && section(f.children, rest)
}

// unknownName says that there is no setting of a name, and which one may be meant.
func unknownName(name string) *Error {
	e := &Error{Kind: KindUnknown, Origin: "settings", Key: printable(name), Problem: "is not a setting: hermes-tui config show lists all"}
	if leaf(schema(), name) != nil { // of an entry that is not there
		e.Problem = "is not set, since there is no such entry"
		return e
	}
	path := strings.Split(name, ".")
	path, last := path[:len(path)-1], path[len(path)-1]
	siblings := schema()
	for _, part := range path {
		f := find(siblings, part)
		if f == nil {
			siblings = nil
			break
		}
		siblings = f.children
	}
	if meant := nearest(last, path, siblings, &known{}); meant != "" && meant != name {
		e.Problem = "is not a setting; do you mean " + meant + "?"
	}
	return e
}

// Value makes of a text what [Set] writes: true for "on", 3 for "3", a list for
// "one, two". A text that does not fit is given back as it is, for Set to refuse. The
// error is an [*Error].
func Value(key, text string) (any, error) {
	f := leaf(schema(), key)
	if f == nil || !f.shape.oneText() {
		return nil, unwritable(key, f)
	}
	return f.parsed(text), nil
}

// parsed is the value that a text stands for, and the text itself where it does not fit.
func (f *field) parsed(text string) any {
	switch f.shape {
	case shapeOnOff:
		if on, ok := parseSwitch(text); ok {
			return on
		}
	case shapeNumber:
		if n, t := f.parseNumber(plain(text)); t == nil {
			return n
		}
	case shapeFraction:
		if x, t := f.parseFraction(plain(text)); t == nil {
			return x
		}
	case shapeList:
		list := []string{}
		for entry := range strings.SplitSeq(text, ",") {
			if entry = strings.TrimSpace(entry); entry != "" {
				list = append(list, entry)
			}
		}
		return list
	}
	return text
}

// unwritable says why a setting cannot be written by its name. f is nil for one that
// does not exist, or is within another one.
func unwritable(key string, f *field) *Error {
	if f == nil && !within(key) {
		e := unknownName(key)
		e.Origin = "new value"
		return e
	}
	return &Error{Kind: KindUnknown, Origin: "new value", Key: printable(key), Problem: "is not a setting of one value: write it into the file, with hermes-tui config edit"}
}

// within reports whether a name is that of a section, or of something in a setting of
// more than one value or in a list.
func within(key string) bool {
	if c, err := (Config{}).Under(key); err == nil && len(c) != 1 {
		return true
	}
	first, _, _ := strings.Cut(key, ".")
	if f := find(schema(), first); f != nil && f.shape == shapeEntries {
		return true
	}
	for i := range key {
		if f := leaf(schema(), key[:i]); key[i] == '.' && f != nil && !f.shape.oneText() {
			return true
		}
	}
	return false
}

// Create makes the file of settings when there is none (mode 0600); its directory must
// exist.
func Create(file string) error {
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.Write(file, []byte("# Settings of hermes-tui. All of them: hermes-tui config show\n"), 0o600)
}

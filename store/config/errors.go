package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind says what is wrong with a setting or a file.
type Kind string

// The kinds of errors.
const (
	KindRead      Kind = "read"      // the file cannot be read
	KindTooBig    Kind = "too big"   // longer than 1 MB, or expands to more
	KindEncoding  Kind = "encoding"  // not UTF-8
	KindSyntax    Kind = "syntax"    // not YAML, or not the form of .env
	KindDocuments Kind = "documents" // more than one YAML document
	KindNesting   Kind = "nesting"   // nested too deep, or aliases out of hand
	KindDuplicate Kind = "duplicate" // a key appears twice
	KindUnknown   Kind = "unknown"   // no such key
	KindType      Kind = "type"      // a list for a number and the like
	KindRange     Kind = "range"     // a number too small or too large
	KindEnum      Kind = "enum"      // not one of the values allowed
	KindValue     Kind = "value"     // a text that does not fit its purpose
	KindMissing   Kind = "missing"   // an entry without what it needs
)

// Error says what is wrong with the settings, and where.
type Error struct {
	Kind Kind
	// File is the file at fault; empty when it is the environment or a flag.
	File string
	// Line and Column count from 1, the column in characters; 0 is the whole
	// file, or the whole line.
	Line   int
	Column int
	// Origin is "environment variable NAME" or "flag for KEY" when no file is at
	// fault.
	Origin string
	// Key is the setting at fault, empty when it is the file as a whole.
	Key string
	// Problem completes the sentence; it shows no secret.
	Problem string
	// Err is the cause, if there is another error behind.
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	var b strings.Builder
	switch {
	case e.Origin != "":
		b.WriteString(e.Origin)
	case e.Line > 0 && e.Column == 0:
		fmt.Fprintf(&b, "%s, line %d", e.File, e.Line)
	case e.Line > 0:
		fmt.Fprintf(&b, "%s, line %d, column %d", e.File, e.Line, e.Column)
	case e.Key == "":
		return strings.TrimSpace(e.File + " " + e.Problem)
	default:
		b.WriteString(e.File)
	}
	b.WriteString(": ")
	if e.Key != "" {
		b.WriteString(e.Key + " ")
	}
	b.WriteString(e.Problem)
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Warning is something in the settings that is passed over.
type Warning struct {
	File string
	// Line and Column count from 1.
	Line, Column int
	Key          string
	// Nearest is the key that was probably meant, empty when there is none.
	Nearest string
	// Problem completes the sentence that begins with the key.
	Problem string
	// Wrong marks a value that does not fit, rather than a key without effect here.
	Wrong bool
}

// passed is the warning that a setting at fault is passed over.
func (e *Error) passed() Warning {
	return Warning{File: e.File, Line: e.Line, Column: e.Column, Key: e.Key, Problem: e.Problem + passedOver(e.Key), Wrong: true}
}

// rank orders warnings: first what makes the program stricter, then other values that do
// not fit.
func (w Warning) rank() int {
	switch {
	case !w.Wrong:
		return 2
	case confines(w.Key):
		return 0
	}
	return 1
}

// String is the warning in one sentence.
func (w Warning) String() string {
	e := Error{File: w.File, Line: w.Line, Column: w.Column, Key: w.Key, Problem: w.Problem}
	return e.Error()
}

// quote shows a piece of input: printable, on one line and not long.
func quote(s string) string { return quoteTo(s, 40) }

// quoteTo is [quote] with a limit in characters.
func quoteTo(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return strconv.Quote(string(r[:limit])) + "…"
	}
	return strconv.Quote(s)
}

// oneOf lists values in words.
func oneOf(values []string) string {
	shown := make([]string, len(values))
	for i, v := range values {
		if shown[i] = v; v == "" {
			shown[i] = "empty"
		}
	}
	if len(shown) < 2 {
		return strings.Join(shown, "")
	}
	last := len(shown) - 1
	return strings.Join(shown[:last], ", ") + " or " + shown[last]
}

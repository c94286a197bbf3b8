package repair

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"
)

// Verdict says what [Arguments] found.
type Verdict int

// The verdicts.
const (
	// Intact is text that was JSON already, or stood for no arguments.
	Intact Verdict = iota
	// Tidied is complete text of which only the form was mended.
	Tidied
	// CutOff is text that ended inside a string, array or object. What could be
	// closed is closed, for display and for tools that only read. A tool that
	// changes anything must refuse the call.
	CutOff
	// Rejected is complete text from which no JSON could be recovered. The call
	// is answered with an error.
	Rejected
)

// String names the verdict.
func (v Verdict) String() string {
	switch v {
	case Intact:
		return "intact"
	case Tidied:
		return "tidied"
	case CutOff:
		return "cut off"
	case Rejected:
		return "rejected"
	}
	return "unknown verdict"
}

// none stands for arguments that are not there.
const none = "{}"

// deepest is how far arrays and objects may be nested, as in encoding/json.
const deepest = 10000

// Arguments returns the arguments of a tool call as JSON. It removes commas
// before a closer, surplus closers at the very end and white space around the
// text, takes one of the copies of an object that came whole, as a text, or piece by piece
// from its beginning, escapes raw control characters in strings, and takes empty text and the
// word None for no arguments. Text that ends inside a value gets its closers in
// the order of nesting when the cut lies between values; after any other cut
// nothing is guessed and the result is {}. Everything else that is not JSON is
// rejected with {}.
//
// JSON that is not an object is passed on; its type is for the tool's schema to
// judge. Numbers keep every digit, and intact text is returned unchanged.
func Arguments(raw string) (string, Verdict) {
	s := strings.TrimFunc(raw, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
	if s == "" || s == "None" {
		return none, Intact
	}
	p := parser{src: s}
	err := p.run()
	if err != nil || len(p.stack) > 0 {
		if one, ok := once(s); ok {
			return one, Tidied
		}
	}
	switch {
	case errors.Is(err, errBroken):
		return none, Rejected
	case errors.Is(err, errCut):
		return none, CutOff
	case len(p.stack) > 0:
		return p.closed(), CutOff
	}
	if !p.edited {
		return s, Intact
	}
	return p.text(), Tidied
}

// mostCopies bounds where the last copy of an object is looked for.
const mostCopies = 64

// once takes one of the copies of an object that a text consists of: empty ones first, then
// beginnings of it or all of it, one behind the other, and perhaps all of it as a text. It
// returns false where anything differs, since it is not certain then what was meant.
func once(s string) (string, bool) {
	for inner, empty := strings.CutPrefix(s, none); empty; inner, empty = strings.CutPrefix(s, none) {
		if s = strings.TrimSpace(inner); strings.HasPrefix(s, "{") && json.Valid([]byte(s)) {
			return s, true
		}
	}
	at := len(s)
	for range mostCopies {
		if at = strings.LastIndexByte(s[:at], '{'); at <= 0 {
			break
		}
		last, before := s[at:], strings.TrimSpace(s[:at])
		if json.Valid([]byte(last)) && beginnings(before, last) {
			return last, true
		}
	}
	dec := json.NewDecoder(strings.NewReader(s))
	var object json.RawMessage
	var text string
	if dec.Decode(&object) != nil || object[0] != '{' || dec.Decode(&text) != nil || dec.More() || strings.TrimSpace(text) != string(object) {
		return "", false
	}
	return string(object), true
}

// beginnings reports whether a text consists of beginnings of an object, each at least as
// long as the one before.
func beginnings(text, object string) bool {
	for least := 1; text != ""; {
		same := 0
		for same < min(len(text), len(object)) && text[same] == object[same] {
			same++
		}
		for same < len(text) && same >= least && text[same] != '{' {
			same--
		}
		if same < least {
			return false
		}
		least, text = same, strings.TrimSpace(text[same:])
	}
	return true
}

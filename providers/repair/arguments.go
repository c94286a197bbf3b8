package repair

import (
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
// text, escapes raw control characters in strings, and takes empty text and the
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
	switch err := p.run(); {
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

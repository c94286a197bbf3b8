package config

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// valueError is what is wrong with a value, before it is known where it stands.
type valueError struct {
	kind    Kind
	problem string
}

func wrong(kind Kind, format string, args ...any) *valueError {
	return &valueError{kind, fmt.Sprintf(format, args...)}
}

// scalarValue is one text from the file, the environment, a flag or a tag.
type scalarValue struct {
	text string
	// written is the text before ${NAME} was expanded. Messages show it and
	// never the text, which may hold a secret.
	written string
}

func plain(s string) scalarValue { return scalarValue{s, s} }

// setText reads a value that is all one text: a default, a variable, a flag. A
// list is separated by commas.
func (f *field) setText(v reflect.Value, s string) *valueError {
	switch f.shape {
	case shapeHeaders, shapeLists, shapeWords: // their only text is the empty default
		return nil
	case shapeList:
		var texts []string
		for entry := range strings.SplitSeq(s, ",") {
			if entry = strings.TrimSpace(entry); entry == "" {
				continue
			}
			if t := f.checkText(plain(entry)); t != nil {
				return t
			}
			texts = append(texts, entry)
		}
		v.Set(reflect.ValueOf(texts))
		return nil
	}
	return f.setScalar(v, plain(s))
}

// setScalar reads a text into v, which is not a section, and checks it.
func (f *field) setScalar(v reflect.Value, s scalarValue) *valueError {
	switch f.shape {
	case shapeNumber:
		n, t := f.parseNumber(s)
		if t == nil {
			v.SetInt(n)
		}
		return t
	case shapeFraction:
		x, t := f.parseFraction(s)
		if t == nil {
			v.SetFloat(x)
		}
		return t
	case shapeOnOff:
		b, ok := parseSwitch(s.text)
		if !ok {
			return wrong(KindType, "must be true or false, not %s", f.show(s.written))
		}
		v.SetBool(b)
		return nil
	case shapeSecret:
		if t := f.checkText(s); t != nil {
			return t
		}
		v.Set(reflect.ValueOf(newSecret(s.text, s.written)))
		return nil
	}
	if f.Allowed != nil {
		return f.setEnum(v, s)
	}
	if t := f.checkText(s); t != nil {
		return t
	}
	v.SetString(s.text)
	return nil
}

func (f *field) parseNumber(s scalarValue) (int64, *valueError) {
	digits := strings.TrimSpace(s.text)
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		x, ferr := strconv.ParseFloat(digits, 64)
		if ferr != nil && !math.IsInf(x, 0) || x != math.Trunc(x) {
			return 0, wrong(KindType, "must be a whole number, not %s", f.show(s.written))
		}
		if math.Abs(x) > math.MaxInt32 {
			return 0, f.outOfRange(s.written)
		}
		n = int64(x)
	}
	if n < int64(f.Min) || n > int64(f.Max) {
		return 0, f.outOfRange(s.written)
	}
	return n, nil
}

func (f *field) parseFraction(s scalarValue) (float64, *valueError) {
	x, err := strconv.ParseFloat(strings.TrimSpace(s.text), 64)
	switch {
	case math.IsInf(x, 0): // also what is too large for a number
		return 0, f.outOfRange(s.written)
	case err != nil, math.IsNaN(x):
		return 0, wrong(KindType, "must be %s, not %s", article(f), f.show(s.written))
	case x < f.Min, x > f.Max:
		return 0, f.outOfRange(s.written)
	}
	return x, nil
}

func (f *field) outOfRange(written string) *valueError {
	return wrong(KindRange, "must be between %s and %s, not %s", decimal(f.Min), decimal(f.Max), f.show(written))
}

// decimal writes a number without an exponent.
func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// parseSwitch reads the words for on and off of YAML 1.1 and of environment
// variables.
func parseSwitch(s string) (on, ok bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0":
		return false, true
	}
	return false, false
}

// setEnum accepts the values allowed, in any case. Empty text is the default
// unless it is a value itself.
func (f *field) setEnum(v reflect.Value, s scalarValue) *valueError {
	word := strings.ToLower(strings.TrimSpace(s.text))
	if to, ok := f.alias[word]; ok {
		word = to
	}
	if word == "" && !slices.Contains(f.Allowed, "") {
		word = f.Default
	}
	if !slices.Contains(f.Allowed, word) {
		return wrong(KindEnum, "must be %s, not %s", oneOf(f.Allowed), f.show(s.written))
	}
	v.SetString(word)
	return nil
}

// show is how a message shows a value of the field.
func (f *field) show(written string) string {
	if f.Secret && !onlyReference(written) {
		return "the value given"
	}
	return quote(written)
}

// maxText bounds a single text, in bytes.
const maxText = 16 << 10

// checkText tests a text for its purpose. A text that still holds a ${NAME} is
// not tested for its form: it may never be used.
func (f *field) checkText(s scalarValue) *valueError {
	if len(s.text) > maxText {
		return wrong(KindValue, "is longer than %d bytes", maxText)
	}
	if !utf8.ValidString(s.text) || strings.IndexFunc(s.text, unicode.IsControl) >= 0 {
		return wrong(KindValue, "contains a control character, a line break or bytes that are not UTF-8")
	}
	if _, found := Unresolved(s.text); found || s.text == "" {
		return nil
	}
	switch f.check {
	case "url":
		u, err := url.Parse(s.text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return wrong(KindValue, "must be an address like https://host/path, not %s", f.show(redactURL(s.written)))
		}
	case "envname":
		if !validName(s.text) {
			return wrong(KindValue, "must be the name of an environment variable (letters, digits and _), not %s", f.show(s.written))
		}
	case "price":
		if !validPrice(s.text) {
			return wrong(KindValue, "must be US dollars for a million tokens, like 2.50 (at most %d, with up to six digits behind the point), not %s", maxPrice, f.show(s.written))
		}
	case "object":
		var o map[string]any
		if json.Unmarshal([]byte(s.text), &o) != nil || o == nil {
			return wrong(KindValue, `must be a JSON object in quotes, like '{"top_k": 20}', not %s`, f.show(s.written))
		}
	case "word":
		if strings.IndexFunc(s.text, unicode.IsSpace) >= 0 {
			return wrong(KindValue, "must not contain spaces: %s", f.show(s.written))
		}
	}
	return nil
}

// maxPrice bounds a price, in US dollars.
const maxPrice = 1_000_000

// validPrice reports whether a text is a price: digits, of which up to six may
// stand behind a point.
func validPrice(s string) bool {
	whole, rest, _ := strings.Cut(s, ".")
	if len(rest) > 6 || whole+rest == "" || strings.Trim(whole+rest, "0123456789") != "" {
		return false
	}
	whole = strings.TrimLeft(whole, "0")
	dollars, err := strconv.Atoi("0" + whole)
	return err == nil && (dollars < maxPrice || dollars == maxPrice && strings.Trim(rest, "0") == "")
}

// redactURL hides the password in an address, or the user where there is none:
// it may be a token.
func redactURL(s string) string {
	if u, err := url.Parse(s); err == nil && u.User != nil {
		if _, found := u.User.Password(); !found {
			u.User = url.User("xxxxx")
		}
		return u.Redacted()
	}
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		return "***" + s[i:]
	}
	return s
}

// maxAction bounds the name of an action, in characters.
const maxAction = 64

// checkName tests the name of an entry: of an HTTP header, of an action, or of a
// section of the user's choice. Whether there is such an action is not known
// here.
func (f *field) checkName(name string) *valueError {
	if f.check == "action" {
		if name == "" || utf8.RuneCountInString(name) > maxAction || strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
			return wrong(KindValue, "has an action whose name cannot be used: %s; names have 1 to %d characters, all of them printable", quote(name), maxAction)
		}
		return nil
	}
	if f.check == "header" {
		for _, r := range name {
			if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&'*+-.^_`|~", r) {
				return wrong(KindValue, "has a header name that HTTP does not allow: %s", quote(name))
			}
		}
	}
	if f.check == "variable" && !validName(name) {
		return wrong(KindValue, "has a name that no variable can have: %s", quote(name))
	}
	if name == "" || len(name) > 100 || strings.IndexFunc(name, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) >= 0 {
		return wrong(KindValue, "has a name that cannot be used: %s; names have up to 100 characters and no spaces", quote(name))
	}
	return nil
}

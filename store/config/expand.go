package config

import "strings"

// reference reads a ${NAME} at the beginning of a text and gives the name and
// its length, or 0 when there is none.
func reference(s string) (name string, n int) {
	if !strings.HasPrefix(s, "${") {
		return "", 0
	}
	end := strings.IndexByte(s, '}')
	if end < 0 || !validName(s[2:end]) {
		return "", 0
	}
	return s[2:end], end + 1
}

// validName reports whether a text can name an environment variable: letters,
// digits and "_", not beginning with a digit.
func validName(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '_', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case c >= '0' && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return s != ""
}

// Unresolved finds the first ${NAME} in a value. In a value of a [Config] it is
// a variable that was not set when the settings were read.
func Unresolved(s string) (name string, found bool) {
	name, _, found = nextReference(s)
	return name, found
}

// nextReference finds the first ${NAME} in a text, and what comes after it.
func nextReference(s string) (name, rest string, found bool) {
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			return "", "", false
		}
		s = s[i:]
		if name, n := reference(s); n > 0 {
			return name, s[n:], true
		}
		s = s[2:]
	}
}

// references lists the names of all ${NAME} in a text, separated by blanks.
func references(s string) string {
	var names []string
	for {
		name, rest, found := nextReference(s)
		if !found {
			return strings.Join(names, " ")
		}
		names, s = append(names, name), rest
	}
}

// onlyReference reports whether a text is one ${NAME}, perhaps after the name of
// an authentication scheme, as in "Bearer ${KEY}".
func onlyReference(s string) bool {
	if scheme, rest, ok := strings.Cut(s, " "); ok {
		switch strings.ToLower(scheme) {
		case "bearer", "basic", "token":
			s = rest
		}
	}
	_, n := reference(s)
	return n > 0 && n == len(s)
}

// maxExpansion bounds what the references of one file may add up to, in bytes.
const maxExpansion = 1 << 20

// expander replaces references and counts what it makes.
type expander struct {
	env  func(string) (string, bool)
	used int
}

// expand replaces each ${NAME} by the variable's value, once: the value is not
// looked at again. A variable that is not set leaves its reference in place. It
// reports false when the bound is passed.
func (e *expander) expand(s string) (string, bool) {
	if e.env == nil || !strings.Contains(s, "${") {
		return s, true
	}
	var b strings.Builder
	for s != "" {
		i := strings.Index(s, "${")
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		s = s[i:]
		name, n := reference(s)
		if n == 0 {
			b.WriteString(s[:2])
			s = s[2:]
			continue
		}
		value, ok := e.env(name)
		if !ok {
			value = s[:n]
		}
		if e.used += len(value); e.used > maxExpansion {
			return "", false
		}
		b.WriteString(value)
		s = s[n:]
	}
	b.WriteString(s)
	return b.String(), true
}

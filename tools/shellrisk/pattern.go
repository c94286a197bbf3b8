package shellrisk

import "strings"

// escapePattern makes text match itself only.
func escapePattern(s string) string {
	if !strings.ContainsAny(s, `*?[]\`) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(`*?[]\`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// hasPattern reports whether a pattern can match anything but itself. A bracket
// that is not closed means nothing.
func hasPattern(pat string) bool {
	open := false
	for i := 0; i < len(pat); i++ {
		switch pat[i] {
		case '\\':
			i++
		case '*', '?':
			return true
		case '[':
			open = true
		case ']':
			if open {
				return true
			}
		}
	}
	return false
}

// matches reports whether an element of a path may be the name: by pattern, or
// because it is not known. It takes time in proportion to the product of the
// lengths.
func matches(elem, name string) bool {
	star, mark := -1, 0 // where to go back to: the last star, and what it took
	i, k := 0, 0
	for k < len(name) {
		if i < len(elem) && (elem[i] == '*' || elem[i] == hole[0]) {
			star, mark = i, k
			i++
			continue
		}
		if n, ok := matchOne(elem[i:], name[k]); ok {
			i += n
			k++
			continue
		}
		if star < 0 {
			return false
		}
		mark++
		i, k = star+1, mark
	}
	return strings.Trim(elem[i:], "*"+hole) == ""
}

// matchOne matches the beginning of a pattern with one byte and gives the length
// of that beginning.
func matchOne(pat string, ch byte) (int, bool) {
	if pat == "" {
		return 0, false
	}
	switch pat[0] {
	case '?':
		return 1, true
	case '\\':
		if len(pat) > 1 {
			return 2, pat[1] == ch
		}
	case '[':
		if n := bracketLength(pat, "!^"); n > 1 {
			return n, inBracket(pat[1:n-1], ch)
		}
	}
	return 1, pat[0] == ch
}

// inBracket reports whether a set like "a-z_" may hold a byte. A class like
// [:alpha:] is taken to hold everything.
func inBracket(set string, ch byte) bool {
	negated := set[0] == '!' || set[0] == '^'
	if negated {
		set = set[1:]
	}
	if strings.Contains(set, "[:") || strings.Contains(set, "\\") {
		return true
	}
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' {
			if set[i] <= ch && ch <= set[i+2] {
				return !negated
			}
			i += 2
		} else if set[i] == ch {
			return !negated
		}
	}
	return negated
}

// matchesAll reports whether an element of a path is a pattern for everything in
// a directory, or everything hidden: it holds no letter or digit that would
// narrow it down.
func matchesAll(elem string) bool {
	if !hasPattern(elem) {
		return false
	}
	rest := elem
	for {
		i := strings.IndexByte(rest, '[')
		if i < 0 {
			break
		}
		k := strings.IndexByte(rest[i:], ']')
		if k < 0 {
			break
		}
		if k > 1 && (rest[i+1] == '!' || rest[i+1] == '^') || strings.Contains(rest[i:i+k], "-") {
			rest = rest[:i] + rest[i+k+1:]
			continue
		}
		return false
	}
	return strings.Trim(rest, "*?.") == ""
}

// openPattern turns the active characters of a pattern into holes.
func openPattern(pat string) string {
	var b strings.Builder
	for i := 0; i < len(pat); i++ {
		switch pat[i] {
		case '\\':
			if i++; i < len(pat) {
				b.WriteByte(pat[i])
			}
		case '*', '?':
			b.WriteString(hole)
		case '[':
			if k := strings.IndexByte(pat[i:], ']'); k > 0 {
				b.WriteString(hole)
				i += k
				continue
			}
			b.WriteByte('[')
		default:
			b.WriteByte(pat[i])
		}
	}
	return b.String()
}

package redact

import "strings"

// matchNamed finds a value that its name calls secret. The anchor at i is the
// sign between them: =, :=, => or a colon.
func matchNamed(s string, i int, fresh bool) (span, bool) {
	from, to, ok := assignment(s, i)
	if !ok {
		return span{}, false
	}
	k, ok := keyBefore(s, from)
	if !ok {
		return span{}, false
	}
	if authName(k.name) {
		return matchAuthorization(s, to)
	}
	if !secretName(k.name) {
		return span{}, false
	}
	start := blanks(s, to)
	spaced := start > to
	q, inner, quoted := openQuote(s, start)
	switch {
	case quoted:
		return quotedValue(s, k, s[i] == ':', q, inner)
	case k.quoted && s[i] == ':' || to-from > 1:
		return span{}, false // a number, an object, an expression
	case s[i] == ':' || k.spaced || spaced:
		if s[i] == ':' && !spaced || !lineStart(s, k.start, fresh) {
			return span{}, false
		}
		return lineValue(s, k, s[i] == ':', start)
	}
	return plainValue(s, start)
}

// assignment returns the extent of the assignment sign at i. Comparisons and
// arithmetic assignments are none.
func assignment(s string, i int) (from, to int, ok bool) {
	from, to = i, i+1
	if s[i] == ':' {
		return from, to, to >= len(s) || s[to] != '=' && s[to] != ':' && s[to] != '/'
	}
	if to < len(s) && s[to] == '=' || i > 0 && strings.IndexByte("=!<>+-*/%|&^~", s[i-1]) >= 0 {
		return 0, 0, false
	}
	if to < len(s) && s[to] == '>' {
		to++
	}
	if i > 0 && s[i-1] == ':' {
		from--
	}
	return from, to, true
}

// plainValue masks an unquoted value unless it is program text: an expression in
// brackets, a call, an index or a reference.
func plainValue(s string, start int) (span, bool) {
	if start < len(s) && s[start] == '{' || strings.HasPrefix(s[start:], "${") {
		return span{}, false
	}
	end := plainEnd(s, start)
	if end < len(s) && (s[end] == '(' || s[end] == '[') {
		return span{}, false
	}
	return masked(s, start, end)
}

// masked is the span of a value unless it is harmless.
func masked(s string, start, end int) (span, bool) {
	v := s[start:end]
	if harmless(v) {
		return span{}, false
	}
	return span{start, end, mask(v)}, true
}

// quotedValue masks a value in quotes. Behind a colon and a name without quotes
// it must not have blanks, because that is how descriptions look.
func quotedValue(s string, k key, colon bool, q quote, start int) (span, bool) {
	end := q.closeQuote(s, start)
	v := s[start:end]
	if colon && !k.quoted && strings.ContainsAny(v, " \t") {
		return span{}, false
	}
	m, ok := masked(s, start, end)
	if ok && strings.IndexByte(v, '\\') >= 0 && m.text != "***" && splitsEscape(v) {
		m.text = "***"
	}
	return m, ok
}

// splitsEscape reports whether cutting out the middle of v could leave half an
// escape sequence.
func splitsEscape(v string) bool {
	const reach = 12 // six characters kept and the longest escape
	return strings.IndexByte(v[:min(len(v), reach)], '\\') >= 0 || strings.IndexByte(v[max(0, len(v)-reach):], '\\') >= 0
}

// lineValue masks the value of a settings file or header, which ends with its
// line. Only what looks like a secret and not like program text is masked.
func lineValue(s string, k key, colon bool, start int) (span, bool) {
	end := start
	for end < len(s) && s[end] > ' ' {
		end++
	}
	if next := blanks(s, end); next < len(s) && strings.IndexByte("\r\n#", s[next]) < 0 {
		return span{}, false
	}
	v := s[start:end]
	if v == "" || strings.ContainsAny(v, "(){}[]<>\"'`$") || strings.IndexByte(",;", v[len(v)-1]) >= 0 || typeWord(v) {
		return span{}, false
	}
	if strings.IndexByte("&!./~@", v[0]) >= 0 {
		return span{}, false // YAML tags and anchors, paths
	}
	switch {
	case strong(v):
	case !colon && upperName(k.name):
	case passwordName(k.name) && (colon || strings.ContainsAny(v, "0123456789!?#%*+=")):
	default:
		return span{}, false
	}
	return masked(s, start, end)
}

// authName tells the names of headers that carry credentials behind a scheme.
func authName(name string) bool {
	return strings.EqualFold(name, "Authorization") || strings.EqualFold(name, "Proxy-Authorization")
}

// matchAuthorization masks the credentials behind a scheme at i, with or without
// an opening quote.
func matchAuthorization(s string, i int) (span, bool) {
	i = blanks(s, i)
	if _, inner, ok := openQuote(s, i); ok {
		i = inner
	}
	end := runEnd(s, i, isLetter)
	switch scheme := s[i:end]; {
	case strings.EqualFold(scheme, "Bearer"), strings.EqualFold(scheme, "Basic"), strings.EqualFold(scheme, "Token"):
	default:
		return span{}, false
	}
	start := blanks(s, end)
	if start == end {
		return span{}, false
	}
	return plainValue(s, start)
}

// blanks skips a few blanks.
func blanks(s string, i int) int {
	for n := 0; n < 32 && i < len(s) && (s[i] == ' ' || s[i] == '\t'); n++ {
		i++
	}
	return i
}

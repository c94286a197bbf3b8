package redact

import "strings"

// matchLogin finds the password of a URL whose scheme ends at the colon at i.
func matchLogin(s string, i int) (span, bool) {
	if !strings.HasPrefix(s[i:], "://") || i == 0 || !isAlnum(s[i-1]) {
		return span{}, false
	}
	from := i + len("://")
	end := runEnd(s, from, inAuthority)
	at := strings.LastIndexByte(s[from:end], '@')
	if at < 0 {
		return span{}, false
	}
	login := s[from : from+at]
	colon := strings.IndexByte(login, ':')
	if colon < 0 {
		return span{}, false
	}
	word := login[colon+1:]
	if harmless(word) || portOnly(word) {
		return span{}, false
	}
	return span{from + colon + 1, from + at, "***"}, true
}

// inAuthority tells the bytes that may stand between :// and the path.
func inAuthority(c byte) bool {
	switch c {
	case '/', '"', '\'', '`', '<', '>', '\\', '|':
		return false
	}
	return c > ' '
}

// portOnly tells what only looks like a password, because the @ belongs to the
// query behind a port.
func portOnly(word string) bool {
	n := runEnd(word, 0, isDigit)
	return n > 0 && n < len(word) && (word[n] == '?' || word[n] == '#')
}

// matchBot finds a bot token, digits before the colon at i and the secret behind
// it. Digests behind a number are none.
func matchBot(s string, i int) (span, bool) {
	if i == 0 || !isDigit(s[i-1]) || i+1 >= len(s) || !isName(s[i+1]) {
		return span{}, false
	}
	from := i
	for from > 0 && isDigit(s[from-1]) && i-from <= 12 {
		from--
	}
	if n := i - from; n < 8 || n > 12 {
		return span{}, false
	}
	if from > 0 && isName(s[from-1]) && !strings.HasSuffix(strings.ToLower(s[max(0, from-3):from]), "bot") {
		return span{}, false
	}
	end := runEnd(s, i+1, isName)
	word := s[i+1 : end]
	if len(word) < 30 || len(word) > 64 || digest(word) {
		return span{}, false
	}
	return span{i + 1, end, "***"}, true
}

// digest tells hashes and UUIDs, which are lower-case hexadecimal.
func digest(word string) bool {
	return runEnd(word, 0, func(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' || c == '-' }) == len(word)
}

// matchPhone finds a telephone number in international form, a plus sign and
// eight to fifteen digits. A plus sign that begins a line is the mark of a diff,
// one behind a word or a number is a sum.
func matchPhone(s string, i int, fresh bool) (span, bool) {
	if i+1 >= len(s) || !isDigit(s[i+1]) || s[i+1] == '0' {
		return span{}, false
	}
	if i == 0 && fresh {
		return span{}, false
	}
	if i > 0 {
		if c := s[i-1]; strings.IndexByte("\n+.)]{[", c) >= 0 || isName(c) {
			return span{}, false
		}
	}
	end := runEnd(s, i+1, isDigit)
	if n := end - i - 1; n < 8 || n > 15 {
		return span{}, false
	}
	if end < len(s) && isName(s[end]) && s[end] != '-' || end+1 < len(s) && s[end] == '.' && isDigit(s[end+1]) {
		return span{}, false
	}
	return span{i, end, s[i:i+4] + "****" + s[end-4:end]}, true
}

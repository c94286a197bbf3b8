// Package redact masks secrets in text that is about to be shown, stored or
// sent.
//
// [Text] knows secrets by their form: tokens with a known prefix, JSON web
// tokens, private keys with and without their first line, values whose name says that they are secret,
// passwords in URLs, bot tokens and international telephone numbers. [Secrets]
// knows literal values, such as the API keys in use. [Masker] applies both, and
// [Writer] does so to a stream.
//
// A masked value of at least 18 characters keeps its first six and last four
// around three dots, a shorter one becomes three asterisks. Hashes, identifiers,
// images, certificates and public keys are left as they are. Masking is a safety
// net, no proof: a secret without a telling form or name passes.
//
// All functions are pure, run in linear time on any input and are safe for
// concurrent use. Text without a candidate is returned as it is, without an
// allocation. The package imports only the standard library.
package redact

import (
	"strings"
	"unicode/utf8"
)

// keyMark stands where a private key was.
const keyMark = "[REDACTED PRIVATE KEY]"

// family is a set of rules. The rules of a lower family have been applied to the
// whole text before those of a higher one look at it.
type family uint8

const (
	tokens family = 1 << iota // known prefixes, web tokens, key blocks
	named                     // values named as secret
	logins                    // passwords in URLs
	bots                      // bot tokens
	phones                    // telephone numbers
	opaque                    // as named, values that are nothing but random

	inText = tokens | named | logins | bots | phones
	inCode = tokens | logins | bots | phones | opaque
)

// span is a piece of the text and what replaces it.
type span struct {
	start, end int
	text       string
}

// Text returns s with the secrets in it masked. It is meant for the output of
// commands and for messages; for source code see [Masker.Code].
func Text(s string) string { return apply(s, inText, true) }

// apply runs the families on s. fresh says that s begins a line.
func apply(s string, allowed family, fresh bool) string {
	found := detect(s, allowed, fresh)
	for f := tokens; f <= opaque; f <<= 1 {
		if found&f != 0 {
			s = replace(s, f, fresh)
		}
	}
	return s
}

// detect tells which families have something to mask. A family that was found
// is not tried again, so that each is matched successfully at most once.
func detect(s string, allowed family, fresh bool) family {
	var found family
	for i := range len(s) {
		if anchors[s[i]] == 0 {
			continue
		}
		todo := anchors[s[i]] & allowed &^ found
		for todo != 0 {
			f := todo & -todo
			todo &^= f
			if _, ok := match(s, i, f, fresh); ok {
				found |= f
			}
		}
	}
	return found
}

// replace masks everything one family finds. The pieces replaced do not overlap.
func replace(s string, f family, fresh bool) string {
	var b strings.Builder
	last := 0
	for i := 0; i < len(s); i++ {
		if anchors[s[i]]&f == 0 {
			continue
		}
		m, ok := match(s, i, f, fresh)
		if !ok || m.start < last {
			continue
		}
		b.WriteString(s[last:m.start])
		b.WriteString(m.text)
		last = m.end
		i = max(i, m.end-1)
	}
	if last == 0 {
		return s
	}
	b.WriteString(s[last:])
	return b.String()
}

// anchors says which families look closer at a byte. Every secret has one of
// these bytes at a known place; all other bytes cost one table look-up.
var anchors = [256]family{
	'-': tokens,
	'_': tokens,
	'.': tokens,
	'J': tokens,
	'K': tokens,
	'S': tokens,
	'T': tokens,
	'z': tokens,
	'M': tokens,
	'=': named | opaque,
	':': named | logins | bots | opaque,
	'+': phones,
}

// match asks one family about the anchor at i.
func match(s string, i int, f family, fresh bool) (span, bool) {
	switch f {
	case tokens:
		return matchToken(s, i)
	case named:
		return matchNamed(s, i, fresh)
	case opaque:
		m, ok := matchNamed(s, i, fresh)
		return m, ok && isRandom(s[m.start:m.end])
	case logins:
		return matchLogin(s, i)
	case bots:
		return matchBot(s, i)
	case phones:
		return matchPhone(s, i, fresh)
	}
	return span{}, false
}

// mask shortens a secret to what may be seen of it.
func mask(v string) string {
	const least, head, tail = 18, 6, 4
	if len(v) < least || utf8.RuneCountInString(v) < least {
		return "***"
	}
	h, t := 0, len(v)
	for range head {
		_, n := utf8.DecodeRuneInString(v[h:])
		h += n
	}
	for range tail {
		_, n := utf8.DecodeLastRuneInString(v[:t])
		t -= n
	}
	return v[:h] + "..." + v[t:]
}

// isAlnum tells letters and digits of ASCII.
func isAlnum(c byte) bool { return isLetter(c) || isDigit(c) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isLetter(c byte) bool { return isUpper(c) || 'a' <= c && c <= 'z' }

// isName tells the bytes of names and of URL-safe base64.
func isName(c byte) bool { return isAlnum(c) || c == '_' || c == '-' }

// runEnd returns where the run of bytes that in accepts ends, counted from i.
func runEnd(s string, i int, in func(byte) bool) int {
	for i < len(s) && in(s[i]) {
		i++
	}
	return i
}

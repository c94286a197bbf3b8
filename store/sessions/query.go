package sessions

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTerms is how many words and phrases of a query are used. The parser of the
// index nests some operators and refuses more than 256 levels.
const maxTerms = 200

// SanitizeQuery turns what a user or a model typed into a query that the
// full-text index can read: the text for an FTS5 MATCH. An empty result means
// that there is nothing to search for.
//
// Balanced double-quoted phrases are kept. AND, OR and NOT in upper case are
// operators; those without something to work on are dropped, and of several in
// a row the last, or NOT, remains. Words that hold ".", "_" or "-" inside are
// quoted. A star directly behind a word searches for words that begin so. Every
// other punctuation mark of ASCII becomes a space. At most 200 terms are used.
func SanitizeQuery(query string) string {
	var q queryWriter
	for rest := query; rest != "" && q.terms < maxTerms; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == '"':
			phrase, after, closed := strings.Cut(rest[1:], `"`)
			if !closed {
				rest = rest[1:]
				continue
			}
			q.phrase(phrase)
			rest = after
		case inWord(r, size):
			end := wordEnd(rest)
			word := strings.Trim(rest[:end], "._-")
			rest = rest[end:]
			star := strings.HasPrefix(rest, "*")
			q.word(word, star)
		default:
			rest = rest[size:]
		}
	}
	return q.text()
}

// wordEnd is the length of the word at the beginning of s.
func wordEnd(s string) int {
	end := 0
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		if !inWord(r, size) {
			break
		}
		end += size
	}
	return end
}

// inWord reports whether a character is part of a word: a letter or digit of
// ASCII, one of "._-", or anything beyond ASCII that isn't white space.
func inWord(r rune, size int) bool {
	switch {
	case r == utf8.RuneError && size <= 1:
		return false
	case r < utf8.RuneSelf:
		return r == '.' || r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	return !unicode.IsSpace(r)
}

// queryWriter puts a query together so that operators stand between terms only.
type queryWriter struct {
	out      []string
	operator string // waits for a term behind it
	terms    int
}

// term adds a word or phrase that is ready for the index.
func (q *queryWriter) term(s string) {
	if q.operator != "" && q.terms > 0 {
		q.out = append(q.out, q.operator)
	}
	q.operator = ""
	q.out = append(q.out, s)
	q.terms++
}

func (q *queryWriter) phrase(s string) {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", " "), " ")
	if strings.TrimSpace(s) != "" {
		q.term(`"` + s + `"`)
	}
}

func (q *queryWriter) word(s string, star bool) {
	switch {
	case s == "":
		return
	case isOperator(s) && !star:
		if q.operator != "NOT" {
			q.operator = s
		}
		return
	case strings.ContainsAny(s, "._-") || isOperator(s):
		s = `"` + s + `"`
	}
	if star {
		s += "*"
	}
	q.term(s)
}

func isOperator(s string) bool { return s == "AND" || s == "OR" || s == "NOT" }

func (q *queryWriter) text() string { return strings.Join(q.out, " ") }

// Package find finds texts in a text: as they are, in any case, or by a regular
// expression. What it makes is safe for concurrent use.
package find

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Query is what to find.
type Query struct {
	Text   string
	Regexp bool // the text is a regular expression of package regexp
	Case   bool // small and capital letters differ
}

// Matcher finds the first match in a text from an offset on; from is -1 when there is
// none. Marks of Markdown inside a match are passed over when markup is set. A match is
// never empty.
type Matcher func(text []byte, at int, markup bool) (from, to int)

// Compile makes the matcher of a query, nil for an empty one.
func (q Query) Compile() (Matcher, error) {
	switch {
	case strings.TrimSpace(q.Text) == "":
		return nil, nil
	case q.Regexp || !q.Case && !asciiOnly(q.Text):
		return q.pattern()
	}
	return q.literal(), nil
}

// needle is a text that is looked for as it is. A blank of it stands for any run of
// white space. The search jumps from one place to the next where its rarest byte is.
type needle struct {
	text   []byte // in lower case unless exact
	exact  bool
	at     int // of the rarest byte
	marked bool
}

func (q Query) literal() Matcher {
	n := newNeedle(q.Text, q.Case)
	return n.find
}

func newNeedle(text string, exact bool) needle {
	n := needle{text: []byte(strings.Join(strings.Fields(text), " ")), exact: exact}
	if !n.exact {
		n.text = bytes.ToLower(n.text)
	}
	for i, c := range n.text {
		if rare(c) > rare(n.text[n.at]) {
			n.at = i
		}
	}
	n.marked = bytes.ContainsAny(n.text, Marks)
	return n
}

// rare says how rare a byte is in prose and code, about.
func rare(c byte) int {
	switch {
	case c == ' ':
		return 0
	case strings.IndexByte("etaoinsrhldcu", c|0x20) >= 0:
		return 1
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return 2
	}
	return 3
}

// Marks are the characters with which Markdown marks words.
const Marks = "*_`~"

func (n *needle) find(text []byte, at int, markup bool) (from, to int) {
	low := n.text[n.at]
	up := low
	if !n.exact && low < utf8.RuneSelf {
		up = byte(unicode.ToUpper(rune(low)))
	}
	markup = markup && !n.marked
	lows, ups := ahead{c: low, size: nearBytes}, ahead{c: up, size: nearBytes}
	limit := at
	for p := at; p < len(text); {
		limit = min(max(limit, p+nearBytes), len(text))
		next := lows.first(text, p, limit)
		if up != low {
			next = ups.first(text, p, next)
		}
		if next == limit {
			p, limit = limit, limit+2*(limit-at)
			continue
		}
		if from, to, ok := n.around(text, next, markup); ok && from >= at {
			return from, to
		}
		p = next + 1
	}
	return -1, -1
}

// nearBytes is how far a byte is looked for at first.
const nearBytes = 1 << 10

// ahead looks for a byte. It looks farther with every time, but not much farther than it
// is asked to: however rare one form of a letter is, text is looked at a few times at most.
type ahead struct {
	c     byte
	found int // where it stands, if that is not passed
	seen  int // there is none from there on to here
	size  int // to be looked at next
}

// first finds the byte in a part of a text that begins no earlier than the one before. It
// returns the end of the part when there is none.
func (a *ahead) first(text []byte, from, to int) int {
	if a.seen > a.found && a.found >= from {
		return min(a.found, to)
	}
	at := max(from, a.seen)
	if at >= to {
		return to
	}
	end := min(max(to, at+a.size), len(text))
	a.size *= 2
	i := bytes.IndexByte(text[at:end], a.c)
	if i < 0 {
		a.seen = end
		return to
	}
	a.found, a.seen = at+i, at+i+1
	return min(a.found, to)
}

// around reports whether the needle stands where its rarest byte is at p.
func (n *needle) around(text []byte, p int, markup bool) (from, to int, ok bool) {
	if to = n.match(text, p, n.at, 1, markup); to < 0 {
		return 0, 0, false
	}
	if from = n.match(text, p, n.at, -1, markup); from < 0 {
		return 0, 0, false
	}
	return from, to, true
}

// match compares text from p on with the needle from i on, in a direction. It returns
// where the match ends, -1 if there is none.
func (n *needle) match(text []byte, p, i, step int, markup bool) int {
	end := p
	for ; i >= 0 && i < len(n.text); i += step {
		for markup && p != end && p >= 0 && p < len(text) && strings.IndexByte(Marks, text[p]) >= 0 {
			p += step
		}
		if p < 0 || p >= len(text) {
			return -1
		}
		switch c := text[p]; {
		case n.text[i] == ' ':
			if !Blank(c) {
				return -1
			}
			for p+step >= 0 && p+step < len(text) && Blank(text[p+step]) {
				p += step
			}
		case c != n.text[i] && (n.exact || c < 'A' || c > 'Z' || c+'a'-'A' != n.text[i]):
			return -1
		}
		end = p
		p += step
	}
	if step > 0 {
		return end + 1
	}
	return end
}

// Blank reports whether a byte is white space.
func Blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func asciiOnly(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

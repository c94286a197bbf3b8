// Package words compares two lines word by word.
package words

import (
	"unicode"
	"unicode/utf8"
)

// The limits of comparing two lines: how many words each has at most, and from
// which share of equal text on a mark on the rest says more than the lines alone.
const (
	maxWords = 400
	minEqual = 0.35
)

// Part is a piece of a line that has changed, in bytes.
type Part struct{ From, To int }

// Changed compares two lines word by word and gives what differs in each. It
// gives nothing for lines that have little in common, or are too long.
func Changed(old, new string) (inOld, inNew []Part) {
	a, b := split(old), split(new)
	if len(a) > maxWords || len(b) > maxWords || len(a) == 0 || len(b) == 0 {
		return nil, nil
	}
	keepA, keepB, equal := common(old, new, a, b)
	if float64(2*equal) < minEqual*float64(len(old)+len(new)) {
		return nil, nil
	}
	return rest(a, keepA), rest(b, keepB)
}

// split cuts a line into words, blanks and single signs.
func split(s string) []Part {
	var out []Part
	for i := 0; i < len(s); {
		from, class := i, 0
		for i < len(s) {
			r, n := utf8.DecodeRuneInString(s[i:])
			c := classOf(r)
			if i > from && (c != class || c == 0) {
				break
			}
			class = c
			i += n
		}
		out = append(out, Part{from, i})
	}
	return out
}

// classOf tells letters from blanks; 0 is a sign that stands for itself.
func classOf(r rune) int {
	switch {
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return 1
	case unicode.IsSpace(r):
		return 2
	}
	return 0
}

// common finds a longest common sequence of words. It returns which words of each
// line belong to it, and how many bytes they are.
func common(old, new string, a, b []Part) (keepA, keepB []bool, equal int) {
	width := len(b) + 1
	length := make([]uint16, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if old[a[i].From:a[i].To] == new[b[j].From:b[j].To] {
				length[i*width+j] = length[(i+1)*width+j+1] + 1
			} else {
				length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
			}
		}
	}
	keepA, keepB = make([]bool, len(a)), make([]bool, len(b))
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case old[a[i].From:a[i].To] == new[b[j].From:b[j].To]:
			keepA[i], keepB[j] = true, true
			equal += a[i].To - a[i].From
			i, j = i+1, j+1
		case length[(i+1)*width+j] >= length[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return keepA, keepB, equal
}

// rest joins the words that are not kept.
func rest(list []Part, keep []bool) []Part {
	var out []Part
	for i, p := range list {
		switch n := len(out); {
		case keep[i]:
		case n > 0 && out[n-1].To == p.From:
			out[n-1].To = p.To
		default:
			out = append(out, p)
		}
	}
	return out
}

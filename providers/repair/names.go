package repair

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// mostEdits is how many characters a misspelling may be away.
	mostEdits = 2
	// leastRatio is how similar a misspelling must be, from 0 to 1.
	leastRatio = 0.7
	// longestName bounds what is compared for similarity, in characters.
	longestName = 128
)

// Name finds the tool a model meant among the known names. It tries, in this
// order: the name as it is; the text before the first quote or angle bracket;
// that in lower case; with - and blanks as _; with CamelCase as snake_case; each
// of these without a tool at the end, dropped up to twice; and at last a close
// spelling. A spelling is close when it is at most two edits away (a character
// inserted, removed or replaced), has a similarity of at least 0.7 and is nearer
// than any other known name. It returns false when there is no such name; the
// call is then answered with the list of names.
func Name(wrong string, known []string) (string, bool) {
	if wrong != "" && slices.Contains(known, wrong) {
		return wrong, true
	}
	tries := spellings(wrong)
	for _, t := range tries {
		if slices.Contains(known, t) {
			return t, true
		}
	}
	return closest(tries, known)
}

// spellings lists the forms of a name in the order in which they are tried.
func spellings(wrong string) []string {
	if i := strings.IndexAny(wrong, "\"'<>"); i >= 0 {
		wrong = wrong[:i]
	}
	wrong = strings.TrimSpace(wrong)
	if wrong == "" {
		return nil
	}
	under := strings.NewReplacer("-", "_", " ", "_")
	lower := strings.ToLower(wrong)
	list := []string{wrong, lower, under.Replace(lower), snake(under.Replace(wrong))}
	for _, s := range list {
		for range 2 {
			if s = withoutTool(s); s != "" {
				list = append(list, s)
			}
		}
	}
	return distinct(list)
}

// distinct keeps the first of equal entries.
func distinct(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// withoutTool drops an ending that says tool; without one it returns "".
func withoutTool(s string) string {
	for _, end := range []string{"_tool", "-tool", "tool"} {
		if rest, ok := strings.CutSuffix(s, end); ok {
			return strings.TrimRight(rest, "_-")
		}
	}
	return ""
}

// snake writes CamelCase as snake_case.
func snake(s string) string {
	r := []rune(s)
	var b strings.Builder
	for i, c := range r {
		if i > 0 && unicode.IsUpper(c) && r[i-1] != '_' {
			next := i+1 < len(r) && unicode.IsLower(r[i+1])
			if !unicode.IsUpper(r[i-1]) || next {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// closest finds the only nearest name that is close enough to one of the tries.
func closest(tries, known []string) (string, bool) {
	best, found, tied := mostEdits+1, "", false
	for _, k := range known {
		near := mostEdits + 1
		for _, t := range tries {
			if d := edits(t, k); d < near && ratio(k, t) >= leastRatio {
				near = d
			}
		}
		switch {
		case near < best:
			best, found, tied = near, k, false
		case near == best && near <= mostEdits && k != found:
			tied = true
		}
	}
	if best > mostEdits || tied {
		return "", false
	}
	return found, true
}

// edits counts the characters to insert, remove or replace between a and b. More
// than mostEdits are counted as one more than that.
func edits(a, b string) int {
	if n := utf8.RuneCountInString(a) - utf8.RuneCountInString(b); n > mostEdits || n < -mostEdits {
		return mostEdits + 1
	}
	x, y := []rune(a), []rune(b)
	if len(x) > longestName || len(y) > longestName || !utf8.ValidString(a) || !utf8.ValidString(b) {
		return mostEdits + 1
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return min(row[len(y)], mostEdits+1)
}

// ratio is the similarity of Ratcliff and Obershelp: twice the characters in
// matching blocks, divided by all characters. The blocks are the longest common
// run, the first in a and then in b among equals, and so on to its left and
// right.
func ratio(a, b string) float64 {
	x, y := []rune(a), []rune(b)
	if len(x)+len(y) == 0 {
		return 1
	}
	return 2 * float64(matching(x, y)) / float64(len(x)+len(y))
}

func matching(x, y []rune) int {
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	i, j, n := longestRun(x, y)
	if n == 0 {
		return 0
	}
	return n + matching(x[:i], y[:j]) + matching(x[i+n:], y[j+n:])
}

// longestRun finds the longest common run of x and y and where it begins.
func longestRun(x, y []rune) (i, j, n int) {
	ends := make([]int, len(y)+1) // ends[k] is the run that ends before y[k]
	for a := range x {
		diagonal := 0
		for b := range y {
			run := 0
			if x[a] == y[b] {
				run = diagonal + 1
			}
			diagonal = ends[b+1]
			ends[b+1] = run
			if run > n {
				i, j, n = a-run+1, b-run+1, run
			}
		}
	}
	return i, j, n
}

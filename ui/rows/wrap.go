package rows

import (
	"strings"
)

// TabWidth is how far apart tab stops are.
const TabWidth = 4

// ExpandTabs replaces tabs by blanks up to the next stop.
func ExpandTabs(s string) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	var b strings.Builder
	col := 0
	for i, part := range strings.Split(s, "\t") {
		if i > 0 {
			n := TabWidth - col%TabWidth
			b.WriteString(Blank(n))
			col += n
		}
		b.WriteString(part)
		col += Width(part)
	}
	return b.String()
}

// Wrap appends a text to dst as rows of at most w cells, broken at spaces where
// possible and inside words where not. Each row is self-contained: a style that
// goes on over a break is closed and opened again. Line breaks of the text are
// kept, tabs are expanded; rows are not filled up to w.
func Wrap(dst []string, text string, w int) []string {
	if w <= 0 {
		return dst
	}
	open := ""
	for line := range strings.SplitSeq(text, "\n") {
		line = ExpandTabs(line)
		if open == "" && len(line) <= w && Plain(line) {
			dst = append(dst, line)
			continue
		}
		for row := range strings.SplitSeq(Method().Wrap(open+line, w, ""), "\n") {
			if Width(row) > w { // as happens around hyphens and runs of blanks
				row = Method().Hardwrap(row, w, true)
			}
			for row := range strings.SplitSeq(row, "\n") {
				row, open = closeStyles(row, open)
				dst = append(dst, row)
			}
		}
	}
	return dst
}

// closeStyles makes a row self-contained. open is the style in force at its
// start; the style in force at its end is returned.
func closeStyles(row, open string) (closed, next string) {
	if !strings.HasPrefix(row, open) {
		row = open + row
	}
	next = styleAtEnd(row)
	if next != "" {
		row += reset
	}
	return row, next
}

// styleAtEnd collects the SGR sequences that are in force at the end of s.
func styleAtEnd(s string) string {
	var open string
	for {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			return open
		}
		s = s[i:]
		end := 2
		for end < len(s) && (s[end] < 0x40 || s[end] > 0x7e) {
			end++
		}
		if end == len(s) {
			return open
		}
		if s[end] == 'm' {
			if args := s[2:end]; args == "" || args == "0" {
				open = ""
			} else {
				open += s[:end+1]
			}
		}
		s = s[end+1:]
	}
}

package shellrisk

import "strings"

// The parser and bash differ about a backslash before a line break in two
// places. A command with such a place is judged in both readings.

// joinedLines takes out the breaks between lines that a backslash joins, where
// they may split a sign of the shell: bash joins lines before it looks for $( and
// the like, the parser does not everywhere. It is ok when there are such places.
// What stands in quotes may change by it, so it is judged besides, not instead.
func joinedLines(code string) (string, bool) {
	split := false
	for i := 1; i+1 < len(code) && !split; i++ {
		before := code[i-1]
		split = code[i] == '\\' && code[i+1] == '\n' && before != ' ' && before != '\t' && before != '\n' &&
			(before < 0x80 && !isWordByte(before))
	}
	if !split {
		return "", false
	}
	return strings.ReplaceAll(code, "\\\n", ""), true
}

// endedComments ends the comments whose line ends with a backslash: for bash a
// comment always ends with its line, for the parser such a one goes on. It is ok
// when there may be such comments.
func endedComments(code string) (string, bool) {
	if !strings.Contains(code, "#") || !strings.Contains(code, "\\\n") {
		return "", false
	}
	lines := strings.SplitAfter(code, "\n")
	found := false
	for i, line := range lines {
		if text, ok := strings.CutSuffix(line, "\\\n"); ok && mayComment(text) {
			lines[i], found = text+"\n", true
		}
	}
	return strings.Join(lines, ""), found
}

// mayComment reports whether a line holds a sign that may begin a comment: one at
// the start of a word.
func mayComment(line string) bool {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || strings.IndexByte(" \t;&|()`", line[i-1]) >= 0) {
			return true
		}
	}
	return false
}

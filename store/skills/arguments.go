package skills

import (
	"slices"
	"strconv"
	"strings"

	"hermes-tui/tools/lazyregexp"
)

var (
	// placeholder is where a text may refer to arguments, given takes those apart: words,
	// and what stands in quotes.
	placeholder = lazyregexp.New(`\\?\$(?:(ARGUMENTS)\b(?:\[(\d{1,2})\])?|(\d+)(?:[.,]\d+)?|([A-Za-z_][\w-]*))`)
	given       = lazyregexp.New(`"[^"]*"|'[^']*'|\S+`)
	fromZero    = lazyregexp.New(`\$(?:0\b|ARGUMENTS\[)`)
)

// Fill puts what the user has added to the name of a skill in the places of the text that
// refer to it, and reports whether there are any:
//
//   - $ARGUMENTS is all of it, $ARGUMENTS[0] the first argument;
//   - $1 is the first one, too, in a skill whose front matter says that it takes arguments;
//     if the text has $0 or $ARGUMENTS[N], $0 is, as in texts for Claude Code;
//   - $NAME is the one for a name that the front matter lists.
//
// Quotes hold words together. A place for which nothing was given stays as it is, and so
// does one behind a backslash; $ARGUMENTS becomes empty.
func (t Text) Fill(text, args string) (filled string, refers bool) {
	list := given.FindAllString(args, -1)
	for i, a := range list {
		if n := len(a); n > 1 && a[0] == a[n-1] && (a[0] == '"' || a[0] == '\'') {
			list[i] = a[1 : n-1]
		}
	}
	first := 1
	if fromZero.MatchString(text) {
		first = 0
	}
	filled = placeholder.ReplaceAllStringFunc(text, func(all string) string {
		m := placeholder.FindStringSubmatch(all)
		n, rest := -1, ""
		switch {
		case all[0] == '\\':
		case m[1] != "" && m[2] == "":
			refers = true
			return args
		case m[1] != "":
			n, _ = strconv.Atoi(m[2])
		case m[3] != "" && all == "$"+m[3] && len(m[3]) == 1 && t.Head.Arguments != "":
			n = int(m[3][0]-'0') - first
		case m[4] != "":
			name := m[4]
			for n = slices.Index(t.Head.Names, name); n < 0 && strings.Contains(name, "-"); n = slices.Index(t.Head.Names, name) {
				name = name[:strings.LastIndexByte(name, '-')] // $issue-notes is $issue and a text
			}
			rest = m[4][len(name):]
		}
		if n < 0 {
			return all
		}
		refers = true
		if n >= len(list) {
			return all
		}
		return list[n] + rest
	})
	return filled, refers
}

package prompt

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hermes-tui/ui/rows"
)

// Bounds within which text is shown as it is.
const (
	maxBlanks  = 32 // spaces side by side
	maxCluster = 16 // characters that make one sign together
)

// spell makes text visible throughout: signs without a width are written by
// number, like ⟨U+0301⟩, piles of combining marks and long runs of blanks are
// counted. The text holds no control character but the line feed.
func spell(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for off := 0; off < len(s); {
		if s[off] == ' ' {
			n := len(s[off:]) - len(strings.TrimLeft(s[off:], " "))
			if n > maxBlanks {
				fmt.Fprintf(&b, "⟨%d spaces⟩", n)
			} else {
				b.WriteString(s[off : off+n])
			}
			off += n
			continue
		}
		end := clusterEnd(s, off)
		spellCluster(&b, s[off:end])
		off = end
	}
	return b.String()
}

// plain reports whether a text is ASCII without long runs of blanks.
func plain(s string) bool {
	run := 0
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
		if s[i] != ' ' {
			run = 0
		} else if run++; run > maxBlanks {
			return false
		}
	}
	return true
}

func spellCluster(b *strings.Builder, cluster string) {
	switch n := utf8.RuneCountInString(cluster); {
	case cluster == "\n":
		b.WriteByte('\n')
	case n > maxCluster:
		first, size := utf8.DecodeRuneInString(cluster)
		spellCluster(b, string(first))
		fmt.Fprintf(b, "⟨+%d marks⟩", utf8.RuneCountInString(cluster[size:]))
	case rows.Width(cluster) == 0:
		for _, r := range cluster {
			fmt.Fprintf(b, "⟨U+%04X⟩", r)
		}
	default:
		b.WriteString(cluster)
	}
}

// clusterEnd is the end of the grapheme cluster at off.
func clusterEnd(s string, off int) int {
	if s[off] < utf8.RuneSelf && (off+1 == len(s) || s[off+1] < utf8.RuneSelf) {
		return off + 1
	}
	cluster, _ := rows.Cluster(s[off:])
	return off + max(len(cluster), 1)
}

// wrap breaks a text into rows of at most w cells and drops nothing of it: after
// blanks and beside wide characters where possible, inside words where not. A
// blank that no longer fits stands in a cell of its own behind the row.
func wrap(text string, w int) []string {
	var list []string
	for line := range strings.SplitSeq(text, "\n") {
		for {
			end := rowEnd(line, w)
			list = append(list, line[:end])
			if line = line[end:]; line == "" {
				break
			}
		}
	}
	return list
}

// rowEnd is where the first row of a line ends.
func rowEnd(line string, w int) int {
	cells, breakAt := 0, 0
	for off := 0; off < len(line); {
		end, n := clusterEnd(line, off), 1
		if end > off+1 {
			n = rows.Width(line[off:end])
		}
		if cells+n > w && off > 0 {
			switch {
			case line[off] == ' ' && cells == w:
				return end
			case breakAt > 0 && n < 2:
				return breakAt
			}
			return off
		}
		cells += n
		off = end
		if n > 1 || line[end-1] == ' ' {
			breakAt = end
		}
	}
	return len(line)
}

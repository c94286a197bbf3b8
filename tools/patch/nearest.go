package patch

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// What a message shows of places that may have been meant.
const (
	maxNearest  = 3
	leastNear   = 0.30 // ratio of the first line
	nearAround  = 2    // lines before and after
	maxNearLine = 200  // characters
)

// notFound is the problem of a text that stands nowhere, with the places it may
// have been meant for.
func notFound(kind Kind, message string, h *haystack, n *needle) *Problem {
	near := nearest(h, n)
	if len(near) == 0 {
		return problem(kind, "%s Read the file again and quote it exactly.", message)
	}
	var b strings.Builder
	b.WriteString(message + " Did you mean:")
	for _, i := range near {
		b.WriteString("\n")
		snippet(&b, h.lines(), i, len(n.lines))
	}
	b.WriteString("\nRead the place again and quote it exactly, without line numbers.")
	return problem(kind, "%s", b.String())
}

// nearest gives the lines that most resemble the first full line of what was
// searched for, at most three, best first.
func nearest(h *haystack, n *needle) []int {
	want := strings.TrimSpace(firstFull(n.lines))
	if want == "" {
		return nil
	}
	type scored struct {
		line  int
		score float64
	}
	w := work{maxWork / 4} // of its own: the search may have spent all
	like := newLikeness(want)
	var best []scored
	for i, l := range h.lines() {
		text := strings.TrimSpace(l.text)
		least := leastNear
		if len(best) == maxNearest {
			least = best[maxNearest-1].score
		}
		hist := histogramOf(text)
		if !w.spend(8 + len(text)/4) {
			break
		}
		if text == "" || like.bound(&hist) <= least {
			continue
		}
		score, ok := like.ratio(text, &w)
		if !ok {
			break
		}
		if score <= least {
			continue
		}
		at := slices.IndexFunc(best, func(s scored) bool { return s.score < score })
		if at < 0 {
			at = len(best)
		}
		best = slices.Insert(best, at, scored{i, score})
		best = best[:min(len(best), maxNearest)]
	}
	lines := make([]int, len(best))
	for i, s := range best {
		lines[i] = s.line
	}
	return lines
}

// maxNearLines is how many lines a snippet has between those around it.
const maxNearLines = 6

// snippet shows lines with their numbers, as read_file does.
func snippet(b *strings.Builder, lines []line, at, n int) {
	end := min(at+min(n, maxNearLines)+nearAround, len(lines))
	if end == len(lines) && lines[end-1].text == "" {
		end-- // what follows a final line break is no line
	}
	for i := max(at-nearAround, 0); i < end; i++ {
		fmt.Fprintf(b, "%d|%s\n", i+1, clipLine(lines[i].text))
	}
}

func clipLine(s string) string {
	if utf8.RuneCountInString(s) <= maxNearLine {
		return s
	}
	return string([]rune(s)[:maxNearLine]) + "…"
}

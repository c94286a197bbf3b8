package uitest

import (
	"regexp"
	"strconv"
)

// MarkReply is the terminal reply that the program counts.
const MarkReply = "\x1b[?9999;1$y"

// Mark is what the program says in its window title for the driver.
type Mark struct {
	// Sync is how many replies were counted before the frame was drawn.
	Sync int
	// Busy is how much the program still has to do by itself.
	Busy int
	// Cols and Rows are the size the frame was drawn for, 0 if the title does not
	// say.
	Cols, Rows int
}

// marked is the form of a title with a mark.
var marked = regexp.MustCompile(`^(.*?) ?⟦sync=(\d+) busy=(\d+)(?: size=(\d+)x(\d+))?⟧$`)

// CutMark takes the mark off a window title. Without a mark the title is
// returned as it is.
func CutMark(title string) (plain string, m Mark, found bool) {
	parts := marked.FindStringSubmatch(title)
	if parts == nil {
		return title, Mark{}, false
	}
	for i, to := range []*int{&m.Sync, &m.Busy, &m.Cols, &m.Rows} {
		if n, err := strconv.Atoi(parts[i+2]); err == nil {
			*to = n
		}
	}
	return parts[1], m, true
}

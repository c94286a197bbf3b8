package search

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"hermes-tui/tools"
)

// maxAnswer bounds the text of an answer in characters, so that it is never cut
// by the limit for results.
const maxAnswer = 90_000

// hit is a matching line of the answer.
type hit struct {
	Path    string   `json:"path"`
	Line    int      `json:"line"`
	Content string   `json:"content"`
	Before  []string `json:"before,omitempty"`
	After   []string `json:"after,omitempty"`
}

// answer is what the model gets of a search. Of matches, files and counts one is
// set.
type answer struct {
	// Total counts what the answer lists, on all pages: lines, or files.
	Total   int             `json:"total_count"`
	Matches *[]hit          `json:"matches,omitempty"`
	Files   *[]string       `json:"files,omitempty"`
	Counts  *map[string]int `json:"counts,omitempty"`
	// InFiles and InAll are the files that have matches and the lines that
	// match, where Total counts the other.
	InFiles int `json:"matching_files,omitempty"`
	InAll   int `json:"matching_lines,omitempty"`

	Truncated   bool   `json:"truncated,omitempty"`
	LimitReason string `json:"limit_reason,omitempty"`
	Hint        string `json:"hint,omitempty"`
	// Unreadable counts files and directories that could not be read.
	Unreadable int `json:"unreadable,omitempty"`
	// Secret counts files with keys or passwords that were not searched.
	Secret int `json:"left_out_with_secrets,omitempty"`
	// Hidden and Ignored count files and folders that were passed over.
	Hidden  int    `json:"left_out_hidden,omitempty"`
	Ignored int    `json:"left_out_ignored,omitempty"`
	Warning string `json:"_warning,omitempty"`
}

// collector puts the results of batches into their order and keeps one page.
type collector struct {
	q       query
	display func(string) string
	answer  answer
	// wanted is how many more matches are needed to fill the page. Workers read
	// it.
	wanted atomic.Int64

	next    int // batch
	waiting map[int]answered
	lines   int // matching ones so far
	files   int // with matches so far
	binary  int // files that are not text
	listed  int
	chars   int
	full    bool // by characters
	hits    []hit
	names   []string
	counts  map[string]int
}

func newCollector(q query, display func(string) string) *collector {
	c := &collector{q: q, display: display, waiting: map[int]answered{}, counts: map[string]int{}}
	if q.mode == modeContent {
		c.wanted.Store(int64(q.offset + q.limit))
	}
	return c
}

// add takes the result of a batch and returns how many batches are done with.
func (c *collector) add(r answered) int {
	c.waiting[r.index] = r
	done := 0
	for {
		r, ok := c.waiting[c.next]
		if !ok {
			return done
		}
		delete(c.waiting, c.next)
		c.next++
		done++
		for _, f := range r.found {
			c.file(f)
		}
	}
}

// file takes the result of the next file.
func (c *collector) file(f found) {
	if f.failed {
		c.answer.Unreadable++
	}
	if f.binary {
		c.binary++
	}
	if f.count == 0 {
		return
	}
	if c.q.mode == modeContent {
		for i, m := range f.matches {
			c.hit(f.path, c.lines+i, m)
		}
	} else if c.room(c.files, f.path) {
		c.listed++
		c.names = append(c.names, c.display(f.path))
		c.counts[c.display(f.path)] = f.count
	}
	c.lines += f.count
	c.files++
	switch {
	case c.full:
		c.wanted.Store(0)
	case c.q.mode == modeContent:
		c.wanted.Store(int64(max(c.q.offset+c.q.limit-c.lines, 0)))
	}
}

// hit lists a match if it is on the page.
func (c *collector) hit(path string, index int, m match) {
	texts := append(append([]string{path, m.content}, m.before...), m.after...)
	if !c.room(index, texts...) {
		return
	}
	c.listed++
	c.hits = append(c.hits, hit{Path: c.display(path), Line: m.line, Content: m.content, Before: m.before, After: m.after})
}

// room reports whether a result is on the page and its texts fit into the answer.
// The first one always fits.
func (c *collector) room(index int, texts ...string) bool {
	if c.full || index < c.q.offset || index >= c.q.offset+c.q.limit {
		return false
	}
	for _, t := range texts {
		c.chars += utf8.RuneCountInString(tools.JSON(t)) + 10 // for what stands around it
	}
	c.full = c.chars > maxAnswer && c.listed > 0
	return !c.full
}

// finish completes the answer.
func (c *collector) finish() *answer {
	a := &c.answer
	switch c.q.mode {
	case modeContent:
		a.Total, a.InFiles = c.lines, c.files
		if c.hits == nil {
			c.hits = []hit{}
		}
		a.Matches = &c.hits
	case modeFiles:
		a.Total = c.files
		a.Files = &c.names
	case modeCount:
		a.Total, a.InAll = c.files, c.lines
		a.Counts = &c.counts
	}
	if c.names == nil {
		c.names = []string{}
	}
	a.page(c.q.offset, c.listed)
	return a
}

// passed notes what a walk has passed over, and says so where nothing was found.
func (a *answer) passed(w *walker) {
	a.Unreadable, a.Secret, a.Hidden, a.Ignored = a.Unreadable+w.unreadable, w.secret, w.hid, w.ignored
	if a.Total == 0 && a.Hidden+a.Ignored > 0 {
		a.Hint = "Hidden and ignored files were not searched: name a file or folder of them as path to search it."
	}
}

// page says whether there is more than the page shows.
func (a *answer) page(offset, listed int) {
	switch {
	case offset > 0 && offset >= a.Total:
		a.Hint = fmt.Sprintf("There are only %d results.", a.Total)
	case offset+listed < a.Total:
		a.Truncated = true
		a.Hint = fmt.Sprintf("Results %d-%d of %d. Use offset=%d for more, or search more narrowly.",
			offset+1, offset+listed, a.Total, offset+listed)
	}
}

// summary says in a few words what was found, and what was left out.
func (a *answer) summary() string {
	text := a.found()
	if a.Secret > 0 {
		text += ", " + plural(a.Secret, "file", "files") + " with keys left out"
	}
	if n := a.Hidden + a.Ignored; n > 0 && a.Total == 0 {
		text += fmt.Sprintf(", %d hidden or ignored left out", n)
	}
	return text
}

func (a *answer) found() string {
	switch {
	case a.Matches != nil && a.Total == 0, a.Counts != nil && a.Total == 0:
		return "no matches"
	case a.Matches != nil:
		return plural(a.Total, "match", "matches") + " in " + plural(a.InFiles, "file", "files")
	case a.Counts != nil:
		return plural(a.InAll, "match", "matches") + " in " + plural(a.Total, "file", "files")
	case a.Total == 0:
		return "no files"
	}
	return plural(a.Total, "file", "files")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// body lists the page for a user.
func (a *answer) body() string {
	var b strings.Builder
	switch {
	case a.Matches != nil:
		for _, h := range *a.Matches {
			for i, line := range h.Before {
				fmt.Fprintf(&b, "%s-%d- %s\n", h.Path, h.Line-len(h.Before)+i, line)
			}
			fmt.Fprintf(&b, "%s:%d: %s\n", h.Path, h.Line, h.Content)
			for i, line := range h.After {
				fmt.Fprintf(&b, "%s-%d- %s\n", h.Path, h.Line+1+i, line)
			}
		}
	case a.Counts != nil:
		for _, name := range slices.Sorted(maps.Keys(*a.Counts)) {
			fmt.Fprintf(&b, "%s: %d\n", name, (*a.Counts)[name])
		}
	case a.Files != nil:
		for _, name := range *a.Files {
			b.WriteString(name + "\n")
		}
	}
	return b.String()
}

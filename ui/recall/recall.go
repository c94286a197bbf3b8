// Package recall finds an earlier prompt: what was typed before, listed above the draft,
// the newest at the bottom, with a query in the last row.
//
// Guarantees:
//
//   - The list is never longer than [Most] prompts and [MostBytes], each once.
//   - What prompts hold is only shown, through the mask of the root, and given back as
//     it came. Nothing is stored.
//   - Rows are exact in number and width, and hold no control character.
//   - A letter costs a look at the prompts that fitted before it.
//
// A [List] belongs to one goroutine; [Ready] may be called on any.
package recall

import (
	"strings"
	"time"
	"unicode"

	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
)

// Bounds of what is kept to look through.
const (
	Most      = 100_000
	MostBytes = 64 << 20
)

// Prompt is what was typed at some time; the time may be unknown.
type Prompt struct {
	Text string
	At   time.Time

	folded string // without capital letters
	shown  string // on one line, masked; made when it is drawn
}

// Ready prepares prompts to be looked through.
func Ready(list []Prompt) []Prompt {
	for i := range list {
		list[i].folded = strings.ToLower(list[i].Text)
	}
	return list
}

// List is a search in prompts.
type List struct {
	styles *rows.Styles
	mask   func(string) string

	open    bool
	more    bool // older ones are being read
	prompts []Prompt
	known   map[string]bool
	bytes   int

	query overlay.Query
	fits  []int // the places of those that fit, the newest first
	at    int   // of fits: which is marked
	top   int   // the place in fits of the lowest row
	now   time.Time
}

// New makes a list that is not open. mask hides secrets in what is shown; nil hides
// nothing.
func New(st *rows.Styles, mask func(string) string) *List {
	if mask == nil {
		mask = func(s string) string { return s }
	}
	return &List{styles: st, mask: mask, known: map[string]bool{}}
}

// SetStyles changes the theme.
func (l *List) SetStyles(st *rows.Styles) { l.styles = st }

// Open begins with an empty query and with the newest prompts, the newest first. Older
// ones that are on their way come with [List.Add].
func (l *List) Open(newest []Prompt, now time.Time) {
	l.Close()
	l.open, l.more, l.now = true, true, now
	l.Add(newest, true)
}

// Close ends the search and forgets the prompts.
func (l *List) Close() {
	*l = List{styles: l.styles, mask: l.mask, known: map[string]bool{}}
}

// IsOpen reports whether there is a search.
func (l *List) IsOpen() bool { return l.open }

// Add takes further prompts, older than those that are there, the newest first. more says
// that others will follow. It returns false when there is no room for more.
func (l *List) Add(older []Prompt, more bool) bool {
	if !l.open {
		return false
	}
	l.more = more
	words, folds := l.words()
	for _, p := range older {
		if strings.TrimSpace(p.Text) == "" || l.known[p.Text] {
			continue
		}
		if len(l.prompts) >= Most || l.bytes+len(p.Text) > MostBytes {
			l.more = false
			return false
		}
		if p.folded == "" {
			p.folded = strings.ToLower(p.Text)
		}
		l.known[p.Text] = true
		l.bytes += len(p.Text)
		l.prompts = append(l.prompts, p)
		if p.fits(words, folds) {
			l.fits = append(l.fits, len(l.prompts)-1)
		}
	}
	return true
}

// words are those of the query, and whether capital letters are no different: they are
// where one was typed.
func (l *List) words() (words []string, folds bool) {
	query := string(l.query)
	folds = strings.IndexFunc(query, unicode.IsUpper) < 0
	return strings.Fields(query), folds
}

// fits reports whether a prompt has all the words.
func (p *Prompt) fits(words []string, folds bool) bool {
	text := p.Text
	if folds {
		text = p.folded
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// Type adds to the query and marks the newest prompt that fits.
func (l *List) Type(text string) {
	before := l.query
	if l.query = l.query.Add(text); l.query != before {
		l.narrow(l.fits)
	}
}

// Backspace takes the last character off the query.
func (l *List) Backspace() { l.set(l.query.Shorter()) }

// Clear empties the query.
func (l *List) Clear() { l.set("") }

func (l *List) set(q overlay.Query) {
	if q == l.query {
		return
	}
	l.query = q
	all := make([]int, len(l.prompts))
	for i := range all {
		all[i] = i
	}
	l.fits = nil
	l.narrow(all)
}

// narrow finds those of some prompts that fit: a longer query fits no others.
func (l *List) narrow(among []int) {
	words, folds := l.words()
	left := among[:0]
	for _, i := range among {
		if l.prompts[i].fits(words, folds) {
			left = append(left, i)
		}
	}
	l.fits, l.at, l.top = left, 0, 0
}

// Older marks the prompt before the marked one, Newer the one after it.
func (l *List) Older() { l.at = max(min(l.at+1, len(l.fits)-1), 0) }

// Newer marks the prompt after the marked one; see [List.Older].
func (l *List) Newer() { l.at = max(l.at-1, 0) }

// Marked is the prompt that is marked, false when none fits.
func (l *List) Marked() (string, bool) {
	if l.at >= len(l.fits) {
		return "", false
	}
	return l.prompts[l.fits[l.at]].Text, true
}

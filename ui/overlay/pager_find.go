package overlay

import (
	"sort"
	"strconv"

	"hermes-tui/ui/find"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/rows"
)

// finder is the search of a [Pager]. In a short text it follows what is typed; in a long
// one it begins with enter, and is made on another goroutine, see [Seek].
type finder struct {
	typing bool // the query is being typed
	draft  Query
	how    find.Query // how the draft is looked for
	found
	before found // until typing has ended
	start  int   // where the search begins
	text   []byte
	gen    uint64 // of what is looked for
}

// found is what was looked for, and what was found.
type found struct {
	q       find.Query
	err     error // of a regular expression
	matches []span
	current int  // index into matches, -1 without one
	more    bool // not all of the text was looked through yet
	ahead   int  // matches to go on by when it was
}

// How long a text is looked through at each key.
const (
	findBytes    = 1 << 20
	patternBytes = 64 << 10
)

// Seek is a search that is to be run on another goroutine and given to [Pager.Take].
type Seek struct {
	of      *Pager
	gen     uint64
	m       find.Matcher
	text    []byte
	from    int
	first   bool // only the first match is wanted
	matches []span
}

// Of is the pager that searches.
func (s Seek) Of() *Pager { return s.of }

// Run searches.
func (s Seek) Run() Seek {
	if s.first {
		from, to := s.m(s.text, s.from, false)
		if to < 0 {
			from, to = s.m(s.text, 0, false)
		}
		if to >= 0 {
			s.matches = []span{{from, to}}
		}
		return s
	}
	for at := 0; len(s.matches) < maxMatches; {
		from, to := s.m(s.text, at, false)
		if to < 0 {
			break
		}
		s.matches, at = append(s.matches, span{from, to}), to
	}
	return s
}

// look begins a search. That of a short text is over at once.
func (p *Pager) look(q find.Query) Request {
	p.gen++
	p.found = found{q: q, current: -1}
	m, err := q.Compile()
	if p.err = err; m == nil {
		return nil
	}
	if p.text == nil {
		p.text = []byte(p.doc.text)
	}
	s := Seek{of: p, gen: p.gen, m: m, text: p.text, from: p.start}
	if p.short(q) {
		p.taken(s.Run().matches)
		return nil
	}
	s.first, p.more = true, true
	return s
}

// short reports whether a search for something may be made at each key.
func (p *Pager) short(q find.Query) bool {
	if q.Regexp {
		return len(p.doc.text) <= patternBytes
	}
	return len(p.doc.text) <= findBytes
}

// Take takes what a search has found, unless another one was begun meanwhile. The first
// match is shown before all are known.
func (p *Pager) Take(s Seek) Request {
	if s.gen != p.gen {
		return nil
	}
	if s.first && len(s.matches) > 0 {
		p.matches = s.matches
		p.goTo(0)
		s.first, s.matches = false, nil
		return s
	}
	p.more = false
	p.taken(s.matches)
	return nil
}

// taken notes the matches and goes to the first one from the start on, or to where the keys have led meanwhile.
func (p *Pager) taken(list []span) {
	at := p.start
	if p.current >= 0 {
		at = p.matches[p.current].from
	}
	p.matches = list
	i := sort.Search(len(list), func(i int) bool { return list[i].from >= at })
	p.goTo(i + p.ahead)
	p.ahead = 0
}

// searchAgain finds the matches of a search in another text.
func (p *Pager) searchAgain() {
	p.text = nil
	if p.q.Text == "" {
		return
	}
	at := p.current
	if m, _ := p.q.Compile(); m != nil {
		p.gen++
		p.matches = Seek{m: m, text: []byte(p.doc.text)}.Run().matches
	}
	p.current, p.more = min(at, len(p.matches)-1), false
}

// Finding reports whether a search is being typed.
func (p *Pager) Finding() bool { return p.typing }

// Found tells how many matches a search has found; false when none was made.
func (p *Pager) Found() (n int, searched bool) { return len(p.matches), p.q.Text != "" }

// Type implements [Box]: it adds to the query of a search, once that was begun.
func (p *Pager) Type(text string) Request {
	if !p.typing {
		return nil
	}
	p.draft = p.draft.Add(text)
	return p.typed()
}

// typed looks for what was typed so far, where that takes no time.
func (p *Pager) typed() Request {
	p.how.Text = string(p.draft)
	if p.how != p.q && p.short(p.how) {
		return p.look(p.how)
	}
	return nil
}

// Act implements [Box].
func (p *Pager) Act(a keys.Action) Request {
	switch a {
	case keys.Accept:
		return p.Accept()
	case keys.Backspace:
		return p.Backspace()
	case keys.KillStart:
		p.draft = ""
		return p.typed()
	case keys.MatchCase:
		p.how.Case = !p.how.Case
		return p.another()
	case keys.Pattern:
		p.how.Regexp = !p.how.Regexp
		return p.another()
	case keys.Find:
		p.Find()
	case keys.FindNext:
		p.Next()
	case keys.FindPrev:
		p.Prev()
	case keys.Copy:
		return Copy{p.Text()}
	case keys.Editor:
		return Edit{p.Text()}
	}
	return nil
}

// another searches in another way.
func (p *Pager) another() Request {
	switch {
	case p.typing:
		return p.typed()
	case p.q.Text != "":
		p.how.Text, p.start = p.q.Text, p.top
		return p.look(p.how)
	}
	return nil
}

// Contexts are where keys of the table have a meaning here besides those of any window:
// while a search is typed, only those of a search.
func (p *Pager) Contexts() []keys.Context {
	if p.typing {
		return []keys.Context{keys.InFind}
	}
	return []keys.Context{keys.InText, keys.InFind}
}

// Hints are the keys worth knowing just now, besides those on its lower edge. leave says
// where the one leads to that closes the window.
func (p *Pager) Hints(leave string) []keys.Hint {
	n, searched := p.Found()
	end := keys.Hint{Action: keys.Escape, Text: "end the search"}
	how := []keys.Hint{{Action: keys.MatchCase, Text: "case"}, {Action: keys.Pattern, Text: "regexp"}}
	switch {
	case !p.typing && !searched:
		return []keys.Hint{{Action: keys.Escape, Text: leave}}
	case p.typing || n < 2:
		return append(how, end)
	}
	return append([]keys.Hint{{Action: keys.FindNext, Text: "next"}, {Action: keys.FindPrev, Text: "previous"}}, append(how, end)...)
}

// Backspace takes the last character of a search back that is being typed.
func (p *Pager) Backspace() Request {
	if !p.typing {
		return nil
	}
	p.draft = p.draft.Shorter()
	return p.typed()
}

// Back implements [Box]: it gives up the search being typed, or else the matches
// that are shown.
func (p *Pager) Back() (closed bool) {
	switch {
	case p.typing:
		p.typing = false
		p.gen++
		p.found, p.before, p.top = p.before, found{}, p.start
	case p.q.Text != "":
		p.gen++
		p.found = found{current: -1}
	default:
		return true
	}
	return false
}

// Find begins a search: what is typed from now on is its query.
func (p *Pager) Find() {
	if !p.typing {
		p.before, p.start = p.found, p.top
		p.before.more = false
	}
	p.typing, p.draft = true, ""
}

// Accept ends typing: the matches are shown from the top of the page on. Without a
// search it goes on by a page.
func (p *Pager) Accept() Request {
	if !p.typing {
		return p.Move(PageDown)
	}
	p.typing, p.before = false, found{}
	if p.how.Text = string(p.draft); p.how != p.q {
		return p.look(p.how)
	}
	return nil
}

// Next goes to the next match, after the last to the first.
func (p *Pager) Next() { p.goBy(1) }

// Prev goes to the previous match, before the first to the last.
func (p *Pager) Prev() { p.goBy(-1) }

// goBy goes on by n matches, as soon as they are known.
func (p *Pager) goBy(n int) {
	if p.more {
		p.ahead += n
		return
	}
	p.goTo(p.current + n)
}

// goTo makes match i the current one and brings it into sight.
func (p *Pager) goTo(i int) {
	n := len(p.matches)
	if n == 0 {
		p.current = -1
		return
	}
	p.current = (i%n + n) % n
	if p.w <= 0 || p.h <= 0 {
		return
	}
	at := p.doc.rowAt(p.matches[p.current].from, p.w)
	top := p.doc.rowAt(p.top, p.w)
	if bottom := p.doc.forward(top, p.h-1, p.w); at.before(top) || bottom.before(at) {
		p.show(p.doc.back(at, p.h/3, p.w))
	}
}

// foundWords say how the search stands.
func (p *Pager) foundWords() (string, rows.Style) {
	switch n := len(p.matches); {
	case p.err != nil:
		return p.err.Error(), p.st.Bad
	case p.q.Text == "":
		return "", p.st.Muted
	case p.more:
		return "searching…", p.st.Muted
	case n == 0:
		return "not found", p.st.Warn
	case n == maxMatches:
		return strconv.Itoa(p.current+1) + " of many", p.st.Muted
	default:
		return strconv.Itoa(p.current+1) + " of " + strconv.Itoa(n), p.st.Muted
	}
}

// HowWords say how something is looked for.
func HowWords(q find.Query) string {
	how := "any case"
	if q.Case {
		how = "exact case"
	}
	if q.Regexp {
		how += " · regexp"
	}
	return how
}

package prompt

import (
	"slices"

	"hermes-tui/agent/event"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// page is what of a request is on the screen.
type page uint8

const (
	choosing page = iota // rows to choose from
	writing              // a reason or an answer
	sure                 // once more, before something is always allowed
	editing              // what is to run instead, or the draft that is asked about
	all                  // everything of a kind that waits
	secret               // a password
	review               // the answers of a batch, before they are sent
)

// spot is a content of a request: of a page, and in a batch of one of its questions.
type spot struct {
	page page
	at   int
}

// spot is the content that is shown. What is asked stays above what is written.
func (v *view) spot() spot {
	if v.page == writing {
		return spot{choosing, v.at}
	}
	if v.page == sure && v.session {
		return spot{v.page, 1}
	}
	return spot{v.page, v.at}
}

// reread begins to count the rows that were in sight again, where the content or its
// width has changed. What was not seen to its end is shown from its start.
func (v *view) reread(w int) {
	if v.read.spot == v.spot() && v.read.width == w {
		return
	}
	v.read.spot, v.read.width, v.read.rows = v.spot(), w, 0
	if !v.seen[v.spot()] {
		v.scroll = 0
	}
}

// view is the state of one request.
type view struct {
	request event.Request
	names   []string // who asks
	page    page
	mark    int // of the options of this page
	scroll  int // first row of content in sight
	// seen holds the contents all of which was in sight.
	seen map[spot]bool
	// read is how many rows of a content were in sight, from the first on.
	read struct {
		spot        spot
		width, rows int
	}
	// session is set when the page that asks once more is about this session only.
	session bool
	// picked is set while the mark stands where a digit or a letter has put it.
	picked bool
	// refused is set when an answer was to be given before all was in sight.
	refused bool
	// word says why the newest key did nothing; empty if it did something.
	word string
	// input is the reason, the answer, or the filter; hint is what it says while
	// it is empty.
	input *composer.Composer
	hint  string
	keys  *Keys
	// secret is the password that is being typed.
	secret Hidden
	// items are the questions of a clarify request; at is the one that is shown, and
	// len(items) on the review. looking is set once the review was shown: from then
	// on each answer leads back to it.
	items   []asked
	at      int
	looking bool
	// alike counts the requests of this kind that wait, this one among them; group
	// are those that are shown together.
	alike int
	group []event.Request
}

// What an empty input says, with names of keys in braces; see [Keys].
const (
	reasonHint = "why not? {enter} denies, {esc} goes back"
	answerHint = "type your answer; {esc} gives none"
	nextHint   = "type your answer; {enter} goes on"
	otherHint  = "type your answer; {esc} goes back"
	addHint    = "type an answer of your own; {esc} goes back"
	filterHint = "type to filter"
	takeHint   = "type to filter, space selects the selected row"
	editHint   = "{enter} runs this, {esc} goes back"
	draftHint  = "{enter} takes this, {esc} goes back"
	secretHint = "type the password; {enter} sends it, {esc} gives none"
	emptyHint  = "type an answer first, or press {esc}"
)

func newView(r event.Request, st *rows.Styles, k *Keys) *view {
	v := &view{request: r, names: names(r), seen: map[spot]bool{}, input: composer.New(composer.Options{Styles: st}), keys: k}
	switch r.Kind {
	case event.RequestClarify:
		v.items = asks(r.Clarify)
		v.open(0)
	case event.RequestSecret:
		v.page = secret
		v.say(secretHint)
	}
	return v
}

// rename takes over who asks, and reports whether that changes anything.
func (v *view) rename(r event.Request) bool {
	v.request.Until = r.Until
	if slices.Equal(v.request.Path, r.Path) {
		return false
	}
	v.request.Path, v.names = r.Path, names(r)
	return true
}

// say sets what an empty input says.
func (v *view) say(hint string) {
	v.hint = hint
	v.input.SetPlaceholder(v.keys.in(hint))
}

// freeHint is what the empty input of a question without choices says.
func (v *view) freeHint() string {
	if v.batch() {
		return nextHint
	}
	return answerHint
}

// listHint is what the empty filter of a question says.
func (v *view) listHint() string {
	if v.asked().multi {
		return takeHint
	}
	return filterHint
}

// typed is what the input holds, or else what it says, in at most w cells.
func (v *view) typed(w int) string {
	text := term.Line(v.input.Value())
	if text == "" {
		text = v.keys.in(v.hint)
	}
	return rows.Truncate(text, max(w, 0), "…")
}

// filters reports whether typing filters the choices.
func (v *view) filters() bool {
	return v.request.Kind == event.RequestClarify && v.page == choosing && len(v.asked().choices) > maxNumbered
}

// edits reports whether typing goes into the input.
func (v *view) edits() bool { return v.types() || v.filters() }

// refuses reports whether the text that is typed is why something is denied.
func (v *view) refuses() bool { return v.page == writing && v.request.Kind == event.RequestApproval }

// types reports whether the page is a text to type.
func (v *view) types() bool { return v.page == writing || v.page == editing || v.page == secret }

// turn goes to another page with an empty input.
func (v *view) turn(to page, hint string) {
	v.page, v.mark, v.scroll, v.refused = to, 0, 0, false
	v.input.SetDraft("")
	v.say(hint)
}

package prompt

import "hermes-tui/agent/event"

// Doing is what keys do in the request on the screen.
type Doing uint8

// What keys do. From Editing on, all of them go into a text.
const (
	Nothing     Doing = iota // they are not for the panel
	Judging                  // rows: escape denies
	Picking                  // rows: escape skips
	Filtering                // rows and a filter: escape clears the filter
	Considering              // rows: escape goes back to the others
	Marking                  // rows of which several may be taken: a blank takes one
	Reviewing                // the answers of a batch: enter changes one or sends them
	Editing                  // what is to run
	Explaining               // why something is denied
	Answering                // an answer: escape gives none
	Describing               // an answer: escape goes back to the choices
	Password                 // a password
)

// Doing tells what keys do now.
func (p *Panel) Doing() Doing {
	v := p.views[p.current]
	if v == nil || !p.Armed() {
		return Nothing
	}
	clarify := v.request.Kind == event.RequestClarify
	switch v.page {
	case sure, all:
		return Considering
	case review:
		return Reviewing
	case editing:
		return Editing
	case secret:
		return Password
	case writing:
		switch {
		case !clarify:
			return Explaining
		case !v.asked().free():
			return Describing
		}
		return Answering
	}
	switch {
	case v.filters() && !v.input.Empty():
		return Filtering
	case clarify && v.asked().multi:
		return Marking
	case clarify:
		return Picking
	}
	return Judging
}

// Words say in a word or two what keys do now, for a line of hints. Empty ones do
// nothing worth saying. Which keys they are is the root's to know.
type Words struct {
	Enter, Escape string
	Space         string // the blank key
	Sides         string // left and right
	Newline       string
	Later         string
}

// Words are the words for the request on the screen; all are empty while it takes
// no keys.
func (p *Panel) Words() Words {
	var w Words
	switch p.Doing() {
	case Nothing:
		return w
	case Judging:
		w.Enter, w.Escape = "answer", "deny"
	case Considering:
		w.Enter, w.Escape = "take", "back"
	case Editing:
		w.Enter, w.Escape, w.Newline = "run this", "back", "new line"
	case Explaining:
		w.Enter, w.Escape = "deny", "back"
	case Password:
		w.Enter, w.Escape = "send", "no password"
	default:
		w = p.views[p.current].words()
	}
	w.Later = "answer later"
	if p.other() != "" {
		w.Later = "next"
	}
	return w
}

// words are the words for a question.
func (v *view) words() Words {
	w := Words{Enter: "answer", Escape: "skip"}
	if v.batch() && v.page != review {
		w.Enter = "go on"
		if !v.edits() || v.input.Empty() {
			w.Sides = "questions"
		}
		if v.reviews() {
			w.Escape = "review"
		}
	}
	o, _ := v.marked()
	switch {
	case v.page == review && o.effect == change:
		w.Enter = "change"
	case v.page == review && v.given() > 0:
		w.Enter = "send"
	case v.page == review:
		w.Enter = "skip"
	case v.page == writing && !v.asked().free():
		w.Escape = "back"
		if v.asked().multi {
			w.Enter = "add"
		}
	case v.filters() && !v.input.Empty():
		w.Escape = "all choices"
		if v.asked().multi && o.effect == pick {
			w.Enter = "take"
		}
	}
	if v.page == choosing && o.effect == other {
		w.Enter = "write"
	}
	if v.spaces() {
		w.Space = "select"
		if o.effect == pick && v.asked().taken[o.choice] {
			w.Space = "unselect"
		}
	}
	return w
}

// reviews reports whether escape shows the answers given so far, rather than give
// them up.
func (v *view) reviews() bool {
	if !v.batch() || v.page == review {
		return false
	}
	return v.given() > 0 || v.page == writing && !v.input.Empty()
}

package prompt

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

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
	editing              // what is to run instead
	all                  // everything of a kind that waits
	secret               // a password
)

// Doing is what keys do in the request on the screen.
type Doing uint8

// What keys do.
const (
	Nothing     Doing = iota // they are not for the panel
	Judging                  // rows: escape denies
	Picking                  // rows: escape gives no answer
	Filtering                // rows and a filter: escape clears the filter
	Considering              // rows: escape goes back to the others
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
	case editing:
		return Editing
	case secret:
		return Password
	case writing:
		switch {
		case !clarify:
			return Explaining
		case len(v.request.Clarify.Choices) > 0:
			return Describing
		}
		return Answering
	}
	switch {
	case v.filters() && !v.input.Empty():
		return Filtering
	case clarify:
		return Picking
	}
	return Judging
}

// effect is what a row to choose does.
type effect uint8

const (
	deny effect = iota
	denyWithReason
	allowOnce
	allowSession
	askAlways
	allowAlways
	back
	trust
	pick
	other
	edit
	askAll
	denyAll
	allowAll
)

// option is a row to choose.
type option struct {
	effect effect
	label  string
	choice int // of a clarify request, for pick
}

// allows tells whether an option lets something happen.
func (e effect) allows() bool {
	return e == allowAll || e == edit || e == allowOnce || e == allowSession || e == askAlways || e == allowAlways || e == trust
}

// maxNumbered is the most choices that digits reach. Longer lists are filtered
// by typing.
const maxNumbered = 8

// view is the state of one request.
type view struct {
	request event.Request
	page    page
	mark    int // of the options of this page
	scroll  int // first row of content in sight
	// seen tells of each page whether all its content was in sight.
	seen map[page]bool
	// refused is set when something was to be allowed before all was in sight.
	refused bool
	// input is the reason, the answer, or the filter; hint is what it says while
	// it is empty.
	input *composer.Composer
	hint  string
	// secret is the password that is being typed.
	secret hidden
	// alike counts the requests of this kind that wait, this one among them; group
	// are those that are shown together.
	alike int
	group []event.Request
}

// What an empty input says.
const (
	reasonHint = "why not? enter denies, esc goes back"
	answerHint = "type your answer; esc gives none"
	otherHint  = "type your answer; esc goes back"
	filterHint = "type to filter"
	editHint   = "enter runs this, esc goes back"
	secretHint = "type it: dots stand for it; enter sends, esc gives none"
	emptyHint  = "type an answer first, or press esc"
)

func newView(r event.Request, st *rows.Styles) *view {
	v := &view{request: r, seen: map[page]bool{}, input: composer.New(composer.Options{Styles: st})}
	switch {
	case r.Kind == event.RequestClarify && len(r.Clarify.Choices) == 0:
		v.page = writing
		v.say(answerHint)
	case r.Kind == event.RequestSecret:
		v.page = secret
		v.say(secretHint)
	case v.filters():
		v.say(filterHint)
	}
	return v
}

// say sets what an empty input says.
func (v *view) say(hint string) {
	v.hint = hint
	v.input.SetPlaceholder(hint)
}

// typed is what the input holds, or else what it says, in at most w cells.
func (v *view) typed(w int) string {
	text := term.Line(v.input.Value())
	if text == "" {
		text = v.hint
	}
	return ansi.Truncate(text, max(w, 0), "…")
}

// filters tells whether typing filters the choices.
func (v *view) filters() bool {
	return v.request.Kind == event.RequestClarify && len(v.request.Clarify.Choices) > maxNumbered && v.page == choosing
}

// edits tells whether typing goes into the input.
func (v *view) edits() bool { return v.types() || v.filters() }

// types tells whether the page is a text to type.
func (v *view) types() bool { return v.page == writing || v.page == editing || v.page == secret }

// turn goes to another page with an empty input.
func (v *view) turn(to page, hint string) {
	v.page, v.mark, v.scroll, v.refused = to, 0, 0, false
	v.input.SetDraft("")
	v.say(hint)
}

// options are the rows of the page.
func (v *view) options() []option {
	switch {
	case v.types():
		return nil
	case v.page == all:
		n := strconv.Itoa(len(v.group))
		return []option{{effect: back, label: "Back"}, {effect: denyAll, label: "Deny all " + n}, {effect: allowAll, label: "Allow all " + n + " once"}}
	case v.page == sure:
		return []option{{effect: back, label: "Back"}, {effect: allowAlways, label: "Always allow"}}
	case v.request.Kind == event.RequestApproval:
		list := []option{{effect: deny, label: "Deny"}, {effect: allowOnce, label: "Allow once"}}
		if v.request.Approval.Rule != "" {
			list = append(list, option{effect: allowSession, label: "Allow for this session"}, option{effect: askAlways, label: "Always…"})
		}
		if v.request.Approval.Editable {
			list = append(list, option{effect: edit, label: "Edit"})
		}
		list = append(list, option{effect: denyWithReason, label: "Deny with a reason"})
		if v.alike > 1 {
			list = append(list, option{effect: askAll, label: "All " + strconv.Itoa(v.alike) + " like this…"})
		}
		return list
	case v.request.Kind == event.RequestTrust:
		return []option{{effect: deny, label: "Don't trust"}, {effect: trust, label: "Trust this folder"}}
	}
	return v.choices()
}

// choices are the rows of a question.
func (v *view) choices() []option {
	var list []option
	filter := strings.ToLower(v.input.Value())
	for i, c := range v.request.Clarify.Choices {
		label := term.Line(c)
		if !v.filters() || strings.Contains(strings.ToLower(label), filter) {
			list = append(list, option{pick, label, i})
		}
	}
	list = append(list, option{effect: other, label: "Other (type your answer)"})
	if !v.filters() {
		for i := range list {
			list[i].label = strconv.Itoa(i+1) + " " + list[i].label
		}
	}
	return list
}

// marked is the option under the mark.
func (v *view) marked() (option, bool) {
	list := v.options()
	if v.mark = max(min(v.mark, len(list)-1), 0); len(list) == 0 {
		return option{}, false
	}
	return list[v.mark], true
}

// maxName is how many cells the name of an agent takes at most.
const maxName = 24

// path is who asks, from the root down, fit for one line.
func path(r event.Request) string {
	names := slices.Clone(r.Path)
	for i, n := range names {
		names[i] = ansi.Truncate(spell(term.Line(n)), maxName, "…")
	}
	if len(names) == 0 {
		return "an agent"
	}
	return strings.Join(names, " › ")
}

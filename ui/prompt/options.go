package prompt

import (
	"slices"
	"strconv"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/term"
)

// effect is what a row to choose does.
type effect uint8

const (
	deny effect = iota
	denyWithReason
	allowOnce
	allowSession
	askAlways
	allowAlways
	askSession
	stayConfined
	back
	trust
	pick
	other
	finish // a question of which several choices may be taken is answered
	change // a question of a batch is opened again
	submit // all answers of a batch are sent
	edit
	look // at an edit
	askAll
	denyAll
	allowAll
)

// option is a row to choose.
type option struct {
	effect effect
	// lead stands before the label, and before its first row only: a sign, a number.
	lead   string
	label  string
	key    string // the letter that stands for it, behind the label
	choice int    // of a clarify request: which choice, or which question; of an approval: which scope
}

// answers reports whether an option lets something happen, answers a question, or
// leads to that. The others deny, or only show something else.
func (e effect) answers() bool {
	switch e {
	case allowOnce, allowSession, allowAll, allowAlways, askAlways, askSession, edit, trust, pick, finish:
		return true
	}
	return false
}

// maxNumbered is the most choices that digits reach. Longer lists are filtered
// by typing.
const maxNumbered = 8

// options are the rows of the page.
func (v *view) options() []option {
	switch {
	case v.types():
		return nil
	case v.page == review:
		return v.answers()
	case v.page == all:
		n := strconv.Itoa(len(v.group))
		return numbered(option{effect: back, label: "Back"}, option{effect: denyAll, label: "Deny all " + n}, option{effect: allowAll, label: "Allow all " + n + " once"})
	case v.page == sure:
		return numbered(v.lasting()...)
	case v.request.Kind == event.RequestApproval:
		list := []option{{effect: deny, label: "Deny"}, {effect: allowOnce, label: "Allow once"}}
		if v.request.Approval.Edit != nil {
			list = slices.Insert(list, 1, option{effect: look, label: "Review the changes"})
		}
		if v.request.Approval.Again {
			list[0] = option{effect: stayConfined, label: "Leave it as it ended"}
		}
		switch n := len(scopes(v.request.Approval)); {
		case n == 1:
			list = append(list, option{effect: allowSession, label: "Allow for this session"}, option{effect: askAlways, label: "Always…"})
		case n > 1:
			list = append(list, option{effect: askSession, label: "Allow for this session…"}, option{effect: askAlways, label: "Always…"})
		}
		if a := v.request.Approval; a.Confinable && !a.Again {
			list = append(list, option{effect: stayConfined, label: "Run confined"})
		}
		if v.request.Approval.Editable {
			list = append(list, option{effect: edit, label: "Edit"})
		}
		list = append(list, option{effect: denyWithReason, label: "Deny with a reason"})
		if v.alike > 1 {
			list = append(list, option{effect: askAll, label: "All " + strconv.Itoa(v.alike) + " like this…"})
		}
		return lettered(numbered(list...))
	case v.request.Kind == event.RequestTrust:
		return lettered(numbered(option{effect: deny, label: "Don't trust"}, option{effect: trust, label: "Trust this folder"}))
	}
	return v.choices()
}

// scopes are what a lasting permission can cover, the narrowest first.
func scopes(a *event.Approval) []event.Scope {
	if len(a.Scopes) == 0 && a.Rule != "" {
		return []event.Scope{{Rule: a.Rule}}
	}
	return a.Scopes
}

// lasting are the rows of the page that asks once more before something is allowed
// beyond this once: one for each scope.
func (v *view) lasting() []option {
	list := []option{{effect: back, label: "Back"}}
	effect, label := allowAlways, "Always allow"
	if v.session {
		effect, label = allowSession, "Allow"
	}
	all := scopes(v.request.Approval)
	for i, s := range all {
		o := option{effect: effect, label: label, choice: i}
		if len(all) > 1 {
			o.label += " " + term.Line(s.Label)
		}
		list = append(list, o)
	}
	return list
}

// numbered puts their numbers before options.
func numbered(list ...option) []option {
	for i := range list {
		list[i].lead = strconv.Itoa(i+1) + " "
	}
	return list
}

// lettered puts letters behind the labels of the options for which they stand.
func lettered(list []option) []option {
	for _, key := range []string{"n", "y", "a", "e"} {
		i := slices.IndexFunc(list, func(o option) bool { return slices.Contains(letters[key], o.effect) })
		if i >= 0 {
			list[i].key = " (" + key + ")"
		}
	}
	return list
}

// choices are the rows of a question.
func (v *view) choices() []option {
	q := v.asked()
	var list []option
	add := func(e effect, sign, label string, choice int) {
		lead := sign
		if n := len(list) + 1; !v.filters() && n <= 9 {
			lead += strconv.Itoa(n) + " "
		}
		list = append(list, option{effect: e, lead: lead, label: label, choice: choice})
	}
	filter := strings.ToLower(v.input.Value())
	for i := range q.size() {
		label := term.Line(q.text(i))
		if !v.filters() || strings.Contains(strings.ToLower(label), filter) {
			add(pick, v.sign(q.taken[i]), label, i)
		}
	}
	if q.multi {
		add(other, v.sign(false), "Other (add an answer of your own)", 0)
		list = append(list, option{effect: finish, label: doneLabel(q.count())})
		return list
	}
	sign := ""
	if !v.plain() {
		sign = v.sign(false)
	}
	if v.request.Clarify.Draft != "" {
		add(edit, sign, "Edit it", 0)
	}
	add(other, sign, "Other (type your answer)", 0)
	return list
}

func doneLabel(taken int) string {
	if taken == 0 {
		return "Done: nothing selected"
	}
	return "Done: " + strconv.Itoa(taken) + " selected"
}

// sign shows whether a choice is taken. A question that the first choice
// answers needs none.
func (v *view) sign(taken bool) string {
	switch {
	case v.plain():
		return ""
	case v.asked().multi && taken:
		return "☑ "
	case v.asked().multi:
		return "☐ "
	case taken:
		return "● "
	}
	return "○ "
}

// answers are the rows of the review: the questions with their answers, and the
// row that sends them.
func (v *view) answers() []option {
	var list []option
	open := 0
	for i := range v.items {
		q := &v.items[i]
		answer := "left open"
		if parts := q.parts(); len(parts) > 0 {
			answer = term.Line(strings.Join(parts, ", "))
		} else {
			open++
		}
		lead := ""
		if i < 9 {
			lead = strconv.Itoa(i+1) + " "
		}
		label := cutMiddle(strings.TrimSpace(spell(term.Line(q.question))), maxAsked) + " → " + answer
		list = append(list, option{effect: change, lead: lead, label: label, choice: i})
	}
	return append(list, option{effect: submit, label: sendLabel(len(v.items)-open, open)})
}

// maxAsked is how many cells of a question the review shows.
const maxAsked = 48

func sendLabel(given, open int) string {
	send := "Send " + strconv.Itoa(given) + " answers"
	if given == 1 {
		send = "Send 1 answer"
	}
	switch {
	case given == 0:
		return "Skip all questions"
	case open > 0:
		return send + ", leave " + strconv.Itoa(open) + " open"
	}
	return send
}

// marked is the option under the mark.
func (v *view) marked() (option, bool) {
	list := v.options()
	if v.mark = max(min(v.mark, len(list)-1), 0); len(list) == 0 {
		return option{}, false
	}
	return list[v.mark], true
}

// digits is how many rows digits reach, from the first on.
func (v *view) digits() int {
	n := len(v.options())
	if v.page == review || v.page == choosing && v.request.Kind == event.RequestClarify && v.asked().multi {
		n--
	}
	return n
}

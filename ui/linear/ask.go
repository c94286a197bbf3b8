package linear

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	panel "hermes-tui/ui/prompt"
)

// question is a request that waits for the user.
type question struct {
	event.Request
	at      time.Time // when it was shown first, zero before
	options []option
	parts   [][]string // answers so far, of a batch
}

// option is a way to answer, by its number or one of its words.
type option struct {
	words  []string
	text   string
	answer event.Answer
}

// none is the answer of a question that no one answers.
func (q *question) none() event.Choice {
	if q.Kind == event.RequestApproval || q.Kind == event.RequestTrust {
		return event.ChoiceDeny
	}
	return event.ChoiceNone
}

// ask shows a question, or puts it behind those that wait.
func (r *run) ask(q event.Request) {
	if slices.ContainsFunc(r.open, func(o *question) bool { return o.ID == q.ID }) {
		return
	}
	r.open = append(r.open, &question{Request: q})
	switch {
	case r.ended:
		r.withdraw()
	case len(r.open) == 1:
		r.pose()
	default:
		r.say("Question: ", fmt.Sprintf("%d wait behind this one.", len(r.open)-1))
	}
}

// pose shows the question that is to be answered next.
func (r *run) pose() {
	if len(r.open) == 0 {
		return
	}
	q := r.open[0]
	who := "The agent"
	if r.who(q.Agent) != "" {
		who = r.name(q.Agent)
	}
	switch q.Kind {
	case event.RequestApproval:
		r.poseApproval(who, q)
	case event.RequestTrust:
		r.say("Question: ", "do you trust the folder "+q.Trust.Root+"?")
		for _, f := range q.Trust.Files {
			r.say("The agent would follow: ", f)
		}
		q.options = []option{{[]string{"no", "n", "deny"}, "no, leave them out", event.Answer{Choice: event.ChoiceDeny}}, {[]string{"yes", "y"}, "yes, trust it", event.Answer{Choice: event.ChoiceAlways}}}
	case event.RequestSecret:
		if r.o.Hide == nil {
			r.say("Question: ", who+" needs a password ("+q.Secret.Label+"). What is typed here cannot be hidden, so it is not asked for.")
			r.resolve(q, event.Answer{Choice: event.ChoiceNone})
			return
		}
		r.say("Question: ", who+" needs a password: "+q.Secret.Label)
		if q.Secret.Reason != "" {
			r.say("Because of: ", q.Secret.Reason)
		}
		r.say("Type ", "it and press enter; it is not shown. /skip gives none.")
		if q.at.IsZero() {
			q.at = r.o.Now()
		}
		return
	case event.RequestClarify:
		r.poseClarify(who, q)
	}
	for i, o := range q.options {
		if o.text == "" {
			r.say(fmt.Sprintf("%d: ", i+1), o.words[0])
			continue
		}
		r.say(fmt.Sprintf("%d, %s: ", i+1, o.words[0]), o.text)
	}
	r.say("Answer ", "with a number or a word, /skip skips the question, /question reads this again.")
	if q.at.IsZero() {
		q.at = r.o.Now()
	}
}

// poseApproval shows what an agent wants to do, and why that is asked.
func (r *run) poseApproval(who string, q *question) {
	a := q.Approval
	r.say("Question: ", who+" wants to "+a.Action+":")
	r.say("  ", strings.ReplaceAll(a.Text, "\n", "\n  "))
	if a.Dir != "" {
		r.say("In: ", a.Dir)
	}
	reasons := a.Reasons
	if len(reasons) == 0 {
		reasons = []event.Reason{{Text: a.Reason}}
	}
	for _, why := range reasons {
		text := "it " + why.Text
		if len(why.Words) > 0 {
			text += " (" + strings.Join(why.Words, " ") + ")"
		}
		r.say("Because ", text)
	}
	if a.Confinement != "" {
		r.say("Confinement: ", a.Confinement)
	}
	if a.Edit != nil {
		for _, f := range a.Edit.Files {
			r.say("File: ", f.Name+" "+f.To+" "+f.Opaque)
			r.say("", f.Diff)
		}
	}
	add := func(text string, answer event.Answer, words ...string) {
		q.options = append(q.options, option{words, text, answer})
	}
	q.options = nil
	add("do not do it; no and a reason tells the agent why", event.Answer{Choice: event.ChoiceDeny}, "no", "n", "deny")
	add("do it once", event.Answer{Choice: event.ChoiceOnce}, "yes", "y", "once", "allow")
	if a.Confinable {
		add("leave it confined", event.Answer{Choice: event.ChoiceConfined}, "confined")
	}
	if a.Rule != "" {
		add("and for the rest of this session: "+a.Rule, event.Answer{Choice: event.ChoiceSession, Text: a.Rule}, "session")
		add("and always: "+a.Rule, event.Answer{Choice: event.ChoiceAlways, Text: a.Rule}, "always")
	}
	if a.Editable {
		r.say("Edit: ", "edit and a text does that instead.")
	}
}

// poseClarify shows a question of the agent, or the next of a batch.
func (r *run) poseClarify(who string, q *question) {
	c, i := q.Clarify, len(q.parts)
	text, choices, multi := c.Question, c.Choices, c.Multi
	if i > 0 {
		m := c.More[i-1]
		text, choices, multi = m.Question, m.Choices, m.Multi
	}
	if n := len(c.More); n > 0 {
		text = fmt.Sprintf("(%d of %d) %s", i+1, n+1, text)
	}
	r.say("Question: ", who+" asks: "+text)
	if c.Draft != "" {
		r.say("Text: ", c.Draft)
	}
	q.options = nil
	for _, o := range choices {
		q.options = append(q.options, option{[]string{o}, "", event.Answer{Choice: event.ChoiceText, Text: o}})
	}
	switch {
	case multi:
		r.say("Several ", "may be taken: numbers with commas between them.")
	case c.Draft != "":
		r.say("Edit: ", "edit and a text puts that in place of the text.")
	}
}

// find is the option that a word or a number means.
func (q *question) find(text string) (option, bool) {
	if n, err := strconv.Atoi(strings.TrimRight(text, ".")); err == nil && n >= 1 && n <= len(q.options) {
		return q.options[n-1], true
	}
	for _, o := range q.options {
		if slices.ContainsFunc(o.words, func(w string) bool { return strings.EqualFold(w, text) }) {
			return o, true
		}
	}
	return option{}, false
}

// reply answers a question with what was typed.
func (r *run) reply(q *question, text string) {
	if o, ok := q.find(text); ok && q.Kind != event.RequestClarify {
		r.resolve(q, o.answer)
		return
	}
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case q.Kind == event.RequestSecret:
		r.resolve(q, event.Answer{Choice: event.ChoiceText, Text: text})
	case q.Kind == event.RequestClarify:
		r.clarified(q, text, strings.EqualFold(word, "edit") && q.Clarify.Draft != "", rest)
	case q.Approval != nil && rest != "" && strings.EqualFold(word, "edit") && q.Approval.Editable:
		r.resolve(q, event.Answer{Choice: event.ChoiceEdit, Text: rest})
	case q.Approval != nil && rest != "" && (strings.EqualFold(word, "no") || strings.EqualFold(word, "deny")):
		r.resolve(q, event.Answer{Choice: event.ChoiceDeny, Text: rest})
	default:
		r.say("Question: ", "this is not one of the answers, so nothing was sent. /question reads the question again, /send TEXT sends a message beside it.")
	}
}

// clarified takes the answer to one question of the agent.
func (r *run) clarified(q *question, text string, edits bool, rest string) {
	c := q.Clarify
	multi := c.Multi
	if i := len(q.parts); i > 0 {
		multi = c.More[i-1].Multi
	}
	var taken []string
	one := func(text string) string {
		if o, ok := q.find(text); ok {
			return o.answer.Text
		}
		return text
	}
	if all := strings.Split(text, ","); multi && !slices.ContainsFunc(all, func(p string) bool { _, ok := q.find(strings.TrimSpace(p)); return !ok }) {
		for _, p := range all {
			taken = append(taken, one(strings.TrimSpace(p)))
		}
	} else {
		taken = []string{one(text)}
	}
	switch q.parts = append(q.parts, taken); {
	case edits:
		r.resolve(q, event.Answer{Choice: event.ChoiceEdit, Text: rest})
	case c.Plain():
		r.resolve(q, event.Answer{Choice: event.ChoiceText, Text: taken[0]})
	case len(q.parts) <= len(c.More):
		q.at = time.Time{} // the next one was not shown yet
		r.pose()
	default:
		r.resolve(q, event.Answer{Choice: event.ChoiceText, Parts: q.parts})
	}
}

// resolve answers a question and shows the next.
func (r *run) resolve(q *question, a event.Answer) {
	r.open = slices.DeleteFunc(r.open, func(o *question) bool { return o == q })
	switch err := r.c.Answer(q.ID, a); {
	case errors.Is(err, app.ErrStale):
		r.say("Question: ", "it was answered already.")
	case err != nil:
		r.complain(err)
	case q.Kind == event.RequestSecret && a.Text != "":
		r.say("Answered: ", "with what you typed.")
	default:
		r.say("Answered: ", strings.TrimSpace(string(a.Choice)+" "+a.Text))
	}
	r.pose()
}

// resolved takes a question away that something else has answered.
func (r *run) resolved(e *event.RequestResolved) {
	i := slices.IndexFunc(r.open, func(o *question) bool { return o.ID == e.Request })
	if i < 0 {
		return
	}
	q := r.open[i]
	r.open = slices.Delete(r.open, i, i+1)
	r.say("Question: ", panel.Ended(q.Request, e.By))
	if i > 0 {
		return
	}
	if !q.at.IsZero() && e.By != event.ByInterrupt {
		q.at, r.gone = r.o.Now(), q
	}
	r.pose()
}

// late is how long after a question has disappeared a line may still be meant for it.
const late = 5 * time.Second

// missed holds back the first line that follows a question which has disappeared: within
// [late], and whenever it comes where it may be a password.
func (r *run) missed(l line) bool {
	q := r.gone
	r.gone = nil
	if q == nil || q.Kind != event.RequestSecret && l.at.Sub(q.at) >= late {
		return false
	}
	r.say("Not sent: ", "that may have been for the question that has gone. Enter it again to send it.")
	return true
}

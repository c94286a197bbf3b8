package prompt

import (
	"maps"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/term"
)

// All verbs but those that scroll do nothing while the request on the screen is
// not armed. Each returns the answer that it gave: the request, the answer and
// true, or false when there is none yet. An answered request is gone from the
// panel at once.

// ready is the view of the request that takes keys, nil if none does.
func (p *Panel) ready() *view {
	if !p.Armed() {
		return nil
	}
	v := p.views[p.current]
	v.refused, v.word, v.picked = false, "", false
	return v
}

// Up marks the row before, or moves up in a text.
func (p *Panel) Up() (event.RequestID, event.Answer, bool) { return p.move(-1, composer.Up, false) }

// Down marks the row after, or moves down in a text.
func (p *Panel) Down() (event.RequestID, event.Answer, bool) { return p.move(1, composer.Down, false) }

// Left marks the row before, or moves left in a text. In a batch it shows the
// question before, except in a text or a filter that is not empty.
func (p *Panel) Left() (event.RequestID, event.Answer, bool) { return p.move(-1, composer.Left, true) }

// Right marks the row after, or moves right in a text. In a batch it shows the next
// question, or all the answers behind the last one; see [Panel.Left].
func (p *Panel) Right() (event.RequestID, event.Answer, bool) {
	return p.move(1, composer.Right, true)
}

// move moves the mark, or the cursor where there is a text. sideways movement
// belongs to the filter of a list.
func (p *Panel) move(by int, in composer.Action, sideways bool) (id event.RequestID, a event.Answer, done bool) {
	v := p.ready()
	switch {
	case v == nil:
	case v.page == secret:
	case sideways && v.batch() && (!v.edits() || v.input.Empty()):
		return p.step(by)
	case v.types() || sideways && v.filters():
		v.input.Do(in)
	default:
		v.mark = max(min(v.mark+by, len(v.options())-1), 0)
	}
	return
}

// Edit carries out an action of the composer in the text that is being typed.
// It reports false when there is none. Line breaks are for what is to run only.
func (p *Panel) Edit(a composer.Action) bool {
	v := p.ready()
	if v == nil || !v.edits() || a == composer.Newline && v.page != editing {
		return false
	}
	if v.page == secret {
		v.secret.Do(a)
		return true
	}
	before := v.input.Value()
	if v.input.Do(a); v.input.Value() != before {
		v.mark = 0
	}
	return true
}

// Backspace deletes to the left in the text that is being typed.
func (p *Panel) Backspace() (id event.RequestID, a event.Answer, done bool) {
	p.Edit(composer.Backspace)
	return
}

// Typing reports whether keys go into a text: a reason, an answer, a password, or
// what is to run instead.
func (p *Panel) Typing() bool {
	v := p.ready()
	return v != nil && v.types()
}

// Takes reports whether typed text is for the panel: for a reason, an answer or
// a filter, a digit or a letter that stands for a row, or a blank that takes one. Other
// text is for the draft; the root calls [Panel.Disarm] for it.
func (p *Panel) Takes(text string) bool {
	v := p.ready()
	return v != nil && v.takes(text)
}

// Missed reports whether text was for the request that disappeared last, as [Panel.Takes]
// says. Where it was looked at in a window, all was.
func (p *Panel) Missed(text string) bool {
	return p.missed == nil || text == "" || p.missed.takes(text)
}

func (v *view) takes(text string) bool {
	n, ok := digit(text)
	return v.edits() || ok && n <= v.digits() || text == " " && v.spaces() || len(text) == 1 && v.letter(text) >= 0
}

// Pause is how long a digit or a letter that stands for a row may turn out to be the
// beginning of a word, which is for the draft.
const Pause = 250 * time.Millisecond

// Picked reports whether the newest key stands for a row, which is to be taken once
// [Pause] has passed. When text follows before that, the key was text as well.
func (p *Panel) Picked() bool {
	v := p.views[p.current]
	return v != nil && v.picked && p.Armed()
}

// Reviewed reports whether what is answered is looked at again before it is sent: one key
// after the other may answer then.
func (p *Panel) Reviewed() bool {
	v := p.views[p.current]
	return v != nil && v.batch()
}

// Text types text that [Panel.Takes] takes. A digit marks the row with that number, a
// letter the one that it stands for: see [Panel.Picked]. Where several choices may be
// taken, a digit takes its row or gives it back at once, and so does a blank with the
// marked one, in a batch too.
func (p *Panel) Text(text string) {
	v := p.ready()
	switch n, ok := digit(text); {
	case v == nil:
	case text == " " && v.spaces():
		p.toggle(v)
	case v.edits():
		v.insert(text)
	case ok:
		p.pick(v, n)
	case len(text) == 1 && v.letter(text) >= 0:
		v.mark, v.picked = v.letter(text), true
	}
}

// insert puts text into what is being typed.
func (v *view) insert(text string) {
	if v.page == secret {
		v.secret.Add(text)
		return
	}
	if v.filters() {
		text = term.Line(text)
	}
	v.input.Insert(text)
	v.mark = 0
}

// Paste puts pasted text into the text that is being typed. It reports false
// when there is none: the paste is for the draft, whatever is armed.
func (p *Panel) Paste(text string) bool {
	v := p.ready()
	if v == nil || !v.edits() {
		return false
	}
	v.insert(text)
	return true
}

// digit reads a text that is one digit from 1 to 9.
func digit(text string) (int, bool) {
	if len(text) != 1 || text[0] < '1' || text[0] > '9' {
		return 0, false
	}
	return int(text[0] - '0'), true
}

// pick marks a row by its number, from 1 on. Where several rows may be taken, it takes
// it or gives it back.
func (p *Panel) pick(v *view, n int) {
	if n > v.digits() {
		return
	}
	v.mark = n - 1
	if v.picked = !v.spaces() || !v.asked().multi; !v.picked {
		p.toggle(v)
	}
}

// letters are the words that answer an approval, besides its digits.
var letters = map[string][]effect{
	"y": {allowOnce, trust}, "yes": {allowOnce, trust}, "n": {deny, stayConfined}, "no": {deny, stayConfined}, "a": {askAlways}, "e": {edit, look},
}

// Letters are the words that [Panel.Reply] knows.
func Letters() []string { return slices.Sorted(maps.Keys(letters)) }

// Reply marks the row that a word stands for: y allows once, n denies, a leads to what is
// allowed always, e edits, or looks at an edit. It reports whether the request on the screen has that row.
func (p *Panel) Reply(word string) bool {
	v := p.views[p.current]
	i := v.letter(word)
	if i >= 0 {
		v.mark = i
	}
	return i >= 0
}

// Replies is the label of the row that [Panel.Reply] would mark, empty for none.
func (p *Panel) Replies(word string) string {
	v := p.views[p.current]
	if i := v.letter(word); i >= 0 {
		return v.options()[i].label
	}
	return ""
}

// letter finds the row that a word stands for, -1 for none.
func (v *view) letter(word string) int {
	if v == nil || v.page != choosing || v.request.Kind != event.RequestApproval && v.request.Kind != event.RequestTrust {
		return -1
	}
	return slices.IndexFunc(v.options(), func(o option) bool { return slices.Contains(letters[word], o.effect) })
}

// Accept takes the marked row, or what was typed. What allows or answers something is
// refused until all of the content was in sight; what denies is not.
func (p *Panel) Accept() (id event.RequestID, a event.Answer, done bool) {
	v := p.ready()
	if v == nil {
		return
	}
	o, ok := v.marked()
	if answers := v.types() && v.page != editing && !v.refuses() || ok && o.effect.answers(); answers && !v.seen[v.spot()] {
		v.refused = true
		return
	}
	if v.types() {
		return p.send(v)
	}
	switch o.effect {
	case deny:
		return p.answer(event.ChoiceDeny, "")
	case allowOnce:
		return p.answer(event.ChoiceOnce, "")
	case allowSession:
		return p.answer(event.ChoiceSession, v.scope(o))
	case allowAlways:
		return p.answer(event.ChoiceAlways, v.scope(o))
	case trust:
		return p.answer(event.ChoiceAlways, "")
	case stayConfined:
		return p.answer(event.ChoiceConfined, "")
	case pick:
		if !v.plain() {
			return p.take(v, o)
		}
		return p.answer(event.ChoiceText, v.asked().choices[o.choice])
	case finish, change, submit:
		return p.take(v, o)
	case denyWithReason:
		v.turn(writing, reasonHint)
	case askAlways, askSession:
		v.session = o.effect == askSession
		v.turn(sure, "")
	case look:
		p.looked = v.request.ID
	case edit:
		if q := v.request.Clarify; q != nil {
			v.turn(editing, draftHint)
			v.input.Set(q.Draft)
			break
		}
		v.turn(editing, editHint)
		v.input.Set(v.request.Approval.Text)
	case askAll:
		v.group = p.kindred(v.request)
		v.turn(all, "")
		delete(v.seen, v.spot()) // there may be others than at the last look
	case denyAll:
		return p.answerAll(v, event.ChoiceDeny)
	case allowAll:
		return p.answerAll(v, event.ChoiceOnce)
	case back:
		v.turn(choosing, "")
	case other:
		v.describe()
	}
	return
}

// scope is the rule that a lasting permission is to have, empty where there is but
// one.
func (v *view) scope(o option) string {
	if all := scopes(v.request.Approval); len(all) > 1 {
		return all[o.choice].Rule
	}
	return ""
}

// send answers with what was typed.
func (p *Panel) send(v *view) (id event.RequestID, a event.Answer, done bool) {
	if v.page == secret {
		if v.secret.Empty() {
			return
		}
		return p.answer(event.ChoiceText, v.secret.Take())
	}
	text := strings.TrimSpace(v.input.Value())
	switch {
	case !v.plain():
		return p.written(v)
	case v.page == editing && text == "":
	case v.page == editing:
		return p.answer(event.ChoiceEdit, v.input.Value())
	case v.request.Kind == event.RequestApproval:
		return p.answer(event.ChoiceDeny, text)
	case text != "":
		return p.answer(event.ChoiceText, text)
	}
	v.input.SetDraft("")
	v.say(emptyHint)
	return
}

// Escape goes back to the rows where they are covered, and clears a filter. In a
// batch of which something is answered it shows the answers. Otherwise it answers:
// an approval is denied, a folder is not trusted, a question gets no answer.
func (p *Panel) Escape() (id event.RequestID, a event.Answer, done bool) {
	v := p.ready()
	switch {
	case v == nil:
		return
	case v.page == sure, v.page == editing, v.page == all, v.page == writing && v.request.Kind == event.RequestApproval:
		v.turn(choosing, "")
		return
	case v.page == secret:
		return p.answer(event.ChoiceNone, "")
	case v.request.Kind != event.RequestClarify:
		return p.answer(event.ChoiceDeny, "")
	case v.page == writing && !v.asked().free(), v.filters() && !v.input.Empty():
		v.turn(choosing, v.listHint())
		return
	case v.reviews():
		v.keep()
		v.looking = true
		p.open(v, len(v.items))
		return
	}
	return p.answer(event.ChoiceNone, "")
}

// Refuse denies the request on the screen, or gives no answer to it, whether it is
// armed and in sight or not.
func (p *Panel) Refuse() (id event.RequestID, a event.Answer, done bool) {
	switch r, waits := p.Current(); {
	case !waits:
		return
	case r.Kind == event.RequestApproval, r.Kind == event.RequestTrust:
		return p.answer(event.ChoiceDeny, "")
	}
	return p.answer(event.ChoiceNone, "")
}

// Later puts the request on the screen off and shows the next one that was not,
// which takes keys as soon as it is drawn. When there is none, the keys go back to
// the draft until tab, and everything waits.
func (p *Panel) Later() (id event.RequestID, a event.Answer, done bool) {
	if p.ready() == nil {
		return
	}
	next := p.other()
	p.arming.later[p.current] = true
	if next == "" {
		p.arming.armed = false
		return
	}
	p.show(next)
	p.arming.armed = true
	return
}

// other is the next request after the one on the screen that was not put off, empty
// if there is none.
func (p *Panel) other() event.RequestID {
	n, at := len(p.waiting), p.index()
	for i := 1; i < n; i++ {
		if id := p.waiting[(at+i)%n].ID; !p.arming.later[id] {
			return id
		}
	}
	return ""
}

// PageUp scrolls the content up by what is in sight, less one row where there are
// more than a few. It works without arming: reading is no answer.
func (p *Panel) PageUp() { p.scrollBy(-1) }

// PageDown scrolls the content down; see [Panel.PageUp].
func (p *Panel) PageDown() { p.scrollBy(1) }

func (p *Panel) scrollBy(pages int) {
	if v := p.views[p.current]; v != nil {
		page := p.page
		if page > 3 {
			page--
		}
		v.scroll = max(v.scroll+pages*max(page, 1), 0)
		v.refused, v.word = false, ""
	}
}

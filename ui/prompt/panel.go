package prompt

import (
	"reflect"
	"slices"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
)

// Panel shows one request at a time.
type Panel struct {
	styles *rows.Styles
	keys   *Keys

	all      []event.Request // as synced last
	waiting  []event.Request // those of them that can be answered, in order
	answered map[event.RequestID]bool
	views    map[event.RequestID]*view
	current  event.RequestID // empty when nothing waits

	arming arming
	body   bodyCache
	// now is the time that was told last, for countdowns.
	now time.Time
	// sighted is the request that was drawn last, gone the one that disappeared from
	// the screen without an answer.
	sighted event.RequestID
	gone    *event.Request
	// missed is the view that lost the keys when its request disappeared.
	missed *view
	// along are the answers given along with the newest one.
	along []Answered
	// looked is the request whose edit is to be looked at.
	looked event.RequestID
	// page is how many rows of content were drawn last.
	page int
	// cursor is the cell of the input's cursor, in what was drawn last.
	cursor struct {
		x, y int
		ok   bool
	}
}

// Answered is an answer to a request.
type Answered struct {
	ID     event.RequestID
	Answer event.Answer
}

// New makes an empty panel.
func New(st *rows.Styles) *Panel {
	k := usualKeys()
	return &Panel{styles: st, keys: &k, answered: map[event.RequestID]bool{}, views: map[event.RequestID]*view{}, arming: newArming()}
}

// SetStyles changes the theme.
func (p *Panel) SetStyles(st *rows.Styles) {
	p.styles = st
	p.body = bodyCache{}
	for _, v := range p.views {
		v.input.SetStyles(st)
	}
}

// Sync takes over the requests that wait, oldest first. The request on the
// screen stays there as long as it waits and has not changed; otherwise the one
// that takes its place is shown and has to be armed. Requests of an unknown kind
// or without content are left out. The requests must not be changed afterwards.
func (p *Panel) Sync(requests []event.Request) {
	before, had := p.Current()
	index, left := p.index(), p.views[p.current]
	if !p.Armed() {
		left = nil
	}
	p.all = slices.Clone(requests)
	p.filter()
	now, has := p.find(p.current)
	if !has {
		if had && before.ID == p.sighted {
			p.gone, p.missed = &before, left
		}
		p.showAt(index)
	} else if had && !same(before, now) {
		p.drop(p.current)
		p.show(p.current)
	}
	p.rename()
	p.forget()
}

// same reports whether two states of a request ask for the same. Who asks is a name
// that may change, such as the title of a conversation, and the time until which an
// answer counts may be put off; neither takes anything away of what was typed.
func same(a, b event.Request) bool {
	a.Path, b.Path = nil, nil
	a.At, a.Until = b.At, b.Until
	return reflect.DeepEqual(a, b)
}

// rename takes over who asks, and until when.
func (p *Panel) rename() {
	for _, r := range p.waiting {
		if v := p.views[r.ID]; v != nil && v.rename(r) {
			p.body = bodyCache{}
		}
	}
}

// filter picks the requests that can be answered.
func (p *Panel) filter() {
	p.waiting = p.waiting[:0]
	for _, r := range p.all {
		if _, twice := p.find(r.ID); answerable(r) && !p.answered[r.ID] && !twice {
			p.waiting = append(p.waiting, r)
		}
	}
	for _, v := range p.views {
		v.alike = len(p.kindred(v.request))
	}
}

// answerable reports whether a request has what its kind needs.
func answerable(r event.Request) bool {
	switch r.Kind {
	case event.RequestApproval:
		return r.Approval != nil
	case event.RequestClarify:
		return r.Clarify != nil
	case event.RequestTrust:
		return r.Trust != nil
	case event.RequestSecret:
		return r.Secret != nil
	}
	return false
}

// forget drops what is kept for requests that are gone.
func (p *Panel) forget() {
	here := map[event.RequestID]bool{}
	for _, r := range p.all {
		here[r.ID] = true
	}
	for id := range p.answered {
		if !here[id] {
			delete(p.answered, id)
		}
	}
	for id := range p.views {
		if !here[id] {
			p.drop(id)
		}
	}
	p.arming.forget(here)
}

// drop forgets what was typed for a request.
func (p *Panel) drop(id event.RequestID) {
	if v := p.views[id]; v != nil {
		v.secret.Wipe()
	}
	delete(p.views, id)
}

// Reopen brings back a request whose answer was not accepted, to be answered
// again: a question with what was taken and written for it. It does nothing when
// the request no longer waits.
func (p *Panel) Reopen(id event.RequestID) {
	index := p.index()
	delete(p.answered, id)
	p.filter()
	if p.current == "" {
		p.showAt(index)
	}
}

// Turn puts a waiting request on the screen, unarmed. The root calls it when the
// user has turned to something else, where this request is the one expected; it
// does nothing when the request is there already or does not wait.
func (p *Panel) Turn(id event.RequestID) {
	if _, waits := p.find(id); waits && id != p.current {
		p.show(id)
	}
}

// Active reports whether a request waits.
func (p *Panel) Active() bool { return p.current != "" }

// Current is the request on the screen.
func (p *Panel) Current() (event.Request, bool) { return p.find(p.current) }

func (p *Panel) find(id event.RequestID) (event.Request, bool) {
	i := slices.IndexFunc(p.waiting, func(r event.Request) bool { return r.ID == id })
	if i < 0 {
		return event.Request{}, false
	}
	return p.waiting[i], true
}

// index is the place of the current request, 0 if there is none.
func (p *Panel) index() int {
	return max(slices.IndexFunc(p.waiting, func(r event.Request) bool { return r.ID == p.current }), 0)
}

// showAt shows the request at a place, or the last one before it.
func (p *Panel) showAt(i int) {
	if len(p.waiting) == 0 {
		p.show("")
		return
	}
	p.show(p.waiting[min(i, len(p.waiting)-1)].ID)
}

// show puts a request on the screen, unarmed.
func (p *Panel) show(id event.RequestID) {
	p.current, p.body = id, bodyCache{}
	p.arming.begin()
	if id != "" && p.views[id] == nil {
		r, _ := p.find(id)
		p.views[id] = newView(r, p.styles, p.keys)
		p.views[id].alike = len(p.kindred(r))
	}
}

// answer ends the current request and shows the next one.
func (p *Panel) answer(choice event.Choice, text string) (event.RequestID, event.Answer, bool) {
	return p.reply(event.Answer{Choice: choice, Text: text})
}

// reply ends the current request. What was taken and written for a question is kept
// until the request is gone: its answer may not be accepted.
func (p *Panel) reply(a event.Answer) (event.RequestID, event.Answer, bool) {
	id, index := p.current, p.index()
	p.answered[id] = true
	if p.views[id].request.Kind != event.RequestClarify {
		p.drop(id)
	}
	p.filter()
	p.showAt(index)
	return id, a, true
}

// answerAll ends the requests of the group that the current view shows, as far as
// they still wait. The first answer is returned, the others are those of
// [Panel.More].
func (p *Panel) answerAll(v *view, choice event.Choice) (event.RequestID, event.Answer, bool) {
	index := p.index()
	p.along = nil
	for _, r := range v.group {
		if _, waits := p.find(r.ID); waits && r.ID != v.request.ID {
			p.along = append(p.along, Answered{r.ID, event.Answer{Choice: choice}})
			p.answered[r.ID] = true
			p.drop(r.ID)
		}
	}
	id, a, done := p.answer(choice, "")
	p.showAt(index)
	return id, a, done
}

// Looks gives the request whose edit the user wants to look at, once.
func (p *Panel) Looks() (event.Request, bool) {
	r, ok := p.find(p.looked)
	p.looked = ""
	return r, ok
}

// Decide answers a request that was looked at elsewhere. It reports false when it does not
// wait any more.
func (p *Panel) Decide(id event.RequestID, a event.Answer) (event.RequestID, event.Answer, bool) {
	if _, waits := p.find(id); !waits {
		return id, a, false
	}
	p.Turn(id)
	return p.reply(a)
}

// More gives the answers that go with the one a verb has just returned: those to
// the other requests of its kind. It gives them once.
func (p *Panel) More() []Answered {
	more := p.along
	p.along = nil
	return more
}

// kindred are the approvals that wait for the same kind of thing, r among them.
func (p *Panel) kindred(r event.Request) []event.Request {
	if r.Kind != event.RequestApproval {
		return nil
	}
	var list []event.Request
	for _, o := range p.waiting {
		if o.Kind == r.Kind && o.Approval.Category == r.Approval.Category && o.Approval.Action == r.Approval.Action {
			list = append(list, o)
		}
	}
	return list
}

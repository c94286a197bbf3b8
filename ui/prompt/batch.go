package prompt

import (
	"strings"

	"hermes-tui/agent/event"
)

// Words about an answer that cannot be given yet.
const (
	nothingTaken = "Nothing selected: space selects a row"
	nothingTyped = "Nothing written: type an answer"
)

// NextQuestion shows the next question of a batch, and behind the last one all the
// answers. What was typed is kept as an answer. Unlike [Panel.Right] it also
// leaves a text that is being typed.
func (p *Panel) NextQuestion() (event.RequestID, event.Answer, bool) { return p.step(1) }

// PrevQuestion shows the question before; see [Panel.NextQuestion].
func (p *Panel) PrevQuestion() (event.RequestID, event.Answer, bool) { return p.step(-1) }

func (p *Panel) step(by int) (id event.RequestID, a event.Answer, done bool) {
	v := p.ready()
	if v == nil || !v.batch() || v.at+by < 0 || v.at+by > len(v.items) {
		return
	}
	v.keep()
	p.open(v, v.at+by)
	return
}

// open shows a question of a batch. It takes keys once it was drawn.
func (p *Panel) open(v *view, at int) {
	v.open(at)
	p.arming.drawn = false
}

// onward goes on after a question was answered or left open: to the next one, to
// the review, or to the end when it was the only one.
func (p *Panel) onward(v *view) (id event.RequestID, a event.Answer, done bool) {
	if !v.batch() {
		return p.sendParts(v)
	}
	to := v.at + 1
	if v.looking {
		to = len(v.items)
	}
	p.open(v, to)
	v.looking = v.looking || v.page == review
	return
}

// sendParts answers with what was taken and written for each question. Nothing at
// all is no answer.
func (p *Panel) sendParts(v *view) (event.RequestID, event.Answer, bool) {
	if v.given() == 0 {
		return p.answer(event.ChoiceNone, "")
	}
	var parts [][]string
	for i := range v.items {
		parts = append(parts, v.items[i].parts())
	}
	return p.reply(event.Answer{Choice: event.ChoiceText, Parts: parts})
}

// take carries out a row of a request that is not plain.
func (p *Panel) take(v *view, o option) (id event.RequestID, a event.Answer, done bool) {
	q := v.asked()
	switch o.effect {
	case change:
		p.open(v, o.choice)
	case submit:
		return p.sendParts(v)
	case finish:
		if q.count() > 0 || v.batch() {
			return p.onward(v)
		}
		v.word = nothingTaken
	case pick:
		switch {
		case !q.multi:
			clear(q.taken)
			q.taken[o.choice] = true
			v.keep()
			return p.onward(v)
		case v.filters() && !v.input.Empty():
			q.toggle(o.choice)
			v.turn(choosing, v.listHint())
		case q.count() > 0:
			v.keep()
			return p.onward(v)
		default:
			v.word = nothingTaken
		}
	}
	return
}

// toggle takes the marked row of a question that is not plain, or gives it back.
// On the row for an answer of one's own it opens the text.
func (p *Panel) toggle(v *view) {
	switch o, ok := v.marked(); {
	case !ok:
	case o.effect == pick:
		v.asked().toggle(o.choice)
	case o.effect == other:
		v.describe()
	}
}

// spaces reports whether a blank toggles the marked row.
func (v *view) spaces() bool {
	return v.page == choosing && !v.plain() && (v.asked().multi || !v.filters())
}

// describe opens the text for an answer that is not offered.
func (v *view) describe() {
	typed := v.input.Value()
	hint := otherHint
	if !v.plain() && v.asked().multi {
		hint = addHint
	}
	v.turn(writing, hint)
	v.input.Set(typed)
}

// written takes what was typed for a request that is not plain.
func (p *Panel) written(v *view) (id event.RequestID, a event.Answer, done bool) {
	q := v.asked()
	switch {
	case strings.TrimSpace(v.input.Value()) == "":
		v.word = nothingTyped
		if v.batch() && q.free() {
			v.word += ", or → leaves it open"
		}
		return
	case q.multi:
		at := q.add(strings.TrimSpace(v.input.Value()))
		v.turn(choosing, v.listHint())
		v.mark = at
		return
	}
	v.keep()
	return p.onward(v)
}

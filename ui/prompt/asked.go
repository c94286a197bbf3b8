package prompt

import (
	"slices"
	"strings"

	"hermes-tui/agent/event"
)

// asked is one question of a clarify request, and what was taken and written for
// it so far.
type asked struct {
	question string
	choices  []string
	multi    bool
	// own are answers that the user wrote. taken tells of each choice, and of each
	// own answer after them, whether it is part of the answer.
	own   []string
	taken []bool
	mark  int // of the rows to choose from, when the question was left
}

// asks makes the questions of a request.
func asks(c *event.Clarify) []asked {
	list := []asked{{question: c.Question, choices: c.Choices, multi: c.Multi}}
	for _, q := range c.More {
		list = append(list, asked{question: q.Question, choices: q.Choices, multi: q.Multi})
	}
	for i := range list {
		q := &list[i]
		q.taken = make([]bool, len(q.choices))
		q.multi = q.multi && !q.free()
	}
	return list
}

// free reports whether a question offers nothing to choose from.
func (q *asked) free() bool { return len(q.choices) == 0 }

// size is how many answers can be taken, own ones among them.
func (q *asked) size() int { return len(q.taken) }

// text is an answer that can be taken, as it came.
func (q *asked) text(i int) string {
	if i < len(q.choices) {
		return q.choices[i]
	}
	return q.own[i-len(q.choices)]
}

// count is how many answers are taken.
func (q *asked) count() int {
	n := 0
	for _, t := range q.taken {
		if t {
			n++
		}
	}
	return n
}

// toggle takes an answer, or gives it back. Of a question with one answer the
// others are given back.
func (q *asked) toggle(i int) {
	to := !q.taken[i]
	if !q.multi {
		clear(q.taken)
	}
	q.taken[i] = to
}

// add takes an answer of the user's own, which is not empty; one that can be
// taken already is taken. It returns its place.
func (q *asked) add(text string) int {
	if !q.multi {
		q.drop()
	}
	for i := range q.size() {
		if q.text(i) == text {
			q.taken[i] = true
			return i
		}
	}
	q.own, q.taken = append(q.own, text), append(q.taken, true)
	return q.size() - 1
}

// drop forgets everything that was taken and written.
func (q *asked) drop() {
	q.own, q.taken = nil, q.taken[:len(q.choices)]
	clear(q.taken)
}

// parts are the answers that are taken, in the order in which they stand.
func (q *asked) parts() []string {
	parts := []string{}
	for i, t := range q.taken {
		if t {
			parts = append(parts, q.text(i))
		}
	}
	return parts
}

// plain reports whether the first choice taken, or the text written, is the whole
// answer.
func (v *view) plain() bool {
	return v.request.Kind != event.RequestClarify || v.request.Clarify.Plain()
}

// batch reports whether the request asks more than one question.
func (v *view) batch() bool { return len(v.items) > 1 }

// asked is the question that is shown. Only a clarify request has one.
func (v *view) asked() *asked { return &v.items[min(v.at, len(v.items)-1)] }

// given counts the questions of a batch that have an answer.
func (v *view) given() int {
	n := 0
	for i := range v.items {
		if v.items[i].count() > 0 {
			n++
		}
	}
	return n
}

// keep puts down what was typed for the question that is shown: it is its answer,
// or a further one.
func (v *view) keep() {
	if v.plain() || v.page == review {
		return
	}
	q, text := v.asked(), strings.TrimSpace(v.input.Value())
	switch {
	case q.free():
		q.drop()
		fallthrough
	case v.page == writing:
		if text != "" {
			q.mark = q.add(text)
		}
	default:
		q.mark = v.mark
	}
}

// open shows a question of a batch as it was left; behind the last one it shows
// the review.
func (v *view) open(at int) {
	v.at = max(min(at, len(v.items)), 0)
	if v.at == len(v.items) {
		v.turn(review, "")
		v.mark = len(v.items)
		return
	}
	q := v.asked()
	if q.free() {
		v.turn(writing, v.freeHint())
		v.input.Set(strings.Join(q.own, "\n"))
		return
	}
	v.turn(choosing, v.listHint())
	v.mark = q.mark
	if i := slices.Index(q.taken, true); i >= 0 && !q.multi && !v.filters() {
		v.mark = i
	}
}

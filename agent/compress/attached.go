package compress

import (
	"slices"
	"unicode/utf8"

	"hermes-tui/providers"
	"hermes-tui/tools"
)

// What goes back before the model is bounded, each text and all together, in tokens.
const (
	mostOfOne = 5_000
	mostOfAll = 25_000
)

// mostShareOfAll is how much of a budget is kept free for it: a quarter.
const mostShareOfAll = 4

const attachedCut = "\n[cut to make room; read it again when you need the rest]"

// attach puts texts that were to stay before the model, and were shortened or left out,
// at the end of the newest message of the user: the newest first, as far as there is room.
// Those of older messages move there as well.
func (w *work) attach(r *Result, room int) {
	carrier := -1
	for i, m := range r.History {
		if m.Role == providers.User && !shows(&m) {
			carrier = i
		}
	}
	if carrier < 0 {
		return
	}
	there, list := map[string]bool{}, []tools.Attached{}
	leftOut := make(map[string]bool, len(r.LeftOut))
	for _, id := range r.LeftOut {
		leftOut[id] = true
	}
	for i := len(w.old) - 1; i >= 0; i-- {
		m := &w.old[i]
		gone := leftOut[m.ID]
		found, stays := w.attachedTo(i, gone)
		if !gone && !m.Pinned && m.Role == providers.User && m.ID != r.History[carrier].ID && len(found) > 0 {
			w.detach(r, m.ID)
			stays = false
		}
		for _, a := range slices.Backward(found) {
			if !there[a.Name] && !stays {
				list = append(list, a)
			}
			there[a.Name] = true
		}
	}
	m := r.History[carrier]
	said, own := tools.Detach(m.Text())
	left, taken := min(room, mostOfAll), []tools.Attached{}
	for _, a := range list {
		a = cutAttached(a)
		if left -= weight(a); left < 0 {
			break
		}
		taken = append(taken, a)
	}
	slices.Reverse(taken) // the newest last, as messages are
	own = append(taken, own...)
	if text := said + tools.Attach(own); text != m.Text() {
		m.Parts = providers.TextParts(text)
		r.put(carrier, m)
	}
}

// attachedRoom is how much has to be kept free for what [work.attach] adds, in tokens, if
// nothing of it stays where it is.
func (w *work) attachedRoom(b Budget) int {
	most := min(mostOfAll, b.History/mostShareOfAll)
	there, room := map[string]bool{}, 0
	for i := len(w.old) - 1; i >= 0; i-- {
		list, _ := w.attachedTo(i, true)
		for _, a := range slices.Backward(list) {
			n := weight(cutAttached(a))
			if there[a.Name] {
				continue
			}
			if there[a.Name] = true; room+n > most {
				return room
			}
			room += n
		}
	}
	return room
}

// weight is what something attached adds to a message, in tokens.
func weight(a tools.Attached) int { return tokens(utf8.RuneCountInString(a.Text)) + 2*tokensPerMessage }

// attachedTo is what stays before the model of a message, and whether it is still there.
func (w *work) attachedTo(i int, gone bool) (list []tools.Attached, stays bool) {
	m := &w.old[i]
	switch m.Role {
	case providers.User:
		_, list = tools.Detach(m.Text())
	case providers.Tool:
		tool, known := w.e.find(w.calls[i].Name)
		if !known || tool.Again == nil {
			return nil, false
		}
		body, _ := w.said.split(m.Text())
		body, _ = tools.Unfence(body)
		if a, ok := tool.Again(tools.ParseMembers(w.calls[i].Arguments), tools.ParseMembers(body)); ok {
			list = []tools.Attached{a}
		}
		return list, !gone && !w.results[i]
	}
	return list, !gone
}

// detach takes off a message what will stand elsewhere.
func (w *work) detach(r *Result, id string) {
	i := slices.IndexFunc(r.History, func(m providers.Message) bool { return m.ID == id })
	m := r.History[i]
	said, _ := tools.Detach(m.Text())
	m.Parts = append(providers.TextParts(said), imagesOf(m)...)
	r.put(i, m)
}

func imagesOf(m providers.Message) []providers.Part {
	return slices.DeleteFunc(slices.Clone(m.Parts), func(p providers.Part) bool { return p.Image == nil })
}

func cutAttached(a tools.Attached) tools.Attached {
	if r := []rune(a.Text); len(r) > mostOfOne*charsPerToken {
		a.Text = string(r[:mostOfOne*charsPerToken-len(attachedCut)]) + attachedCut
	}
	return a
}

// put changes a message of the history that came of a compression.
func (r *Result) put(i int, m providers.Message) {
	r.After += size(&m) - size(&r.History[i])
	r.History[i] = m
	if at := slices.IndexFunc(r.Replaced, func(o providers.Message) bool { return o.ID == m.ID }); at >= 0 {
		r.Replaced[at] = m
		return
	}
	r.Replaced = append(r.Replaced, m)
}

package review

import (
	"strconv"
	"strings"

	"hermes-tui/tools/hunks"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
)

// Act implements [overlay.Box].
func (w *Window) Act(a keys.Action) overlay.Request {
	w.say = ""
	if w.writing != nothing {
		return w.write(a)
	}
	if len(w.pieces) == 0 {
		return nil
	}
	p := &w.pieces[w.at]
	switch a {
	case keys.NextHunk:
		w.mark(w.at + 1)
	case keys.PrevHunk:
		w.mark(w.at - 1)
	case keys.NextUndecided:
		w.undecided()
	case keys.TakeHunk:
		w.decide(hunks.Accept)
	case keys.RejectHunk:
		w.decide(hunks.Reject)
	case keys.TakeAll:
		w.decideAll(hunks.Accept)
	case keys.RejectAll:
		w.decideAll(hunks.Reject)
	case keys.Undecide:
		p.verdict, p.text, p.comment = "", "", ""
		w.follow = true
	case keys.SideBySide:
		w.sides, w.chosen, w.follow = !w.sides, true, true
	case keys.CommentHunk:
		w.begin(comment, p.comment)
	case keys.EditHunk:
		return w.rewrite(false)
	case keys.Editor:
		return w.rewrite(true)
	case keys.Accept:
		return w.send()
	}
	return nil
}

// mark marks another piece.
func (w *Window) mark(i int) { w.at, w.follow = max(min(i, len(w.pieces)-1), 0), true }

// undecided marks the next piece about which nothing is decided.
func (w *Window) undecided() {
	for n := range w.pieces {
		if i := (w.at + 1 + n) % len(w.pieces); w.pieces[i].verdict == "" {
			w.mark(i)
			return
		}
	}
}

// decide decides about the marked piece and goes to the next one.
func (w *Window) decide(v hunks.Verdict) {
	p := &w.pieces[w.at]
	p.verdict, p.text = v, ""
	w.mark(w.at + 1)
}

// decideAll decides about all pieces but those that were written otherwise.
func (w *Window) decideAll(v hunks.Verdict) {
	for i := range w.pieces {
		if p := &w.pieces[i]; p.verdict != hunks.Replace || v == hunks.Reject {
			p.verdict, p.text = v, ""
		}
	}
	w.follow = true
}

// begin opens the input.
func (w *Window) begin(what writing, with string) {
	w.writing, w.follow = what, true
	w.input.SetDraft("")
	w.input.Insert(spellTabs(with))
}

// rewrite has the marked piece written otherwise, here or in the user's editor.
func (w *Window) rewrite(editor bool) overlay.Request {
	p := &w.pieces[w.at]
	now := p.proposed
	if p.verdict == hunks.Replace {
		now = p.text
	}
	switch {
	case !p.editable:
		w.say = w.fixed(p)
	case editor:
		return Editor{w, p.what, now}
	case strings.Contains(now, tabs) || strings.Contains(now, "\r"):
		w.say = "It has characters that cannot be typed here: change it in your editor."
	default:
		w.begin(text, now)
	}
	return nil
}

// fixed says why a piece cannot be written otherwise.
func (w *Window) fixed(p *piece) string {
	if w.o.Edit.Files[p.file].Masked {
		return "Something is masked in this file, so it can only be accepted or rejected here."
	}
	return "This can only be accepted or rejected as a whole."
}

// Written takes over what an editor made of the marked piece.
func (w *Window) Written(now string) {
	if len(w.pieces) > 0 {
		w.replace(strings.TrimSuffix(now, "\n"))
	}
}

// Say shows a sentence until the next key.
func (w *Window) Say(text string) { w.say = text }

func (w *Window) replace(now string) {
	p := &w.pieces[w.at]
	if p.verdict, p.text = hunks.Replace, now; now == p.proposed {
		p.verdict, p.text = hunks.Accept, ""
	}
	w.follow = true
}

// write carries out an action while something is written.
func (w *Window) write(a keys.Action) overlay.Request {
	if e, ok := w.o.Edits[a]; ok {
		w.input.Do(e)
		return nil
	}
	switch a {
	case keys.Newline:
		if w.writing == text {
			w.input.Do(composer.Newline)
		}
	case keys.Complete:
		if w.writing == text {
			w.input.Insert(tabs)
		}
	case keys.Accept:
		now := w.input.Value()
		if w.writing == comment {
			w.pieces[w.at].comment = strings.TrimSpace(strings.ReplaceAll(now, tabs, " "))
		} else {
			w.replace(strings.ReplaceAll(now, tabs, "\t"))
		}
		w.writing, w.follow = nothing, true
	}
	return nil
}

// send asks to send what was decided, if that is all there is to decide.
func (w *Window) send() overlay.Request {
	r := hunks.Review{Rest: hunks.Accept}
	open := 0
	for _, p := range w.pieces {
		d := hunks.Decision{File: p.file, Piece: p.number, Verdict: p.verdict, Text: p.text, Comment: p.comment}
		switch {
		case p.verdict != "":
		case w.o.Made:
			d.Verdict = hunks.Accept
		default:
			open++
			continue
		}
		if d.Verdict != hunks.Accept || d.Comment != "" {
			r.List = append(r.List, d)
		}
	}
	switch {
	case open > 0 && len(r.List) == 0 && open == len(w.pieces):
		w.say = "Nothing is decided yet."
		return nil
	case open > 0:
		if w.pieces[w.at].verdict != "" {
			w.undecided()
		}
		w.follow = true
		w.say = strconv.Itoa(open) + " of " + strconv.Itoa(len(w.pieces)) + " are undecided: this is the next one."
		return nil
	case w.o.Made && len(r.List) == 0:
		w.say = "There is nothing to send: reject, change or comment something first."
		return nil
	}
	return Send{w, r}
}

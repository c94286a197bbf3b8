package scrub

import (
	"math/bits"
	"strings"
)

// verdict is what a '<' turns out to be.
type verdict uint8

const (
	mention verdict = iota // text
	unsure                 // the end of the text does not let it be told
	opens                  // the opening tag of a block
	stray                  // a closing tag without a block
	ending                 // one that ends reasoning from the beginning of the text on
	waits                  // an opening tag that may still be closed
)

// judge tells what the '<' at i is, which form it belongs to, and how long the tag
// is.
func (sc *scan) judge(i int) (verdict, *form, int) {
	t := sc.buf[i:]
	open, closing := byKey.find(t)
	if open|closing == 0 {
		return mention, nil, 0
	}
	may, stop := sc.eligible()
	undecided := false
	for ; open != 0; open &= open - 1 {
		at := bits.TrailingZeros64(uint64(open))
		f := &forms[at]
		if may&f.rule == 0 {
			continue
		}
		n := f.opening(t)
		if n > 0 {
			return sc.opened(at, i, n), f, n
		}
		undecided = undecided || n < 0
	}
	for ; closing != 0; closing &= closing - 1 {
		f := &forms[bits.TrailingZeros64(uint64(closing))]
		if stop&f.rule == 0 || f.rule == HideCalls && sc.line.inked && f.manner != always {
			continue
		}
		n := prefix(t, f.close)
		if n > 0 && f.rule == HideReasoning && !sc.thought {
			if v := sc.ends(t[n:]); v != mention {
				return v, f, n
			}
		}
		if n > 0 {
			return stray, f, n
		}
		undecided = undecided || n < 0
	}
	if undecided && !sc.final {
		return unsure, nil, 0
	}
	return mention, nil, 0
}

// ends judges a closing tag of reasoning by its place: rest follows it.
func (sc *scan) ends(rest string) verdict {
	switch far := lineBreak(rest); {
	case !sc.line.inked, far > 0:
		return ending
	case far < 0 && !sc.final:
		return unsure
	}
	return mention
}

// eligible gives the rules whose opening tags, and whose closing tags without a
// block, may count where the text stands now.
func (s *Stream) eligible() (open, closing Rules) {
	open = s.rules
	if s.line.inCode() {
		open &= HideMemory
	}
	if s.line.quoted() {
		open &^= HideCalls
	}
	closing = open &^ HideMemory
	if s.line.inked {
		open &^= HideMemory
	}
	return open, closing
}

// opened judges a complete opening tag of forms[at]: n bytes at i.
func (sc *scan) opened(at, i, n int) verdict {
	rest := sc.buf[i+n:]
	switch f := &forms[at]; f.manner {
	case fenced:
		return sc.told(lineBreak(rest), mention)
	case plainly:
		if !sc.line.inked {
			return opens
		}
	case likely:
		if !sc.line.inked && lineBreak(rest) == 1 {
			return opens
		}
		if v := sc.told(call(rest), mention); v != mention {
			return v
		}
	case always:
		return opens
	case closed:
		if !sc.line.inked {
			if v := sc.told(body(rest), mention); v != mention {
				return v
			}
		}
	}
	return sc.fate(at, i, n)
}

// told makes a verdict of 1 for yes, 0 for no and -1 for undecided.
func (sc *scan) told(yes int, no verdict) verdict {
	switch {
	case yes > 0:
		return opens
	case yes < 0 && !sc.final:
		return unsure
	}
	return no
}

// fate judges an opening tag that counts if it is closed.
func (sc *scan) fate(at, i, n int) verdict {
	f := &forms[at]
	oneLine := f.manner != closed
	if oneLine && sc.line.long {
		return mention
	}
	far := min(len(sc.buf), i+LongestHeld)
	limit := far
	if oneLine {
		limit = min(far, sc.lineBreak(i))
	}
	switch {
	case sc.closes(at, i+n, limit):
		return opens
	case limit < far || sc.final && far < i+LongestHeld:
		return mention
	case far < i+LongestHeld:
		return waits
	case oneLine:
		sc.line.long = true
		return mention
	}
	return opens
}

// lineBreak is the place of the first line break from i on, len(buf) if there is
// none.
func (sc *scan) lineBreak(i int) int {
	if sc.lineEnd < i {
		sc.lineEnd = len(sc.buf)
		if n := strings.IndexByte(sc.buf[i:], '\n'); n >= 0 {
			sc.lineEnd = i + n
		}
	}
	return sc.lineEnd
}

// closes reports whether a closing tag of forms[at] stands in buf[from:to]. It looks
// at no place twice, so that many opening tags cost no more than one.
func (sc *scan) closes(at, from, to int) bool {
	if sc.none == nil {
		sc.none = new([len(forms)]int)
	}
	tag := forms[at].close
	from = max(from, sc.none[at])
	if index(sc.buf, tag, from, to) >= 0 {
		return true
	}
	sc.none[at] = max(from, to-len(tag)+1)
	return false
}

package prompt

import (
	"cmp"
	"slices"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// Bounds of looking for words in a text, so that a huge command costs no more than a
// large one.
const (
	maxMarked  = 64 << 10 // bytes of the text
	maxStarts  = 64       // places where a reason's words may begin
	wordEdges  = " \t\n;|&()<>{}'\"`$=:,!"
	unknowable = "…" // stands for a word that is not known before the command runs
)

// mark is a part of a text that causes concern, in bytes.
type mark struct {
	from, to int
	held     bool // confinement keeps it from doing harm
}

// marks finds the words of reasons in a text, in order and without overlap. Those of what
// is asked about come before those of what is held. Words that are not in the text as
// they are, since they are quoted in parts or come out of a variable, are left out.
func marks(text string, all []event.Reason) []mark {
	if len(text) > maxMarked {
		return nil
	}
	var list []mark
	for _, held := range []bool{false, true} {
		for _, r := range all {
			if (r.Held != "") != held || term.Line(strings.Join(r.Words, " ")) == term.Line(text) {
				continue
			}
			for _, m := range wordsIn(text, r.Words) {
				m.held = held
				if !slices.ContainsFunc(list, func(o mark) bool { return m.from < o.to && o.from < m.to }) {
					list = append(list, m)
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b mark) int { return cmp.Compare(a.from, b.from) })
	return list
}

// wordsIn finds words in a text, one behind the other, where they stand closest.
func wordsIn(text string, words []string) []mark {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" || strings.Contains(w, unknowable) })
	for i := range words {
		words[i] = spell(term.Plain(words[i]))
	}
	var best []mark
	for at, starts := 0, 0; len(words) > 0 && starts < maxStarts; starts++ {
		first, ok := wordAt(text, words[0], at)
		if !ok {
			break
		}
		list := []mark{first}
		for _, w := range words[1:] {
			if next, ok := wordAt(text, w, list[len(list)-1].to); ok {
				list = append(list, next)
			}
		}
		if len(list) > len(best) || len(list) == len(best) && extent(list) < extent(best) {
			best = list
		}
		at = first.to
	}
	return best
}

func extent(list []mark) int { return list[len(list)-1].to - list[0].from }

// wordAt finds a word in a text from an offset on, where it is one by itself.
func wordAt(text, word string, from int) (mark, bool) {
	for {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return mark{}, false
		}
		at, end := from+i, from+i+len(word)
		before := at == 0 || strings.IndexByte(wordEdges, text[at-1]) >= 0
		behind := end == len(text) || strings.IndexByte(wordEdges, text[end]) >= 0
		if before && behind {
			return mark{from: at, to: end}, true
		}
		from = at + 1
	}
}

// cutMarks are the marks within the part of a text that begins at an offset, moved to it.
func cutMarks(list []mark, from, to int) []mark {
	var cut []mark
	for _, m := range list {
		if m.from < to && from < m.to {
			cut = append(cut, mark{max(m.from, from) - from, min(m.to, to) - from, m.held})
		}
	}
	return cut
}

// render draws a row of content. What causes concern is underlined, and has a colour of
// its own where nothing holds it.
func (r row) render(st *rows.Styles) string {
	if len(r.marks) == 0 {
		return r.style.Render(r.text)
	}
	var b strings.Builder
	at := 0
	for _, m := range r.marks {
		style := st.Warn.With(rows.Bold, rows.Underline)
		if m.held {
			style = r.style.With(rows.Underline)
		}
		b.WriteString(r.style.Render(r.text[at:m.from]))
		b.WriteString(style.Render(r.text[m.from:m.to]))
		at = m.to
	}
	b.WriteString(r.style.Render(r.text[at:]))
	return b.String()
}

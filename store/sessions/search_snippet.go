package sessions

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// snip adds the texts around what was found.
func (d *DB) snip(ctx context.Context, m matcher, found []Found) error {
	hits := map[int64]*Hit{}
	var rows []int64
	for i := range found {
		for k := range found[i].Hits {
			h := &found[i].Hits[k]
			hits[h.Row], rows = h, append(rows, h.Row)
		}
	}
	const read = "SELECT m.id, m.content, m.tool_name, m.tool_calls FROM json_each(?) f JOIN messages m ON m.id = f.value"
	return d.query(ctx, "read what was found", read, []any{list(rows)}, func(scan scanFunc) error {
		var row int64
		var content, name, calls string
		err := scan(&row, orEmpty{&content}, orEmpty{&name}, orEmpty{&calls})
		if h := hits[row]; h != nil && err == nil {
			h.Snippet = m.snippet(flatten(content), name, calls)
		}
		return err
	})
}

// snippet is the part of a message that was found: of its text, else of what it calls.
func (m matcher) snippet(content, name, calls string) string {
	for _, text := range []string{content, name, callText(calls)} {
		if part, ok := m.around(text); ok {
			return strings.TrimSpace(part)
		}
	}
	return strings.TrimSpace(cut(cmp.Or(strings.TrimSpace(content), callText(calls)), snippetLength))
}

// callText is what calls of tools say, without their form: names and the texts in
// their arguments.
func callText(calls string) string {
	var list []struct {
		Function struct{ Name, Arguments string }
	}
	if calls == "" || json.Unmarshal([]byte(calls), &list) != nil {
		return calls
	}
	var b strings.Builder
	for i, c := range list {
		if i > 0 {
			b.WriteString(" · ")
		}
		b.WriteString(c.Function.Name)
		var arguments any
		if json.Unmarshal([]byte(c.Function.Arguments), &arguments) != nil {
			arguments = c.Function.Arguments
		}
		leaves(&b, arguments)
	}
	return b.String()
}

// leaves writes the texts and numbers in a value.
func leaves(b *strings.Builder, v any) {
	switch v := v.(type) {
	case string:
		b.WriteByte(' ')
		b.WriteString(v)
	case []any:
		for _, one := range v {
			leaves(b, one)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			leaves(b, v[k])
		}
	case nil:
	default:
		raw, err := json.Marshal(v)
		if err == nil {
			b.WriteByte(' ')
			b.Write(raw)
		}
	}
}

// snippetLength is how many code points of a text are shown about what was found.
const snippetLength = 200

// around is the part of a text about what was found in it, with marks; false says that
// it holds nothing of that.
func (m matcher) around(text string) (string, bool) {
	places := m.places(text)
	if len(places) == 0 {
		return "", false
	}
	first := places[0]
	from := back(text, first[0], snippetLength/3)
	to := forward(text, max(from, first[1]), snippetLength-utf8.RuneCountInString(text[from:first[1]]))
	var b strings.Builder
	if from > 0 {
		b.WriteString("…")
	}
	at := from
	for _, p := range places {
		if p[0] < at || p[1] > max(to, first[1]) {
			continue
		}
		b.WriteString(text[at:p[0]] + MarkBegin + text[p[0]:p[1]] + MarkEnd)
		at = p[1]
	}
	b.WriteString(text[at:max(at, to)])
	if to < len(text) {
		b.WriteString("…")
	}
	return b.String(), true
}

// back is so many code points before a place, or behind the word that begins there.
func back(text string, at, points int) int {
	from := at
	for ; from > 0 && points > 0; points-- {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	if from > 0 {
		if i := strings.IndexAny(text[from:at], " \t\n"); i >= 0 {
			return from + i + 1
		}
	}
	return from
}

// forward is so many code points behind a place, or before the word that ends there.
func forward(text string, at, points int) int {
	to := at
	for ; to < len(text) && points > 0; points-- {
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	if to < len(text) {
		if i := strings.LastIndexAny(text[at:to], " \t\n"); i > 0 {
			return at + i
		}
	}
	return to
}

// mostPlaces is how many places of a text are looked for.
const mostPlaces = 50

// places are where a text holds what was found, from and to in bytes, in order. Those
// before the place that has the most different ones near it are left out.
func (m matcher) places(text string) [][2]int {
	var all [][3]int // with the number of what it is
	if len(m.terms) > 0 {
		for n, t := range m.terms {
			if at := strings.Index(asciiLower(text), asciiLower(t)); at >= 0 { // as LIKE compares
				all = append(all, [3]int{at, at + len(t), n})
			}
		}
	} else {
		all = occurrences(text, m.phrases)
	}
	slices.SortFunc(all, func(a, b [3]int) int { return a[0] - b[0] })
	best, most := 0, 0
	for i := range all {
		kinds := map[int]bool{}
		for _, o := range all[i:] {
			if o[0] > all[i][0]+snippetLength/2 {
				break
			}
			kinds[o[2]] = true
		}
		if len(kinds) > most {
			best, most = i, len(kinds)
		}
	}
	var places [][2]int
	for _, o := range all[min(best, len(all)):] {
		places = append(places, [2]int{o[0], o[1]})
	}
	return places
}

// occurrences are the places of phrases in a text, with their numbers.
func occurrences(text string, phrases []phrase) (all [][3]int) {
	most := 1
	for _, p := range phrases {
		most = max(most, len(p.words))
	}
	type word struct {
		from, to int
		text     string
	}
	last := make([]word, 0, most)
	eachWord(text, func(from, to int) bool {
		if len(last) == most {
			last = append(last[:0], last[1:]...)
		}
		last = append(last, word{from, to, fold(text[from:to])})
		for n, p := range phrases {
			k := len(last) - len(p.words)
			if k < 0 {
				continue
			}
			fits := true
			for i, want := range p.words {
				have := last[k+i].text
				fits = fits && (have == want || p.begins && i == len(p.words)-1 && strings.HasPrefix(have, want))
			}
			if fits {
				all = append(all, [3]int{last[k].from, to, n})
			}
		}
		return len(all) < mostPlaces
	})
	return all
}

// eachWord cuts a text into words as the index does, until do returns false.
func eachWord(text string, do func(from, to int) bool) {
	from := -1
	for i, r := range text {
		in := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Co, r))
		switch {
		case in && from < 0:
			from = i
		case !in && from >= 0:
			if !do(from, i) {
				return
			}
			from = -1
		}
	}
	if from >= 0 {
		do(from, len(text))
	}
}

// fold is a word as the index compares it: in lower case and without accents.
func fold(word string) string {
	ascii := true
	for i := 0; i < len(word) && ascii; i++ {
		ascii = word[i] < utf8.RuneSelf
	}
	if ascii {
		return asciiLower(word)
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(word))
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

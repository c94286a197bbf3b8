package sessions

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// matcher says which rows fit.
type matcher struct {
	table string // empty finds nothing
	row   string // its column with the row of a message
	where string
	args  []any
	// phrases are what is looked for; of trigrams and of texts that are looked
	// through, terms are.
	phrases []phrase
	terms   []string
	slow    bool // to find, a hundred times as much as a single word
	// alternatives are what stands between the ORs of a query.
	alternatives []string
}

// matching chooses the way in which a text is looked for.
func (d *DB) matching(ctx context.Context, s Search) (matcher, error) {
	terms := strings.Fields(strings.Map(spaced, s.Text))
	if slices.ContainsFunc(terms, isCJK) {
		return trigrams(terms), nil
	}
	match := SanitizeQuery(s.Text)
	if match == "" {
		return matcher{}, nil
	}
	if word := typedWord(match); s.Typed && word != "" {
		common, err := d.common(ctx, word)
		if err != nil {
			return matcher{}, err
		}
		rest := SanitizeQuery(strings.TrimSuffix(match, word+"*"))
		switch {
		case common && rest == "":
			return matcher{table: "messages", row: "id", where: "role IN ('user', 'assistant') AND " + beginsWord, args: beginning(word),
				slow: true, phrases: []phrase{{words: []string{fold(word)}, begins: true}}}, nil
		case common:
			match = rest
		}
	}
	return words(match), nil
}

// words asks the index of words.
func words(match string) matcher {
	m := matcher{table: "messages_fts", row: "rowid", where: "messages_fts MATCH ?", args: []any{match}}
	m.phrases, m.alternatives = readQuery(match)
	m.slow = slices.ContainsFunc(m.phrases, func(p phrase) bool { return len(p.words) > 1 })
	return m
}

// trigrams asks the index of trigrams, or looks its texts through for terms that are
// shorter.
func trigrams(terms []string) matcher {
	m := matcher{table: "messages_fts_trigram", row: "rowid", terms: slices.DeleteFunc(slices.Clone(terms), isOperator)}
	if slices.ContainsFunc(m.terms, func(t string) bool { return utf8.RuneCountInString(t) < 3 }) {
		for _, t := range m.terms {
			m.args = append(m.args, "%"+t+"%")
		}
		m.where = "(content LIKE ?" + strings.Repeat(" OR content LIKE ?", len(m.args)-1) + ")"
		return m
	}
	var q queryWriter
	for _, t := range terms {
		if isOperator(t) {
			q.word(t, false)
		} else {
			q.term(`"` + t + `"`)
		}
	}
	m.where, m.args = "messages_fts_trigram MATCH ?", []any{q.text()}
	_, m.alternatives = readQuery(q.text())
	return m
}

// first is how many matches are looked at before others.
func (m matcher) first() int {
	if m.slow {
		return mostSlow
	}
	return mostRanked
}

// typedWord is the word before the star that a query ends with, empty if there is none.
func typedWord(match string) string {
	word, ok := strings.CutSuffix(match[strings.LastIndexByte(match, ' ')+1:], "*")
	if !ok || strings.Contains(word, `"`) {
		return ""
	}
	return word
}

const (
	// lookedThrough is how many of the newest messages show whether a beginning is
	// common, and commonIn how many of them hold it then: the index of words collects
	// all texts that hold a beginning before it gives the first, for 200 ms if that
	// is one letter and there are a million.
	lookedThrough = 5_000
	commonIn      = 100

	// beginsWord holds for a text in which a word begins as [beginning] says. LIKE
	// sorts out most of them in a tenth of the time.
	beginsWord = "content LIKE ? AND (' ' || content) GLOB ?"
)

// common reports whether many messages hold a word that begins so.
func (d *DB) common(ctx context.Context, begin string) (bool, error) {
	n := 0
	_, err := d.one(ctx, "look through the newest messages", `SELECT COUNT(*) FROM (SELECT 1 FROM messages
		WHERE id > (SELECT COALESCE(MAX(id), 0) FROM messages) - ? AND role IN ('user', 'assistant') AND `+beginsWord+` LIMIT ?)`,
		append(append([]any{lookedThrough}, beginning(begin)...), commonIn), &n)
	return n == commonIn, err
}

// beginning is what [beginsWord] takes for words that begin so, in any case.
func beginning(begin string) []any {
	like, glob := "%", "*[^0-9A-Za-z]"
	for _, r := range begin {
		glob += fmt.Sprintf("[%c%c]", unicode.ToLower(r), unicode.ToUpper(r))
		if r >= utf8.RuneSelf {
			r = '_' // LIKE knows the case of ASCII alone
		}
		like += string(r)
	}
	return []any{like + "%", glob + "*"}
}

// spaced keeps what can be part of a term.
func spaced(r rune) rune {
	if r == '"' || r == '*' || unicode.IsControl(r) || r < unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-", r) {
		return ' '
	}
	return r
}

func isCJK(term string) bool {
	return strings.ContainsFunc(term, func(r rune) bool {
		return r >= 0x3000 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7af || r >= 0x20000 && r <= 0x2a6df
	})
}

// phrase is words that stand behind each other, as the index writes them. The last of
// them may be the beginning of one.
type phrase struct {
	words  []string
	begins bool
}

// readQuery gives the phrases of a sanitised query that a text has to hold, and the
// queries between its ORs.
func readQuery(match string) (phrases []phrase, alternatives []string) {
	begin, without := 0, false
	for at := 0; at < len(match); {
		end := at + strings.IndexByte(match[at:]+" ", ' ')
		if match[at] == '"' {
			end = at + 2 + strings.IndexByte(match[at+1:], '"')
			end += strings.IndexByte(match[end:]+" ", ' ')
		}
		term := match[at:end]
		switch {
		case term == "OR":
			alternatives, begin = append(alternatives, strings.TrimSpace(match[begin:at])), end
		case term == "NOT":
			without = true
		case term == "AND":
		default:
			p := phrase{begins: strings.HasSuffix(term, "*")}
			eachWord(strings.Trim(term, `"*`), func(from, to int) bool {
				p.words = append(p.words, fold(strings.Trim(term, `"*`)[from:to]))
				return true
			})
			if !without && len(p.words) > 0 {
				phrases = append(phrases, p)
			}
			without = false
		}
		at = min(end+1, len(match))
	}
	return phrases, append(alternatives, strings.TrimSpace(match[begin:]))
}

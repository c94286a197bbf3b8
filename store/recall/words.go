package recall

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unspaced are scripts that do not put blanks between words, or hang what belongs to a word
// behind it.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// isUnspaced reports whether a character is of such a script, with the mark that makes a
// vowel of kana long and the one that repeats a character.
func isUnspaced(r rune) bool {
	return r > 0xe00 && (r == 'ー' || r == '々' || unicode.In(r, unspaced...))
}

// inWord reports whether a character can be part of a word.
func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || r > 0xe00 && unicode.IsMark(r)
}

// pieces calls word with the words of a text in small letters, and run with each stretch of
// a script that does not separate them.
func pieces(text string, word func(string), run func([]rune)) {
	var of []rune
	flush := func() {
		switch {
		case len(of) == 0:
		case isUnspaced(of[0]):
			run(of)
		default:
			word(strings.ToLower(string(of)))
		}
		of = of[:0]
	}
	for _, r := range text {
		if !inWord(r) {
			flush()
			continue
		}
		if len(of) > 0 && isUnspaced(of[0]) != isUnspaced(r) && !unicode.IsMark(r) {
			flush()
		}
		of = append(of, r)
	}
	flush()
}

// pairs are the overlapping pairs of characters of a stretch, which stand for its words.
func pairs(run []rune) []string {
	if len(run) == 1 {
		return []string{string(run)}
	}
	list := make([]string, 0, len(run)-1)
	for i := range len(run) - 1 {
		list = append(list, string(run[i:i+2]))
	}
	return list
}

// hasUnspaced reports whether a text has a character of a script without blanks.
func hasUnspaced(text string) bool { return strings.ContainsFunc(text, isUnspaced) }

// grams is what a text is found by besides its words as they stand: empty unless it has a
// script without blanks. The last character of a stretch is a pair with nothing behind it,
// so that a single character is found by what begins with it.
func grams(text string) string {
	if !hasUnspaced(text) {
		return ""
	}
	var list []string
	pieces(text, func(w string) { list = append(list, w) }, func(run []rune) {
		list = append(append(list, pairs(run)...), string(run[len(run)-1]))
	})
	return strings.Join(list, " ")
}

// Runs are the stretches of a text in scripts that put no blanks between words.
func Runs(text string) (runs [][]rune) {
	if hasUnspaced(text) {
		pieces(text, func(string) {}, func(run []rune) { runs = append(runs, slices.Clone(run)) })
	}
	return runs
}

// common are words of English that say nothing of what a text is about. What is common in
// other languages counts: it takes more words than one for a text to fit.
var common = func() map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(`about after again all also and any are because been before being but can cannot could did does doing done down
		each else for from get give goes gone got had has have help her here him his how into its just let like look make many may might more most much must
		need not now off one only other our out over own please put same see shall she should show since some still such sure take tell than thank thanks that
		the their them then there these they thing this those through too try under until use used using very want was way were what when where which while
		who why will with without work would yes yet you your`) {
		words[w] = true
	}
	return words
}()

// maxWords bounds the words of a text that are looked at.
const maxWords = 200

// Words are the different words of a text by which it can be recalled, in small letters:
// those of at least three characters that are not common in English, and pairs of
// characters where a script puts no blanks between words.
func Words(text string) []string {
	var list []string
	seen := map[string]bool{}
	add := func(w string) {
		if !seen[w] && len(list) < maxWords {
			seen[w] = true
			list = append(list, w)
		}
	}
	pieces(text, func(w string) {
		if utf8.RuneCountInString(w) > 2 && !common[w] {
			add(w)
		}
	}, func(run []rune) {
		for _, p := range pairs(run) {
			add(p)
		}
	})
	return list
}

// Telling leaves out of the words of a query those that say nothing of what it is about, as
// long as others are left.
func Telling(words []string) []string {
	var list []string
	for _, w := range words {
		plain := strings.ToLower(strings.TrimFunc(w, func(r rune) bool { return !inWord(r) }))
		if !common[plain] && (utf8.RuneCountInString(plain) > 2 || hasUnspaced(plain)) {
			list = append(list, w)
		}
	}
	if list == nil {
		return words
	}
	return list
}

// maxTerms bounds what the full-text index is asked for at once.
const maxTerms = 32

// anyOf is a question to the full-text index for any of the words of a text.
func anyOf(text string) string {
	var terms []string
	for _, w := range Telling(strings.Fields(text)) {
		if w = strings.ReplaceAll(w, `"`, ""); w == "" {
			continue
		}
		terms = append(terms, `"`+w+`"`)
		if !hasUnspaced(w) {
			continue
		}
		pieces(w, func(w string) { terms = append(terms, `"`+w+`"`) }, func(run []rune) {
			for _, p := range pairs(run) {
				terms = append(terms, `"`+p+`"`)
			}
			if len(run) == 1 {
				terms[len(terms)-1] += "*"
			}
		})
	}
	return strings.Join(terms[:min(len(terms), maxTerms)], " OR ")
}

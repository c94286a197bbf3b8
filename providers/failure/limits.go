package failure

import (
	"strconv"
	"strings"

	"hermes-tui/tools/lazyregexp"
	"hermes-tui/tools/shorten"
)

// The range in which a number can be a context window, in tokens.
const (
	leastWindow = 1024
	mostWindow  = 10_000_000
)

const number = `(\d[\d,]*)`

var (
	windowWord = lazyregexp.New(`context[ _](?:length|size|window|limit)|n_ctx_slot|n_ctx|上下文长度|上下文窗口|最大长度`)
	clauseEnd  = lazyregexp.New(`[;!?\n，。；、]|[,.](?:\D|$)`)
	anyNumber  = lazyregexp.New(number)
	overLimit  = lazyregexp.New(`>\s*` + number + `\s*maximum`)
	limitAfter = lazyregexp.New(number + `\s*(?:tokens?\s+)?limit`)
	limitFirst = lazyregexp.New(`\blimit\s*(?:is|of|:|=)?\s*` + number)
	available  = lazyregexp.New(`available[ _]tokens?\s*(?:is|are|:|=)?\s*` + number)
	brackets   = lazyregexp.New(`\(([^()]*)\)`)
	partBreak  = lazyregexp.New(`,\s`)
	outputPart = lazyregexp.New(`in the (?:output|completion)`)
	askedFor   = lazyregexp.New(number + `\s+output tokens`)
	characters = lazyregexp.New(number + `\s+characters`)
	tied       = lazyregexp.New(`\bn_ctx(?:_slot)?\b\D{0,8}?` + number + `|` + number + `(?:\s*\+\s*\d[\d,]*)*\s*(?:tokens?\s*)?>=?\s*` + number +
		`|(?:input|prompt) length should be \[\d+,\s*` + number + `\]|max_new_tokens.{0,4} must be <=?\s*` + number + `|(?:inputs?|prompt).{0,4} must have (?:less|fewer) than ` + number)
	difference = lazyregexp.New(`(?:\bby|over|excess of)\s*(?:about\s*)?$`)
	sumAbove   = lazyregexp.New(number + `\s*\+\s*` + number + `\s*>=?\s*` + number)
	outputCap  = lazyregexp.New(`max_(?:completion_|output_|new_)?tokens\b[^\n]{0,60}?(?:at most|>|<=|less than or equal to|up to|range of max_tokens is \[\d+,|maximum(?: value)?(?: of| is|:)?)\s*\x60?` + number)
	outputEnd  = lazyregexp.New(`max(?:imum |_?output_?)tokens\b[^\n]{0,120}?(?:lower than\s+` + number + `|to\s+` + number + `\s+\(exclusive\))`)
	lessInput  = lazyregexp.New(`>\s*` + number + `\s*-\s*` + number)
	rateText   = lazyregexp.New(`per[ -]?(?:sec|min|hour|day)|rate[ _-]limit|/\s*(?:sec|min|hour|day)\b`)
)

// Limits reads the token limits that an overflow error states: the context window
// and how many output tokens would still fit. Each is 0 when the text does not
// say it. A window counts between 1024 and 10 million tokens; figures of a
// request rate are no window. When the text gives the output that fits and
// nothing else to go by, the window is 0: the prompt is fine and only the output
// has to shrink.
func Limits(text string) (window, output int) {
	text = strings.ToLower(shorten.Runes(text, 16*longestMessage))
	if m := available.FindStringSubmatch(text); m != nil && strings.Contains(text, "max_tokens") {
		return 0, tokens(m[1])
	}
	if most := answerCap(text); most > 0 {
		return 0, most
	}
	if rateText.MatchString(text) {
		return 0, 0
	}
	window = statedWindow(text)
	if window < leastWindow || window > mostWindow {
		return 0, 0
	}
	return window, fitting(text, window)
}

// answerCap is the longest answer of a model that a text in small letters states, whatever the
// prompt; 0 for none.
func answerCap(text string) int {
	if m := lastGroup(outputEnd, text); m != "" {
		return tokens(m) - 1
	}
	m := lastGroup(outputCap, text)
	if m == "" || available.MatchString(text) || windowWord.MatchString(text) && statedWindow(text) > 0 || strings.Contains(text, "input") || strings.Contains(text, "prompt") {
		return 0
	}
	return tokens(m)
}

// tokens reads a number with or without commas between its groups; 0 if it is
// beyond all sense.
func tokens(s string) int {
	n, err := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
	if err != nil || n > 1<<40 {
		return 0
	}
	return n
}

// statedWindow finds the figure that the text gives for the window.
func statedWindow(text string) int {
	if m := lastGroup(tied, text); m != "" {
		return tokens(m)
	}
	for _, at := range windowWord.FindAllStringIndex(text, -1) {
		clause := text[at[1]:]
		if end := clauseEnd.FindStringIndex(clause); end != nil {
			clause = clause[:end[0]]
		}
		if m := anyNumber.FindStringIndex(clause); m != nil && !difference.MatchString(clause[:m[0]]) {
			return tokens(clause[m[0]:m[1]])
		}
	}
	for _, r := range []*lazyregexp.Regexp{overLimit, limitAfter, limitFirst} {
		if m := r.FindStringSubmatch(text); m != nil {
			return tokens(m[1])
		}
	}
	return 0
}

// Prompt is the size of the prompt in tokens that a text states, 0 for none: the largest
// figure above the window.
func Prompt(text string, window int) int {
	most := 0
	for _, m := range anyNumber.FindAllStringIndex(strings.ToLower(shorten.Runes(text, 16*longestMessage)), -1) {
		if n := tokens(text[m[0]:m[1]]); n > window && n < 100*window {
			most = max(most, n)
		}
	}
	return most
}

// lastGroup is the last group of the first match, empty for none: of what stands on both
// sides of a comparison, the limit is on the right.
func lastGroup(r *lazyregexp.Regexp, text string) string {
	groups := r.FindStringSubmatch(text)
	for i := len(groups) - 1; i > 0; i-- {
		if groups[i] != "" {
			return groups[i]
		}
	}
	return ""
}

// fitting computes the output that fits into the window from what the text says
// about the parts of the request.
func fitting(text string, window int) int {
	if m := sumAbove.FindStringSubmatch(text); m != nil && tokens(m[3]) == window {
		return max(window-tokens(m[1]), 0)
	}
	if m := lessInput.FindStringSubmatch(text); m != nil && tokens(m[1]) == window {
		return max(window-tokens(m[2]), 0)
	}
	for _, m := range brackets.FindAllStringSubmatch(text, -1) {
		if !outputPart.MatchString(m[1]) {
			continue
		}
		rest := window
		for _, part := range partBreak.Split(m[1], -1) {
			if n := anyNumber.FindString(part); n != "" && !outputPart.MatchString(part) {
				rest -= tokens(n)
			}
		}
		return max(rest, 0)
	}
	chars := characters.FindStringSubmatch(text)
	if chars == nil || !askedFor.MatchString(text) {
		return 0
	}
	return max(window-(tokens(chars[1])+2)/3, 0)
}

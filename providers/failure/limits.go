package failure

import (
	"strconv"
	"strings"

	"hermes-tui/tools/lazyregexp"
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
	rateText   = lazyregexp.New(`per[ -]?(?:sec|min|hour|day)|rate[ _-]limit|/\s*(?:sec|min|hour|day)\b`)
)

// Limits reads the token limits that an overflow error states: the context window
// and how many output tokens would still fit. Each is 0 when the text does not
// say it. A window counts between 1024 and 10 million tokens; figures of a
// request rate are no window. When the text gives the output that fits and
// nothing else to go by, the window is 0: the prompt is fine and only the output
// has to shrink.
func Limits(text string) (window, output int) {
	text = strings.ToLower(cut(text, 16*longestMessage))
	if m := available.FindStringSubmatch(text); m != nil && strings.Contains(text, "max_tokens") {
		return 0, tokens(m[1])
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
	for _, at := range windowWord.FindAllStringIndex(text, -1) {
		clause := text[at[1]:]
		if end := clauseEnd.FindStringIndex(clause); end != nil {
			clause = clause[:end[0]]
		}
		if m := anyNumber.FindString(clause); m != "" {
			return tokens(m)
		}
	}
	for _, r := range []*lazyregexp.Regexp{overLimit, limitAfter, limitFirst} {
		if m := r.FindStringSubmatch(text); m != nil {
			return tokens(m[1])
		}
	}
	return 0
}

// fitting computes the output that fits into the window from what the text says
// about the parts of the request.
func fitting(text string, window int) int {
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

package scrub

import "strings"

// form is a pair of tags and when it counts. The tags are in lower case and hold
// one '<', at their beginning; their case is ignored.
type form struct {
	rule  Rules
	open  string
	close string
	// tail, when it is not empty, ends the opening tag: between open and tail
	// stands a name.
	tail   string
	manner manner
}

// manner says when an opening tag counts.
type manner uint8

const (
	// plainly: at the start of a line, or when closed on its line.
	plainly manner = iota
	// fenced: at the start of a line with a line break behind it.
	fenced
	// likely: when what follows looks like a call, or when closed on its line.
	likely
	// closed: when it is closed.
	closed
	// always: wherever it stands.
	always
)

// forms are the tags of all model families that are known to write them. Order
// does not matter: no tag is the beginning of another.
var forms = [...]form{
	{HideReasoning, "<think>", "</think>", "", plainly},
	{HideReasoning, "<thinking>", "</thinking>", "", plainly},
	{HideReasoning, "<reasoning>", "</reasoning>", "", plainly},
	{HideReasoning, "<thought>", "</thought>", "", plainly},
	{HideReasoning, "<reasoning_scratchpad>", "</reasoning_scratchpad>", "", plainly},

	{HideMemory, "<memory-context>", "</memory-context>", "", fenced},

	// Hermes, Qwen and GLM; the plural and the other names are imitations.
	{HideCalls, "<tool_call>", "</tool_call>", "", likely},
	{HideCalls, "<tool_calls>", "</tool_calls>", "", likely},
	{HideCalls, "<function_call>", "</function_call>", "", likely},
	{HideCalls, "<function_calls>", "</function_calls>", "", likely},
	{HideCalls, "<tool_result>", "</tool_result>", "", likely},
	{HideCalls, "<tool_response>", "</tool_response>", "", likely},
	// MiniMax, Seed, Claude.
	{HideCalls, "<minimax:tool_call>", "</minimax:tool_call>", "", likely},
	{HideCalls, "<seed:tool_call>", "</seed:tool_call>", "", likely},
	{HideCalls, "<" + "antml:function_calls>", "</" + "antml:function_calls>", "", likely},
	// Llama and the coders of Qwen; Gemma; calls that lost what was around them.
	{HideCalls, "<function=", "</function>", ">", closed},
	{HideCalls, "<function name=\"", "</function>", "\">", closed},
	{HideCalls, "<invoke name=\"", "</invoke>", "\">", closed},
	// DeepSeek up to 3.1, with the bars of its vocabulary and with plain ones.
	{HideCalls, "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "", always},
	{HideCalls, "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "", always},
	{HideCalls, "<|tool▁calls▁begin|>", "<|tool▁calls▁end|>", "", always},
	{HideCalls, "<|tool▁call▁begin|>", "<|tool▁call▁end|>", "", always},
	// DeepSeek from 3.2 on.
	{HideCalls, "<｜dsml｜function_calls>", "</｜dsml｜function_calls>", "", always},
	{HideCalls, "<｜dsml｜tool_calls>", "</｜dsml｜tool_calls>", "", always},
	// Kimi.
	{HideCalls, "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "", always},
	{HideCalls, "<|tool_call_begin|>", "<|tool_call_end|>", "", always},
	// Phi.
	{HideCalls, "<|tool_call|>", "<|/tool_call|>", "", always},
}

// result reports whether a form holds the result of a call.
func (f *form) result() bool { return f.open == "<tool_result>" || f.open == "<tool_response>" }

// set holds indexes into forms.
type set uint64

// keys find the forms by the byte that follows the '<' of an opening tag, the '</'
// of a closing tag, or the '<' of a closing tag that has no slash there.
type keys struct{ open, slash, token [256]set }

var byKey = func() (k keys) {
	for i, f := range forms {
		k.open[f.open[1]] |= 1 << i
		if f.close[1] == '/' {
			k.slash[f.close[2]] |= 1 << i
		} else {
			k.token[f.close[1]] |= 1 << i
		}
	}
	return k
}()

// find gives the forms whose opening and whose closing tag t, which begins with
// '<', may be the beginning of.
func (k *keys) find(t string) (open, closing set) {
	const every = 1<<len(forms) - 1
	switch {
	case len(t) == 1:
		return every, every
	case t[1] != '/':
		return k.open[lower(t[1])], k.token[lower(t[1])]
	case len(t) == 2:
		return 0, every
	}
	return 0, k.slash[lower(t[2])]
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

const (
	longestName  = 64 // of a tool, in bytes
	longestBlank = 8  // between an opening tag and the call it opens
)

// prefix compares the beginning of s with a tag. It gives the length of the tag, 0
// if s begins otherwise, and -1 if s ends before that is decided.
func prefix(s, tag string) int {
	for i := range min(len(s), len(tag)) {
		if lower(s[i]) != tag[i] {
			return 0
		}
	}
	if len(s) < len(tag) {
		return -1
	}
	return len(tag)
}

// index finds a tag that begins and ends in s[from:to]. It gives -1 if there is
// none.
func index(s, tag string, from, to int) int {
	for from+len(tag) <= to {
		n := strings.IndexByte(s[from:to], '<')
		if n < 0 {
			return -1
		}
		from += n
		if prefix(s[from:to], tag) > 0 {
			return from
		}
		from++
	}
	return -1
}

// opening compares the beginning of s with the opening tag, as [prefix] does.
func (f *form) opening(s string) int {
	n := prefix(s, f.open)
	if n <= 0 || f.tail == "" {
		return n
	}
	m := name(s[n:])
	if m == 0 && len(s) > n {
		return 0
	}
	k := prefix(s[n+m:], f.tail)
	if k <= 0 {
		return k
	}
	return n + m + k
}

// name is the length of the name of a tool at the beginning of s, at most
// [longestName].
func name(s string) int {
	n := 0
	for n < min(len(s), longestName) && nameByte(s[n]) {
		n++
	}
	return n
}

func nameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '_' || c == '-' || c == '.' || c == ':' || c == '/'
}

// blanks is the length of the white space at the beginning of s, at most
// [longestBlank].
func blanks(s string) int {
	n := 0
	for n < min(len(s), longestBlank) && (s[n] == ' ' || s[n] == '\t' || s[n] == '\n' || s[n] == '\r') {
		n++
	}
	return n
}

// lineBreak reports whether s begins with a line break: 1 yes, 0 no, -1 undecided.
func lineBreak(s string) int {
	switch {
	case s == "" || s == "\r":
		return -1
	case s[0] == '\n' || s[0] == '\r' && s[1] == '\n':
		return 1
	}
	return 0
}

// body reports whether s, which follows the opening tag of a function, begins as one does:
// 1 yes, 0 no, -1 undecided.
func body(s string) int {
	n := blanks(s)
	switch {
	case n == len(s):
		return -1
	case s[n] == '{':
		return 1
	}
	return max(min(prefix(s[n:], "<parameter"), 1), -1)
}

// call reports whether s, which follows an opening tag, looks like a call: 1 yes,
// 0 no, -1 undecided. A call is an object, a list or further tags; a name may
// stand before it.
func call(s string) int {
	n := blanks(s)
	if n == 0 {
		n = name(s)
		n += blanks(s[n:])
	}
	switch {
	case n == len(s):
		return -1
	case s[n] == '{' || s[n] == '[' || s[n] == '<':
		return 1
	}
	return 0
}

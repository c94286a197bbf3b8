package scrub

import (
	"slices"
	"strings"
	"testing"
)

const all = HideReasoning | HideMemory | HideCalls

// cases are what the corpus does not say: where the parts go, calls, code.
var cases = []struct {
	name, in string
	want     parts
}{
	{"reasoning is given back", "<think>\nplan\n</think>\n\nAnswer", parts{text: "\n\nAnswer", reasoning: "|plan\n"}},
	{"two blocks", "<think>a</think><thought>b</thought>c", parts{text: "c", reasoning: "|a|b"}},
	{"a block without text", "<think>\n\n</think>\n\nHi", parts{text: "\n\nHi"}},
	{"another tag in a block", "<think>a</thought>b<think>c</think>d", parts{text: "d", reasoning: "|a</thought>b<think>c"}},
	{"a block that stays open", "<think>cut </thi", parts{reasoning: "|cut </thi"}},
	{"inside a line", "a <think>b</think> c <think> d", parts{text: "a  c <think> d", reasoning: "|b"}},
	{"over the end of a line", "a <think>b\n</think> c", parts{text: "a <think>b\nc"}},
	{"a mention holds another pair", "a <think> <thought>b</thought> c\nd", parts{text: "a <think>  c\nd", reasoning: "|b"}},
	{"behind a stray tag the line goes on", "a</think>\n <think>b\nc", parts{text: "a<think>b\nc"}},
	{"wide white space", "\u3000<think>b</think></think>\u3000\u2003c", parts{text: "\u3000c", reasoning: "|b"}},
	{"memory is gone", "a\n<memory-context>\nsecret <think>x</think>\n</memory-context>b", parts{text: "a\nb"}},
	{"memory in code is gone too", "```\n<memory-context>\nsecret\n</memory-context>\n```", parts{text: "```\n\n```"}},

	{"a call", "Let me look.<tool_call>\n{\"name\": \"a\"}\n</tool_call>done", parts{
		text: "Let me look.done", calls: "|<tool_call>\n{\"name\": \"a\"}\n</tool_call>"}},
	{"a call in the middle of a word", "看<TOOL_CALL>{\"a\": \"</think>\"}</tool_call>了", parts{
		text: "看了", calls: "|<TOOL_CALL>{\"a\": \"</think>\"}</tool_call>"}},
	{"a call in the way of GLM", "<tool_call>read_file\n<arg_key>path</arg_key>\n</tool_call>", parts{
		calls: "|<tool_call>read_file\n<arg_key>path</arg_key>\n</tool_call>"}},
	{"tags inside tags", "<tool_calls><tool_call>{}</tool_call></tool_calls>.", parts{
		text: ".", calls: "|<tool_calls><tool_call>{}</tool_call></tool_calls>"}},
	{"a call that stays open", "a\n<tool_call>\n{\"na", parts{text: "a\n", calls: "|<tool_call>\n{\"na"}},
	{"any pair on one line", "a\n<tool_call>…</tool_call>done", parts{text: "a\ndone", calls: "|<tool_call>…</tool_call>"}},
	{"a pair over two lines that is no call", "<tool_call> is\na tag </tool_call>", parts{text: "<tool_call> is\na tag </tool_call>"}},
	{"a mention", "Use <tool_call> tags.\n{", parts{text: "Use <tool_call> tags.\n{"}},
	{"a mention in quotes", `Use "<tool_call>{}</tool_call>" here`, parts{text: `Use "<tool_call>{}</tool_call>" here`}},
	{"an invented result", "<tool_response>\n42\n</tool_response>ok", parts{
		text: "ok", calls: "|<tool_response>\n42\n</tool_response>"}},
	{"the end of a call that was made", "Fine.\n</function>\n</tool_call>\n\nNext", parts{text: "Fine.\nNext"}},
	{"that end inside a line", "the </tool_call> tag", parts{text: "the </tool_call> tag"}},

	{"a function", "<function=read_file>\n<parameter=path>a</parameter>\n</function>after", parts{
		text: "after", calls: "|<function=read_file>\n<parameter=path>a</parameter>\n</function>"}},
	{"a function with an attribute", `<function name="f">{"a": "x > y"}</function>after`, parts{
		text: "after", calls: `|<function name="f">{"a": "x > y"}</function>`}},
	{"a function that stays open", "<function name=\"f\">{\n", parts{calls: "|<function name=\"f\">{\n"}},
	{"the beginning of a function", "<function name=", parts{text: "<function name="}},
	{"a declaration", "use <function> declarations", parts{text: "use <function> declarations"}},
	{"no name of a tool", "<function=(x)> and <function=a b></function>", parts{text: "<function=(x)> and <function=a b></function>"}},
	{"invoke", `<invoke name="f"><parameter name="a">1</parameter></invoke>.`, parts{
		text: ".", calls: `|<invoke name="f"><parameter name="a">1</parameter></invoke>`}},

	{"DeepSeek", "Ok<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>", parts{
		text: "Ok", calls: "|<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"}},
	{"DeepSeek, later", "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\"></｜DSML｜function_calls>.", parts{
		text: ".", calls: "|<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\"></｜DSML｜function_calls>"}},
	{"Kimi", "a<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_end|><|tool_calls_section_end|>b", parts{
		text: "ab", calls: "|<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_end|><|tool_calls_section_end|>"}},
	{"special tokens that stay open", "a<｜tool▁call▁begin｜>f", parts{text: "a", calls: "|<｜tool▁call▁begin｜>f"}},
	{"the end of special tokens", "a<|tool_calls_section_end|> b", parts{text: "ab"}},
	{"a call in reasoning is reasoning", "<think><tool_call>{}</tool_call></think>", parts{reasoning: "|<tool_call>{}</tool_call>"}},

	{"no tags", "a < b << c <d> <> </> <\n<", parts{text: "a < b << c <d> <> </> <\n<"}},
	{"not UTF-8", "\xe3\x80<think>\x80\xe3</think>\xf0\x9f", parts{text: "\xe3\x80\xf0\x9f", reasoning: "|\x80\xe3"}},
}

// codeCases differ with [KeepCode].
var codeCases = []struct {
	name, in    string
	plain, code parts
}{
	{"a span with a pair", "Use `<think>` and `</think>` tags.",
		parts{text: "Use `` tags.", reasoning: "|` and `"}, parts{text: "Use `<think>` and `</think>` tags."}},
	{"a span of two backticks", "a `` ` <think>x</think> `` <think>y</think>.",
		parts{text: "a `` `  `` .", reasoning: "|x|y"}, parts{text: "a `` ` <think>x</think> `` .", reasoning: "|y"}},
	{"a span ends with its line", "it`s\n<think>x</think>y",
		parts{text: "it`s\ny", reasoning: "|x"}, parts{text: "it`s\ny", reasoning: "|x"}},
	{"a block", "```xml\n<think>\nx\n</think>\n```\n<think>y</think>z",
		parts{text: "```xml\n\n```\nz", reasoning: "|x\n|y"}, parts{text: "```xml\n<think>\nx\n</think>\n```\nz", reasoning: "|y"}},
	{"a block of tildes", "~~~\n<think>\n```\n</think>x\n~~~ \n</think>z",
		parts{text: "~~~\nx\n~~~ \nz", reasoning: "|```\n"}, parts{text: "~~~\n<think>\n```\n</think>x\n~~~ \nz"}},
	{"a longer block", "````\n```\n<think>\n````\n</think>z",
		parts{text: "````\n```\nz", reasoning: "|````\n"}, parts{text: "````\n```\n<think>\n````\nz"}},
	{"no end of a block", "```\n``` x\n</think>y\n```\n</think>z",
		parts{text: "```\n``` x\ny\n```\nz"}, parts{text: "```\n``` x\n</think>y\n```\nz"}},
	{"a span that looks like a block", "```a``` b\n<think>c</think>",
		parts{text: "```a``` b\n", reasoning: "|c"}, parts{text: "```a``` b\n", reasoning: "|c"}},
	{"a call in a block", "```\n<tool_call>\n{}\n</tool_call>\n```",
		parts{text: "```\n\n```", calls: "|<tool_call>\n{}\n</tool_call>"}, parts{text: "```\n<tool_call>\n{}\n</tool_call>\n```"}},
	{"a call in a span", "as in `x <function=f>{}</function>`",
		parts{text: "as in `x `", calls: "|<function=f>{}</function>"}, parts{text: "as in `x <function=f>{}</function>`"}},
	{"hidden text opens no block", "<think>\n```\n</think><think>a</think>b",
		parts{text: "b", reasoning: "|```\n|a"}, parts{text: "b", reasoning: "|```\n|a"}},
}

func TestStream(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := feed(t, Answer, c.in); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			everyCut(t, all, c.in)
			everyCut(t, Answer, c.in)
		})
	}
}

func TestStreamCode(t *testing.T) {
	for _, c := range codeCases {
		t.Run(c.name, func(t *testing.T) {
			if got := feed(t, all, c.in); got != c.plain {
				t.Errorf("plain: got  %q\nwant %q", got, c.plain)
			}
			if got := feed(t, Answer, c.in); got != c.code {
				t.Errorf("code: got  %q\nwant %q", got, c.code)
			}
			everyCut(t, all, c.in)
			everyCut(t, Answer, c.in)
		})
	}
}

// TestRules holds every rule to what it is about.
func TestRules(t *testing.T) {
	const in = "<think>a</think>\n<memory-context>\nb</memory-context>\n<tool_call>{}</tool_call>"
	for _, c := range []struct {
		rules Rules
		want  parts
	}{
		{0, parts{text: in}},
		{HideReasoning, parts{text: "\n<memory-context>\nb</memory-context>\n<tool_call>{}</tool_call>", reasoning: "|a"}},
		{HideMemory, parts{text: "<think>a</think>\n\n<tool_call>{}</tool_call>"}},
		{HideCalls, parts{text: "<think>a</think>\n<memory-context>\nb</memory-context>\n", calls: "|<tool_call>{}</tool_call>"}},
	} {
		if got := feed(t, c.rules, in); got != c.want {
			t.Errorf("rules %b: got %q, want %q", c.rules, got, c.want)
		}
	}
}

// TestAgain holds a stream that was flushed to a new one.
func TestAgain(t *testing.T) {
	s := New(Answer)
	for _, first := range []string{"<think>open", "```\n<th", "text <think>held", "text</think> ", "<tool_call>{", "<function=f>"} {
		feedTo(t, s, first)
		for _, c := range cases {
			if got := feedTo(t, s, c.in); got != c.want {
				t.Errorf("%q after %q: got %q, want %q", c.in, first, got, c.want)
			}
		}
	}
}

func TestLeaked(t *testing.T) {
	s := New(Answer)
	s.Feed("<tool_call>{}</tool_call> <function=f>{}</function> `<tool_call>{}</tool_call>` <function=g>{")
	s.Flush()
	if s.Leaked() != 2 {
		t.Errorf("%d calls, want 2", s.Leaked())
	}
}

// TestFar looks at blocks whose end is near the limit.
func TestFar(t *testing.T) {
	for _, c := range []struct {
		name, open, end string
		near, far       func(whole string) parts
	}{
		{"inside a line", "<think>", "</think>",
			func(string) parts { return parts{text: "a b", reasoning: "|"} },
			func(w string) parts { return parts{text: "a " + strings.TrimSuffix(w, "</think>b") + "b"} }},
		{"a function", "<function=f>", "</function>",
			func(w string) parts { return parts{text: "a b", calls: "|" + strings.TrimSuffix(w, "b")} },
			func(w string) parts { return parts{text: "a b", calls: "|" + strings.TrimSuffix(w, "b")} }},
	} {
		for _, over := range []int{-1, 0, 1, 100} {
			filling := strings.Repeat("x", LongestHeld+over-len(c.open)-len(c.end))
			whole := c.open + filling + c.end + "b"
			want := c.near(whole)
			if over > 0 {
				want = c.far(whole)
			}
			if want.reasoning != "" {
				want.reasoning += filling
			}
			for _, size := range []int{1 << 20, LongestHeld, 4093, 64} {
				if got := feed(t, Answer, pieces("a "+whole, size)...); got != want {
					t.Errorf("%s, %d over, pieces of %d: got %.40q, want %.40q", c.name, over, size, got, want)
				}
			}
		}
	}
}

// TestFarOpen looks at tags that are not closed within the limit.
func TestFarOpen(t *testing.T) {
	filling := strings.Repeat("x", LongestHeld)
	for _, c := range []struct {
		in   string
		want parts
	}{
		{"a <think>" + filling + "<think>b</think>.\nc <think>d</think>", parts{text: "a <think>" + filling + "<think>b.\nc ", reasoning: "|d"}},
		{"<function=f>" + filling, parts{calls: "|<function=f>" + filling}},
		{"<function=f>" + filling[:1000], parts{text: "<function=f>" + filling[:1000]}},
	} {
		for _, size := range []int{1 << 20, 4093, 64} {
			if got := feed(t, Answer, pieces(c.in, size)...); got != c.want {
				t.Errorf("%.20q in pieces of %d: got %d, %d and %d bytes", c.in, size, len(got.text), len(got.reasoning), len(got.calls))
			}
		}
	}
}

// TestForms holds the tables to what the code relies on.
func TestForms(t *testing.T) {
	var tags []string
	for _, f := range forms {
		for _, tag := range []string{f.open + f.tail, f.close} {
			if tag[0] != '<' || strings.Count(tag, "<") != 1 || !strings.HasSuffix(tag, ">") || tag != strings.ToLower(tag) {
				t.Errorf("%q is no tag", tag)
			}
		}
		tags = append(tags, f.open, f.close)
		for at := range forms {
			if forms[at].open == f.open && forms[at] != f {
				t.Errorf("%q is listed twice", f.open)
			}
		}
	}
	for _, a := range tags {
		for _, b := range tags {
			if a != b && strings.HasPrefix(b, a) {
				t.Errorf("%q is the beginning of %q", a, b)
			}
		}
	}
	if len(forms) > 64 {
		t.Errorf("%d forms do not fit into a set", len(forms))
	}
	if n := longest(Answer); n > 200 {
		t.Errorf("up to %d bytes are held back", n)
	}
}

// TestNoAllocation holds ordinary chunks, shown or hidden, to no allocation.
func TestNoAllocation(t *testing.T) {
	for _, before := range []string{"", "<think>", "<tool_call>{", "<memory-context>\n", "```\n", "a `b"} {
		s := New(Answer)
		s.Feed(before + "x")
		if n := testing.AllocsPerRun(100, func() { s.Feed(" a few words, ") }); n != 0 {
			t.Errorf("%v allocations after %q", n, before)
		}
	}
}

// TestPrompt holds the stream to give out text as soon as it is decided.
func TestPrompt(t *testing.T) {
	for _, c := range []struct{ chunks, want []string }{
		{[]string{"a <thi", "s", "> b"}, []string{"a ", "<this", "> b", ""}},
		{[]string{"a <th", "ink>b", "</thi", "nk", "> c", " d"}, []string{"a ", "", "", "", "b c", " d", ""}},
		{[]string{"a <think>b", "</c", "</think>d"}, []string{"a ", "", "b</cd", ""}},
		{[]string{"a <think>b", " c\n", "d"}, []string{"a ", "<think>b c\n", "d", ""}},
		{[]string{"<think>a", "b</", "c</thin", "k>", " d"}, []string{"a", "b", "</c", "", " d", ""}},
		{[]string{"a</think> ", " ", "b"}, []string{"a", "", "b", ""}},
		{[]string{"<function=f>\n", "x</", "function", ">a"}, []string{"", "", "", "<function=f>\nx</function>a", ""}},
		{[]string{"\xe8", "\xae", "\xb0", "\xe8"}, []string{"", "", "记", "", "\xe8"}},
	} {
		s := New(Answer)
		var got []string
		add := func(pieces []Piece) {
			all := ""
			for _, p := range pieces {
				all += p.Text
			}
			got = append(got, all)
		}
		for _, chunk := range c.chunks {
			add(s.Feed(chunk))
		}
		add(s.Flush())
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.chunks, got, c.want)
		}
	}
}

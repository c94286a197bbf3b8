package patch

import (
	"errors"
	"strings"
	"testing"
)

// TestReplaceKeeps holds line breaks, indentation and what lies around a place.
func TestReplaceKeeps(t *testing.T) {
	for _, c := range []struct {
		name, body, old, new string
		all                  bool
		want, strategy       string
	}{
		{name: "one line in a CRLF file becomes two", body: "a\r\nb\r\nc\r\n", old: "b", new: "x\ny", want: "a\r\nx\r\ny\r\nc\r\n", strategy: Exact},
		{name: "last line without break", body: "a\r\nb", old: "b", new: "x\ny", want: "a\r\nx\r\ny", strategy: Exact},
		{name: "mixed: unchanged lines keep their breaks", body: "a\r\nb\nc\r\nd\n", old: "a\nb\nc\nd", new: "a\nX\nb\nc\nd",
			want: "a\r\nX\nb\nc\r\nd\n", strategy: LineTrimmed},
		{name: "mixed: the neighbour decides", body: "a\nb\r\nc\n", old: "b", new: "b\nb2", want: "a\nb\r\nb2\r\nc\n", strategy: Exact},
		{name: "place begins with half a break", body: "a\r\nb\n", old: "\nb", new: "\nx\ny", want: "a\r\nx\r\ny\n", strategy: Exact},
		{name: "half a break, line joined", body: "a\r\nb\n", old: "\nb", new: " b", want: "a b\n", strategy: Exact},
		{name: "CRLF quoted in an LF file", body: "a\nb\nc\n", old: "a\r\nb", new: "a\r\nB", want: "a\nB\nc\n", strategy: LineTrimmed},
		{name: "no line break anywhere", body: "ab", old: "b", new: "x\r\ny", want: "ax\r\ny", strategy: Exact},
		{name: "deleted line leaves its break", body: "a\nb\nc\n", old: "b\n", new: "", want: "a\nc\n", strategy: Exact},
		{name: "blank lines get no indentation", body: "\tif x {\n\t\ty\n\t}\n", old: "if x {\n\ty\n}", new: "if x {\n\n\ty\n}",
			want: "\tif x {\n\n\t\ty\n\t}\n", strategy: LineTrimmed},
		{name: "less indented lines stay less indented", body: "class A:\n    def f():\n        return  1\n", old: "          return 1", new: "      if a:\n          return 1",
			want: "class A:\n    def f():\n    if a:\n        return 1\n", strategy: WhitespaceNormalized},
		{name: "each place has its own indentation", body: "  a()  \n    a()  \n", old: " a()", new: " b()", all: true,
			want: "  b()  \n    b()  \n", strategy: Exact},
		{name: "each place, trimmed", body: "  a()  \n      a()\t\n", old: "\ta()", new: "\tb()\n\t\tc()", all: true,
			want: "  b()\n  \tc()\n      b()\n      \tc()\n", strategy: LineTrimmed},
		{name: "runs of blanks in the middle", body: "x = [1,\t 2,   3]\n", old: "1, 2, 3", new: "1, 2", want: "x = [1, 2]\n", strategy: WhitespaceNormalized},
		{name: "typographic, exact stretch", body: "a \u2014 b \u2014 c\n", old: "a -- b", new: "x", want: "x \u2014 c\n", strategy: UnicodeNormalized},
		{name: "one candidate may differ more", body: "{\na.b.c.d;\n}\n", old: "{\na.b.c.d!;!;!;\n}", new: "x", want: "x\n", strategy: BlockAnchor},
		{name: "the closest of two candidates", body: "{\na;;b;;c;;d\n}\n{\na.b.c.d\n}\n", old: "{\na+b.c.d\n}", new: "x", want: "{\na;;b;;c;;d\n}\nx\n", strategy: BlockAnchor},
		{name: "German quotes", body: "\u201Eja\u201C\n", old: `"ja"`, new: `"nein"`, want: "\"nein\"\n", strategy: UnicodeNormalized},
		{name: "emoji between", body: "🙂\u2026🙂\u2026\n", old: "...🙂...", new: "!", want: "🙂!\n", strategy: UnicodeNormalized},
		{name: "trimmed and typographic", body: "  it\u2019s  \n  so\n", old: "it's\nso", new: "it is\nso", want: "  it is\n  so\n", strategy: UnicodeNormalized},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Replace(c.body, c.old, c.new, c.all)
			if err != nil || r.Body != c.want || r.Strategy != c.strategy {
				t.Errorf("got %q by %q, %v; want %q by %q", r.Body, r.Strategy, err, c.want, c.strategy)
			}
		})
	}
}

// TestDecode holds when a written-out character becomes the real one.
func TestDecode(t *testing.T) {
	for _, c := range []struct{ name, body, old, new, want string }{
		{"tab that separates", "a\tb\n", "a\tb", `a\tc`, "a\tc\n"},
		{"indented, and a tab that separates", "\t\tk:\tv\n", "\t\tk: v", "\t\tk:\\tw", "\t\tk:\tw\n"},
		{"tabs that indent say nothing about a string", "\tx := 1\n", "\tx := 1", "\tx := \"a\\tb\"", "\tx := \"a\\tb\"\n"},
		{"indentation written out", "\tfoo\n\tbar\n", `\tfoo`, `\tbaz`, "\tbaz\n\tbar\n"},
		{"first column goes", "k\tv\n", "k\tv", `\tv`, "\tv\n"},
		{"the new text has real tabs inside", "a\t& b\n", "a\t& b", "a\t& \\textbf{b}", "a\t& \\textbf{b}\n"},
		{"the new text has real tabs at the front", "\ta\n", "\ta", "\ta\n\t\\title{b}", "\ta\n\t\\title{b}\n"},
		{"the file writes it out itself", "\tp(\"\\t\")\t// x\n", "p(\"\\t\")\t// x", "p(\"\\t\\t\")\t// x", "\tp(\"\\t\\t\")\t// x\n"},
		{"carriage return", "a\rb\n", `a\rb`, `a\rc`, "a\rc\n"},
		{"carriage return of a line break", "a\r\nb\r\nc\n", "a\nb", "a\\r\nb", "a\\r\r\nb\r\nc\n"},
		{"never a line feed", "a\nb\n", `a\nb`, `a\nc`, "a\\nc\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Replace(c.body, c.old, c.new, false)
			if err != nil || r.Body != c.want {
				t.Errorf("got %q (%s), %v; want %q", r.Body, r.Strategy, err, c.want)
			}
			if kept := strings.Contains(r.Body, `\`); r.Decoded == kept {
				t.Errorf("Decoded is %v, but the text is %q", r.Decoded, r.Body)
			}
		})
	}
}

func TestReindent(t *testing.T) {
	for _, c := range []struct{ name, text, before, stretch, want string }{
		{"same", " a", " b", " c", " a"},
		{"deeper", "a\n  b", "x", "    x", "    a\n      b"},
		{"less deep", "        a\n          b", "        x", "    x", "    a\n      b"},
		{"spaces to tabs, line by line", "        a\n    b\nc", "        x", "\t\tx", "\t\ta\n\tb\nc"},
		{"first lines blank", "a", "\n\nx", "\n   \n  x", "  a"},
		{"tabs where spaces were", "\ta", "    x", "  x", "\ta"},
		{"nothing to compare", "   a", "      x", "\tx", "   a"},
		{"wide space", "a", "x", "\u3000x", "\u3000a"},
		{"all blank", "a", "\n", " \n", "a"},
	} {
		if got := reindent(c.text, c.before, c.stretch); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestReplaceProblems holds what the model reads when nothing can be replaced.
func TestReplaceProblems(t *testing.T) {
	many := strings.Repeat("x = 1\n\n", 30)
	code := program(40)
	for _, c := range []struct {
		name, body, old, new string
		kind                 Kind
		words                []string
	}{
		{"empty", "a", "", "b", EmptyOld, []string{"write_file"}},
		{"identical", "a", "a", "a", Identical, []string{"the same"}},
		{"several", "a\nb\na\n", "a", "c", Ambiguous, []string{"2 places", "lines 1 and 3", "replace_all"}},
		{"overlapping", "aaa", "aa", "c", Ambiguous, []string{"2 places"}},
		{"very many", many, "x = 1", "y", Ambiguous, []string{"30 places", "lines 1, 3, 5, 7, 9, 11, 13, 15, 17, 19 and 20 more"}},
		{"near", code, "\tif len(in) < 10 {\n\t\tgoto fail\n", "", NotFound,
			[]string{"Did you mean", "14|\t\treturn 0", "13|\tif len(in) < 10 {", "11|"}},
		{"nothing near", "abc\n", "\u4e00\u4e8c", "", NotFound, []string{"Read the file again"}},
		{"blanks alone", "a\n\nb", "  ", "x", NotFound, nil},
		{"half of an ellipsis", "wait\u2026 done\n", "wait.", "x", NotFound, nil},
		{"drift", "say('a', 'b')  # x\n", `say(\'a\', 'b') # x`, `say(\'c\', 'b') # x`, EscapeDrift, []string{`\'`, "without a backslash"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Replace(c.body, c.old, c.new, false)
			p, ok := errors.AsType[*Problem](err)
			if !ok || p.Kind != c.kind {
				t.Fatalf("got %v, want a problem of kind %s", err, c.kind)
			}
			for _, w := range c.words {
				if !strings.Contains(p.Message, w) {
					t.Errorf("%q does not mention %q", p.Message, w)
				}
			}
		})
	}
}

// TestSnippetsAreShort holds that a message stays short whatever the file is.
func TestSnippetsAreShort(t *testing.T) {
	body := strings.Repeat(strings.Repeat("lorem ipsum ", 1000)+"\n", 50)
	_, err := Replace(body, strings.Repeat("lorem ipsum ", 900)+"dolor\n"+strings.Repeat("sit amet\n", 400), "", false)
	if err == nil || len(err.Error()) > 10_000 || !strings.Contains(err.Error(), "Did you mean") {
		t.Errorf("message of %d bytes: %.200v", len(err.Error()), err)
	}
}

// TestSearchesOfBenchmarks holds that each benchmark searches the way it says.
func TestSearchesOfBenchmarks(t *testing.T) {
	body := program(10_000) + "// The end of this list, which has no step after it.\n"
	for _, s := range searches() {
		if r, _ := Replace(body, s.old, "replaced", false); r.Strategy != s.strategy {
			t.Errorf("%s is found by %q, want %q", s.name, r.Strategy, s.strategy)
		}
	}
}

// TestNamesAreKept: what is only like the quoted text is never taken for it where a name or
// a number differs.
func TestNamesAreKept(t *testing.T) {
	for _, c := range []struct{ body, old, new, want string }{
		{"def add(a, b):\n    return a + b\n", "def div(a, b):\n    return a / b", "def div(a, b):\n    return a // b", ""},
		{"def add(a, b): return a + b\n", "def div(a, b): return a / b", "x", ""},
		{"def get_items(self):\n    return self.items\n", "def get_item(self):\n    return self.items;", "x", ""},
		{"function total() {\n  return sum(a)\n}\n", "function totl() {\n  return sum(a);\n}", "x", ""},
		{"func (s *Store) Get(id int) {\n", "func (s *Store) Set(id int) {", "x", ""},
		{"int max(int a, int b)\n{\n  return a > b;\n}\n", "int min(int a, int b) {\n  return a < b;\n}", "x", ""},
		{"timeout = 30\nretries = 3\n", "timeout = 60;\nretries = 3", "x", ""},
		{"  host: a.example.org\n  port: 80\n", "  host: b.example.org\n  port: 80", "x", ""},
		{"{\nalpha(1)\nbeta(2)\n}\n", "{\nalpha(3)\nbeta(4)\n}", "x", ""},
		{"users = load()\nuser = users[0]\nprint(users);\n", "print(user)", "x", ""},
		{"row.getX();\n", "row.getY()", "x", ""},
		{"// user1 is first\ncall(user1);\n", "call( user2 )", "x", ""},
		{"const a = \"x\";\nconst b = 2;\n", "const a = 'x'", "const a = 'y'", "const a = 'y';\nconst b = 2;\n"},
		{"  register(\"alpha\", b);\n", "register('alpha', b)", "register('gamma', b)", "  register('gamma', b);\n"},
		{"const a = \"x\";\n", "const a = 'x'", "const a = 'y';", "const a = 'y';\n"},
		{"register(\"alpha\");\n", "register('alpha')", "if (x) {\n  f('a')\n}", "if (x) {\n  f('a')\n}\n"},
		{"register(\"alpha\");\ng()\n", "register('alpha')", "", "\ng()\n"},
		{"total_price = a + b\nprint(total_price);\n", "totl_price = a + b\nprint(total_price)", "print(a)", "print(a);\n"},
		{"{\nx = 1\n}\n", "{\nx = 2\n}", "{\nx = 3\n}", "{\nx = 3\n}\n"},
	} {
		r, err := Replace(c.body, c.old, c.new, false)
		if (err == nil) != (c.want != "") || r.Body != c.want {
			t.Errorf("%q in %q: %q by %s, %v", c.old, c.body, r.Body, r.Strategy, err)
		}
		if p, ok := errors.AsType[*Problem](err); err != nil && (!ok || !strings.Contains(p.Message, "1|")) {
			t.Errorf("%q: no place is shown: %v", c.old, err)
		}
	}
}

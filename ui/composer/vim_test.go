package composer

import (
	"math/rand/v2"
	"strings"
	"testing"

	"hermes-tui/internal/celltest"
	"hermes-tui/themes"
	"hermes-tui/ui/rows"
)

// vimType presses keys as the root hands them on: what vim does not take is typed. Keys with
// names stand in angle brackets.
func vimType(c *Composer, keys string) {
	for keys != "" {
		key := keys[:1]
		if key == "<" {
			if name, rest, named := strings.Cut(keys[1:], ">"); named {
				if !c.VimKey(name, "") && name == "cr" {
					c.Do(Newline)
				}
				keys = rest
				continue
			}
		}
		keys = keys[1:]
		if !c.VimKey(key, key) {
			c.Insert(key)
		}
	}
}

// TestVim begins with a draft and the cursor at its start, and shows the cursor as |.
func TestVim(t *testing.T) {
	for _, c := range []struct{ draft, keys, want string }{
		{"one two three", "w", "one |two three"},
		{"one two three", "2w", "one two |three"},
		{"one two three", "e", "on|e two three"},
		{"one two three", "ee", "one tw|o three"},
		{"one two three", "$b", "one two |three"},
		{"one two three", "$bb0", "|one two three"},
		{"a.b c", "w", "a|.b c"},
		{"a.b c", "W", "a.b |c"},
		{"a.b c", "E", "a.|b c"},
		{"  in", "^", "  |in"},
		{"one two", "fo", "one tw|o"},
		{"one two", "tw", "one |two"},
		{"one two two", "fw;", "one two t|wo"},
		{"one two two", "$Fw", "one two t|wo"},
		{"one two two", "$Fw;,", "one two t|wo"},
		{"one two two", "$Tw", "one two tw|o"},
		{"one two two", "tw;", "one two |two"},
		{"x", "l", "|x"},
		{"one\ntwo\nthree", "G", "one\ntwo\n|three"},
		{"one\ntwo\nthree", "2G", "one\n|two\nthree"},
		{"one\ntwo\nthree", "Ggg", "|one\ntwo\nthree"},
		{"one\ntwo\n\nthree", "}", "one\ntwo\n|\nthree"},
		{"one\n\ntwo", "G{", "one\n|\ntwo"},

		{"one two three", "x", "|ne two three"},
		{"one two three", "3x", "| two three"},
		{"one two three", "$X", "one two thr|e"},
		{"one two three", "dw", "|two three"},
		{"one two three", "2dw", "|three"},
		{"one two three", "d2w", "|three"},
		{"one two three", "wD", "one| "},
		{"one two three", "de", "| two three"},
		{"one two", "wdw", "one| "},
		{"one two\nthree", "wdw", "one| \nthree"},
		{"one two three", "wdb", "|two three"},
		{"one two three", "dtw", "|wo three"},
		{"one two three", "dfw", "|o three"},
		{"one\ntwo\nthree", "dd", "|two\nthree"},
		{"one\ntwo\nthree", "2dd", "|three"},
		{"one\ntwo\nthree", "Gdd", "one\n|two"},
		{"one\ntwo\nthree", "dj", "|three"},
		{"one\ntwo\nthree", "dG", "|"},
		{"one", "dd", "|"},

		{"one two", "cwnew<esc>", "ne|w two"},
		{"one two", "ccnew<esc>", "ne|w"},
		{"one two", "wCnew<esc>", "one ne|w"},
		{"one two", "sX<esc>", "|Xne two"},
		{"one\ntwo", "Snew<esc>", "ne|w\ntwo"},
		{"one", "aX<esc>", "o|Xne"},
		{"one", "AX<esc>", "one|X"},
		{" one", "$IX<esc>", " |Xone"},
		{"one\ntwo", "oX<esc>", "one\n|X\ntwo"},
		{"one\ntwo", "jOX<esc>", "one\n|X\ntwo"},
		{"one", "rX", "|Xne"},
		{"one", "2rX", "X|Xe"},
		{"one", "9rX", "|one"},
		{"one two", "~", "O|ne two"},
		{"one two", "3~", "ONE| two"},
		{"one\n  two", "J", "one| two"},

		{"one two", "ywP", "one| one two"},
		{"one\ntwo", "yyp", "one\n|one\ntwo"},
		{"one\ntwo", "yyjP", "one\n|one\ntwo"},
		{"one\ntwo", "ddp", "two\n|one"},
		{"one\ntwo", "yy2p", "one\n|one\none\ntwo"},
		{"ab", "xp", "b|a"},

		{"say (a b) now", "fbdi(", "say (|) now"},
		{"say (a b) now", "fbda(", "say | now"},
		{"say (a (b) c) now", "fbdi(", "say (a (|) c) now"},
		{"f {\n a\n}", "jdi{", "f {|}"},
		{`say "a b" now`, `fadi"`, `say "|" now`},
		{`say "a b" now`, `fada"`, `say | now`},
		{`say "a b" now`, `ci"x<esc>`, `say "|x" now`},
		{"one two three", "wdiw", "one | three"},
		{"one two three", "wdaw", "one |three"},
		{"one two three", "$daw", "one tw|o"},
		{"one two three", "wyiwP", "one tw|otwo three"},

		{"one two three", "wved", "one | three"},
		{"one two three", "wvwhd", "one |three"},
		{"one two three", "veyP", "on|eone two three"},
		{"one\ntwo\nthree", "Vjd", "|three"},
		{"one\ntwo\nthree", "jVcnew<esc>", "one\nne|w\nthree"},
		{"one two", "v$~", "|ONE TWO"},
		{"one two", "wvod", "one |wo"},
		{"one two", "viw<esc>x", "on| two"},

		{"one two", "dwu", "|one two"},
		{"one two", "xxuu", "|one two"},
		{"one two", "dwu<ctrl+r>", "|two"},
		{"one two three", "dw.", "|three"},
		{"one two three", "cwX<esc>w.", "X |X three"},
		{"one\ntwo\nthree", "A;<esc>j.j.", "one;\ntwo;\nthree|;"},
		{"one two three", "x..", "| two three"},
		{"one two three", "d<esc>w", "one |two three"},
		{"one two three", "dQw", "one |two three"},
		{"日本 語", "w", "日本 |語"},
		{"日本 語", "x", "|本 語"},
	} {
		e := newTest()
		e.SetVim(true)
		e.Rows(nil, 60, 10)
		e.SetDraft(c.draft)
		vimType(e, "<esc>gg0"+c.keys)
		if e.VimMode() != "NORMAL" {
			t.Errorf("%q %s: ends in %q", c.draft, c.keys, e.VimMode())
		}
		vimType(e, "i|")
		if got := e.Draft(); got != c.want {
			t.Errorf("%q %s:\n%q, want\n%q", c.draft, c.keys, got, c.want)
		}
	}
}

// TestVimLeavesKeysAlone holds what means the same as without vim.
func TestVimLeavesKeysAlone(t *testing.T) {
	c := newTest()
	for _, k := range []string{"esc", "x", "ctrl+r"} {
		if c.VimKey(k, "") {
			t.Errorf("%s is taken without vim", k)
		}
	}
	c.SetVim(true)
	if c.VimKey("esc", "") {
		t.Error("escape is taken on an empty draft")
	}
	c.Insert("draft")
	if !c.VimKey("esc", "") || c.VimMode() != "NORMAL" {
		t.Error("escape does not leave inserting")
	}
	for _, k := range []string{"esc", "enter", "ctrl+c", "up", "f6"} {
		if c.VimKey(k, "") {
			t.Errorf("%s is taken", k)
		}
	}
	if c.Set(""); c.VimMode() != "" {
		t.Error("after sending, what is typed is a command")
	}
}

// TestVimDrawsTheSelection looks for the mark of the mode, and for what is selected.
func TestVimDrawsTheSelection(t *testing.T) {
	c := newTest()
	c.SetVim(true)
	c.Insert("one two three\nfour")
	vimType(c, "<esc>gg0wve")
	drawn := strings.Join(c.Rows(nil, 40, 3), "\n")
	if !strings.Contains(drawn, c.styles.Selected.Render("two")) || !strings.Contains(drawn, "❮ ") {
		t.Errorf("%q", drawn)
	}
	vimType(c, "<esc>ggVj")
	drawn = strings.Join(c.Rows(nil, 40, 3), "\n")
	if !strings.Contains(drawn, c.styles.Selected.Render("one two three")) || !strings.Contains(drawn, c.styles.Selected.Render("four")) {
		t.Errorf("%q", drawn)
	}
}

// TestVimAtRandom presses keys at random: nothing panics, rows stay whole, and undoing all
// of it brings back the beginning.
func TestVimAtRandom(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	const keys = "hjklwWbBeE0^$gGfFtTrxXsSdDcCyYpPJuvVoOiaIA~.;,23{}()[]\"' né日"
	all := []rune(keys)
	for range 300 {
		c := New(Options{Styles: rows.NewStyles(themes.Dark()), PasteLines: 2, PasteChars: 40})
		c.SetVim(true)
		c.Insert("one (two) \"three\"\n\n  four 日本 é five")
		c.Paste("a paste\nof some\nlines")
		for range 60 {
			if dice.IntN(8) == 0 {
				vimType(c, "<esc>")
				continue
			}
			k := string(all[dice.IntN(len(all))])
			if !c.VimKey(k, k) {
				c.Insert(k)
			}
			celltest.Check(t, c.Rows(nil, 24, 6), 24, 6)
			c.Cursor()
		}
	}
}

package shellrisk

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// seeds adds the commands of the table to a fuzz target.
func seeds(f *testing.F) {
	file, err := os.Open(filepath.Join("testdata", "commands.txt"))
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if _, command, ok := strings.Cut(lines.Text(), "\t"); ok {
			f.Add(strings.ReplaceAll(command, `\n`, "\n"))
		}
	}
}

// FuzzJudge wants no panic, a short time, the same verdict twice, and that a
// deletion of everything is found wherever a statement is added.
func FuzzJudge(f *testing.F) {
	seeds(f)
	set := testSetting()
	set.Workspace = "/srv/app"
	set.List = func(string) []string { return []string{"-x", "a"} }
	f.Fuzz(func(t *testing.T, command string) {
		began := time.Now()
		v := Judge(command, set)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%v for %q", took, command)
		}
		check(t, command, v)
		if again := Judge(command, set); again.Decision != v.Decision || again.Category != v.Category {
			t.Errorf("%q: first %+v, then %+v", command, v, again)
		}
		if utf8.RuneCountInString(command) < MaxCommand/2 && !strings.Contains(command, "\x00") {
			if w := Judge("rm -rf /\n"+command, set); w.Decision != Blocked {
				t.Errorf("behind rm -rf /, %q is %s", command, w.Decision)
			}
		}
	})
}

// FuzzWords compares the words of plain commands with those a real bash makes.
func FuzzWords(f *testing.F) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		f.Skip("SKIPPED: no bash here")
	}
	for _, s := range []string{
		`a "b c" 'd e' f\ g`, `$'\x41\n\t\u00e9\'' "\\\"\a"`, `{a,b}c{1..3} x{,y}z`, `~ ~/x a~ "~"`, `'' "" a''b`,
		`{a,b `, `{','..0}`, `{x","..1}y`, `{a}`, `{0}0,}0`, `{a}b,/}`, `{}{a,b}`, `{,}`, `{a..c}x{01..3}`, `{a{b,c}`,
		`{a,b}}`, `a{b,c\,d}`, `{1..2..x}y{a,b}`, `{-01..2}`, `a{b,c}{d,e}`, `{3..1}`, `{a..e..2}`, `$'\101\cA'`, `$'\x{72}m\x{1g'`,
		`\{a,b}`, `"{a,b}"`, `=a a=b`, `\~`, `{~,a}`, `$'a\x0'b`, `-- -n`, `$"x"`, `a:~:b`, `of=~/x a=~:~/b:c`,
		`a=b~ -a=~/x`, `a1=~/"b":~ x~ ~`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, mine, ok := plainWords(text)
		if !ok {
			return
		}
		cmd := exec.Command(bash, "--norc", "--noprofile", "-c", "set -f\n"+want)
		cmd.Env = []string{"HOME=/home/alice", "LC_ALL=C.UTF-8"}
		out, err := cmd.Output()
		if err != nil {
			return // bash takes it for an error where the parser does not
		}
		words := strings.Split(string(bytes.TrimSuffix(out, []byte{0})), "\x00")
		if !slices.Equal(words, mine) {
			t.Errorf("%q\nbash %q\nmine %q", text, words, mine)
		}
	})
}

// runnable reports whether a text can do no more in a shell than give words. It
// does not rest on the parser, which is what is tested: there is no sign that
// could end a command, begin another one or expand to anything but quotes.
func runnable(text string) bool {
	if !utf8.ValidString(text) || len(text) > 200 || strings.ContainsAny(text, ";&|<>()`#!\n\r") {
		return false
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return false
	}
	for i := range len(text) {
		next := byte(' ')
		if i+1 < len(text) {
			next = text[i+1]
		}
		switch text[i] {
		case '$':
			if next != '\'' && next != '"' {
				return false
			}
		case '~': // other people's homes differ from machine to machine
			if strings.IndexByte("/: ", next) < 0 {
				return false
			}
		}
	}
	return true
}

// plainWords makes a command that prints its words, if text is nothing but
// words, and gives the words as the judge reads them.
func plainWords(text string) (command string, words []string, ok bool) {
	if !runnable(text) {
		return "", nil, false
	}
	command = `printf '%s\0' x ` + text
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil || len(file.Stmts) != 1 || len(file.Stmts[0].Redirs) > 0 || file.Stmts[0].Background || file.Stmts[0].Negated {
		return "", nil, false
	}
	c, isCall := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !isCall || len(c.Assigns) > 0 {
		return "", nil, false
	}
	st := newState(testSetting())
	for _, w := range c.Args[2:] {
		for _, part := range w.Parts {
			switch p := part.(type) {
			case *syntax.Lit, *syntax.SglQuoted:
			case *syntax.DblQuoted:
				for _, inner := range p.Parts {
					if _, lit := inner.(*syntax.Lit); !lit {
						return "", nil, false
					}
				}
			default:
				return "", nil, false
			}
		}
		j := &judge{set: testSetting()}
		for _, a := range j.expand(st, w) {
			if hasHole(a.text) || a.from&fromBraces != 0 && strings.Contains(a.text, `\`) {
				return "", nil, false // {A..z} loses its backslash in bash
			}
			if strings.ContainsRune(a.text, utf8.RuneError) {
				return "", nil, false // numbers that are no characters
			}
			words = append(words, a.text)
		}
	}
	return command, words, true
}

// FuzzCanonical wants that nothing is left that hides, and that texts which
// differ in more than blanks look different.
func FuzzCanonical(f *testing.F) {
	seeds(f)
	f.Add("a\u202eb\u200bc\u00a0d\x1b[2J\xff⟨U+202E⟩ “x” e\u0301\u0301\u0301\u0301\u0301\u0301")
	f.Add("ls" + strings.Repeat(" ", 400) + "; rm" + strings.Repeat("\n", 50) + "x\t\t\t\t\t\t\t\t\t\t\t\t\t\t")
	f.Fuzz(func(t *testing.T, s string) {
		got := Canonical(s)
		if !utf8.ValidString(got) {
			t.Errorf("%q: not valid UTF-8", got)
		}
		if char, hidden := hiddenCharacter(got); hidden {
			t.Errorf("%q: %s is left", got, char)
		}
		if strings.Contains(got, strings.Repeat(" ", maxBlanks+1)) || strings.Contains(got, strings.Repeat("\n", maxEmptyLines+3)) {
			t.Errorf("%q: a long run is left", got)
		}
		if plain := strings.Map(dropBlanks, s); len(plain) > 0 && strings.Map(dropBlanks, got) == "" {
			t.Errorf("%q vanished", s)
		}
		if strings.Count(got, "⟨") < strings.Count(s, "⟨") {
			t.Errorf("%q: a sign of ours was left to the command", got)
		}
	})
}

func dropBlanks(r rune) rune {
	if strings.ContainsRune(" \t\n", r) {
		return -1
	}
	return r
}

package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// remote is this machine under another name: a place to which questions cost time.
type remote struct{ *place.Local }

func (f remote) Info() place.Info {
	info := f.Local.Info()
	info.Name = "ssh"
	return info
}

// local gives the place of a bench.
func (b *bench) local() *place.Local {
	b.Helper()
	l, ok := b.place.(*place.Local)
	if !ok {
		b.Fatalf("the place is a %T", b.place)
	}
	return l
}

// variants are searches of the same tree, each with other programs: none first.
func (b *bench) variants() map[string]*bench {
	b.Helper()
	with := func(at place.Place, tune func(s *Search)) *bench {
		s := New(Options{Place: at, Root: b.root, Private: filepath.Join(b.home, ".hermes")})
		s.lookup.Do(s.lookUp)
		s.few = 1
		tune(s)
		return &bench{TB: b.TB, Search: s, root: b.root, home: b.home}
	}
	return map[string]*bench{
		"alone":   with(b.local(), func(s *Search) { s.ripgrep = "" }),
		"ripgrep": with(b.local(), func(*Search) {}),
		"remote":  with(remote{b.local()}, func(*Search) {}),
		"grep":    with(remote{b.local()}, func(s *Search) { s.ripgrep = "" }),
		"bare":    with(remote{b.local()}, func(s *Search) { s.ripgrep, s.grep, s.find = "", "", "" }),
	}
}

// needPrograms skips without the programs that would be compared.
func needPrograms(t *testing.T) {
	t.Helper()
	for _, name := range []string{"rg", "grep", "find"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("SKIPPED: %s is not installed, so searching with and without it is not compared", name)
		}
	}
}

// lines are what files of the compared trees are made of.
var lines = []string{
	"alpha beta", "Alpha BETA", "", "foo.bar(baz)", "func Foo() {", "x", "αβγ Straße", "ſtrange Kelvin K", "caf\xe9 noir", "\xff\xfe tail", "tab\there",
	"end\r", "\r", "foofoo foo", "a\x0bb", "_id9 9id", "日本語", "wide \u2028 line", "\uFEFFmark", "needle", "NEEDLE", "né́e", "a b c", "--flag", "\x00nul\x00",
	"emoji 👩‍👩‍👧", "\xf0\x9f", "\uFFFD", strings.Repeat("long ", 300) + "needle",
}

// patterns are searched for in them.
var patterns = []string{
	"a", "x", "(?i)needle", "(?i)k", "(?i)straße", "(?i)STRANGE", `^`, `$`, `^$`, `^\w+$`, `\bfoo\b`, `\Bfoo`, `foo\B`, `.`, `..`, `caf.`, `caf. n`, `[^a]`, `^[^a]*$`,
	`\s`, `\S+\s\S+`, `a.c`, `(fo+)+`, `(foo){2,}`, `(?:a|b)c?`, `^.{3}$`, `\d`, `\pL\pL\pL\pL\pL`, `\p{Greek}`, `[α-ω]`, `\x{FFFD}`, `\xff`, `mark`, `^mark`, `\Amark`,
	`needle\z`, `(?s).needle`, `(?m)^x$`, `[[:upper:]]{3}`, `e$`, `d$`, `nul`, `l$`, `(?i)[k]`, `日|語`, `--`, `^--flag`, `(?U)a.*b`, `\Q.b\E`, `x*`, `a{0}`, `()`, `[^\x00-\x7f]`, `👩`,
	`\t`, `[\n]`, `a|\n`, `\v`, `(?i)é`, `\b`, `\B`, `^\B`, `\b$`, `é́`, `[\x{2028}]`, "needle", "foo", "long.*needle", `[^\pL]{2}`,
}

// grow makes a random tree.
func (b *bench) grow(random *rand.Rand) {
	b.Helper()
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	files := map[string]string{}
	for range 150 {
		var parts []string
		for range random.IntN(4) {
			parts = append(parts, pick("d1", "d2", "da", ".hid", "b b", "sub"))
		}
		name := pick("a", "b", "c", "d", "e") + pick("1", "2", "3", "ä", "\n", "[x]", "*", "") + pick(".go", ".txt", ".log", "", ".go")
		if random.IntN(15) == 0 {
			name = pick(".env", ".hidden", "-e", "--pre=x")
		}
		var text strings.Builder
		if random.IntN(8) == 0 {
			text.WriteString("\xEF\xBB\xBF")
		}
		for range random.IntN(12) {
			text.WriteString(pick(lines...))
			text.WriteString(pick("\n", "\n", "\n", "\r\n"))
		}
		text.WriteString(pick("", "last", "needle"))
		content := text.String()
		switch random.IntN(12) {
		case 0:
			content = utf16Text(content, random.IntN(2) == 0)
		case 1:
			content = "x\n\x00" + content
		case 2:
			content = strings.Repeat("padding line\n", 700) + content
		}
		if random.IntN(20) == 0 {
			name, content = pick(".gitignore", ".ignore", ".rgignore"), pick("*.log\n", "!*.log\n", "d1/\n", "/a*\n", "sub\n!sub/b\n")
		}
		files[filepath.Join(append(parts, name)...)] = content
	}
	for name, text := range files {
		path := filepath.Join(b.root, name)
		if os.MkdirAll(filepath.Dir(path), 0o755) != nil || os.WriteFile(path, []byte(text), 0o644) != nil {
			continue // a file and a folder of one name
		}
	}
	if random.IntN(2) == 0 {
		if err := os.Mkdir(filepath.Join(b.root, ".git"), 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			b.Fatal(err)
		}
	}
}

// utf16Text writes a text in UTF-16 with a mark; bytes that are no text become
// halves of characters.
func utf16Text(s string, big bool) string {
	var b strings.Builder
	put := func(u uint16) {
		if big {
			b.Write([]byte{byte(u >> 8), byte(u)})
			return
		}
		b.Write([]byte{byte(u), byte(u >> 8)})
	}
	put(0xFEFF)
	for i := range len(s) {
		u := uint16(s[i])
		if u >= 0xf8 {
			u = 0xD800
		}
		put(u)
	}
	return b.String()
}

// TestSameWithAndWithoutPrograms is the contract of the programs that help: they
// change nothing but the time.
func TestSameWithAndWithoutPrograms(t *testing.T) {
	needPrograms(t)
	random := rand.New(rand.NewPCG(7, 9))
	rounds := 3
	if testing.Short() {
		rounds = 1
	}
	for round := range rounds {
		b := newBench(t)
		b.grow(random)
		all := b.variants()
		if all["ripgrep"].ripgrep == "" || all["remote"].Search.find == "" || all["grep"].grep == "" {
			t.Fatal("a program was not found")
		}
		for i, pattern := range patterns {
			args := map[string]any{"pattern": pattern, "limit": 1000}
			switch (i + round) % 8 {
			case 1:
				args["output_mode"] = "count"
			case 2:
				args["output_mode"] = "files_only"
			case 3:
				args["context"] = 2
			case 4:
				args["file_glob"] = "*.{go,txt}"
			case 5:
				args["file_glob"], args["limit"], args["offset"] = ".*", 3, 1
			case 6:
				args["limit"], args["offset"] = 5, 7
			}
			compare(t, all, args)
		}
		for _, glob := range []string{"*", "*.go", ".*", "a*", "**/d1/**", "b b/*", ".hid/**"} {
			compare(t, all, map[string]any{"pattern": glob, "target": "files", "limit": 1000})
		}
	}
}

// compare wants the same answer of all searches.
func compare(t *testing.T, all map[string]*bench, args map[string]any) {
	t.Helper()
	want := all["alone"].find(args).Content
	for name, b := range all {
		if got := b.find(args).Content; got != want {
			t.Errorf("%v with %s:\n got %s\nwant %s", args, name, got, want)
		}
		if b.troubles() > 0 {
			t.Errorf("%v with %s: a program failed", args, name)
		}
	}
}

// troubles tells how often a program failed that was asked directly.
func (b *bench) troubles() int32 { return b.failed.Load() }

// FuzzSuperset holds that what a line search finds is found in the whole file by
// the expression made for ripgrep. Go's own engine stands in for ripgrep's, with
// the parts that it does not know put otherwise.
func FuzzSuperset(f *testing.F) {
	for _, p := range patterns {
		f.Add(p, []byte(strings.Join(lines, "\n")))
	}
	rg, err := exec.LookPath("rg")
	if err != nil {
		f.Skip("SKIPPED: rg is not installed")
	}
	f.Fuzz(func(t *testing.T, expression string, data []byte) {
		tree, err := syntax.Parse(expression, syntax.Perl)
		if err != nil || len(expression) > 200 {
			return
		}
		re, err := regexp.Compile(expression)
		if err != nil {
			return
		}
		wide, ok := superset(tree)
		if !ok {
			return
		}
		body, text := plain(data, true)
		if !text {
			return
		}
		found := false
		for line := range strings.SplitSeq(string(body), "\n") {
			// A file that ends with a line break has no line behind it.
			found = found || line != "" && re.MatchString(strings.TrimSuffix(line, "\r"))
		}
		if !found {
			return
		}
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), rg, "--no-config", "-l", "--text", "--encoding=none", "--no-mmap", "--case-sensitive",
			"--regexp", wide, "--", name).CombinedOutput()
		var failed *exec.ExitError
		if errors.As(err, &failed) && failed.ExitCode() == 2 {
			return // too large for ripgrep; the search does without it
		}
		if err != nil {
			t.Fatalf("%q in %q: ripgrep does not find %q: %v %s", expression, data, wide, err, out)
		}
	})
}

// TestInterruptEndsThePrograms gives a search a program that never ends.
func TestInterruptEndsThePrograms(t *testing.T) {
	b := newBench(t)
	files := map[string]string{}
	for i := range 2 * fewFiles {
		files[fmt.Sprintf("f%03d", i)] = "x\n"
	}
	b.put(files)
	begun := filepath.Join(b.home, "begun")
	b.put(map[string]string{filepath.Join(b.home, "rg"): "#!/bin/sh\ntouch " + begun + "\ntrap '' TERM\nsleep 1000\n"})
	if err := os.Chmod(filepath.Join(b.home, "rg"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := New(Options{Place: b.local(), Root: b.root, Path: b.home + ":relative:" + b.root})
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(begun); err == nil {
				cancel(errors.New("the user pressed escape"))
			}
		}
	}()
	start := time.Now()
	r := b.reply(s.run(ctx, tools.Call{Name: "search_files", Args: json.RawMessage(`{"pattern":"."}`)}))
	if r.Status != tools.StatusCancelled || time.Since(start) > 10*time.Second {
		t.Errorf("got %s after %v", r.Content, time.Since(start))
	}
}

// TestProgramsThatFail must not change what is found.
func TestProgramsThatFail(t *testing.T) {
	b := newBench(t)
	files := map[string]string{}
	for i := range 2 * fewFiles {
		files[fmt.Sprintf("f%03d", i)] = "x\n"
	}
	b.put(files)
	for what, text := range map[string]string{
		"fails": "#!/bin/sh\nexit 2\n", "is no program": "\x7fELF", "dies": "#!/bin/sh\nkill -9 $$\n", "lies": "#!/bin/sh\nprintf '/etc/passwd\\0'; exit 2\n",
	} {
		rg := filepath.Join(b.home, "rg")
		b.put(map[string]string{rg: text})
		if err := os.Chmod(rg, 0o755); err != nil {
			t.Fatal(err)
		}
		s := New(Options{Place: b.local(), Root: b.root, Path: b.home})
		r := b.reply(s.run(t.Context(), tools.Call{Name: "search_files", Args: json.RawMessage(`{"pattern":"."}`)}))
		if s.ripgrep != rg || r.Total != len(files) || s.failed.Load() == 0 {
			t.Errorf("a program that %s (%s): %d found, %d failures", what, s.ripgrep, r.Total, s.failed.Load())
		}
	}
}

// TestProgramsOfTheWorkspaceAreLeftAlone plants one where it would be found.
func TestProgramsOfTheWorkspaceAreLeftAlone(t *testing.T) {
	b := newBench(t)
	b.put(map[string]string{"bin/rg": "#!/bin/sh\ntouch " + b.home + "/ran\n"})
	if err := os.Chmod(filepath.Join(b.root, "bin/rg"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(b.root, "bin"), filepath.Join(b.home, "bin")); err != nil {
		t.Fatal(err)
	}
	s := New(Options{Place: b.local(), Root: b.root, Path: filepath.Join(b.root, "bin") + "::.:bin:" + filepath.Join(b.home, "bin")})
	s.lookup.Do(s.lookUp)
	if s.ripgrep != "" {
		t.Errorf("would run %s", s.ripgrep)
	}
}

// TestListings takes what a place says with care.
func TestListings(t *testing.T) {
	l := &listed{folders: map[string][]os.DirEntry{}, full: func() {}}
	for _, part := range []string{"d\t0\t1.5\t/a", "\x00f\t12\t1700000000.1234567890\t/a/b\tc\x00l\t", "1\t1\t/a/l\x00"} {
		if _, err := l.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	file := l.folders["/a"][0]
	info, err := file.Info()
	if err != nil || l.count != 3 || file.Name() != "b\tc" || info.Size() != 12 || !info.ModTime().Equal(time.Unix(1700000000, 123456789)) {
		t.Errorf("%+v, %v", l, err)
	}
	for _, bad := range []string{"f\t1\t1\trelative\x00", "f\tx\t1\t/a\x00", "nonsense\x00", "f\t1\tz\t/a\x00", strings.Repeat("x", maxRecord+1)} {
		ended := false
		l := &listed{folders: map[string][]os.DirEntry{}, full: func() { ended = true }}
		if _, err := l.Write([]byte(bad)); err == nil || !ended {
			t.Errorf("%.40q was taken", bad)
		}
	}
}

// BenchmarkPrograms compares searching with and without them, on 10,000 and 100,000
// files of 2 KB.
func BenchmarkPrograms(b *testing.B) {
	body := strings.Repeat("some ordinary line of a source file, with words\n", 40)
	for _, n := range []int{10_000, 100_000} {
		w := newBench(b)
		tree := map[string]string{}
		for i := range n {
			text := body
			if i%500 == 0 {
				text += "the needle is here\n"
			}
			tree[fmt.Sprintf("d%02d/e%02d/f%06d.go", i%97, i%9700/97, i)] = text
		}
		w.put(tree)
		all := w.variants()
		for what, pattern := range map[string]string{"text": "needle", "case": "(?i)needle"} {
			for _, name := range []string{"alone", "ripgrep", "remote"} {
				b.Run(fmt.Sprintf("%d/%s/%s", n, what, name), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						all[name].ResetRepeats()
						if r := all[name].find(map[string]any{"pattern": pattern}); r.Total != n/500 {
							b.Fatal(r.Content)
						}
					}
				})
			}
		}
	}
}

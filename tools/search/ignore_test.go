package search

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestIgnoreFiles(t *testing.T) {
	b := newBench(t)
	b.put(map[string]string{
		".git/info/exclude": "excluded\n", filepath.Join(b.home, ".config/git/ignore"): "*.swp\n",
		".gitignore": "*.log\n!keep.log\n/top\nbuild/\nsub/*.tmp\n**/deep/x\nvendor/**\n", ".ignore": "plain\n!forced.log\n",
		"a.log": "", "keep.log": "", "top": "", "sub/top": "", "build/x": "", "sub/build": "", "sub/a.tmp": "",
		"sub/sub/a.tmp": "", "deep/x": "", "a/deep/x": "", "vendor/m/x": "", "plain": "", "forced.log": "",
		"excluded": "", "x.swp": "", "sub/.gitignore": "!b.log\nlocal\n", "sub/b.log": "", "sub/c.log": "", "sub/local": "", "local": "",
	})
	r := b.find(map[string]any{"pattern": "*", "target": "files"})
	got := slices.Sorted(slices.Values(*r.Files))
	b.same("files", got, []string{"forced.log", "keep.log", "local", "sub/b.log", "sub/build", "sub/sub/a.tmp", "sub/top"})
	r = b.find(map[string]any{"pattern": "*", "target": "files", "path": "sub"})
	got = slices.Sorted(slices.Values(*r.Files))
	b.same("files below, rules above", got, []string{"sub/b.log", "sub/build", "sub/sub/a.tmp", "sub/top"})
	r = b.find(map[string]any{"pattern": "*", "target": "files", "path": "build"})
	b.same("an ignored directory that is named", *r.Files, []string{"build/x"})
	r = b.find(map[string]any{"pattern": "*", "target": "files", "path": "a.log"})
	b.same("an ignored file that is named", *r.Files, []string{"a.log"})
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		line, path string
		dir, want  bool
	}{
		{"# comment", "# comment", false, false}, {`\#x`, "#x", false, true}, {`\!x`, "!x", false, true},
		{"x   ", "x", false, true}, {`x\ `, "x ", false, true}, {"x\t", "x", false, false}, {`x\\  `, `x\`, false, true},
		{"dir/", "dir", false, false}, {"dir/", "dir", true, true}, {"a/b", "a/b", false, true}, {"a/b", "x/a/b", false, false},
		{"a/*", "a/b", false, true}, {"a/*", "a/b/c", false, false}, {"a/**", "a", true, false}, {"a/**", "a/b/c", false, true},
		{"a/**/z", "a/z", false, true}, {"a/**/z", "a/b/c/z", false, true}, {"**/z", "z", false, true}, {"**", "x", false, true},
		{"*.{a,b}", "x.a", false, false}, {"*.{a,b}", "x.{a,b}", false, true}, {"[a-c]x", "bx", false, true}, {"[!a-c]x", "bx", false, false},
		{"[]]x", "]x", false, true}, {"[", "[", false, false}, {"*", ".x", false, true}, {"?", "ä", false, true}, {"!x", "x", false, true},
		{"foo**bar", "foo1bar", false, true}, {`a\`, "a", false, false}, {"/", "x", false, false}, {"x//y", "x/y", false, false},
	} {
		r, ok := parseRule(c.line)
		if got := ok && r.matches(c.path, c.dir); got != c.want {
			t.Errorf("rule %q, path %q: %v", c.line, c.path, got)
		}
	}
	if rules := parseRules("\uFEFFa\r\n\r\n#\nb"); len(rules) != 2 || !rules[0].matches("a", false) || !rules[1].matches("b", false) {
		t.Errorf("rules %+v", rules)
	}
}

// TestAgreesWithGit compares the walk with git on random trees and rules.
func TestAgreesWithGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("SKIPPED: git is not installed")
	}
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	names := []string{"a", "b", "ab", "a.x", "b.y", "c d", "{a}"}
	patterns := []string{"a", "b", "a*", "*b", "?", "[ab]", "[!a]*", "**", "*.x", "a.x", "c\\ d", "{a}", "*.*", "a?", "[a-b].[x-y]"}
	for round := range 40 {
		b := newBench(t)
		files := map[string]string{}
		for range 40 {
			parts := []string{pick(names...)}
			for range random.IntN(4) {
				parts = append([]string{"d" + pick("1", "2", "a")}, parts...)
			}
			files[filepath.Join(parts...)] = ""
		}
		dirs := map[string]bool{".": true}
		for name := range maps.Clone(files) {
			if random.IntN(4) == 0 {
				dirs[filepath.Dir(name)] = true
			}
		}
		for dir := range dirs {
			var text strings.Builder
			for range random.IntN(5) {
				text.WriteString(pick("", "", "", "!") + pick("", "", "/"))
				for i := range random.IntN(3) + 1 {
					if i > 0 {
						text.WriteByte('/')
					}
					text.WriteString(pick(append([]string{"d1", "da", "d*"}, patterns...)...))
				}
				text.WriteString(pick("", "", "/") + "\n")
			}
			files[filepath.Join(dir, ".gitignore")] = text.String()
		}
		b.put(files)
		env := []string{"HOME=" + b.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
		run := func(args ...string) string {
			cmd := exec.CommandContext(t.Context(), git, args...)
			cmd.Dir, cmd.Env = b.root, env
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("git %v: %v: %s", args, err, out)
			}
			return string(out)
		}
		run("init", "-q")
		var want []string
		for _, name := range strings.Split(run("ls-files", "-z", "--others", "--exclude-standard"), "\x00") {
			if name != "" && filepath.Base(name) != ".gitignore" {
				want = append(want, name)
			}
		}
		slices.Sort(want)
		r := b.find(map[string]any{"pattern": "*", "target": "files", "limit": 1000})
		got := slices.Sorted(slices.Values(*r.Files))
		if !slices.Equal(got, want) {
			rules := ""
			for _, name := range slices.Sorted(maps.Keys(files)) {
				if filepath.Base(name) == ".gitignore" {
					rules += fmt.Sprintf("%s: %q\n", name, files[name])
				}
			}
			t.Fatalf("round %d:\n got %q\nwant %q\n%s", round, got, want, rules)
		}
	}
}

func FuzzIgnore(f *testing.F) {
	for _, seed := range [][2]string{{"*.log\n!keep\n/a/**/b/", "a/x/b"}, {"[]]\\ ", "]"}, {"**/**/**/a*b*c*d*e", "aaaa/bbbb/abcdf"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		if !fs.ValidPath(path) || path == "." {
			return
		}
		start := time.Now()
		s := &scope{dir: "/w", git: parseRules(text)}
		one := s.ignored("/w/"+path, false)
		if one != s.ignored("/w/"+path, false) {
			t.Fatal("not deterministic")
		}
		none := &scope{parent: s, dir: "/w", plain: parseRules("!*")}
		if none.ignored("/w/"+path, false) {
			t.Fatal("a rule that takes everything back does not win")
		}
		if d := time.Since(start); d > 2*time.Second {
			t.Fatalf("took %v", d)
		}
	})
}

func FuzzFilter(f *testing.F) {
	f.Add("*.{go,ts}", "a/b.go")
	f.Add("{a,{b,c}}**/[x-z]?", "b/y1")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if !fs.ValidPath(path) || len(path) > 4096 {
			return
		}
		start := time.Now()
		g, err := newFilter(pattern, "/w", false)
		if err != nil {
			if errors.Is(err, fs.ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		g.match(path)
		if d := time.Since(start); d > 2*time.Second {
			t.Fatalf("took %v", d)
		}
	})
}

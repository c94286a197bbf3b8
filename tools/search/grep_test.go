package search

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hermes-tui/tools/place"
)

// TestEachAgreesWithPlainMatching compares the fast search with one that tries
// the expression on every line.
func TestEachAgreesWithPlainMatching(t *testing.T) {
	data := []byte("alpha beta\n\nbeta\nfoo.bar(baz)\r\nFOO\nαβγ\n\xff\xfe\nfoofoo\nend beta")
	for _, text := range []string{
		"beta", "foo", "(?i)foo", "^", "$", "^$", ".", "fo+", "(foo){2}", "foo|beta", `\bbeta\b`, `^beta$`, `\w+\.\w+\(`,
		"β", "αβγ", "\uFFFD", "[^a]", `x*`, `beta\z`, `\Abeta`, "(?s).", "(?m)^b", "z", `foo.*baz`, `a{2}`, "foo(?:o)?",
	} {
		p, err := newPattern(text)
		if err != nil {
			t.Fatal(err)
		}
		re := regexp.MustCompile(text)
		var want, got []string
		for line := range bytes.SplitSeq(data, []byte{'\n'}) {
			if line = bytes.TrimSuffix(line, []byte{'\r'}); re.Match(line) {
				want = append(want, string(line))
			}
		}
		p.each(data, func(start, end int) bool {
			got = append(got, string(data[start:end]))
			return true
		})
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// TestFilesLargerThanTheWindow checks line numbers and matches at the edges.
func TestFilesLargerThanTheWindow(t *testing.T) {
	b := newBench(t)
	line := strings.Repeat("x", 99) + "\n"
	n := 2*window/len(line) + 10
	var data bytes.Buffer
	for i := 1; i <= n; i++ {
		if i%20_000 == 0 {
			fmt.Fprintf(&data, "needle %d\n", i)
		} else {
			data.WriteString(line)
		}
	}
	data.WriteString(strings.Repeat("y", window+5) + "\nneedle last")
	b.put(map[string]string{"big": data.String()})
	r := b.find(map[string]any{"pattern": "needle"})
	if want := n/20_000 + 1; r.Total != want || len(*r.Matches) != want {
		t.Fatalf("%d matches, want %d", r.Total, want)
	}
	for i, h := range *r.Matches {
		want := fmt.Sprintf("needle %d", (i+1)*20_000)
		number := (i + 1) * 20_000
		if i == len(*r.Matches)-1 {
			want, number = "needle last", n+2
		}
		if h.Content != want || h.Line != number {
			t.Errorf("match %d: line %d, %q", i, h.Line, h.Content)
		}
	}
}

func TestRequiredLiterals(t *testing.T) {
	for text, want := range map[string]string{
		"foo": "foo", `func \w+Handler`: "Handler", "(?i)foo": "", "foo|bar": "", "(foo)+": "foo", "(foo)*bar": "bar",
		"(foobar){2,3}x": "foobar", "[abc]": "", `\bword\b`: "word", "(?i:a)bcd": "bcd",
	} {
		p, err := newPattern(text)
		if err != nil || string(p.literal) != want {
			t.Errorf("%s: %q, %v, want %q", text, p.literal, err, want)
		}
	}
}

func BenchmarkSearchTree(b *testing.B) {
	w := newBench(b)
	const files = 20_000
	body := strings.Repeat("some ordinary line of a source file, with words\n", 40)
	tree := map[string]string{}
	for i := range files {
		text := body
		if i%500 == 0 {
			text += "the needle is here\n"
		}
		tree[filepath.Join(fmt.Sprintf("d%02d", i%97), fmt.Sprintf("e%02d", i%53), fmt.Sprintf("f%05d.go", i))] = text
	}
	w.put(tree)
	for name, args := range map[string]map[string]any{
		"literal": {"pattern": "needle"}, "expression": {"pattern": `n[aeiou]{2}dle\s+is`},
		"files": {"pattern": "*7.go", "target": "files"},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w.ResetRepeats()
				if r := w.find(args); r.Total == 0 {
					b.Fatal(r.Content)
				}
			}
		})
	}
}

// A link that has taken the place of a file, or of a folder on the way to it, since it
// was found is not followed.
func TestSearchFollowsNoExchangedLink(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "key"), []byte("needle\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"file": filepath.Join(outside, "key"), "folder": outside} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Skip("SKIPPED:", err)
		}
	}
	here, err := place.NewLocal(place.Options{Home: t.TempDir(), Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	g := &grep{fs: here.FS()}
	for _, name := range []string{"file", "folder/key"} {
		if f, err := g.open(filepath.Join(root, name)); !errors.Is(err, place.ErrLink) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
}

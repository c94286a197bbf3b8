package diff

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"github.com/charmbracelet/x/ansi"

	"hermes-tui/themes"
	"hermes-tui/ui/rows"
)

func dark() *rows.Styles { return rows.NewStyles(themes.Dark()) }

// sample has a changed line, added and removed ones, a new and a deleted file.
const sample = `--- a/store/append.go
+++ b/store/append.go
@@ -10,6 +10,7 @@ func (l *Log) Append(b []byte) error {
 	l.mu.Lock()
 	defer l.mu.Unlock()
-	n := l.count
+	n := l.counter.Load() // taken under the lock
+	l.counter.Add(1)
 	if n > max {
 		return errFull
 	}
@@ -30,2 +31,1 @@
-	old()
 }
--- /dev/null
+++ b/docs/日本語.md
@@ -0,0 +1,2 @@
+# Titel
+a very long line that does not fit on a narrow screen and goes on and on until it really has to be broken somewhere
\ No newline at end of file
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
`

func check(t *testing.T, frame []string, w int) string {
	t.Helper()
	for i, r := range frame {
		if n := rows.Width(r); n != w || strings.ContainsAny(r, "\n\t\r") {
			t.Fatalf("row %d has %d of %d cells: %q", i, n, w, r)
		}
		if j := strings.LastIndex(r, "\x1b["); j >= 0 && !strings.HasPrefix(r[j:], "\x1b[m") {
			t.Fatalf("row %d leaks a style: %q", i, r)
		}
	}
	plain := make([]string, len(frame))
	for i, r := range frame {
		plain[i] = strings.TrimRight(ansi.Strip(r), " ")
	}
	return strings.Join(plain, "\n") + "\n"
}

func TestFrames(t *testing.T) {
	var got strings.Builder
	for _, w := range []int{30, 80, 140} {
		fmt.Fprintf(&got, "%d wide\n%s", w, check(t, New(sample).Rows(nil, w, dark()), w))
	}
	file := filepath.Join("testdata", "frames.golden")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("the frames are\n%s", got.String())
	}
}

// TestColours has the changed word stand out from its line, and the language's
// colours in it.
func TestColours(t *testing.T) {
	st := dark()
	text := strings.Join(New(sample+"--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-\ta := 1\n+\ta := 2\n").Rows(nil, 100, st), "\n")
	for what, style := range map[string]rows.Style{
		"line":    rows.NewStyle(rows.Bg(st.Theme.AddedBg)),
		"word":    rows.NewStyle(rows.Bg(st.Theme.AddedWordBg)),
		"comment": rows.NewStyle(rows.Fg(st.Theme.Syntax.Comment)),
	} {
		if !strings.Contains(text, style.Open()) {
			t.Errorf("no %s is coloured", what)
		}
	}
}

// TestNothingIsLost draws texts that are no differences, and cut ones.
func TestNothingIsLost(t *testing.T) {
	for _, text := range []string{
		"just text", "--- a/x", "--- a/x\nnot the other half", "@@ -1 +1 @@", "@@ nonsense @@", "--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n cut",
		"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nBinary file y changed", "+++ b/alone\n+x", "--- sql comment\n--- another",
	} {
		got := strings.ReplaceAll(check(t, New(text).Rows(nil, 60, dark()), 60), "−", "-")
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n+-@/,", r) }) {
			if len(word) > 1 && !strings.Contains(got, word) {
				t.Errorf("%q: %q is lost in\n%s", text, word, got)
			}
		}
	}
}

func FuzzRows(f *testing.F) {
	f.Add(sample, 80)
	f.Add("--- a/x\n+++ b/x\n@@ -1,0 +1 @@\n+\x1b[31m\t\u202e界\n", 10)
	f.Add("@@ -1,99999999999999999999 +1 @@\n x", 1)
	f.Fuzz(func(t *testing.T, text string, w int) {
		if w < 1 || w > 300 || len(text) > 4_000 {
			return
		}
		check(t, New(text).Rows(nil, w, dark()), w)
	})
}

// large is a difference of some thousand lines of Go.
func large() string {
	var a, b strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&a, "\tif x%d := compute(%d); x%d > 0 { return x%d }\n", i, i, i, i)
		n := i
		if i%3 == 0 {
			n++
		}
		fmt.Fprintf(&b, "\tif x%d := compute(%d); x%d > 0 { return x%d }\n", i, n, i, i)
	}
	return udiff.Unified("a/big.go", "b/big.go", a.String(), b.String())
}

func BenchmarkRows(b *testing.B) {
	st, text := dark(), large()
	for _, w := range []int{100, 180} {
		b.Run(fmt.Sprint(w), func(b *testing.B) {
			b.ReportAllocs()
			var n int
			for b.Loop() {
				n = len(New(text).Rows(nil, w, st))
			}
			b.ReportMetric(float64(n), "rows")
		})
	}
}

// TestFewColours has lines stand out by their own colour where the palette has no
// background for them, and what changed in them by another background.
func TestFewColours(t *testing.T) {
	change := "--- a/x.go\n+++ b/x.go\n@@ -1,2 +1,2 @@\n \treturn 1\n-\ta := 1\n+\ta := 2\n"
	shown := map[string]themes.Theme{"no colours": themes.Fitting(true).At(themes.Mono)}
	for _, s := range themes.Builtin() {
		shown[s.Name+" 256"], shown[s.Name+" 16"] = s.At(themes.Palette256), s.At(themes.Palette16)
	}
	for name, theme := range shown {
		t.Run(name, func(t *testing.T) {
			frame := New(change).Rows(nil, 60, rows.NewStyles(theme))
			check(t, frame, 60)
			text := strings.Join(frame, "\n")
			word := func(c, bg themes.Color) string {
				style := rows.NewStyle(rows.Bg(bg))
				if bg == "" {
					style = rows.NewStyle(rows.Reverse)
				}
				return rows.NewStyle(rows.Fg(c)).Open() + style.Open()
			}
			if theme.AddedWordBg != "" { // the code keeps its colours
				for what, want := range map[string]string{
					"removed word": word(theme.Text, theme.RemovedWordBg) + "1", "added word": word(theme.Text, theme.AddedWordBg) + "2",
					"sign": rows.NewStyle(rows.Fg(theme.Syntax.Inserted)).Open() + "+", "operator": rows.NewStyle(rows.Fg(theme.Syntax.Operator)).Open() + ":=",
				} {
					if !strings.Contains(text, want) {
						t.Errorf("no %s %q in\n%q", what, want, text)
					}
				}
				return
			}
			for what, want := range map[string]string{
				"removed line": rows.NewStyle(rows.Fg(theme.Syntax.Deleted)).Open() + "    a := ",
				"added line":   rows.NewStyle(rows.Fg(theme.Syntax.Inserted)).Open() + "    a := ",
				"removed word": word(theme.Syntax.Deleted, theme.RemovedWordBg) + "1",
				"added word":   word(theme.Syntax.Inserted, theme.AddedWordBg) + "2",
				"context":      rows.NewStyle(rows.Fg(theme.Syntax.Keyword)).Open() + "return",
			} {
				if !strings.Contains(text, want) {
					t.Errorf("no %s %q in\n%q", what, want, text)
				}
			}
		})
	}
}

// TestFilesWithoutLines has every file shown that a difference names, also one that
// has no lines to show, and no note stands under another file.
func TestFilesWithoutLines(t *testing.T) {
	d := New("diff --git a/empty file b/empty file\nnew file mode 100644\n" +
		"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n" +
		"diff --git a/run b/run\nold mode 100644\nnew mode 100755\n" +
		"diff --git a/gone b/gone\ndeleted file mode 100644\n" +
		"diff --git a/image b/image\nnew file mode 100644\nBinary file changed\n" +
		"diff --git a/made b/made\nnew directory mode 040000\n")
	var got []string
	for _, f := range d.files {
		s := f.name
		if f.created {
			s += " new"
		}
		if f.lost {
			s += " deleted"
		}
		for _, l := range f.lines {
			s += "; " + l.text
		}
		got = append(got, s)
	}
	want := "empty file new | x; ; a; b | run; old mode 100644; new mode 100755 | gone deleted | image new; Binary file changed | made new"
	if s := strings.Join(got, " | "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

// TestTrace takes a drawn difference back to the lines of its files: all of them without
// gutters and signs, and side by side those of one side.
func TestTrace(t *testing.T) {
	d := New(strings.ReplaceAll(sample, "errFull", "\terrFull"))
	for _, w := range []int{10, 40, 80, 130} {
		tr := &rows.Trace{}
		list := d.Trace(tr, w, dark(), "")
		if got, want := check(t, list, w), check(t, d.RowsOf(nil, w, dark(), ""), w); got != want {
			t.Fatalf("at %d with a trace:\n%s\nwant\n%s", w, got, want)
		}
		from, to := map[int]int{}, map[int]int{}
		for _, row := range tr.Read(list) {
			for _, r := range row {
				if _, seen := from[r.Source]; !seen {
					from[r.Source] = r.At
				}
				to[r.Source] = max(to[r.Source], r.End)
			}
		}
		texts := map[bool]string{}
		for id, at := range from {
			texts[tr.IsColumn(id)] += tr.Slice(id, at, to[id]) + "\n"
		}
		const end = "# Titel\na very long line that does not fit on a narrow screen and goes on and on until it really has to be broken somewhere\n" +
			"\\ No newline at end of file\nbye\n"
		if w < Wide {
			want := "\tl.mu.Lock()\n\tdefer l.mu.Unlock()\n\tn := l.count\n\tn := l.counter.Load() // taken under the lock\n\tl.counter.Add(1)\n" +
				"\tif n > max {\n\t\treturn \terrFull\n\t}\n\told()\n}\n" + end
			if texts[false] != want {
				t.Errorf("at %d:\n%q\nwant\n%q", w, texts[false], want)
			}
			continue
		}
		if texts[false] != end || !strings.Contains(texts[true], "\tdefer l.mu.Unlock()\n\tn := l.count\n\tif n > max {") ||
			!strings.Contains(texts[true], "\tdefer l.mu.Unlock()\n\tn := l.counter.Load() // taken under the lock\n\tl.counter.Add(1)\n\tif n > max {") {
			t.Errorf("side by side:\n%q\n%q", texts[false], texts[true])
		}
	}
}

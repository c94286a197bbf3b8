package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent/event"
)

// TestTelling picks the lines out of what real programs write when they fail.
func TestTelling(t *testing.T) {
	for name, c := range map[string]struct{ out, want string }{
		"git": {
			"fatal: 'origin' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\nmore\n",
			"fatal: 'origin' does not appear to be a git repository\nfatal: Could not read from remote repository.",
		},
		"go test": {
			"=== RUN   TestA\n    a_test.go:12: got 1, want 2\n--- FAIL: TestA (0.00s)\n=== RUN   TestB\n--- PASS: TestB (0.00s)\nFAIL\nexit status 1\nFAIL\texample.com/a\t0.1s\nFAIL\n",
			"    a_test.go:12: got 1, want 2\n--- FAIL: TestA (0.00s)\nFAIL\texample.com/a\t0.1s",
		},
		"go build": {
			"# example.com/a\n./a.go:3:2: undefined: x\n./a.go:4:2: undefined: y\ntoo long\nto be shown\n",
			"./a.go:3:2: undefined: x\n./a.go:4:2: undefined: y",
		},
		"python": {
			"start\nTraceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    raise ValueError('bad')\n  at a place\nValueError: bad\n",
			"ValueError: bad",
		},
		"java": {
			"start\n\nException in thread \"main\" java.lang.IllegalStateException: no\n\tat A.main(A.java:3)\n\tat B.run(B.java:4)\nbye\nbye\n",
			"Exception in thread \"main\" java.lang.IllegalStateException: no",
		},
		"rust": {
			"   Compiling a\nerror[E0308]: mismatched types\n --> src/main.rs:2:5\n  |\n2 |     1\n  |     ^ expected\n",
			"error[E0308]: mismatched types",
		},
		"panic with its text on the next line": {
			"a\nb\nc\nthread 'main' panicked at src/main.rs:2:5:\nindex out of bounds\nnote: run with a backtrace\n",
			"thread 'main' panicked at src/main.rs:2:5:\nindex out of bounds",
		},
		"make": {
			"cc -c a.c\na.c:1:1: error: one\na.c:2:1: error: two\na.c:3:1: error: three\na.c:4:1: error: four\nmake: *** [a.o] Error 1\nmake: fatal: stop\n",
			"a.c:1:1: error: one\na.c:2:1: error: two\na.c:3:1: error: three\nmake: fatal: stop",
		},
		"shell":           {"1\n2\n3\n4\nsh: 1: foo: command not found\n5\n", "sh: 1: foo: command not found"},
		"words of no use": {"Errors are rare\nno errors here\nlast but three\nlast but two\nlast but one\nlast\n", "no errors here\nlast but three\nlast but two\nlast but one\nlast"},
		"short":           {"one\ntwo\n", "one\ntwo"},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			for _, l := range strings.Split(c.out, "\n") {
				if strings.TrimSpace(l) != "" {
					lines = append(lines, l)
				}
			}
			want := strings.Split(c.want, "\n")
			if len(want) > 4 {
				want = want[len(want)-4:]
			}
			if got := telling(lines, 4); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// TestPreview draws finished calls that are folded: their output stays in sight,
// and what there is more of it is said once, with the keys that show it where they work:
// while the cursor is on the block.
func TestPreview(t *testing.T) {
	exit := func(code int, outcome event.Outcome, summary, body string) func(*event.Block, *event.Call) {
		return func(_ *event.Block, c *event.Call) {
			c.Outcome, c.View.Exit, c.View.Summary, c.View.Body = outcome, &code, summary, body
		}
	}
	ok, failed := event.OutcomeOK, event.OutcomeFailed
	for name, c := range map[string]struct {
		kind   event.ViewKind
		change func(*event.Block, *event.Call)
		want   string
	}{
		"one line":    {event.ViewCommand, exit(0, ok, "1 line", "v1.2.3"), "v1.2.3"},
		"none":        {event.ViewCommand, exit(0, ok, "no output", ""), "no output"},
		"three lines": {event.ViewCommand, exit(0, ok, "3 lines", "a\n\nb"), "a\nb"},
		"many": {event.ViewCommand, exit(0, ok, "38 lines", lines(38)),
			"38 lines, 827 B  (enter unfolds, o opens)\nline 35 of the output\nline 36 of the output\nline 37 of the output\nline 38 of the output"},
		"cut": {event.ViewCommand, func(b *event.Block, c *event.Call) {
			exit(0, ok, "2000 lines", lines(38))(b, c)
			c.View.Cut = 700
		}, "2000 lines, 1.5 kB  (enter unfolds, o opens)\nline 35 of the output\nline 36 of the output\nline 37 of the output\nline 38 of the output"},
		"signs": {event.ViewCommand, exit(0, ok, "7 lines", "one\ntwo\n{\nthree\nfour\n}\n-----\n"),
			"7 lines, 29 B  (enter unfolds, o opens)\none\ntwo\nthree\nfour"},
		"few signs": {event.ViewCommand, exit(0, ok, "3 lines", "{\n\"a\": 1\n}"), "{\n\"a\": 1\n}"},
		"long line": {event.ViewCommand, exit(0, ok, "1 line", strings.Repeat("word ", 20)), strings.TrimSpace(strings.Repeat("word ", 15)) + "\n" + strings.TrimSpace(strings.Repeat("word ", 5))},
		"failed": {event.ViewCommand, exit(128, failed, "", "fatal: no repository\n1\n2\n3\nand the repository exists.\n"),
			"exit 128 · 5 lines, 54 B  (enter unfolds, o opens)\nfatal: no repository"},
		"no match": {event.ViewCommand, exit(1, ok, "exit 1 · no match", ""), "exit 1 · no match"},
		"script":   {event.ViewCode, exit(0, ok, "1 call", "print(1)\n\n#> 1"), "1 call · 3 lines, 14 B  (enter unfolds, o opens)\n1"},
		"generic": {event.ViewGeneric, func(_ *event.Block, c *event.Call) { c.View.Body = lines(6) },
			"6 lines, 126 B  (enter unfolds, o opens)\nline 1 of the output\nline 2 of the output\nline 3 of the output\nline 4 of the output"},
		"generic failure": {event.ViewGeneric, func(_ *event.Block, c *event.Call) { c.Outcome, c.View.Body = failed, "no such thing\ntry another" }, "no such thing\ntry another"},
		"read":            {event.ViewRead, func(_ *event.Block, c *event.Call) { c.View.Summary, c.View.Body = "120 lines", lines(9) }, "120 lines  (enter unfolds, o opens)"},
	} {
		t.Run(name, func(t *testing.T) {
			v := newView()
			v.SetSize(80, 12)
			v.Sync([]*event.Block{call("c", "tool", "subject", c.kind, c.change)})
			for _, want := range []string{strings.ReplaceAll(c.want, "  (enter unfolds, o opens)", ""), c.want} {
				frame := v.Rows(nil, 80, 12)
				checkFrame(t, frame, 80, 12)
				var got []string
				for _, r := range strings.Split(plain(frame), "\n") {
					if r = strings.Trim(r, " ▎"); r != "" && !strings.Contains(r, "subject") {
						got = append(got, r)
					}
				}
				if s := strings.Join(got, "\n"); s != want {
					t.Errorf("got\n%s\nwant\n%s", s, want)
				}
				v.SelectBlock("c")
			}
		})
	}
}

// TestOutputLines shows other numbers of lines, while a call runs and when it has ended.
func TestOutputLines(t *testing.T) {
	ended := call("c", "terminal", "make", event.ViewCommand, func(_ *event.Block, c *event.Call) { c.View.Body = lines(20) })
	running := call("d", "terminal", "make", event.ViewCommand, func(b *event.Block, c *event.Call) {
		b.Open, c.Stage, c.Tail = true, event.CallRunning, event.NewText(lines(20))
	})
	v := newView()
	v.Sync([]*event.Block{ended, running})
	for _, n := range []int{4, 0, 1, 7} {
		v.SetOutputLines(n)
		got := plain(v.Rows(nil, 80, 30))
		if shown := strings.Count(got, "of the output"); shown != 2*n || n > 0 && strings.Count(got, "line 20 of") != 2 {
			t.Errorf("%d lines:\n%s", n, got)
		}
	}
}

// TestNewLinesOfManyBlocks counts what arrives in a long transcript, as it changes and is
// drawn in other forms.
func TestNewLinesOfManyBlocks(t *testing.T) {
	v := newView()
	all := numbered(200)
	v.Sync(all)
	v.SetSize(40, 10)
	v.ScrollBy(-50)
	count := func() int { // all of it, counted anew
		w := *v
		w.new.upto, w.new.sum = w.new.seen, 0
		return w.NewLines()
	}
	for i := range 300 {
		text := "new"
		if i%7 == 0 {
			text = "one\n\ntwo and more that is so long that it needs another row"
		}
		all = append(all, block(event.BlockAnswer, fmt.Sprint("new", i), text))
		if i%50 == 49 { // an old one changes
			c := *all[220]
			c.Text = event.NewText(fmt.Sprint(i) + "\n\nand\n\nmore")
			all = slices.Clone(all)
			all[220] = &c
		}
		v.Sync(all)
		switch i {
		case 100:
			v.SetSize(20, 10)
		case 150:
			v.SetSize(40, 10)
		case 200:
			v.SetReasoning(false)
		case 250:
			v.Complete(append([]*event.Block{block(event.BlockUser, "first", "before all")}, all...))
			all = append([]*event.Block{block(event.BlockUser, "first", "before all")}, all...)
			v.Sync(all)
		}
		if got, want := v.NewLines(), count(); got != want || got < i {
			t.Fatalf("after %d: %d new lines, counted again %d", i, got, want)
		}
	}
}

// BenchmarkNewLines counts what has arrived while a block grows at the end of a long
// transcript that was scrolled up long before.
func BenchmarkNewLines(b *testing.B) {
	blocks := history(50_000)
	v := newView()
	v.Sync(blocks[:1000])
	v.Rows(nil, 200, 60)
	v.PageUp()
	text := event.NewText("An answer.")
	for i := uint64(0); b.Loop(); i++ {
		text = text.Append(" more")
		v.Sync(append(blocks[:20_000:20_000], &event.Block{ID: "open", Kind: event.BlockAnswer, At: noon, Rev: i, Open: true, Text: text}))
		if v.NewLines() < 10_000 {
			b.Fatal(v.NewLines())
		}
	}
}

// TestFewMoreRows leaves nothing out that takes no more rows than saying so is worth.
func TestFewMoreRows(t *testing.T) {
	for _, kind := range []event.ViewKind{event.ViewCommand, event.ViewGeneric, event.ViewWrite} {
		for n, all := range map[int]bool{12: true, 13: true, 14: true, 15: true, 16: false, 40: false} {
			v := newView()
			v.Sync([]*event.Block{call("c", "tool", "subject", kind, func(_ *event.Block, c *event.Call) { c.View.Body = lines(n) })})
			v.FoldAll(false)
			got := plain(v.Rows(nil, 80, 60))
			if shown := strings.Count(got, "of the output"); all && shown != n || !all && shown != bodyRows || all == strings.Contains(got, "…") {
				t.Errorf("%v, %d lines:\n%s", kind, n, got)
			}
		}
	}
}

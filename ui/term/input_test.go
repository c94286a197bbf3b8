package term

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// arrive returns what comes of pieces with so many milliseconds between them, and silence
// behind: < > for the marks of a paste, / for an enter, ^ for ESC, $ for its stand-in.
func arrive(parts ...any) string {
	var o order
	at := time.Unix(1_000, 0)
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			at = at.Add(time.Duration(p) * time.Millisecond)
			o.pass(at)
		case string:
			o.take([]byte(p), at)
		}
	}
	for due := o.due(); !due.IsZero(); due = o.due() {
		o.late(due)
	}
	return strings.NewReplacer(pasteStart, "<", pasteEnd, ">", "\x1b", "^", "\x1a", "$", "\r", "/").Replace(string(o.out))
}

// dripped has every byte of a text come alone, so many milliseconds behind the one before.
func dripped(text string, gap int) (parts []any) {
	for i := range len(text) {
		parts = append(parts, text[i:i+1], gap)
	}
	return parts
}

func TestBursts(t *testing.T) {
	const pasted = "Fix:\rnpm ERR\r!touch x\r/new\r\r    at foo\rlast\r"
	want := strings.ReplaceAll(pasted, "\r", "/")
	for name, c := range map[string]struct {
		parts []any
		want  string
	}{
		"in one piece":             {[]any{pasted}, "<" + want + ">"},
		"in four":                  {[]any{pasted[:6], 3, pasted[6:14], 3, pasted[14:30], 3, pasted[30:]}, "<" + want + ">"},
		"an enter later":           {[]any{pasted, 100, "\r"}, "<" + want + ">/"},
		"a text and an enter":      {[]any{"ls -l\r"}, "ls -l/"},
		"the same in two":          {[]any{"ls -l", 1, "\r"}, "ls -l/"},
		"enters":                   {[]any{"\r\r"}, "//"},
		"keys between":             {[]any{"a\r\x1b[Ab\r"}, "a/^[Ab/"},
		"a report between":         {[]any{"a\r\x1b[<35;1;1Mb\r"}, "<a/b/>^[<35;1;1M"},
		"an empty line":            {[]any{"a\r\r"}, "<a//>"},
		"a command":                {[]any{"!touch x\r"}, "<!touch x/>"},
		"a command, then a report": {[]any{"!touch x\r\x1b[I"}, "<!touch x/>^[I"},
		"a command behind keys":    {[]any{"\x15!touch x\r"}, "\x15!touch x</>"},
		"a command and an enter":   {[]any{"!ls", 100, "\r"}, "!ls/"},
		"tabs":                     {[]any{"a\r\tb\r"}, "<a/\tb/>"},
	} {
		if got := arrive(c.parts...); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for _, gap := range []int{1, 3, 7} {
		got := arrive(dripped(pasted, gap)...)
		if got != "Fix:<"+want[4:]+">" {
			t.Errorf("%d ms between: %q", gap, got)
		}
	}
	if got := arrive(dripped("!touch x\r", 1)...); got != "!touch x</>" {
		t.Errorf("a command, byte by byte: %q", got)
	}
	for _, gap := range []int{12, 30, 200} {
		if got := arrive(dripped("!ls\rhello\r\r/new\r", gap)...); got != "!ls/hello///new/" && gap > 12 {
			t.Errorf("typed with %d ms: %q", gap, got)
		}
	}
}

// TestEnterAtOnce holds that an enter behind silence waits for nothing, and that nothing
// behind it is taken for typed that was not.
func TestEnterAtOnce(t *testing.T) {
	at := time.Unix(1_000, 0)
	for name, c := range map[string]struct {
		before, with string
		silence      time.Duration
		want         string
	}{
		"typed":              {"l", "\r", 60 * time.Millisecond, "l\r"},
		"the first key":      {"", "\r", time.Hour, "\r"},
		"behind a burst":     {"ls -l", "\r", 60 * time.Millisecond, "ls -l\r"},
		"soon":               {"l", "\r", 20 * time.Millisecond, "l"},
		"with more":          {"l", "\rnpm ERR\r", 60 * time.Millisecond, "l"},
		"with another enter": {"l", "\r\r", 60 * time.Millisecond, "l"},
	} {
		var o order
		o.take([]byte(c.before), at)
		now := at.Add(c.silence)
		o.pass(now)
		if o.take([]byte(c.with), now); string(o.out) != c.want {
			t.Errorf("%s: %q at once, want %q", name, o.out, c.want)
		}
	}
	for _, gap := range []int{1, 3, 7} {
		if got := arrive(dripped("\rnpm ERR\r!touch x\r", gap)...); got != "/npm ERR</!touch x/>" {
			t.Errorf("a paste that begins with an empty line, %d ms between: %q", gap, got)
		}
	}
}

func TestEndMarks(t *testing.T) {
	const inner = "\x1b[200~a\x1b[201~!touch x\r\x1b[201~"
	for name, c := range map[string]struct {
		parts []any
		want  string
	}{
		"one":                     {[]any{"\x1b[200~a\rb\x1b[201~"}, "<a/b>"},
		"inside":                  {[]any{inner}, "<a$[201~!touch x/>"},
		"inside, in two":          {[]any{inner[:14], 30, inner[14:]}, "<a$[201~!touch x/>"},
		"made of two":             {[]any{"\x1b[200~\x1b[20\x1b[201~1~!x\r\x1b[201~"}, "<$[20$[201~1~!x/>"},
		"made around a report":    {[]any{"\x1b[200~a\x1b[201~\x1b[20\x1b[I1~!x\r\x1b[201~"}, "<a$[201~1~!x/>^[I"},
		"then an enter":           {[]any{"\x1b[200~a\x1b[201~", 100, "\r"}, "<a>/"},
		"then a report":           {[]any{"\x1b[200~a\x1b[201~\x1b[?9999;0$y"}, "<a>^[?9999;0$y"},
		"no other one comes":      {[]any{"\x1b[200~a\x1b[201~b", 400, "c"}, "<a$[201~b>c"},
		"then another paste":      {[]any{"\x1b[200~a\x1b[201~", 100, "\x1b[200~b\x1b[201~"}, "<a><b>"},
		"cut":                     {[]any{"\x1b[200~a\x1b[2", 900, "01~"}, "<a>"},
		"a sequence that is text": {[]any{"\x1b[200~a\x1b]0;x\x1b[201~"}, "<a$]0;x>"},
	} {
		if got := arrive(c.parts...); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestCutSequences cuts what terminals send at each byte, with so much time between.
func TestCutSequences(t *testing.T) {
	for _, seq := range []string{
		"\x1b[<35;101;48M", "\x1b]11;rgb:1e1e/1e1e/2e2e\x07", "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\", "\x1b[?62;22c", "\x1b[?2027;2$y", "\x1b[I", "\x1b[A", "\x1b[1;5C", "\x1bOP",
		"\x1b[?1u", "\x1bP>|tmux 3.3a\x1b\\",
	} {
		for cut := 1; cut < len(seq); cut++ {
			for _, gap := range []int{5, 60, 600} {
				want := strings.NewReplacer("\x1b", "^").Replace(seq)
				got := arrive(seq[:cut], gap, seq[cut:])
				if early := cut == 1 && gap > 100; got != want && !(early && got == "^"+want && strings.ContainsAny(seq, "<?]P>") || early && strings.HasPrefix(got, "^")) {
					t.Errorf("%q cut at %d, %d ms: %q", seq, cut, gap, got)
				}
				got = arrive("\x1b[<0;1;1M", 20, seq[:cut], gap, seq[cut:])
				if got != "^[<0;1;1M"+want {
					t.Errorf("behind a report, %q cut at %d, %d ms: %q", seq, cut, gap, got)
				}
			}
		}
	}
	for name, c := range map[string]struct {
		parts []any
		want  string
	}{
		"an unfinished report": {[]any{"\x1b[<35;1", 2000, "a"}, "a"},
		"an unfinished answer": {[]any{"\x1b]11;rgb:", 2000, "a"}, "a"},
		"escape":               {[]any{"\x1b", 101}, "^"},
		"escape twice":         {[]any{"\x1b\x1b"}, "^^"},
		"alt and a letter":     {[]any{"\x1bx"}, "^x"},
		"alt and a bracket":    {[]any{"\x1b["}, "^["},
		"escape, then typing":  {[]any{"\x1b", 200, "[", 60, "x", 60, "O", 60, "f"}, "^[xOf"},
		"escape, then a list":  {[]any{"\x1b", 200, "[", 30, "A"}, "^[A"},
	} {
		if got := arrive(c.parts...); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestInput reads with a clock that stands, and one that ends every wait.
func TestInput(t *testing.T) {
	now := time.Unix(1_000, 0)
	never := func(time.Duration) <-chan time.Time { return nil }
	in := NewInput(&pieces{"a\r", "b\r"}, func() time.Time { return now }, never)
	defer in.Close()
	got, err := io.ReadAll(in)
	if want := pasteStart + "a\rb\r" + pasteEnd; string(got) != want || err != nil {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	r, w := io.Pipe()
	over := make(chan time.Time)
	close(over)
	late := NewInput(r, time.Now, func(time.Duration) <-chan time.Time { return over })
	go func() { _, err := w.Write([]byte("ls\r")); w.CloseWithError(errors.Join(err, errors.New("gone"))) }()
	got, err = io.ReadAll(late)
	if string(got) != "ls\r" || fmt.Sprint(err) != "gone" {
		t.Errorf("%q, %v", got, err)
	}
}

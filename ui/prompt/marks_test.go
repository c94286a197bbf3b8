package prompt

import (
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/themes"
	"hermes-tui/ui/rows"
)

func TestWordsOfReasonsAreMarked(t *testing.T) {
	why := func(words ...string) event.Reason { return event.Reason{Text: "x", Words: words} }
	for _, c := range []struct {
		text    string
		reasons []event.Reason
		want    string // the text with what is marked in brackets
	}{
		{"rm -rf build && make", []event.Reason{why("rm", "-rf", "build")}, "[rm] [-rf] [build] && make"},
		{"rm a; rm -rf b", []event.Reason{why("rm", "-rf", "b")}, "rm a; [rm] [-rf] [b]"},
		{"alarm rm; farm 'rm'", []event.Reason{why("rm")}, "alarm [rm]; farm 'rm'"},
		{`rm "my file" x`, []event.Reason{why("rm", "my file")}, `[rm] "[my file]" x`},
		{"cat x\n\nrm y\nls", []event.Reason{why("rm", "y")}, "cat x\n\n[rm] [y]\nls"},
		{"make", []event.Reason{why("make")}, "make"}, // all of it
		{"rm $X", []event.Reason{why("rm", "…")}, "[rm] $X"},
		{"git push --force; rm x", []event.Reason{why("git", "push", "--force"), {Text: "y", Words: []string{"rm", "x"}, Held: "z"}}, "[git] [push] [--force]; (rm) (x)"},
		{"echo nothing of it", []event.Reason{why("rm")}, "echo nothing of it"},
		{"", []event.Reason{why("rm")}, ""},
	} {
		for _, w := range []int{200, 9, 3, 1} {
			b := body{w: w}
			b.addMarked(given, rows.Style{}, c.text, c.reasons)
			var got strings.Builder
			at := 0
			for _, r := range b.rows {
				if at < len(c.text) && c.text[at] == '\n' && at > 0 {
					got.WriteByte('\n')
					at++
				}
				off := 0
				for _, m := range r.marks {
					open, shut := "[", "]"
					if m.held {
						open, shut = "(", ")"
					}
					got.WriteString(r.text[off:m.from] + open + r.text[m.from:m.to] + shut)
					off = m.to
				}
				got.WriteString(r.text[off:])
				at += len(r.text)
			}
			joined := strings.NewReplacer("][", "", ")(", "").Replace(got.String()) // rows end within words
			if joined != c.want {
				t.Errorf("%q in %d cells: %q", c.text, w, joined)
			}
		}
	}
}

// TestHugeCommandIsNotMarked bounds the search.
func TestHugeCommandIsNotMarked(t *testing.T) {
	text := strings.Repeat("rm x; ", 20_000)
	if m := marks(text, []event.Reason{{Text: "x", Words: []string{"rm", "x"}}}); m != nil {
		t.Errorf("%d marks", len(m))
	}
}

func FuzzMarks(f *testing.F) {
	f.Add("rm -rf build && make", "rm -rf")
	f.Add("漢字 rm\t\x1b[31m", "rm")
	f.Fuzz(func(t *testing.T, text, words string) {
		b := body{w: 7}
		b.addMarked(given, rows.Style{}, text, []event.Reason{{Text: "x", Words: strings.Fields(words)}})
		st := rows.NewStyles(themes.Dark())
		for _, r := range b.rows {
			if !slices.IsSortedFunc(r.marks, func(a, b mark) int { return a.to - b.from }) {
				t.Errorf("%+v", r.marks)
			}
			r.render(st)
		}
	})
}

// TestKeysThatStandForRows answers with one key each.
func TestKeysThatStandForRows(t *testing.T) {
	editable := ruled("a", "git push", "git push *")
	editable.Approval.Editable = true
	for _, c := range []struct {
		request event.Request
		key     string
		want    event.Answer
	}{
		{editable, "y", choice(event.ChoiceOnce)},
		{editable, "n", choice(event.ChoiceDeny)},
		{editable, "3", choice(event.ChoiceSession)},
		{folder("f", "/src"), "y", choice(event.ChoiceAlways)},
		{folder("f", "/src"), "n", choice(event.ChoiceDeny)},
		{outside("o"), "n", choice(event.ChoiceConfined)},
		{question("q", "Which?", "one", "two"), "2", text("two")},
	} {
		b := armed(t, c.request)
		b.press(c.key)
		b.wantNone()
		if !b.p.Picked() {
			t.Errorf("%s: %q picks nothing", c.request.Kind, c.key)
		}
		b.press("enter") // what the root does when the pause has passed
		b.want(string(c.request.ID), c.want)
	}
	for key, title := range map[string]string{"a": "Always allow this?", "e": "runs this instead"} {
		b := armed(t, editable)
		b.press(key, "enter")
		if shown := plainRows(b.draw(80, 20)); !strings.Contains(shown, title) {
			t.Errorf("%q:\n%s", key, shown)
		}
	}
	b := armed(t, editable)
	b.press("y", "down")
	if b.p.Picked() {
		t.Error("a key that moves the mark leaves the pick")
	}
	b.press("y")
	b.p.Disarm()
	if b.p.Picked() {
		t.Error("picked without the keys")
	}
}

// TestRowsThatGoOn has a row that goes on look like no point of its own, nor like a row to
// choose from, and names command and folder once.
func TestRowsThatGoOn(t *testing.T) {
	command := "git push --force origin master && git push --force origin next"
	r := ruled("1", command, `in "~/src/app" exactly: `+command)
	r.Approval.Reasons = []event.Reason{{Text: "rewrites or deletes a remote branch", Words: []string{"git push --force origin master"}}, {Text: "sends commits to another repository", Words: []string{"git push --force origin next"}}}
	x := armed(t, r)
	rows := plainRows(x.draw(60, 30))
	if points := strings.Count(rows, "┃ · "); points != 4 || strings.Count(rows, "┃ ┊ ") == 0 || strings.Count(rows, "~/src/app") != 1 || !strings.Contains(rows, "allow: exactly this,") {
		t.Errorf("%d points:\n%s", points, rows)
	}
}

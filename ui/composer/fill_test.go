package composer

import (
	"slices"
	"strings"
	"testing"
)

func TestFill(t *testing.T) {
	c := newTest()
	c.Insert("today {!date +%F} and\n{!awk '{print $1}' f}{!x} {! } {!open")
	c.Paste("{!pasted}" + lines(6))
	want := []string{"date +%F", "awk '{print $1}' f", "x"}
	if got := c.Inserts(); !slices.Equal(got, want) {
		t.Fatalf("%q", got)
	}
	draft := c.Draft()
	if c.Fill([]string{"a"}) || c.Draft() != draft {
		t.Error("filled with too few")
	}
	if !c.Fill([]string{"2026-11-20\n", lines(7), "see @a.go {!again}"}) {
		t.Fatal("not filled")
	}
	wantState(t, c, "today 2026-11-20 and\n[paste #2 · 7 lines][paste #3 · 18 characters] {! } {!open[paste #1 · 6 lines]|")
	if got := c.Inserts(); len(got) != 0 {
		t.Errorf("%q are left", got)
	}
	if v := c.Value(); !strings.Contains(v, "see @a.go {!again}") || !strings.Contains(c.Typed(), "[paste #3]") {
		t.Errorf("%q", v)
	}
	c.Do(Undo)
	if c.Draft() != draft {
		t.Errorf("undone: %q", c.Draft())
	}
}

// TestOnlyTypedTextRuns holds pastes and recalled texts apart from what was typed.
func TestOnlyTypedTextRuns(t *testing.T) {
	for name, put := range map[string]func(c *Composer, text string){
		"paste":    func(c *Composer, text string) { c.Paste(text) },
		"recalled": func(c *Composer, text string) { c.Recall(text) },
		"sent":     func(c *Composer, text string) { c.RememberSent(text); c.HistoryPrev() },
		"unqueued": func(c *Composer, text string) { c.InsertWithImages(text, nil) },
	} {
		for _, text := range []string{"!rm x", "a {!b} c"} {
			c := newTest()
			put(c, text)
			if c.TypedFirst("!") || len(c.Inserts()) > 0 || c.Value() != text {
				t.Errorf("%s: %q would run: %q", name, text, c.Draft())
			}
			c.Do(ExpandChip) // which the user does
			if !c.TypedFirst("!") && len(c.Inserts()) == 0 {
				t.Errorf("%s: %q does not become text", name, text)
			}
			typed := newTest()
			typed.Insert(text)
			typed.Remember(typed.Draft())
			typed.Set("")
			typed.RememberSent(text)
			if typed.HistoryPrev(); !typed.TypedFirst("!") && len(typed.Inserts()) == 0 {
				t.Errorf("%s: %q was typed", name, text)
			}
		}
	}
}

func FuzzFill(f *testing.F) {
	f.Add("a {!b} {c {!d {e}} }", "out\tput @x")
	f.Fuzz(func(t *testing.T, draft, output string) {
		c := newTest()
		c.Insert(draft)
		n := len(c.Inserts())
		texts := make([]string, n)
		for i := range texts {
			texts[i] = output
		}
		if !c.Fill(texts) || n > 0 && len(c.Inserts()) != 0 && !strings.Contains(draft, "{{!") && strings.Count(draft, "{!") == n {
			t.Errorf("%q: %d, then %q", draft, n, c.Inserts())
		}
		c.Rows(nil, 40, 5)
	})
}

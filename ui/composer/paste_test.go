package composer

import (
	"slices"
	"strings"
	"testing"
)

func lines(n int) string { return strings.TrimSuffix(strings.Repeat("line\n", n), "\n") }

func TestPaste(t *testing.T) {
	for _, c := range []struct{ name, from, text, want string }{
		{"small", "a|b", "x", "ax|b"},
		{"five lines", "|", lines(5), lines(5) + "|"},
		{"a line break at the end is no line", "|", lines(5) + "\n", lines(5) + "\n|"},
		{"six lines", "a|b", lines(6), "a[paste #1 · 6 lines]|b"},
		{"2,000 lines", "|", lines(2000), "[paste #1 · 2,000 lines]|"},
		{"2,000 characters", "|", strings.Repeat("漢", 2000), strings.Repeat("漢", 2000) + "|"},
		{"2,001 characters", "|", strings.Repeat("漢", 2001), "[paste #1 · 2,001 characters]|"},
		{"line ends of other systems", "|", "a\r\nb\rc", "a\nb\nc|"},
		{"control characters", "|", "\x1b[201~a\x1b]0;t\x07b\x00", "ab|"},
		{"nothing", "a|b", "\x1b[A", "a|b"},
		{"tabs", "a|b", "x\ty", "ax    y|b"},
		{"a tab is one character", "|", strings.Repeat("\t", 2000), strings.Repeat(" ", 8000) + "|"},
		{"2,001 tabs", "|", strings.Repeat("\t", 2001), "[paste #1 · 2,001 characters]|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := at(t, c.from)
			e.Paste(c.text)
			wantState(t, e, c.want)
			pasted := cleanPaste(c.text)
			if len(e.buf.chips) == 0 {
				pasted = clean(c.text)
			}
			if want := strings.Replace(c.from, "|", pasted, 1); e.Value() != want {
				t.Errorf("value %q, want %q", e.Value(), want)
			}
			if e.Do(Undo) {
				wantState(t, e, c.from)
			}
		})
	}
}

func TestPasteBoundsOfNoneMakeNoChips(t *testing.T) {
	big := lines(3000) + strings.Repeat("x", 3000)
	c := New(Options{})
	c.Paste(big)
	wantState(t, c, big+"|")
	c = New(Options{PasteChars: 10})
	c.Paste("a\nb\nc\nd\ne\nf")
	wantState(t, c, "[paste #1 · 6 lines]|")
	c = New(Options{PasteLines: 2})
	c.Paste(strings.Repeat("x", 3000))
	wantState(t, c, strings.Repeat("x", 3000)+"|")
}

func TestChipIsOneUnit(t *testing.T) {
	c := at(t, "a|b")
	c.Paste(lines(7))
	const chip = "[paste #1 · 7 lines]"
	for _, step := range []struct {
		do   Action
		want string
	}{
		{Left, "a|" + chip + "b"},
		{Right, "a" + chip + "|b"},
		{WordLeft, "a|" + chip + "b"},
		{WordRight, "a" + chip + "|b"},
		{Backspace, "a|b"},
		{Undo, "a" + chip + "|b"},
		{Left, "a|" + chip + "b"},
		{Delete, "a|b"},
		{Undo, "a|" + chip + "b"},
		{DeleteWordRight, "a|b"},
		{Yank, "a" + chip + "|b"},
		{ExpandChip, "a" + lines(7) + "|b"},
		{Undo, "a" + chip + "|b"},
		{Left, "a|" + chip + "b"},
		{ExpandChip, "a" + lines(7) + "|b"},
	} {
		if !c.Do(step.do) {
			t.Fatalf("action %d did nothing", step.do)
		}
		wantState(t, c, step.want)
	}
}

// A collapsed paste is sent with its tabs, by whatever way it came back into the
// draft. As text it has blanks.
func TestChipKeepsItsTabs(t *testing.T) {
	const (
		makefile = "all:\n\tgo build\n\nx:\n\tgo test \\\n\t\t./...\n"
		chip     = "[paste #1 · 6 lines]"
	)
	c := at(t, "a\n|b")
	c.Paste("\t")
	c.Paste(makefile)
	sent := func(when string) {
		t.Helper()
		wantState(t, c, "a\n    "+chip+"|b")
		if want := "a\n    " + makefile + "b"; c.Value() != want {
			t.Errorf("%s: value %q, want %q", when, c.Value(), want)
		}
	}
	sent("pasted")
	c.Do(Undo)
	c.Do(Redo)
	sent("undone and done again")
	c.Do(DeleteWordLeft)
	c.Do(Yank)
	sent("cut and put back")
	c.Do(ExpandChip)
	wantState(t, c, "a\n    "+untab(makefile)+"|b")
	c.Do(Undo)
	sent("expanded and undone")
	c.Remember(c.Draft())
	value := c.Value()
	c.Clear()
	c.Remember(value)
	if n := len(c.Drafts()); n != 1 {
		t.Errorf("%d entries: the sent text is the newest one", n)
	}
	c.HistoryPrev()
	c.Do(Left)
	sent("from the history")
}

func TestChipNumbers(t *testing.T) {
	c := newTest()
	c.Paste(lines(6))
	c.Paste(lines(7))
	wantState(t, c, "[paste #1 · 6 lines][paste #2 · 7 lines]|")
	c.Do(BufferStart)
	c.Do(Delete)
	c.Paste(lines(8))
	wantState(t, c, "[paste #3 · 8 lines]|[paste #2 · 7 lines]")
	c.Set("")
	c.Paste(lines(9))
	wantState(t, c, "[paste #1 · 9 lines]|")
}

func TestChipsAreForgotten(t *testing.T) {
	c := newTest()
	for range 3 * maxUndo {
		c.Paste(strings.Repeat("x", 2001))
		c.Do(Backspace)
	}
	if n := len(c.buf.chips); n > maxUndo {
		t.Errorf("%d chips are kept", n)
	}
	c.SetDraft("")
	if n := len(c.buf.chips); n != 0 {
		t.Errorf("%d chips are kept", n)
	}
}

func TestDraftRoundTrip(t *testing.T) {
	c := at(t, "before \n|after")
	c.Paste("\tx\n" + lines(7))
	c.Insert(" between\t")
	c.Paste(strings.Repeat(family, 2001))
	d := newTest()
	d.SetDraft(c.Draft())
	if d.Draft() != c.Draft() || d.Value() != c.Value() {
		t.Error("a draft differs after the round trip")
	}
	if c.Value() != "before \n\tx\n"+lines(7)+" between    "+strings.Repeat(family, 2001)+"after" {
		t.Errorf("value %q", c.Value())
	}
	wantState(t, d, "before \n[paste #1 · 8 lines] between    [paste #2 · 10,005 characters]after|")
	if d.Do(Undo) {
		t.Error("there is nothing to undo in a loaded draft")
	}
}

func TestDraftFromOutside(t *testing.T) {
	for _, c := range []struct{ draft, want, value string }{
		{"plain\ntext", "plain\ntext|", "plain\ntext"},
		{"a\x1d3\x1ebody\x1fb", "a[paste #3 · 4 characters]b|", "abodyb"},
		{"\x1d1\x1e\x1b[31ma\r\nb\x1f", "[paste #1 · 2 lines]|", "a\nb"},
		{"\ta\x1d3\x1e\tbody\x1f\tb", "    a[paste #3 · 5 characters]    b|", "    a\tbody    b"},
		{"a\x1d3\x1ebody", "a3body|", "a3body"},
		{"a\x1d0\x1ebody\x1fb", "a0bodyb|", "a0bodyb"},
		{"a\x1d-1\x1ebody\x1fb", "a-1bodyb|", "a-1bodyb"},
		{"a\x1d99999999999\x1ebody\x1fb", "a99999999999bodyb|", "a99999999999bodyb"},
		{"a\x1d1\x1e\x1fb", "ab|", "ab"},
		{"\x1d1\x1ea\x1d2\x1eb\x1fc\x1f", "[paste #1 · 3 characters]c|", "a2bc"},
		{"\x1d\x1d2\x1eb\x1f", "[paste #2 · 1 character]|", "b"},
		{"\x01" + "1\x02a\x1f\x1e", "1a|", "1a"},
	} {
		e := newTest()
		e.SetDraft(c.draft)
		wantState(t, e, c.want)
		if e.Value() != c.value {
			t.Errorf("%q: value %q, want %q", c.draft, e.Value(), c.value)
		}
	}
	hostile := strings.Repeat("\x1d1\x1e", 200_000)
	e := newTest()
	e.SetDraft(hostile + "\x1f")
	e.SetDraft(hostile)
	check(t, e)
}

func TestClearKeepsTheDraft(t *testing.T) {
	c := newTest()
	c.Insert("unsent ")
	c.Paste(lines(6))
	c.Clear()
	if !c.Empty() || c.Value() != "" {
		t.Error("not empty")
	}
	c.Clear()
	if n := len(c.Drafts()); n != 1 {
		t.Fatalf("%d entries", n)
	}
	c.HistoryPrev()
	wantState(t, c, "unsent [paste #1 · 6 lines]|")
	c.HistoryNext()
	c.Do(Undo)
	wantState(t, c, "unsent [paste #1 · 6 lines]|")
	c.Remember(c.Value())
	if n := len(c.Drafts()); n != 1 {
		t.Errorf("%d entries: the sent text is the unsent draft", n)
	}
}

func TestHistory(t *testing.T) {
	c := newTest()
	for _, text := range []string{"one", "one", " \n", "two\nlines", ""} {
		c.Remember(text)
	}
	if want := []string{"one", "two\nlines"}; !slices.Equal(c.Drafts(), want) {
		t.Fatalf("%q", c.Drafts())
	}
	if c.HistoryNext() {
		t.Error("there is nothing after the draft")
	}
	c.Insert("draft")
	for _, step := range []struct {
		go_  func() bool
		ok   bool
		want string
	}{
		{c.HistoryPrev, true, "two\nlines|"},
		{c.HistoryPrev, true, "one|"},
		{c.HistoryPrev, false, "one|"},
		{c.HistoryNext, true, "two\nlines|"},
		{c.HistoryNext, true, "draft|"},
		{c.HistoryNext, false, "draft|"},
		{c.HistoryPrev, true, "two\nlines|"},
	} {
		if got := step.go_(); got != step.ok {
			t.Errorf("reports %v before %q", got, step.want)
		}
		wantState(t, c, step.want)
	}
	c.Insert("!")
	c.HistoryPrev()
	c.HistoryNext()
	wantState(t, c, "two\nlines!|")
	c.Remember(c.Value())
	c.Set("")
	if want := []string{"one", "two\nlines", "two\nlines!"}; !slices.Equal(c.Drafts(), want) {
		t.Errorf("%q", c.Drafts())
	}
	c.HistoryPrev()
	c.HistoryPrev()
	wantState(t, c, "two\nlines|")
}

func TestHistoryIsBoundedAndClean(t *testing.T) {
	c := New(Options{HistoryLimit: 3})
	for _, text := range []string{"a", "b", "c", "d\x1b[31m", "e\x1d5\x1epaste\x1f"} {
		c.Remember(text)
	}
	if want := []string{"c", "d", "e\x1d5\x1epaste\x1f"}; !slices.Equal(c.Drafts(), want) {
		t.Errorf("%q", c.Drafts())
	}
	list := c.Drafts()
	list[0] = "changed"
	if c.Drafts()[0] != "c" {
		t.Error("the list is the caller's own")
	}
	d := newTest()
	for i := range 2 * DefaultHistoryLimit {
		d.Remember(strings.Repeat("x", i+1))
	}
	if n := len(d.Drafts()); n != DefaultHistoryLimit {
		t.Errorf("%d entries", n)
	}
}

// TestApart takes sent texts apart into what was typed and what was pasted.
func TestApart(t *testing.T) {
	c := New(Options{PasteLines: 2})
	c.Insert("Why? ")
	c.Paste("a\nb\tc\nd")
	c.Insert(" And ")
	c.Paste("1\n2\n3")
	c.Insert("?")
	sent := c.Value()
	c.Remember(c.Draft())
	c.Remember("Why? a")
	typed, pastes := c.Apart(sent)
	if typed != "Why? [paste #1] And [paste #2]?" || len(pastes) != 2 || pastes[0] != (Paste{1, "a\nb\tc\nd"}) || pastes[1] != (Paste{2, "1\n2\n3"}) {
		t.Errorf("typed %q, pasted %v", typed, pastes)
	}
	for _, other := range []string{"", "Why? a", "Why? a\nb", sent + " "} {
		if typed, pastes := c.Apart(other); len(pastes) > 0 {
			t.Errorf("%q is taken apart to %q and %v", other, typed, pastes)
		}
	}
}

// TestHistoryHoldsATextOnce remembers texts again: they move to the end, with their pastes.
func TestHistoryHoldsATextOnce(t *testing.T) {
	c := New(Options{Styles: newTest().styles, HistoryLimit: 3, PasteLines: 2})
	c.Paste("1\n2\n3")
	pasted := c.Draft()
	c.Clear()
	for _, text := range []string{"a", "b", "1\n2\n3", "a"} {
		c.Remember(text)
	}
	if got := c.Drafts(); !slices.Equal(got, []string{"b", pasted, "a"}) {
		t.Errorf("%q", got)
	}
	if got := c.History(); !slices.Equal(got, []string{"a", "1\n2\n3", "b"}) {
		t.Errorf("%q", got)
	}
	for i := range 200 {
		c.Remember([]string{"a", "b", "1\n2\n3"}[i%3])
	}
	if n := len(c.history.entries); n > 3*2+16 || len(c.history.places) != 3 {
		t.Errorf("%d entries, %d places", n, len(c.history.places))
	}
	var walked []string
	for c.HistoryPrev() {
		walked = append(walked, c.Value())
	}
	if !slices.Equal(walked, []string{"b", "a", "1\n2\n3"}) {
		t.Errorf("%q", walked)
	}
	for range 3 {
		c.HistoryNext()
	}
	c.Insert("draft")
	c.Recall("1\n2\n3")
	wantState(t, c, "[paste #1 · 3 lines]|")
	c.Do(Undo)
	wantState(t, c, "draft|")
	if c.Recall("never typed"); c.Value() != "never typed" || c.History()[0] != "draft" {
		t.Errorf("%q after %q", c.Value(), c.History())
	}
}

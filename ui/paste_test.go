//go:build unix

package ui_test

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
)

// What begins in a pasted text must not swallow the end of the paste: the
// keyboard would be dead from then on.
func TestPasteOfUnfinishedSequencesLeavesTheKeyboardAlive(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(on("", say("got it")))})
	for _, text := range []string{
		"A STOP \x1b]0;OWNED", "A STOP \x1bP1$r", "A STOP \x1b_x", "A STOP \x1b[1;", "A STOP \x1b",
		"A STOP \x9d0;OWNED", "A STOP \xe2\x9d0;OWNED", "A STOP \u009d0;OWNED", "A STOP \xff\xf0\x9f",
	} {
		d.Paste(text).WaitSync().Expect(Contains("A STOP"))
		d.Type(" typed").WaitSync().Expect(Contains("typed"))
		d.Press("ctrl+c").WaitIdle().Expect(NotContains("A STOP"), CursorAfter("❯ "))
	}
	d.Paste(strings.Repeat("lorem \x1b[31mipsum ", 60_000)).WaitSync().Expect(Contains("[paste #"))
	d.Press("ctrl+c").WaitIdle().Expect(NotContains("[paste #"))
	d.Type("hello").Press("enter").WaitFor(Contains("got it")).WaitIdle()
	d.Quit().Wait()
	d.AssertRestored()
}

// TestPasteStandsBelowTheQuestion sends a long paste before and behind a question:
// the question is to be seen, the paste is a row, also after the program was
// started again.
func TestPasteStandsBelowTheQuestion(t *testing.T) {
	t.Parallel()
	log := strings.TrimRight(strings.Repeat("a line of a long log\n", 500), "\n")
	s := answers(on("", say("got it")))
	d := Start(t, Options{Cols: 100, Rows: 40, Scenario: s})
	d.WaitIdle().Paste(log).Type(" What is wrong here?").Press("enter").WaitFor(Contains("got it")).WaitIdle()
	d.Type("And here? ").Paste(log + "\nmore").Type(" Compare it with ").Paste(log).Press("enter").WaitFor(Count("got it", 2)).WaitIdle()
	all := []Matcher{
		LineMatches(`^ ❯ What is wrong here\?\s*$`), LineMatches(`^   \[paste #1\] 500 lines, 10 kB\s*$`),
		LineMatches(`^ ❯ And here\? \[paste #1\] Compare it with \[paste #2\]\s*$`), Contains("[paste #1] 501 lines, 11 kB", "[paste #2] 500 lines, 10 kB"),
		In(image.Rect(0, 2, 100, 38), NotContains("a line of a long log")), // the title may be how it begins
	}
	d.Expect(all...).Quit().Wait()
	again := Start(t, Options{Cols: 100, Rows: 40, Scenario: s, Home: d.Home(), Args: []string{"--continue"}})
	again.WaitIdle().Expect(all...)
	again.Press("ctrl+t").WaitFor(In(image.Rect(0, 2, 100, 38), Contains("a line of a long log")))
}

// TestPasteNamesNothing sends what was typed with an @, and nothing that a paste names;
// the message says so, also after it waited and after the program was started again.
func TestPasteNamesNothing(t *testing.T) {
	t.Parallel()
	s := answers(on("", say("got it")))
	d := Start(t, Options{Cols: 60, Rows: 30, Scenario: s})
	for _, name := range []string{"typed.txt", "pasted.txt"} {
		if err := os.WriteFile(filepath.Join(d.Dir(), name), []byte("some text\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d.WaitIdle().Type("read @typed.txt and ").Paste("see @pasted.txt").WaitSync().Expect(Contains("[paste #1 ·"))
	d.Press("enter").WaitFor(Contains("got it")).WaitIdle()
	all := []Matcher{LineMatches(`^   @typed\.txt · 3 tokens\s*$`), Contains("see @pasted.txt"), NotContains("@pasted.txt ·")}
	d.Expect(all...).Quit().Wait()
	again := Start(t, Options{Cols: 60, Rows: 30, Scenario: s, Home: d.Home(), Args: []string{"--continue"}})
	again.WaitIdle().Expect(all...)
}

//go:build unix

package uitest

import (
	"strings"
	"testing"
)

func TestAssertRestoredFindsWhatWasLeft(t *testing.T) {
	for _, c := range []struct{ output, want string }{
		{"\x1b[?1002h\x1b[?1006h", "mouse (drag) is on (mode 1002)"},
		{"\x1b[?1003h", "mouse (motion) is on"},
		{"\x1b[?2004h", "bracketed paste is on"},
		{"\x1b[?1004h", "focus reports is on"},
		{"\x1b[?1049h", "the alternate screen is shown"},
		{"\x1b[?25l", "the cursor is hidden"},
		{"\x1b[?7l", "lines do not wrap"},
		{"\x1b[>1u", "the keyboard protocol is on (1 levels) on the main screen"},
		{"\x1b[?1049h\x1b[>1u\x1b[?1049l", "on the alternate screen"},
		{"\x1b[>4;2m", "modifyOtherKeys is 2"},
		{"\x1b[?2026h", "synchronised output is on"},
		{"\x1b[?2027h", "grapheme widths is on"},
		{"\x1b[?9001h", "a mode is on (mode 9001)"},
		{"\x1b[4h", "mode 4 is set"},
		{"\x1b=", "the keypad is in application mode"},
		{"\x1b[5 q", "the cursor has shape 5"},
		{"\x1b[3;10r", "a part of the screen scrolls"},
		{"\x1b[31m", "text is shown in the style"},
		{"\x1b]8;;http://example.org\x07", "example.org"},
		{"\x1b(0", "the letter q is shown as"},
		{"\x1b]2;working\x07", `the title is "working"`},
		{"\x1b[22;0t", "a saved title was not taken back"},
		{"\x1b]11;#ff0000\x07", "colours were changed (OSC 11)"},
		{"\x1b]9;4;1;50\x07", "a progress bar is shown"},
		{"\x1b]2;half a title", "an escape sequence was begun and not ended"},
		{"\x1bP+q54", "an escape sequence was begun and not ended"},
		{"\x1b[12;", "the letter q is shown as"},
	} {
		text := failure(t, func(t testing.TB) {
			Start(t, probed(t, "raw", Options{Plain: true, Args: []string{c.output}})).AssertRestored()
		})
		if !strings.Contains(text, "did not put the terminal back") || !strings.Contains(text, c.want) {
			t.Errorf("%q: the failure lacks %q:\n%s", c.output, c.want, text)
		}
	}
	text := failure(t, func(t testing.TB) {
		Start(t, probed(t, "raw", Options{Plain: true, Args: []string{"stty"}})).AssertRestored()
	})
	if !strings.Contains(text, "the line discipline has the local flags") {
		t.Errorf("raw mode: the failure is\n%s", text)
	}
}

func TestAssertRestoredAcceptsWhatWasPutBack(t *testing.T) {
	all := []string{
		"\x1b[22;0t\x1b]2;busy ✓\x07\x1b[?1049h\x1b[>1u\x1b[>4;2m\x1b[?1002;1006h\x1b[?2004h\x1b[?25l\x1b[1mtext",
		"\x1b[m\x1b[?25h\x1b[?2004l\x1b[?1002;1006l\x1b[>4m\x1b[<1u\x1b[?1049l\x1b[23;0t",
		"\x1b]11;#ff0000\x07\x1b]111\x07\x1b[3;9r\x1b[r\x1b[6 q\x1b[0 q\x1b]8;;http://a\x07\x1b]8;;\x07\x1b]9;4;1;5\x07\x1b]9;4;0\x07\x1b[?1048h",
		"the end\r\n",
	}
	d := Start(t, probed(t, "raw", Options{Plain: true, Args: all}))
	d.AssertRestored()
	d.Expect(Contains("the end"), Title("a shell"))
	d.AssertRestored() // looking changes nothing
	d.Expect(Contains("the end"))
	for _, reset := range []string{"\x1bc"} {
		d = Start(t, probed(t, "raw", Options{Plain: true, Args: []string{"\x1b[?1002h\x1b[?25l\x1b[>1u\x1b[31m", reset}}))
		d.AssertRestored()
	}
}

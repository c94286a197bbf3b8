package term

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestLine(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"two\nlines\n", "two␤lines"},
		{"a\tb", "a b"},
		{"\x1b[31mred\x1b[m", "red"},
		{"a\r\nb\u2028c", "a␤b␤c"},
		{"\x1b]0;x\aevil", "evil"},
		{"\n\n", ""},
	} {
		if got := Line(c.in); got != c.want {
			t.Errorf("Line(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestCarriageReturns(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"untouched", "a\nb\n", "a\nb\n"},
		{"progress", "10%\r20%\r100%\ndone\n", "100%\ndone\n"},
		{"shorter text leaves the rest", "abcdef\rxy", "xycdef"},
		{"erased to the end", "abcdef\r\x1b[Kxy", "xy"},
		{"erased line", "abcdef\x1b[2K\rxy", "xy"},
		{"erased to the cursor", "abcdef\b\b\b\x1b[1Kz", "   zef"},
		{"trailing return", "50%\r", "50%"},
		{"line ends of a terminal", "a\r\nb\r\n", "a\nb\n"},
		{"progress with line ends of a terminal", "1\r2\r\nb\r\n", "2\nb\n"},
		{"backspace", "abc\b\bX", "aXc"},
		{"backspace at the start", "\b\ba", "a"},
		{"wide overwritten at its right half", "漢字\b\b\bx", " x字"},
		{"wide over narrow", "abcd\r漢", "漢cd"},
		{"colours stay", "\x1b[31mred\x1b[m\r\x1b[32mg\x1b[m", "\x1b[m\x1b[32mg\x1b[m\x1b[31med\x1b[m"},
		{"column", "abc\x1b[2GX\r", "aXc"},
		{"forward", "a\r\x1b[3Cb", "a  b"},
		{"far to the right", "\r\x1b[99999999Cb", strings.Repeat(" ", maxColumns) + "b"},
		{"combining mark stays on its letter", "e\u0301x\ry", "yx"},
		{"other sequences vanish", "a\r\x1b]0;t\ab\x1b[2J", "b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := CarriageReturns(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSplitStyles(t *testing.T) {
	text, runs := SplitStyles("a\x1b[1;31mb\x1b[22mc\x1b[38;5;200;4md\x1b[0me\x1b[m")
	if text != "abcde" {
		t.Fatalf("text %q", text)
	}
	want := []Run{{1, ""}, {2, "\x1b[1;31m"}, {3, "\x1b[31m"}, {4, "\x1b[4;38;5;200m"}, {5, ""}}
	if len(runs) != len(want) {
		t.Fatalf("runs %v", runs)
	}
	for i := range want {
		if runs[i] != want[i] {
			t.Errorf("run %d: %v, want %v", i, runs[i], want[i])
		}
	}
	if text, runs := SplitStyles(""); text != "" || runs != nil {
		t.Errorf("empty text gives %q %v", text, runs)
	}
	if _, runs := SplitStyles(strings.Repeat("\x1b[1m\x1b[31m", 1000) + "x"); len(runs) != 1 || runs[0].Open != "\x1b[1;31m" {
		t.Errorf("colours pile up: %v", runs)
	}
	if text, _ := SplitStyles("a\x1bb\x1b["); text != "ab[" {
		t.Errorf("text that was not sanitised gives %q", text)
	}
}

func TestDetectEnv(t *testing.T) {
	for _, c := range []struct {
		name string
		env  []string
		want Env
	}{
		{"plain", []string{"TERM=xterm-256color"}, Env{OS: "linux"}},
		{"tmux in kitty", []string{"TMUX=/tmp/s,1,0", "TERM=tmux-256color", "TERM_PROGRAM=tmux", "KITTY_WINDOW_ID=1"},
			Env{OS: "linux", Tmux: true, Program: ProgramKitty}},
		{"screen", []string{"STY=1.x", "TERM=screen"}, Env{OS: "linux", Screen: true}},
		{"ssh from iTerm", []string{"SSH_TTY=/dev/pts/1", "LC_TERMINAL=iTerm2"}, Env{OS: "linux", SSH: true, Program: ProgramITerm}},
		{"foot on wayland", []string{"TERM=foot", "WAYLAND_DISPLAY=wayland-0", "DISPLAY=:0"},
			Env{OS: "linux", Program: ProgramFoot, Wayland: true, X11: true}},
		{"ghostty", []string{"TERM=xterm-ghostty"}, Env{OS: "linux", Program: ProgramGhostty}},
		{"wezterm", []string{"TERM_PROGRAM=WezTerm"}, Env{OS: "linux", Program: ProgramWezTerm}},
		{"empty variables", []string{"TMUX=", "SSH_TTY=", "DISPLAY"}, Env{OS: "linux"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := DetectEnv(c.env, "linux"); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestPlanCopy(t *testing.T) {
	long := strings.Repeat("x", OSC52Limit+1)
	for _, c := range []struct {
		name string
		text string
		env  Env
		want string
	}{
		{"bare terminal", "hi", Env{OS: "linux"}, "osc52"},
		{"tmux over ssh", "hi", Env{OS: "linux", Tmux: true, SSH: true, X11: true}, "tmux osc52"},
		{"mac", "hi", Env{OS: "darwin"}, "pbcopy osc52"},
		{"mac seen from afar", "hi", Env{OS: "darwin", SSH: true}, "osc52"},
		{"wayland", "hi", Env{OS: "linux", Wayland: true, X11: true}, "wl-copy osc52"},
		{"x11", "hi", Env{OS: "linux", X11: true}, "xclip osc52"},
		{"too long", long, Env{OS: "linux"}, ""},
		{"too long in tmux", long, Env{Tmux: true}, "tmux"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var ways []string
			for _, s := range PlanCopy(c.text, c.env).Steps {
				if s.Argv != nil {
					ways = append(ways, s.Argv[0])
				} else {
					ways = append(ways, "osc52")
				}
			}
			if got := strings.Join(ways, " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got, want := OSC52("hello", Env{}), "\x1b]52;c;aGVsbG8=\a"; got != want {
		t.Errorf("OSC52 = %q", got)
	}
	if got := OSC52(strings.Repeat("x", 1000), Env{Screen: true}); strings.Count(got, "\x1bP") != 6 || !strings.HasSuffix(got, "\x1b\\") {
		t.Errorf("for screen: %q", got)
	}
}

func TestOutcome(t *testing.T) {
	p := PlanCopy(strings.Repeat("é", 1204), Env{Tmux: true})
	for want, done := range map[string]*CopyStep{
		"Copied 1,204 characters to the tmux buffer and the clipboard.": &p.Steps[0],
		"Copied 1,204 characters.":                                      &p.Steps[1],
		"Nothing was copied: no way to a clipboard worked.":             nil,
	} {
		if got := p.Outcome(done); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	long := PlanCopy(strings.Repeat("x", 1_000_000), Env{})
	if got := long.Outcome(nil); !strings.Contains(got, "1,000,000 characters are too many") {
		t.Errorf("got %q", got)
	}
}

func TestNotify(t *testing.T) {
	n := Notification{Title: "hermes\x1b]0;x\a", Body: "a;b\nc"}
	for _, c := range []struct {
		name string
		env  Env
		want string
	}{
		{"unknown", Env{}, "\a"},
		{"foot", Env{Program: ProgramFoot}, "\a\x1b]777;notify;hermes;a,b␤c\a"},
		{"iterm", Env{Program: ProgramITerm}, "\a\x1b]9;hermes: a;b␤c\a"},
		{"kitty", Env{Program: ProgramKitty}, "\a\x1b]99;i=hermes-tui:e=1:d=0:p=title;aGVybWVz\x1b\\\x1b]99;i=hermes-tui:e=1:d=1:p=body;YTti4pCkYw==\x1b\\"},
		{"tmux", Env{Program: ProgramITerm, Tmux: true}, "\a\x1bPtmux;\x1b\x1b]9;hermes: a;b␤c\a\x1b\\"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Notify(n, c.env); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTitle(t *testing.T) {
	if got := Title("  fix\nit\a \x1b[2J"); got != "fix␤it" {
		t.Errorf("got %q", got)
	}
	if got := ansi.StringWidth(Title(strings.Repeat("漢", 1_000_000))); got > titleLimit || got < titleLimit-2 {
		t.Errorf("a long title has %d cells", got)
	}
}

// TestResetSequence switches on what a full-screen program may, and follows
// what the reset switches off again.
func TestResetSequence(t *testing.T) {
	modes := map[string]bool{}
	read := func(s string) {
		p := ansi.NewParser()
		for state := byte(0); s != ""; {
			seq, _, n, next := ansi.DecodeSequence(s, state, p)
			state, s = next, s[n:]
			cmd := ansi.Cmd(p.Command())
			if cmd.Prefix() == '?' && (cmd.Final() == 'h' || cmd.Final() == 'l') {
				for _, mode := range strings.Split(seq[3:len(seq)-1], ";") {
					modes[mode] = cmd.Final() == 'h'
				}
			}
		}
	}
	read("\x1b[?9h\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1005h\x1b[?1006h\x1b[?1015h\x1b[?1016h" +
		"\x1b[?1004h\x1b[?2004h\x1b[?2026h\x1b[?2027h\x1b[?2031h\x1b[?2048h\x1b[?1049h\x1b[?1h\x1b[?6h\x1b[?25l\x1b[?7l")
	seq := ResetSequence()
	read(seq)
	for mode, on := range modes {
		if want := mode == "25" || mode == "7"; on != want {
			t.Errorf("mode %s is %v", mode, on)
		}
	}
	for _, part := range []string{ansi.PopKittyKeyboard(1), ansi.ResetModifyOtherKeys} {
		if i := strings.Index(seq, part); i < 0 || i > strings.Index(seq, "\x1b[?1049l") {
			t.Errorf("%q is not given up before the alternate screen", part)
		}
	}
	if strings.ContainsAny(strings.ReplaceAll(seq, "\x1b\\", ""), "\n\r") || strings.Contains(seq, "[c") || strings.Contains(seq, "$p") {
		t.Errorf("asks or moves: %q", seq)
	}
	if q := Queries(); q != "\x1b[?2026$p\x1b[?2027$p\x1b[c" {
		t.Errorf("queries %q", q)
	}
}

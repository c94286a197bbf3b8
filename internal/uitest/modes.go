package uitest

import (
	"fmt"
	"slices"
	"strings"
)

// DEC private modes by their numbers.
const (
	modeCursorKeys  = 1
	modeOrigin      = 6
	modeWrap        = 7
	modeCursor      = 25
	modeFocus       = 1004
	modeMouseSGR    = 1006
	modePaste       = 2004
	modeSync        = 2026
	modeGraphemes   = 2027
	modeAlternate   = 1049
	modeMouseNormal = 1000
	modeMouseDrag   = 1002
	modeMouseMotion = 1003
)

// modeNames name what a mode that was left on does to the user's shell.
var modeNames = map[int]string{
	modeCursorKeys: "application cursor keys", 5: "reverse video", modeOrigin: "origin mode", 9: "mouse (X10)",
	47: "alternate screen", 66: "application keypad", 69: "left and right margins",
	modeMouseNormal: "mouse (clicks)", 1001: "mouse (highlight)", modeMouseDrag: "mouse (drag)", modeMouseMotion: "mouse (motion)",
	modeFocus: "focus reports", 1005: "mouse (UTF-8)", modeMouseSGR: "mouse (SGR)", 1015: "mouse (urxvt)", 1016: "mouse (pixels)",
	1047: "alternate screen", modeAlternate: "alternate screen", modePaste: "bracketed paste", modeSync: "synchronised output",
	modeGraphemes: "grapheme widths", 2031: "colour scheme reports", 2048: "size reports",
}

// modes is what a program has changed of the terminal, beyond the text.
type modes struct {
	dec  map[int]bool // private modes that were set or reset, and to what
	ansi map[int]bool // the same for modes without "?"

	// kitty are the stacks of keyboard flags of the main and the alternate
	// screen; otherKeys is the level of modifyOtherKeys.
	kitty     [2][]int
	otherKeys int
	keypad    bool

	shape    int // of the cursor; up to 2 a block, to which terminfo resets it
	margins  bool
	progress bool
	colours  map[string]bool // by what sets them: "10", "11", "12", "4"
	titles   []string        // stack
}

func newModes() modes {
	return modes{
		dec: map[int]bool{modeWrap: true, modeCursor: true}, ansi: map[int]bool{}, colours: map[string]bool{},
	}
}

// set changes a private mode. Mode 1048 saves and restores the cursor and is none.
func (m *modes) set(mode int, on bool) {
	if mode != 1048 {
		m.dec[mode] = on
	}
}

// mouse reports whether any mouse events are sent.
func (m *modes) mouse() bool {
	return m.dec[9] || m.dec[modeMouseNormal] || m.dec[modeMouseDrag] || m.dec[modeMouseMotion]
}

// pushKeys, popKeys and setKeys do what CSI > u, CSI < u and CSI = u do.
func (m *modes) pushKeys(screen, flags int) {
	if len(m.kitty[screen]) < 256 {
		m.kitty[screen] = append(m.kitty[screen], flags)
	}
}

func (m *modes) popKeys(screen, n int) {
	stack := m.kitty[screen]
	m.kitty[screen] = stack[:max(0, len(stack)-max(n, 1))]
}

func (m *modes) setKeys(screen, flags, how int) {
	stack := m.kitty[screen]
	if len(stack) == 0 {
		stack = []int{0}
	}
	top := &stack[len(stack)-1]
	switch how {
	case 2:
		*top |= flags
	case 3:
		*top &^= flags
	default:
		*top = flags
	}
	m.kitty[screen] = stack
}

// keys are the keyboard flags in force.
func (m *modes) keys(screen int) int {
	if stack := m.kitty[screen]; len(stack) > 0 {
		return stack[len(stack)-1]
	}
	return 0
}

// left lists what a program did not put back, for a user to read.
func (m *modes) left() []string {
	var all []string
	for mode, on := range m.dec {
		usual := mode == modeWrap || mode == modeCursor
		name := modeNames[mode]
		if name == "" {
			name = "a mode"
		}
		switch {
		case on == usual:
		case mode == modeCursor:
			all = append(all, "the cursor is hidden (mode 25)")
		case mode == modeWrap:
			all = append(all, "lines do not wrap (mode 7)")
		default:
			all = append(all, fmt.Sprintf("%s is on (mode %d)", name, mode))
		}
	}
	for mode, on := range m.ansi {
		if on {
			all = append(all, fmt.Sprintf("mode %d is set", mode))
		}
	}
	for what := range m.colours {
		all = append(all, fmt.Sprintf("colours were changed (OSC %s)", what))
	}
	for screen, name := range []string{"main", "alternate"} {
		if n := len(m.kitty[screen]); n > 0 && (n > 1 || m.keys(screen) != 0) {
			all = append(all, fmt.Sprintf("the keyboard protocol is on (%d levels) on the %s screen", n, name))
		}
	}
	for _, is := range []struct {
		left bool
		text string
	}{
		{m.otherKeys > 0, fmt.Sprintf("modifyOtherKeys is %d", m.otherKeys)},
		{m.keypad, "the keypad is in application mode"},
		{m.shape > 2, fmt.Sprintf("the cursor has shape %d", m.shape)},
		{m.margins, "a part of the screen scrolls"},
		{m.progress, "a progress bar is shown"},
		{len(m.titles) > 0, "a saved title was not taken back: " + strings.Join(m.titles, ", ")},
	} {
		if is.left {
			all = append(all, is.text)
		}
	}
	slices.Sort(all)
	return all
}

package term

import "github.com/charmbracelet/x/ansi"

// ResetSequence leaves any terminal usable, whatever a full-screen program had
// switched on and wherever its output broke off: it ends an open sequence and
// synchronised output, gives up the keyboard protocols, mouse and focus
// reports, bracketed paste, the alternate screen and the scroll region, and
// shows the cursor. It asks the terminal nothing, moves no cursor and clears no
// screen; it can be written twice.
func ResetSequence() string {
	return "\x1b\\" + // end a string control
		ansi.ResetModeSynchronizedOutput +
		ansi.PopKittyKeyboard(1) + // of this screen, before it is left
		ansi.ResetModifyOtherKeys +
		ansi.ResetModeMouseX10 +
		ansi.ResetModeMouseNormal +
		ansi.ResetModeMouseButtonEvent +
		ansi.ResetModeMouseAnyEvent +
		ansi.ResetModeMouseExtSgr +
		"\x1b[?1005l\x1b[?1015l\x1b[?1016l" + // other forms of mouse reports
		ansi.ResetModeFocusEvent +
		ansi.ResetModeBracketedPaste +
		"\x1b[?2031l\x1b[?2048l" + // reports of colour scheme and size
		ansi.ResetModeUnicodeCore +
		"\x1b[m" +
		ansi.ResetModeAltScreenSaveCursor +
		"\x1b7\x1b[r\x1b8" + // the whole screen scrolls, the cursor stays
		ansi.ResetModeOrigin +
		ansi.SetModeAutoWrap +
		ansi.ResetModeCursorKeys +
		"\x1b>" + // numeric keypad
		"\x1b(B\x0f" + // ASCII
		"\x1b[0 q" + // the cursor's own shape
		ansi.SetModeTextCursorEnable +
		"\x1b[m"
}

// Queries asks the terminal whether it knows synchronised output (mode 2026)
// and grapheme widths (mode 2027). The toolkit leaves the question out over SSH
// but acts on any answer, so it is asked here as well. All terminals answer the last
// question, which ends the answers.
func Queries() string {
	return ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore + ansi.RequestPrimaryDeviceAttributes
}

// SaveTitle and RestoreTitle keep the window title on the terminal's own stack.
// Each save needs exactly one restore.
const (
	SaveTitle    = "\x1b[22;0t"
	RestoreTitle = "\x1b[23;0t"
)

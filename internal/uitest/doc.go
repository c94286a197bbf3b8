// Package uitest drives the built program the way a user does: it runs it in
// a pseudo-terminal against a scenario served over loopback HTTP, keeps a model
// of the screen, presses keys, waits until the program is idle and asserts on
// what is to be seen.
//
//	d := uitest.Start(t, uitest.Options{Scenario: answers})
//	d.Type("list the files").Press("enter").WaitIdle()
//	d.Expect(uitest.Contains("README.md"), uitest.CursorAfter("❯ "))
//	d.Press("ctrl+d").Wait()
//	d.AssertRestored()
//
// # Waiting
//
// Nothing sleeps. With HERMES_TUI_UITEST=1 in its environment the program takes
// part in the following protocol:
//
//   - It counts the terminal replies ESC [ ? 9999 ; 1 $ y that arrive on its
//     input.
//   - To the window title of every frame it appends " ⟦sync=K busy=N⟧": K is
//     that count, N what it still has to do by itself. It may add the size it
//     draws for: " ⟦sync=K busy=N size=120x36⟧".
//
// The replies arrive in order with the keys, and the title in order with the
// frame. So [Driver.WaitSync] sends a reply and waits until it is counted: all
// keys before it were handled and drawn. [Driver.WaitIdle] waits until the count
// is reached with nothing left to do. A frame in synchronised output (mode 2026)
// is looked at only when it is complete; where the terminal has no such mode,
// a second round makes sure of it.
//
// [Driver.WaitFor] needs no protocol: it looks at the screen whenever something
// was written to it. Every wait has a deadline and fails with the whole screen,
// the newest output and what the program wrote to standard error and its logs.
//
// # The terminal
//
// The screen is a model of an xterm with synchronised output and grapheme
// widths. What the model does not know itself (the keyboard protocols, the title
// stack, the modes of mouse, paste and focus) is tracked here, so that
// [Driver.AssertRestored] can tell whether a program left the terminal as it
// found it. Combining characters after ASCII letters are dropped from the model.
//
// # Limits
//
// A [Driver] belongs to the goroutine of its test. It needs Unix; the fixtures,
// screens and matchers work everywhere. The folder tmux beside this package
// runs the program in a real tmux instead and shares the matchers.
package uitest

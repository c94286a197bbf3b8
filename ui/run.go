package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/screen"
)

// errPanic is a panic of the screen, which was printed.
var errPanic = errors.New("the screen failed: please report what is told above, and go on with hermes-tui --continue, everything up to here is stored")

// Run shows the screen until the user leaves it or quit ends. The terminal is
// as it was before when Run returns, also after a panic, which is printed to
// standard error and returned as an error.
func (m *Model) Run(quit context.Context, in io.Reader, out io.Writer, environ []string) (err error) {
	m.terminal, err = screen.Open(in, out, environ, m.o.Now)
	if err != nil {
		return err
	}
	w, h := m.terminal.Size()
	p := tea.NewProgram(m, // the terminal is ours: it sends messages, and takes frames from View
		tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithoutRenderer(), tea.WithFPS(1),
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics(), tea.WithEnvironment(environ),
		tea.WithColorProfile(m.terminal.Profile()), tea.WithWindowSize(w, h))
	m.program.Store(p)
	// The toolkit's clock has nothing to do without its renderer. This ends it.
	m.began = func() { _ = p.ReleaseTerminal() }
	if err := m.terminal.Start(func(msg any) { p.Send(msg) }); err != nil {
		m.terminal.Close()
		return err
	}
	defer func() {
		value := recover()
		m.terminal.Close()
		if value != nil {
			tellPanic(value)
			err = errPanic
		}
	}()
	defer context.AfterFunc(quit, func() { p.Send(leaveMsg{}) })()
	if _, err = p.Run(); quit.Err() != nil {
		return nil // it has ended as it was told to; the terminal may be gone
	}
	return err
}

// tellPanic prints a panic and where it was, once the terminal shows it.
func tellPanic(value any) {
	p, ok := value.(panicMsg)
	if !ok {
		p = panicMsg{value, debug.Stack()}
	}
	fmt.Fprintf(os.Stderr, "panic: %v\n", p)
}

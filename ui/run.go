package ui

import (
	"context"
	"errors"
	"fmt"
	"io"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/term"
)

// Run shows the screen until the person leaves it or quit ends. The terminal is
// as it was before when Run returns, also after a panic; the panic is returned
// as an error.
func (m *Model) Run(quit context.Context, in io.Reader, out io.Writer, environ []string) error {
	p := tea.NewProgram(m,
		tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(environ), tea.WithFPS(120), tea.WithoutSignalHandler(),
	)
	if _, err := io.WriteString(out, term.SaveTitle); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-quit.Done():
			p.Quit()
		case <-done:
		}
	}()
	_, err := p.Run()
	reset := term.RestoreTitle
	if err != nil {
		reset = term.ResetSequence() + reset
	}
	if _, werr := io.WriteString(out, reset); werr != nil {
		err = errors.Join(err, werr)
	}
	return err
}

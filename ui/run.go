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
		tea.WithInput(term.CleanPastes(in)), tea.WithOutput(out), tea.WithEnvironment(environ), tea.WithFPS(120), tea.WithoutSignalHandler(),
	)
	if _, err := io.WriteString(out, term.SaveTitle); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-quit.Done():
			p.Send(leaveMsg{})
		case <-done:
		}
	}()
	_, err := p.Run()
	told := quit.Err() != nil && !errors.Is(err, tea.ErrProgramPanic)
	reset := term.RestoreTitle
	if err != nil {
		reset = term.ResetSequence() + reset
	}
	if errors.Is(err, tea.ErrProgramPanic) {
		err = fmt.Errorf("the screen failed (%w): please report what is told above, and go on with hermes-tui --continue, everything up to here is stored", err)
	}
	if _, werr := io.WriteString(out, reset); werr != nil {
		err = errors.Join(err, werr)
	}
	if told {
		return nil // it has ended as it was told to; the terminal may be gone
	}
	return err
}

package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// What is read from the standard input, in bytes: as the prompt, which is refused
// beyond that, and beside one, which is cut.
const (
	maxPrompt  = 4 << 20
	maxContext = 256 << 10
)

// idleTime is how long the first byte beside a prompt is waited for. A program
// that was started by another one may have inherited an input that never ends.
const idleTime = 3 * time.Second

// prompt takes the prompt from the arguments and the standard input. What is piped
// in beside arguments follows them under a name of its own; a dash behind them
// waits for it as long as it takes.
func (s *sys) prompt(args []string) (string, error) {
	dash := len(args) > 0 && args[len(args)-1] == "-"
	if dash {
		args = args[:len(args)-1]
	}
	in, _ := s.terminal()
	switch {
	case len(args) == 0 && in:
		return "", usageError{errors.New("exec needs a prompt: give one in quotes, or pipe it in")}
	case len(args) == 0:
		return s.piped()
	case !dash && !s.redirected():
		return strings.Join(args, " "), nil
	}
	text, err := s.beside(dash)
	if err != nil || text == "" {
		return strings.Join(args, " "), err
	}
	return fmt.Sprintf("%s\n\n<stdin>\n%s\n</stdin>", strings.Join(args, " "), text), nil
}

// piped reads the prompt.
func (s *sys) piped() (string, error) {
	text, err := io.ReadAll(io.LimitReader(s.in, maxPrompt+1))
	switch {
	case err != nil:
		return "", startError{fmt.Errorf("the prompt could not be read: %w", err)}
	case len(text) > maxPrompt:
		return "", usageError{fmt.Errorf("the prompt is over %d MB: write it to a file and name the file", maxPrompt>>20)}
	case strings.TrimSpace(string(text)) == "":
		return "", usageError{errors.New("the prompt is empty: give one in quotes, or pipe it in")}
	}
	return string(text), nil
}

// beside reads what is piped in beside a prompt, without the line end behind it.
func (s *sys) beside(wait bool) (string, error) {
	in := bufio.NewReader(s.in)
	began := make(chan struct{})
	go func() {
		defer close(began)
		_, _ = in.Peek(1) // an error comes again below
	}()
	var idle <-chan time.Time
	if !wait {
		idle = time.After(idleTime)
	}
	select {
	case <-began:
	case <-idle:
		s.complain(fmt.Sprintf("nothing came on the standard input for %d seconds, so it is left out: wait for it with - behind the prompt, or use </dev/null", int(idleTime.Seconds())))
		return "", nil
	}
	text, err := io.ReadAll(io.LimitReader(in, maxContext+1))
	switch {
	case err != nil:
		return "", startError{fmt.Errorf("the standard input could not be read: %w", err)}
	case strings.Contains(string(text), "\x00"):
		return "", usageError{errors.New("the standard input is not text: name the file in the prompt, or use </dev/null")}
	case len(text) <= maxContext:
		return strings.TrimRight(strings.ToValidUTF8(string(text), "\uFFFD"), "\n"), nil
	}
	s.complain(fmt.Sprintf("only the first %d KB of the standard input are sent: write it to a file and name the file to have all of it read", maxContext>>10))
	kept := strings.ToValidUTF8(string(text[:maxContext]), "")
	return fmt.Sprintf("%s\n[cut here: the rest after %d KB was not read]", kept, maxContext>>10), nil
}

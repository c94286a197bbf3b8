package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hermes-tui/tools/charset"
	"hermes-tui/ui/term"
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

// pipeTime is how long it is waited for from a command of the same pipeline.
const pipeTime = 30 * time.Second

var errEmptyPrompt = usageError{errors.New("the prompt is empty: give one in quotes, or pipe it in")}

// prompt takes the prompt from the arguments, else the first of the files, else the
// standard input. Other files, and what is piped in beside a prompt, follow it under names
// of their own; a dash behind the arguments waits for what is piped in as long as it takes.
func (s *sys) prompt(args, files []string) (string, error) {
	dash := len(args) > 0 && args[len(args)-1] == "-"
	if dash {
		args = args[:len(args)-1]
	}
	in, _ := s.terminal()
	prompt, err := strings.Join(args, " "), error(nil)
	switch {
	case len(args) > 0 && strings.TrimSpace(prompt) == "":
		return "", errEmptyPrompt
	case len(args) > 0:
	case len(files) > 0:
		prompt, err = promptIn(files[0])
		files = files[1:]
	case in:
		return "", usageError{errors.New("exec needs a prompt: give one in quotes, pipe it in, or name a file with --file")}
	default:
		return readPrompt(s.in)
	}
	for _, name := range files {
		var text string
		if text, err = s.attached(name); err != nil {
			return "", err
		}
		prompt += fmt.Sprintf("\n\n<file name=%q>\n%s\n</file>", filepath.Base(name), text)
	}
	if err != nil || !dash && !s.redirected() {
		return prompt, err
	}
	text, err := s.beside(dash)
	if err != nil || text == "" {
		return prompt, err
	}
	return fmt.Sprintf("%s\n\n<stdin>\n%s\n</stdin>", prompt, text), nil
}

// promptIn reads the prompt from a file.
func promptIn(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", usageError{fmt.Errorf("--file: %w", err)}
	}
	defer file.Close()
	return readPrompt(file)
}

// attached reads a file that goes with a prompt.
func (s *sys) attached(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", usageError{fmt.Errorf("--file: %w", err)}
	}
	defer file.Close()
	return s.bounded(file, term.Line(name))
}

// readPrompt reads the prompt.
func readPrompt(from io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(from, maxPrompt+1))
	switch {
	case err != nil:
		return "", startError{fmt.Errorf("the prompt could not be read: %w", err)}
	case len(text) > maxPrompt:
		return "", usageError{fmt.Errorf("the prompt is over %d MB: write it to a file and name the file", maxPrompt>>20)}
	}
	prompt := charset.Text(text)
	if strings.TrimSpace(prompt) == "" {
		return "", errEmptyPrompt
	}
	return prompt, nil
}

// beside reads what is piped in beside a prompt.
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
		return s.bounded(in, "the standard input")
	case <-idle:
	}
	waited, rest := idleTime, ""
	if fed(s.in) {
		s.complain(fmt.Sprintf("waiting for the command before it in the pipeline, up to %d seconds", int(pipeTime.Seconds())))
		select {
		case <-began:
			return s.bounded(in, "the standard input")
		case <-time.After(pipeTime - idleTime):
		}
		waited, rest = pipeTime, fmt.Sprintf("[nothing has come yet after %d seconds: what the command before this one writes later is not here]", int(pipeTime.Seconds()))
	}
	s.complain(fmt.Sprintf("nothing came on the standard input for %d seconds, so it is left out: wait for it with - behind the prompt, or use </dev/null", int(waited.Seconds())))
	return rest, nil
}

// bounded reads a text that goes with a prompt, without the line end behind it.
func (s *sys) bounded(from io.Reader, what string) (string, error) {
	text, err := io.ReadAll(io.LimitReader(from, maxContext+1))
	switch {
	case err != nil:
		return "", startError{fmt.Errorf("%s could not be read: %w", what, err)}
	case strings.Contains(string(text), "\x00") && !charset.Wide(text):
		return "", usageError{fmt.Errorf("%s is not text: name the file in the prompt, or use </dev/null", what)}
	case len(text) <= maxContext:
		return strings.TrimRight(charset.Text(text), "\n"), nil
	}
	s.complain(fmt.Sprintf("only the first %d KB of %s are sent: name a file in the prompt to have all of it read", maxContext>>10, what))
	kept := charset.Text(charset.Whole(text[:maxContext]))
	return fmt.Sprintf("%s\n[cut here: the rest after %d KB was not read]", kept, maxContext>>10), nil
}

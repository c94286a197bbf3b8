package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"hermes-tui/providers/redact"
	"hermes-tui/store/config"
	"hermes-tui/ui/screen"
	"hermes-tui/ui/term"
)

// recordFlags say whether a session is recorded.
type recordFlags struct {
	file string
	over bool
}

func (r *recordFlags) add(set *pflag.FlagSet) {
	set.StringVar(&r.file, "record", "", "write what the screen shows and what is typed into a new `FILE`, "+
		"with secrets masked: an asciicast, which asciinema plays")
	set.BoolVar(&r.over, "overwrite", false, "let --record take the place of a file")
}

// check finds combinations that mean nothing.
func (r *recordFlags) check() error {
	if r.over && r.file == "" {
		return usageError{errors.New("--overwrite goes with --record FILE")}
	}
	return nil
}

// record begins a recording.
func (s *sys) record(o recordFlags, c config.Config) (*screen.Recorder, error) {
	secrets := redact.NewSecrets(c.Secrets()...)
	for _, kv := range s.environ {
		if name, value, _ := strings.Cut(kv, "="); secretVariable(name) && len(value) >= 8 {
			secrets.Learn(value)
		}
	}
	w, h, err := s.size()
	if err != nil {
		return nil, startError{err}
	}
	file, err := o.open()
	if err != nil {
		return nil, err
	}
	r, err := screen.Record(file, w, h, time.Now(), redact.Masker{Secrets: secrets}.Text)
	if err != nil {
		return nil, startError{fmt.Errorf("--record: %w", err)}
	}
	return r, nil
}

// open makes the file of a recording.
func (r *recordFlags) open() (*os.File, error) {
	if r.over {
		if info, err := os.Lstat(r.file); err == nil && !info.Mode().IsRegular() {
			return nil, usageError{fmt.Errorf("--record: %s is no plain file and stays as it is", term.Line(r.file))}
		}
		if err := os.Remove(r.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, startError{fmt.Errorf("--record: %w", err)}
		}
	}
	file, err := os.OpenFile(r.file, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("--record: %s is there already: name another file, or add --overwrite", term.Line(r.file))
		return nil, usageError{err}
	}
	if err != nil {
		return nil, startError{fmt.Errorf("--record: %w", err)}
	}
	return file, nil
}

// secretVariable reports whether a variable holds a credential, by its name.
func secretVariable(name string) bool {
	name = strings.ToUpper(name)
	ends := []string{"_KEY", "_TOKEN", "_SECRET", "_PASSWORD"}
	return name == "AWS_ACCESS_KEY_ID" || slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) })
}

// recordingEnded says why a recording has ended.
func recordingEnded(file string, err error) string {
	return fmt.Sprintf("%s could not be written (%v); the session goes on.", term.Line(file), err)
}

package bind

import (
	"io"

	"hermes-tui/agent"
	"hermes-tui/providers/redact"
)

// Mask masks the given secrets and whatever looks like one.
func Mask(secrets *redact.Secrets) agent.Masker { return masker{redact.Masker{Secrets: secrets}} }

// MaskKnown masks the given secrets only.
func MaskKnown(secrets *redact.Secrets) agent.Masker { return known{secrets} }

type masker struct{ redact.Masker }

func (m masker) Writer(out io.Writer) agent.MaskWriter { return redact.NewWriter(out, m.Masker) }

type known struct{ secrets *redact.Secrets }

func (k known) Text(s string) string { return k.secrets.Text(s) }
func (k known) Code(s string) string { return k.secrets.Text(s) }

func (k known) Writer(out io.Writer) agent.MaskWriter { return &lines{out: out, mask: k.secrets.Text} }

// lines masks whole lines, so that a secret cut by two writes is still found.
type lines struct {
	out  io.Writer
	mask func(string) string
	held []byte
}

// How much of an unfinished line is held back at most, and how much of a longer
// one stays held, since a secret may have begun in it: no spelling of one is
// longer in practice.
const (
	maxHeld  = 8 << 10
	keepHeld = 4 << 10
)

func (l *lines) Write(p []byte) (int, error) {
	l.held = append(l.held, p...)
	end := len(l.held)
	for end > 0 && l.held[end-1] != '\n' {
		end--
	}
	if end == 0 && len(l.held) > maxHeld {
		end = l.apart(len(l.held) - keepHeld)
	}
	if end == 0 {
		return len(p), nil
	}
	_, err := io.WriteString(l.out, l.mask(string(l.held[:end])))
	l.held = append(l.held[:0], l.held[end:]...)
	return len(p), err
}

// apart gives a place before end at which a long line can be cut without cutting
// a secret in two: there the parts are masked as the whole is. Without such a
// place it is the end of the line.
func (l *lines) apart(end int) int {
	const step = 256
	whole := l.mask(string(l.held))
	for ; end > 0; end -= step {
		if l.mask(string(l.held[:end]))+l.mask(string(l.held[end:])) == whole {
			return end
		}
	}
	return len(l.held)
}

func (l *lines) Flush() error {
	_, err := io.WriteString(l.out, l.mask(string(l.held)))
	l.held = nil
	return err
}

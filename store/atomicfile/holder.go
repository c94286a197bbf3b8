package atomicfile

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Holder says who holds a lock. The lock file carries it as one line,
// "pid host started", the time in RFC 3339 and UTC. It is meant for people: the
// lock itself is the kernel's.
type Holder struct {
	PID  int
	Host string // without spaces; "-" when not known
	// Started is when the lock was taken, in whole seconds.
	Started time.Time
}

// maxHolder is how many bytes of a lock file are looked at.
const maxHolder = 512

// String names the holder in words.
func (h Holder) String() string {
	return fmt.Sprintf("process %d on %s since %s", h.PID, h.Host, h.Started.Format(time.RFC3339))
}

// line is the content of a lock file.
func (h Holder) line() string {
	host := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, h.Host)
	if host == "" {
		host = "-"
	}
	return fmt.Sprintf("%d %s %s\n", h.PID, host, h.Started.UTC().Format(time.RFC3339))
}

// parseHolder reads the content of a lock file. What anyone else wrote there
// gives false.
func parseHolder(s string) (Holder, bool) {
	line, _, ok := strings.Cut(s, "\n")
	if !ok {
		return Holder{}, false
	}
	f := strings.Split(line, " ")
	if len(f) != 3 || f[1] == "" {
		return Holder{}, false
	}
	pid, err := strconv.Atoi(f[0])
	if err != nil || pid <= 0 {
		return Holder{}, false
	}
	for _, r := range f[1] {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return Holder{}, false
		}
	}
	at, err := time.Parse(time.RFC3339, f[2])
	if err != nil {
		return Holder{}, false
	}
	return Holder{PID: pid, Host: f[1], Started: at.UTC()}, true
}

// readHolder reads an open lock file; the zero Holder says nothing is known.
func readHolder(f *os.File) Holder {
	b, err := io.ReadAll(io.NewSectionReader(f, 0, maxHolder))
	if err != nil {
		return Holder{}
	}
	h, _ := parseHolder(string(b))
	return h
}

// writeHolder replaces the content of an open lock file.
func writeHolder(f *os.File, h Holder) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(h.line()), 0)
	return err
}

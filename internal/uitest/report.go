//go:build unix

package uitest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// showBytes is how much of output, standard error and each log a failure shows.
const showBytes = 4 << 10

// fail ends the test with everything that helps to understand why.
func (d *Driver) fail(format string, args ...any) {
	d.t.Helper()
	d.told = true
	d.t.Fatalf("%s\n\n%s", fmt.Sprintf(format, args...), d.report())
}

// report shows the screen, the newest output, standard error and the logs.
func (d *Driver) report() string {
	var b strings.Builder
	b.WriteString(d.term.snapshot().String())
	d.term.mu.Lock()
	if d.term.modes.dec[modeSync] {
		b.WriteString("     (in the middle of a frame)\n")
	}
	d.term.mu.Unlock()
	select {
	case <-d.exited:
		fmt.Fprintf(&b, "the program %v\n", d.state)
	default:
	}
	section(&b, "standard error", last(d.Stderr(), showBytes))
	logs, err := filepath.Glob(filepath.Join(d.launch.Home, "logs", "*"))
	if err == nil {
		for _, name := range logs {
			if text, err := os.ReadFile(name); err == nil {
				section(&b, "log "+filepath.Base(name), last(string(text), showBytes))
			}
		}
	}
	section(&b, "newest output", visible(last(d.Output(), showBytes)))
	return b.String()
}

func section(b *strings.Builder, name, text string) {
	if text != "" {
		fmt.Fprintf(b, "\n-- %s\n%s\n", name, strings.TrimRight(text, "\n"))
	}
}

// last is the end of a text.
func last(text string, n int) string {
	if len(text) > n {
		return "…" + text[len(text)-n:]
	}
	return text
}

// visible spells control characters out, and begins a line where a frame or a
// row of the screen begins.
func visible(output string) string {
	var b strings.Builder
	for i, r := range output {
		if i > 0 && (strings.HasPrefix(output[i:], "\x1b[?2026h") || strings.HasPrefix(output[i:], "\x1b]")) {
			b.WriteByte('\n')
		}
		if r < ' ' || r == 0x7f {
			quoted := fmt.Sprintf("%q", r)
			b.WriteString(quoted[1 : len(quoted)-1])
			if r == '\n' {
				b.WriteByte('\n')
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

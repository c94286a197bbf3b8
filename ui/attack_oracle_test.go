//go:build unix

package ui_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	. "hermes-tui/internal/uitest"
)

// wireTap keeps everything that a program writes to its terminal.
type wireTap struct {
	mu  sync.Mutex
	out []byte
}

// tap is for [Options].
func (w *wireTap) tap(p []byte, _ time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out = append(w.out, p...)
}

func (w *wireTap) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.out)
}

// ownSequences are the control sequences that the program itself writes, without
// the ESC before them.
var ownSequences = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`\[[0-9;:]*m`, `\[[0-9;]*[ABCDEFGHdXKJLMPSTbr@]`, `\[[0-6] q`, // colours, cursor, erasing, scrolling
	`\[\?(?:25|1002|1003|1004|1006|1049|2004|2026|2027|2031)[hl]`, // modes
	`\[\?202[67]\$p`, `\[\?u`, `\]11;\?`, // questions when it starts
	`\[c`, `\[[<=>]1u`, `\[<9u`, `\[>4(?:;2)?m`, `\[2[23];0t`, `\[\?5W`, `M`, // keyboard, stack of titles, tabs, reverse line feed
	`\]8;(?:;|id=[0-9a-z]+;(?:https?://|mailto:)[!-~]+)`, // links to the web and to mail, whose target is shown
	`\]2;(?:|[^ ;]+ hermes[^;\x00-\x1f\x7f-\x9f]*)`,      // the title
}, "|") + `)$`)

// atMost bounds how often the program writes a sequence in one life of it.
var atMost = map[string]int{
	"[c": 2, "[?1049h": 1, "[?1049l": 1, "[<9u": 1, "[?2026$p": 3, "[?2027$p": 3, "[?u": 2, "]11;?": 2, "[2J": 3, "[22;0t": 1, "[23;0t": 1,
	"[?1002h": 2, "[?1003h": 0, "[?1004h": 2, "[?2004h": 2,
}

// oneSequence matches a control sequence from its ESC on.
var oneSequence = regexp.MustCompile(`^\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])`)

// foreign lists what of an output the program did not write by itself: sequences
// it never uses or uses too often, 8-bit controls, characters that reorder or
// hide text, and the word OWNED in a title.
func foreign(out string) []string {
	var bad []string
	counts := map[string]int{}
	for i := 0; i < len(out); {
		if out[i] == 0x1b {
			m := oneSequence.FindString(out[i:])
			if m == "" {
				bad = append(bad, fmt.Sprintf("an open sequence %q", out[i:min(i+40, len(out))]))
				i++
				continue
			}
			i += len(m)
			body := strings.TrimSuffix(strings.TrimSuffix(m[1:], "\x07"), "\x1b\\")
			counts[body]++
			if !ownSequences.MatchString(body) || strings.Contains(body, "7777") || body[0] == ']' && strings.Contains(body, "OWNED") {
				bad = append(bad, fmt.Sprintf("the sequence %q", m))
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(out[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			bad = append(bad, fmt.Sprintf("the byte %#x", out[i]))
		case r < ' ' && !strings.ContainsRune("\r\n\b\t", r), r >= 0x7f && r < 0xa0, reorders(r):
			bad = append(bad, fmt.Sprintf("the character %U", r))
		}
		i += n
	}
	for s, limit := range atMost {
		if counts[s] > limit {
			bad = append(bad, fmt.Sprintf("%d times the sequence %q", counts[s], s))
		}
	}
	return bad
}

// reorders reports whether a character changes the order of what is shown, or is
// not shown at all.
func reorders(r rune) bool {
	switch {
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
		return true
	case r == 0x200b, r == 0x2060, r == 0xfeff, r == 0x2028, r == 0x2029, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

// inert ends a program and checks that the terminal was driven by no one else.
func (w *wireTap) inert(t *testing.T, d *Driver) {
	t.Helper()
	if bad := foreign(w.text()); len(bad) > 0 {
		t.Errorf("on the terminal: %s", strings.Join(bad[:min(len(bad), 12)], ", "))
	}
	if got := d.Clipboard(); got != "" {
		t.Errorf("the clipboard holds %q", got)
	}
	if n := d.Notifications(); len(n) > 0 {
		t.Errorf("notifications %q", n)
	}
}

// spelled are the forms in which a secret may be found.
func spelled(secret string) []string {
	list := []string{secret, hex.EncodeToString([]byte(secret))}
	for shift := range 3 {
		b := base64.RawStdEncoding.EncodeToString(append(bytes.Repeat([]byte("x"), shift), secret...))
		from, to := (8*shift+5)/6+1, len(b)-2
		list = append(list, b[min(from, to):to])
	}
	return list
}

// jobLogs are the logs of jobs that run, in the folder of a program. Only that program reads
// them, and they go with it.
const jobLogs = "run/*/*/proc_*.log"

// leaks says where below a folder a secret is, in names and in contents, but for the logs of
// jobs.
func leaks(t *testing.T, dir, secret string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil // it may be gone again
		}
		if log, _ := filepath.Match(filepath.Join(dir, jobLogs), path); log {
			return nil // the output of a job comes through it, as it is
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		for i, s := range spelled(secret) {
			if strings.Contains(path, s) || bytes.Contains(raw, []byte(s)) {
				found = append(found, fmt.Sprintf("%s (form %d)", path, i))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// kept checks that a secret is nowhere: not in the files of the program, not in
// what it wrote to the terminal and not in what it sent in bodies.
func kept(t *testing.T, d *Driver, w *wireTap, secret string) {
	t.Helper()
	for _, where := range leaks(t, d.Home(), secret) {
		t.Errorf("the secret is in %s", where)
	}
	for i, s := range spelled(secret) {
		if strings.Contains(w.text(), s) || strings.Contains(d.Screen().Text(), s) {
			t.Errorf("the secret is on the screen (form %d)\n%s", i, d.Screen())
		}
		for n, r := range d.Server().Requests() {
			if bytes.Contains(r.Body, []byte(s)) {
				t.Errorf("the secret is in request %d (form %d)", n, i)
			}
		}
	}
}

// trapdoor listens on the loopback interface and counts who comes.
type trapdoor struct {
	addr string
	mu   sync.Mutex
	came []string // what they said first
}

func newTrapdoor(t *testing.T) *trapdoor {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	trap := &trapdoor{addr: l.Addr().String()}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.SetReadDeadline(time.Now().Add(time.Second))
			buf := make([]byte, 4096)
			n, _ := c.Read(buf)
			trap.mu.Lock()
			trap.came = append(trap.came, string(buf[:n]))
			trap.mu.Unlock()
			_ = c.Close()
		}
	})
	t.Cleanup(func() { _ = l.Close(); served.Wait() })
	return trap
}

// untouched checks that no one came.
func (trap *trapdoor) untouched(t *testing.T) {
	t.Helper()
	trap.mu.Lock()
	defer trap.mu.Unlock()
	for _, said := range trap.came {
		t.Errorf("somebody came and said %q", said)
	}
}

// put writes files below a folder.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// there reports whether a file is there.
func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// work makes a folder to start the program in, beside a home.
func work(t *testing.T, files map[string]string) (home, dir string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, dir = filepath.Join(base, "user", ".hermes"), filepath.Join(base, "user", "project")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, dir, files)
	return home, dir
}

// TestForeignIsSeen holds that the oracle sees what it is for, and lets the
// program's own output pass.
func TestForeignIsSeen(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"\x1b]52;c;eA==\a", "\x1b]0;x\a", "\x1b]2;OWNED\a", "\x1b]2;✓ hermes OWNED\a", "\x1b[6n", "\x1b[c\x1b[c\x1b[c", "\x1b[21t", "\x1bP$qm\x1b\\", "\x1bc",
		"\x1b[?1003h", "\x1b[?1049l\x1b[?1049l", "\x1b_Ga=T\x1b\\", "\x1b]8;;http://x\aa", "\x1b]777;notify;a\a", "\u009b31m", "\x9b31m", "\x07",
		"\u202e", "\u200b", "\x1b[7777A", "\x1b[!p", "\x1b(0", "\x1b[?25", "\U000e0041",
	} {
		if len(foreign("before"+s+"after")) == 0 {
			t.Errorf("%q passes", s)
		}
	}
	if bad := foreign("\x1b[?1049h\x1b]2;✓ hermes a title ⟦sync=1 busy=0⟧\a\x1b[38;5;1mé 漢\x1b[m\x1b[3;4H👩‍👩‍👧\x1b[?1049l"); bad != nil {
		t.Errorf("own output is taken for foreign: %q", bad)
	}
}

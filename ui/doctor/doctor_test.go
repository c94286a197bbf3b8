package doctor

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"

	"hermes-tui/ui/term"
)

// TestRun makes checks at the same time: their findings come in order, and one that fails
// is a finding itself.
func TestRun(t *testing.T) {
	first := make(chan struct{})
	list := Run(t.Context(), &Machine{}, []Check{
		{"one", func(context.Context, *Machine) []Finding {
			<-first
			return []Finding{{About: "a", State: Good, Says: "fine\x1b[2J"}}
		}},
		{"two", func(context.Context, *Machine) []Finding { close(first); panic("broken") }},
		{"three", func(context.Context, *Machine) []Finding { return nil }},
	})
	if len(list) != 2 || list[0].Check != "one" || strings.Contains(list[0].Says, "\x1b") || list[1].State != Bad || !strings.Contains(list[1].Says, "broken") {
		t.Errorf("%+v", list)
	}
}

// TestPrint breaks lines, and says what was done in place of what is to be done.
func TestPrint(t *testing.T) {
	list := []Finding{
		{Check: "c", About: "a", State: Good, Says: "open", Fix: "close it", Fixed: "closed"},
		{Check: "c", About: "b", State: Weak, Says: "open"},
		{Check: "d", About: "e", State: Note, Says: "a long sentence that has to be broken", Fix: "nothing"},
	}
	var b strings.Builder
	if err := Print(&b, list, 30); err != nil {
		t.Fatal(err)
	}
	want := `c
  ✓ a: open
      → closed
  ! b: open

d
  · e: a long sentence that
    has to be broken
      → nothing
`
	if b.String() != want || Count(list, Weak) != 1 || Count(list, Bad) != 0 {
		t.Errorf("%s", b.String())
	}
}

// TestTerminal asks a terminal that answers some questions, and one that answers none.
func TestTerminal(t *testing.T) {
	for name, row := range map[string]struct {
		answers string
		has     []string
	}{
		"modern": {"\x1bP>|foot 1.20\x1b\\\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?2026;2$y\x1b[?2027;2$y\x1b[?2031;2$y\x1b[?0u\x1b[?62;4c",
			[]string{"it is foot 1.20", "rgb:0000/0000/0000", "mode 2026)", "mode 2027)", "mode 2031)", "Kitty", "it answers"}},
		"old":    {"\x1b[?2026;0$y\x1b[?1;2c", []string{"does not say what it is", "half drawn", "it answers"}},
		"silent": {"", []string{"it does not answer"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outer, inner, err := pty.Open()
			if err != nil {
				t.Skipf("SKIPPED, no terminal can be made here: %v", err)
			}
			defer func() { _, _ = outer.Close(), inner.Close() }()
			if err := pty.Setsize(outer, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
				t.Fatal(err)
			}
			go answer(outer, row.answers)
			m := &Machine{In: inner, Out: inner, Env: func(string) (string, bool) { return "xterm", true }}
			var said []string
			for _, f := range terminal(t.Context(), m) {
				said = append(said, f.Says)
			}
			for _, want := range append(row.has, "100×30 cells") {
				if !strings.Contains(strings.Join(said, "\n"), want) {
					t.Errorf("it lacks %q: %q", want, said)
				}
			}
		})
	}
}

// answer plays a terminal that answers once all has been asked.
func answer(outer *os.File, with string) {
	var asked strings.Builder
	buf := make([]byte, 512)
	for !strings.HasSuffix(asked.String(), "\x1b[c") {
		n, err := outer.Read(buf)
		if err != nil {
			return
		}
		asked.Write(buf[:n])
	}
	_, _ = outer.WriteString(with)
}

// TestNetwork shows proxies without what may be a password, and finds certificates.
func TestNetwork(t *testing.T) {
	empty := t.TempDir() + "/empty.pem"
	if err := os.WriteFile(empty, []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"https_proxy": "http://me:hunter2@proxy.example:3128", "HTTP_PROXY": "::", "ALL_PROXY": "other.example:3128", "NO_PROXY": "localhost", "SSL_CERT_FILE": empty}
	var said []string
	for _, f := range network(t.Context(), &Machine{Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}) {
		said = append(said, f.About+" "+string(f.State)+" "+f.Says)
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{"https_proxy note requests, and those of confined commands, go by way of http://proxy.example:3128", "HTTP_PROXY error ", "ALL_PROXY note requests, and those of confined commands, go by way of http://other.example:3128", "NO_PROXY note ", "SSL_CERT_FILE error "} {
		if !strings.Contains(all, want) {
			t.Errorf("it lacks %q:\n%s", want, all)
		}
	}
	if strings.Contains(all, "hunter2") {
		t.Error("it shows a password")
	}
}

// TestClipboard names how text is copied.
func TestClipboard(t *testing.T) {
	if list := clipboard(t.Context(), &Machine{Term: term.Env{OS: "linux", SSH: true}}); len(list) != 1 || !strings.Contains(list[0].Says, "OSC 52") {
		t.Errorf("%+v", list)
	}
}

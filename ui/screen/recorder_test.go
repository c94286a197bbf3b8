package screen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"hermes-tui/ui/rows"
)

// secret is what must be in no recording; hide masks it.
const secret = "s3cr3t-of-the-test"

func hide(text string) string { return strings.ReplaceAll(text, secret, "(masked)") }

// castEvent is a line of a recording behind the first.
type castEvent struct {
	at   float64
	kind string
	text string
}

// readCast reads a recording, every line of which has to be whole.
func readCast(t *testing.T, name string) (w, h int, list []castEvent) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		if i == 0 {
			var head struct{ Version, Width, Height int }
			if err := json.Unmarshal(line, &head); err != nil || head.Version != 2 {
				t.Fatalf("the head is %s: %v", line, err)
			}
			w, h = head.Width, head.Height
			continue
		}
		var e castEvent
		if err := json.Unmarshal(line, &[]any{&e.at, &e.kind, &e.text}); err != nil {
			t.Fatalf("line %d: %v\n%s", i+1, err, line)
		}
		list = append(list, e)
	}
	return w, h, list
}

// record begins a recording in a new file.
func record(t *testing.T, w, h int, start time.Time) (*Recorder, string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "session.cast")
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Record(file, w, h, start, hide)
	if err != nil {
		t.Fatal(err)
	}
	return r, name
}

// TestRecordingShowsTheScreen records random frames, some with a secret in parts of
// different styles, and plays the file: the screen has the newest frame, without the secret.
func TestRecordingShowsTheScreen(t *testing.T) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 2))
		start := time.Now()
		r, name := record(t, 40, 10, start)
		f := Frame{Width: 40, Rows: make([]string, 10)}
		for y := range f.Rows {
			f.Rows[y] = randomRow(random, f.Width)
		}
		for step := range 40 {
			f = change(random, f)
			if step%5 == 0 {
				f.Rows[random.IntN(len(f.Rows))] = rows.Fit("a \x1b[1m"+secret[:6]+"\x1b[m"+secret[6:]+".", f.Width)
			}
			at := start.Add(time.Duration(step) * time.Second)
			r.Show(f, at)
			r.Typed(fmt.Sprint(step, secret), at)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(name); err != nil || bytes.Contains(text, []byte(secret[6:])) {
			t.Fatalf("seed %d: the secret is in the file, or %v", seed, err)
		}
		w, h, list := readCast(t, name)
		e := vt.NewEmulator(w, h)
		last := 0.0
		for _, event := range list {
			if event.at < last {
				t.Errorf("seed %d: %v comes after %v", seed, event.at, last)
			}
			last = event.at
			switch event.kind {
			case "o":
				_, _ = e.Write([]byte(event.text))
			case "r":
				if _, err := fmt.Sscanf(event.text, "%dx%d", &w, &h); err != nil {
					t.Fatal(err)
				}
				e.Resize(w, h)
			}
		}
		if w != f.Width || h != len(f.Rows) {
			t.Fatalf("seed %d: the size is %d×%d, not %d×%d", seed, w, h, f.Width, len(f.Rows))
		}
		for y, row := range onTerminal(e) {
			got, want := strings.TrimRight(ansi.Strip(row), " "), strings.TrimRight(hide(ansi.Strip(f.Rows[y])), " ")
			if got != want {
				t.Fatalf("seed %d, row %d: played it is %q, want %q", seed, y, got, want)
			}
		}
	}
}

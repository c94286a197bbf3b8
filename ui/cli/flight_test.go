//go:build unix

package cli

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

var update = flag.Bool("update", false, "record the recordings again")

// recordings is where they are, compressed.
var recordings = filepath.Join("testdata", "recordings")

// recorded is a session that is recorded with the real program.
type recorded struct {
	name    string
	options uitest.Options
	// rules answer; serve is what answers in another protocol, and gives settings.
	rules []script.Rule
	serve func(t *testing.T) (config string, env []string)
	act   func(d *uitest.Driver)
}

// TestRecordings plays every recording of testdata/recordings without a terminal: its
// screens have to come out the same. With -update they are made again,
// those alone that -run names ("TestRecordings/record/help").
func TestRecordings(t *testing.T) {
	bin := uitest.Build(t)
	if *update {
		for _, r := range sessionsToRecord() {
			t.Run("record/"+r.name, func(t *testing.T) { r.record(t) })
		}
	}
	files, err := filepath.Glob(filepath.Join(recordings, "*.gz"))
	if err != nil || len(files) != len(sessionsToRecord()) {
		t.Fatalf("there are %d recordings of %d sessions (%v): go test ./ui/cli -run TestRecordings -update", len(files), len(sessionsToRecord()), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".gz"), func(t *testing.T) {
			t.Parallel()
			code, out := replayed(t, bin, file)
			if code != exitOK || !strings.Contains(out, "all the same") {
				t.Errorf("it ends with %d: %s", code, out)
			}
		})
	}
}

// replayed checks a recording with the built program, in an empty home.
func replayed(t *testing.T, bin, file string, args ...string) (code int, out string) {
	t.Helper()
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), bin, append([]string{"replay", "--check", file}, args...)...)
	cmd.Env = []string{"HOME=" + home, "TMPDIR=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "GOGC=400"}
	text, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("the home of the user holds %v (%v) afterwards", left, err)
	}
	return code, string(text)
}

// record records a session and makes sure that it can be played.
func (r recorded) record(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session")
	o := r.options
	o.Args = append([]string{"--record", file}, o.Args...)
	if r.rules != nil {
		o.Scenario = &script.Scenario{Name: r.name, Rules: r.rules}
	}
	if r.serve != nil {
		config, env := r.serve(t)
		o.Config += config
		o.Env = append(o.Env, env...)
	}
	if !strings.Contains(o.Config, "approvals:") {
		o.Config += "approvals:\n  mode: manual\n" // what is asked does not depend on what the machine can confine
	}
	d := uitest.Start(t, o)
	d.WaitFor(uitest.Contains("What do you want to do?")).WaitIdle()
	r.act(d)
	d.WaitIdle().Quit().Wait()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if code, out := replayed(t, uitest.Build(t), file); code != exitOK {
		t.Fatalf("it cannot be played: %s", out)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(z.Close(), os.MkdirAll(recordings, 0o755), os.WriteFile(filepath.Join(recordings, r.name+".gz"), b.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// TestWatchingARecording plays one on the screen, slowly and fast, in steps and with a pause:
// it always comes to the same end, and the row below says how far it is.
func TestWatchingARecording(t *testing.T) {
	t.Parallel()
	file, err := filepath.Abs(filepath.Join(recordings, "approval.gz"))
	if err != nil {
		t.Fatal(err)
	}
	end := uitest.Contains("the end · space pauses", "it is made", "Finis.", "○ ready")
	play := func(t *testing.T, args ...string) *uitest.Driver {
		t.Parallel()
		return uitest.Start(t, uitest.Options{Plain: true, Cols: 130, Rows: 40, Args: append([]string{"replay", file}, args...)})
	}
	leave := func(t *testing.T, d *uitest.Driver) {
		if state := d.Press("q").Wait(); state.Code != exitOK {
			t.Errorf("it ends with %+v: %s", state, d.Stderr())
		}
	}
	for _, speed := range []string{"0.5", "1", "1000", "1e9"} {
		t.Run(speed, func(t *testing.T) { leave(t, play(t, "--speed", speed).WaitFor(end)) })
	}
	t.Run("paused", func(t *testing.T) {
		d := play(t, "--speed", "0.1").WaitFor(uitest.Contains("×0.1 · space pauses")).Press("space").WaitFor(uitest.Contains("paused · space pauses"))
		for range 20 {
			d.Press("+")
		}
		leave(t, d.Press("space").WaitFor(end))
	})
	t.Run("steps", func(t *testing.T) {
		d := play(t, "--step").WaitFor(uitest.Contains("paused · space pauses"))
		for range 200 {
			d.Press(".")
		}
		leave(t, d.WaitFor(end))
	})
}

//go:build unix

package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// unpacked is a recording of testdata as text.
func unpacked(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join(recordings, name+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestReplayFindsDifferences changes recordings: what cannot be played, and what the screen
// does not show, is told with its own exit code.
func TestReplayFindsDifferences(t *testing.T) {
	t.Parallel()
	bin, chat := uitest.Build(t), unpacked(t, "chat")
	for name, c := range map[string]struct {
		text []byte
		code int
		want string
	}{
		"another answer":  {bytes.Replace(chat, []byte(`\"Hello.\"`), []byte(`\"Adieu.\"`), 1), exitFailed, "+  Adieu. This is"},
		"no recording":    {[]byte("hello\n"), exitUsage, "this is no recording"},
		"a later version": {bytes.Replace(chat, []byte(`"flight":1`), []byte(`"flight":99`), 1), exitUsage, "a later version"},
		"damaged":         {bytes.Replace(chat, []byte("\n{\"t\":"), []byte("\n{t:"), 1), exitUsage, "line 2 is damaged"},
		"nothing in it":   {nil, exitUsage, "this is no recording"},
		"cut off":         {chat[:bytes.LastIndexByte(chat[:len(chat)-10], '\n')+9], exitOK, "all the same"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "a recording")
			if err := os.WriteFile(file, c.text, 0o600); err != nil {
				t.Fatal(err)
			}
			if code, out := replayed(t, bin, file); code != c.code || !strings.Contains(out, c.want) {
				t.Errorf("it ends with %d: %s", code, out)
			}
		})
	}
}

// TestRecordingIsKeptSafe records what holds secrets, over and beside what is there, and
// kills the program.
func TestRecordingIsKeptSafe(t *testing.T) {
	t.Parallel()
	const key, literal = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789", "the-key-of-the-settings"
	file := filepath.Join(t.TempDir(), "session")
	o := uitest.Options{
		Args:     []string{"--record", file},
		Scenario: &script.Scenario{Name: "secrets", Rules: []script.Rule{says("", text("The key is "+key+" as you know."))}},
		Config:   "model: {provider: custom, base_url: '{{url}}', default: script, api_key: '" + literal + "'}\n", Env: []string{"OTHER_API_KEY=quite-another-literal-value"},
	}
	d := uitest.Start(t, o)
	d.WaitFor(uitest.Contains("What do you want to do?")).WaitIdle().Paste("say " + key + " and quite-another-literal-value").Press("enter").WaitFor(uitest.Contains("as you know.")).WaitIdle()
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file is %v, %v", info, err)
	}
	d.Type("more").WaitIdle()
	for range 100 { // nothing tells when it is written, a second at most
		if text, _ := os.ReadFile(file); bytes.Contains(text, []byte("❯ mor")) {
			break
		}
		d.WaitSync()
	}
	d.Kill9()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{key, literal, "quite-another-literal-value"} {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("%q is in the recording", secret)
		}
	}
	if !bytes.Contains(text, []byte("as you know.")) {
		t.Error("the answer is not in it")
	}
	// What was masked is shorter, which is seen; everything before that is the same.
	if code, out := replayed(t, uitest.Build(t), file); code != exitFailed || !strings.Contains(out, "mark 3 of") {
		t.Errorf("what the killed program has left ends with %d: %s", code, out)
	}
	o.Timeout = 0
	again := uitest.Start(t, o)
	if state := again.Wait(); state.Code != exitUsage || !strings.Contains(again.Stderr(), "is there already") {
		t.Errorf("over a file that is there it ends with %+v: %s", state, again.Stderr())
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, text) {
		t.Errorf("the file that was there has changed: %v", err)
	}
}

// TestReplayStartsNothing records keys that put a program into the settings: playing the
// recording does not start it.
func TestReplayStartsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, made := filepath.Join(dir, "session"), filepath.Join(dir, "made")
	d := uitest.Start(t, uitest.Options{Args: []string{"--record", file}, Scenario: &script.Scenario{Name: "program", Rules: []script.Rule{says("", text("Hello."))}}})
	d.WaitFor(uitest.Contains("What do you want to do?")).WaitIdle()
	d.Type("/config display.status_command : >" + made).Press("enter").WaitFor(uitest.Contains("status_command is")).WaitIdle()
	d.Type("hello").Press("enter").WaitFor(uitest.Contains("Hello.")).WaitIdle().Quit().Wait()
	if err := os.Remove(made); err != nil {
		t.Fatalf("the session itself did not start it: %v", err)
	}
	_, out := replayed(t, uitest.Build(t), file)
	if _, err := os.Stat(made); err == nil {
		t.Errorf("it was started: %s", out)
	}
}

// TestTypedKeyIsNotRecorded types a key where the setup asks for one, a character at a time.
func TestTypedKeyIsNotRecorded(t *testing.T) {
	t.Parallel()
	const key = "sk-typed-by-hand"
	file := filepath.Join(t.TempDir(), "session")
	d := uitest.Start(t, uitest.Options{Args: []string{"--record", file}, Config: "probe: {local_servers: false}\n"})
	d.WaitFor(uitest.Contains("Setup 1 of 5")).Type("openrouter").WaitIdle().Press("enter").WaitFor(uitest.Contains("which service?")).Press("enter").WaitFor(uitest.Contains("key for"))
	for _, c := range key {
		d.Type(string(c)).WaitSync()
	}
	d.Expect(uitest.Contains(strings.Repeat("•", len(key)))).Press("ctrl+u").WaitSync().Quit().Wait()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	typed := ""
	for line := range bytes.Lines(text) {
		var item struct {
			Name  string
			Value struct{ Text string }
		}
		if json.Unmarshal(line, &item) == nil && item.Name == "KeyPressMsg" {
			typed += item.Value.Text
		}
	}
	if want := "openrouter" + strings.Repeat("*", len(key)); typed != want {
		t.Errorf("the keys are %q, want %q", typed, want)
	}
}

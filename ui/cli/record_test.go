//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// TestRecordingIsKeptSafe records what holds secrets, and kills the program: none is in the
// file, which only the user can read. A second recording does not take its place by itself.
func TestRecordingIsKeptSafe(t *testing.T) {
	t.Parallel()
	const key, literal, other = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789", "the-key-of-the-settings", "quite-another-literal-value"
	file := filepath.Join(t.TempDir(), "session.cast")
	o := uitest.Options{
		Args:     []string{"--record", file},
		Scenario: &script.Scenario{Name: "secrets", Rules: []script.Rule{on("", say("The key is "+key+" as you know."))}},
		Config:   "model: {provider: custom, base_url: '{{url}}', default: script, api_key: '" + literal + "'}\n",
		Env:      []string{"OTHER_API_KEY=" + other},
	}
	d := uitest.Start(t, o)
	d.WaitFor(uitest.Contains("What do you want to do?")).WaitIdle()
	d.Paste("say " + key + " and " + other + " and " + literal).Press("enter").WaitFor(uitest.Contains("as you know.")).WaitIdle()
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file is %v, %v", info, err)
	}
	d.Kill9()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{key, literal, other} {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("%q is in the recording", secret)
		}
	}
	if !bytes.Contains(text, []byte("as you know.")) || !bytes.HasSuffix(text, []byte("]\n")) {
		t.Errorf("the answer is not in it, or the last line is not whole: %s", text[max(len(text)-200, 0):])
	}
	again := uitest.Start(t, o)
	if state := again.Wait(); state.Code != exitUsage || !strings.Contains(again.Stderr(), "is there already") {
		t.Errorf("over a file that is there it ends with %+v: %s", state, again.Stderr())
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, text) {
		t.Errorf("the file that was there has changed: %v", err)
	}
	o.Args = append(o.Args, "--overwrite")
	uitest.Start(t, o).WaitFor(uitest.Contains("What do you want to do?")).WaitIdle().Quit().Wait()
	if now, err := os.ReadFile(file); err != nil || bytes.Contains(now, []byte("as you know.")) {
		t.Errorf("--overwrite leaves what was there: %v", err)
	}
}

// TestTypedKeyIsNotRecorded types a key where the setup asks for one, a character at a time.
func TestTypedKeyIsNotRecorded(t *testing.T) {
	t.Parallel()
	const key = "sk-typed-by-hand"
	file := filepath.Join(t.TempDir(), "session.cast")
	d := uitest.Start(t, uitest.Options{Args: []string{"--record", file}, Config: "probe: {local_servers: false}\n"})
	d.WaitFor(uitest.Contains("Setup 1 of 5")).Type("openrouter").WaitIdle()
	d.Press("enter").WaitFor(uitest.Contains("which service?")).Press("enter").WaitFor(uitest.Contains("key for"))
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
		var e []any
		if json.Unmarshal(line, &e) == nil && len(e) == 3 && e[1] == "i" {
			typed += e[2].(string)
		}
	}
	if want := "openrouter\r\r" + strings.Repeat("*", len(key)) + "\x15"; !strings.HasPrefix(typed, want) {
		t.Errorf("the keys are %q, want %q", typed, want)
	}
}

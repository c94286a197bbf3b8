//go:build unix

package ui_test

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// Secrets that are planted. Their forms differ on purpose: one is known by its
// form, one by the name of its variable alone.
const (
	plantedKey   = "sk-proj-Zq7Yw3Xv9Ut5Sr1Po8Nm4Lk2Ji6Hg0Fe"
	plantedToken = "wholly.ordinary-looking+value/7Q2"
)

// planted starts a program whose settings hold the key and whose environment
// holds a token and the key.
func planted(t *testing.T, s *script.Scenario, files map[string]string, more ...string) (*Driver, *wireTap) {
	t.Helper()
	home, dir := work(t, files)
	w := &wireTap{}
	d := Start(t, Options{
		Cols: 120, Rows: 40, Home: home, Dir: dir, Scenario: s, Tap: w.tap,
		Env: append([]string{"OPENAI_API_KEY=" + plantedKey, "DEPLOY_TOKEN=" + plantedToken}, more...),
		Config: "model:\n  provider: custom\n  base_url: {{url}}\n  default: script\n  api_key: ${OPENAI_API_KEY}\n" +
			"approvals:\n  mode: \"off\"\nterminal:\n  env_passthrough: [DEPLOY_TOKEN, OPENAI_API_KEY]\n",
	})
	return d, w
}

// private checks that both secrets are nowhere. The bodies of requests are looked
// at, not the header that the key belongs into.
func private(t *testing.T, d *Driver, w *wireTap) {
	t.Helper()
	kept(t, d, w, plantedKey)
	kept(t, d, w, plantedToken)
	d.Quit().Wait()
	kept(t, d, w, plantedKey)
	kept(t, d, w, plantedToken)
	if logs, err := filepath.Glob(filepath.Join(d.Home(), jobLogs)); err != nil || len(logs) > 0 {
		t.Errorf("%v is still there, %v", logs, err)
	}
}

// TestSecretsOfTheEnvironment lets commands, jobs and scripts print what the
// environment holds (K1, K2): their own, and that of the program itself. The
// variables are passed on deliberately, so that masking is what has to hold.
func TestSecretsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	parent := "tr '\\0' '\\n' </proc/$PPID/environ; for p in /proc/[0-9]*/environ; do tr '\\0' '\\n' <$p 2>/dev/null; done | grep -E 'KEY|TOKEN'"
	for name, command := range map[string]string{
		"env": "env", "printenv": "printenv OPENAI_API_KEY DEPLOY_TOKEN", "echo": `echo "$OPENAI_API_KEY" "$DEPLOY_TOKEN"`, "export": "export -p; set",
		"proc self": "cat /proc/self/environ", "proc of others": parent,
		"base64":   `printf %s "$OPENAI_API_KEY" | base64 -w0; echo; printf 'x:%s' "$DEPLOY_TOKEN" | base64 -w0`,
		"json":     `printf '{"key":"%s","t":"%s"}\n' "$OPENAI_API_KEY" "$DEPLOY_TOKEN"`,
		"url":      `echo "https://user:$OPENAI_API_KEY@example.org/?t=$DEPLOY_TOKEN"`,
		"pieces":   `i=0; s="$OPENAI_API_KEY"; while [ -n "$s" ]; do r="${s#?}"; printf %s "${s%"$r"}"; s=$r; done; echo; printf %s wholly.ordinary; sleep 0.2; echo -looking+value/7Q2`,
		"an error": `curl -s "$DEPLOY_TOKEN://x" 2>&1; cat "/$OPENAI_API_KEY" 2>&1; ls "$DEPLOY_TOKEN" 2>&1`,
		"a file":   `env >dump.txt; cat dump.txt`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, w := planted(t, answers(on("go", run(command)), after("go", 1, say("So: {{last_tool}}\n\nFinis."))), nil)
			said(d, "go", "Finis.")
			d.Press("f6", "home", "down", "down", "o").WaitIdle().Press("esc", "esc").WaitIdle()
			private(t, d, w)
		})
	}
}

// TestSecretsOfJobsAndScripts is the same for what runs in the background and for
// scripts of the model.
func TestSecretsOfJobsAndScripts(t *testing.T) {
	t.Parallel()
	code := "import os,glob\nfor k,v in sorted(os.environ.items()): print(k,v)\n" +
		"for p in glob.glob('/proc/[0-9]*/environ'):\n  try: print(open(p,'rb').read().replace(b'\\0',b'\\n').decode(errors='replace'))\n  except OSError: pass\n"
	job := map[string]any{"command": "env; cat /proc/$PPID/environ | tr '\\0' '\\n'; echo JOB; sleep 60", "background": true}
	t.Run("script", func(t *testing.T) {
		if _, err := exec.LookPath("python3"); err != nil {
			t.Skip("SKIPPED: there is no python3 here")
		}
		d, w := planted(t, answers(on("go", call("execute_code", map[string]any{"code": code})), after("go", 1, say("{{last_tool}}\n\nFinis."))), nil)
		said(d, "go", "Finis.")
		private(t, d, w)
	})
	t.Run("job", func(t *testing.T) {
		poll := call("process", map[string]any{"action": "list"})
		d, w := planted(t, answers(on("go", call("terminal", job)), after("go", 1, poll), after("go", 2, say("{{last_tool}}\n\nFinis."))), nil)
		said(d, "go", "Finis.")
		d.Type("/jobs").Press("enter").WaitFor(Contains("Background jobs", "JOB")).WaitIdle().Press("enter").WaitIdle().Press("esc").WaitSync().Press("esc").WaitIdle()
		private(t, d, w)
	})
	t.Run("end of a job", func(t *testing.T) {
		job := map[string]any{"command": "env", "background": true, "notify_on_complete": true}
		d, w := planted(t, answers(on("^go$", call("terminal", job)), after("^go$", 1, say("Finis.")), script.Rule{Steps: []script.Step{say("Heard {{last_user}}.")}}), nil)
		d.Type("go").Press("enter").WaitFor(Contains("Heard")).WaitIdle()
		private(t, d, w)
	})
}

// TestSecretsOfFiles reads files that hold the secrets: by the tool for files, by
// a search, and in the difference of an edit. The files stay as they are.
func TestSecretsOfFiles(t *testing.T) {
	t.Parallel()
	text := "first\nkey: " + plantedKey + "\nline of " + plantedToken + "\nlast\n"
	s := answers(
		on("go", call("read_file", map[string]any{"path": "notes.txt"}), call("search_files", map[string]any{"pattern": "line of", "target": "content"})),
		after("go", 2, call("patch", map[string]any{"path": "notes.txt", "old_string": "last", "new_string": "the last"})),
		after("go", 3, say("{{last_tool}}\n\nFinis.")),
	)
	home, dir := work(t, map[string]string{"notes.txt": text})
	w := &wireTap{}
	d := Start(t, Options{
		Cols: 120, Rows: 40, Home: home, Dir: dir, Scenario: s, Tap: w.tap, Env: []string{"OPENAI_API_KEY=" + plantedKey, "DEPLOY_TOKEN=" + plantedToken},
		Config: "checkpoints:\n  enabled: false\n",
	})
	d.Type("go").Press("enter").WaitFor(Contains("Finis.")).WaitIdle()
	private(t, d, w)
	if got, err := os.ReadFile(filepath.Join(dir, "notes.txt")); err != nil || string(got) != strings.Replace(text, "\nlast", "\nthe last", 1) {
		t.Errorf("the file is now %q, %v", got, err)
	}
}

// TestProviderEchoesTheKey has a provider that repeats the header with the key,
// as a message, as a body and within a stream (K3).
func TestProviderEchoesTheKey(t *testing.T) {
	t.Parallel()
	echo := "Incorrect API key provided: " + plantedKey + ". Header: Authorization: Bearer " + plantedKey + " (" +
		base64.StdEncoding.EncodeToString([]byte("user:"+plantedKey)) + ")"
	for name, steps := range map[string][]script.Step{
		"message":   {script.Failure{Status: 401, Message: echo}},
		"body":      {script.Failure{Status: 400, Body: []byte("plain " + echo)}},
		"page":      {script.Failure{Status: 502, HTML: "<html><title>" + echo + "</title></html>"}},
		"in stream": {say("half"), script.Failure{Message: echo}},
		"header":    {script.Failure{Status: 400, Message: "no", Header: map[string]string{"X-Request-Id": echo, "Www-Authenticate": echo}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, w := planted(t, answers(on("go", steps...), on("", script.Failure{Status: 401, Message: echo})), nil)
			d.Type("go").Press("enter").WaitFor(Contains("✗")).WaitIdle()
			private(t, d, w)
			if strings.Contains(d.Stderr(), plantedKey) {
				t.Error("the key is on standard error")
			}
		})
	}
}

// TestKeyStaysWithItsHost has a server that sends the request on to another one
// (K6): the key does not go along.
func TestKeyStaysWithItsHost(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			trap := newTrapdoor(t)
			home, dir := work(t, nil)
			front := httptest.NewServer(http.RedirectHandler("http://localhost:"+trap.addr[strings.LastIndex(trap.addr, ":")+1:]+"/v1/chat/completions", status))
			defer front.Close()
			d := Start(t, Options{
				Home: home, Dir: dir, Config: "model:\n  provider: custom\n  base_url: " + front.URL + "/v1\n  default: script\n  api_key: " + plantedKey + "\n",
			})
			d.Type("the prompt").Press("enter").WaitFor(Any(Contains("retrying"), Contains("✗"))).Signal(syscall.SIGTERM).Wait()
			trap.mu.Lock()
			defer trap.mu.Unlock()
			for _, said := range trap.came {
				if strings.Contains(said, plantedKey) {
					t.Errorf("the other host was told %q", said)
				}
			}
		})
	}
}

// askpass behaves like sudo as far as passwords go.
const askpass = `#!/bin/sh
ask= never=
while [ $# -gt 0 ]; do
	case $1 in
	-A) ask=1; shift ;;
	-n) never=1; shift ;;
	*) break ;;
	esac
done
[ -n "$never" ] && { echo "sudo: a password is required" >&2; exit 1; }
[ -n "$ask" ] || { echo "sudo: a terminal is required to read the password" >&2; exit 1; }
password=$("$SUDO_ASKPASS" "[sudo] password: ") || exit 1
[ "$password" = "correct-horse-battery" ] && exec "$@"
echo "Sorry, try again." >&2
exit 1
`

// TestPasswordIsTypedIntoNothing types a password for sudo (K4). It reaches
// sudo, and is on no screen, in no file and in no request; it cannot be brought
// back, not by undo, by the history or by copying.
func TestPasswordIsTypedIntoNothing(t *testing.T) {
	t.Parallel()
	const password = "correct-horse-battery"
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: only what runs as the superuser may stand in for sudo")
	}
	home, dir := work(t, nil)
	bin := filepath.Join(filepath.Dir(dir), "bin")
	put(t, bin, map[string]string{"sudo": askpass})
	w := &wireTap{}
	s := answers(on("go", run("sudo echo AS-ROOT")), after("go", 1, say("So: {{last_tool}}\n\nFinis.")))
	d := Start(t, Options{
		Cols: 100, Rows: 30, Home: home, Dir: dir, Scenario: s, Tap: w.tap, Env: []string{"PATH=" + bin + ":" + os.Getenv("PATH")},
		Config: "approvals:\n  mode: \"off\"\nterminal:\n  auto_source_bashrc: false\n",
	})
	d.Type("go").Press("enter").WaitFor(Contains("password", "enter"))
	d.Press("tab").WaitSync().Type(password).WaitSync().Expect(NotContains("correct", "battery"))
	d.Press("ctrl+y").WaitSync().Press("ctrl+_").WaitSync().Press("ctrl+u").WaitSync().Type(password).Press("enter")
	d.WaitFor(Contains("Finis.")).WaitIdle()
	if m := sent(t, d); !strings.Contains(m[len(m)-1].Content, `"output":"AS-ROOT`) {
		t.Errorf("sudo did not get the password: %q", m[len(m)-1].Content)
	}
	d.Press("up").WaitSync().Press("ctrl+y", "ctrl+_").WaitSync()
	kept(t, d, w, password)
	if got := d.Clipboard(); strings.Contains(got, password) {
		t.Error("the password is in the clipboard")
	}
	d.Press("ctrl+c").WaitSync().Quit().Wait()
	kept(t, d, w, password)
}

// TestFilesAreForOneUser runs all that leaves files behind, with a umask that
// allows everything (K7): no one else can read any of them.
func TestFilesAreForOneUser(t *testing.T) {
	t.Parallel()
	s := answers(
		on("go", run("seq 1 100000"), call("write_file", map[string]any{"path": "new.txt", "content": "x\n"}),
			call("terminal", map[string]any{"command": "echo JOB; sleep 60", "background": true})),
		after("go", 3, call("execute_code", map[string]any{"code": "print('x')"})), after("go", 4, say("Finis.")),
		on("fail", script.Failure{Status: 400, Message: "no"}),
	)
	home, dir := work(t, nil)
	d := Start(t, Options{
		Cols: 100, Rows: 30, Home: home, Dir: dir, Scenario: s, Bin: "/bin/sh", Args: []string{"-c", "umask 000; exec " + Build(t)},
		Config: "approvals:\n  mode: \"off\"\n",
	})
	said(d, "go", "Finis.")
	said(d, "fail", "✗")
	d.Type("an unsent draft").WaitIdle()
	seen := map[string]bool{}
	look := func() {
		t.Helper()
		err := filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil // it may be gone again
			}
			info, err := e.Info()
			if err != nil {
				return nil
			}
			if info.Mode().Perm()&0o077 != 0 && e.Type()&fs.ModeSymlink == 0 {
				t.Errorf("%s has the mode %v", path, info.Mode())
			}
			rel, _ := filepath.Rel(home, path)
			seen[strings.Split(rel, "/")[0]] = true
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	look()
	d.Press("ctrl+c").WaitSync().Quit().Wait()
	look()
	for _, want := range []string{"state.db", "cache", "logs", "snapshots", "history.jsonl"} {
		if !seen[want] {
			t.Errorf("%s was not there to be looked at", want)
		}
	}
	for _, private := range []string{"/tmp", os.TempDir()} { // sockets and scratch files
		entries, err := os.ReadDir(private)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil || !strings.HasPrefix(e.Name(), "hermes") || info.Sys().(*syscall.Stat_t).Uid != uint32(os.Getuid()) || strings.HasPrefix(e.Name(), "hermes-tui-build") {
				continue
			}
			if info.Mode().Perm()&0o022 != 0 && e.Type()&fs.ModeSymlink == 0 {
				t.Errorf("%s has the mode %v", filepath.Join(private, e.Name()), info.Mode())
			}
		}
	}
}

// TestHarmlessTextIsNotMasked is the control (K9): what only looks like a secret
// comes through to the model and the screen, character by character.
func TestHarmlessTextIsNotMasked(t *testing.T) {
	t.Parallel()
	lines := []string{
		"commit 3f786850e387550fdab836ed7e6dc881de23001b", "id 123e4567-e89b-12d3-a456-426614174000",
		"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "img data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGVDk7d8n0hYl1mCzTqg6K5bZs3XxkQH0i9fJ2bVh3mN me@host", "token count: 1234, keyboard: us, monkey=banana",
		"version v1.2.3-0.20260101000000-abcdefabcdef", "https://example.org/a?page=2&key=name", "password must have 12 characters", "export API_KEY=<your key>",
	}
	d, _ := planted(t, answers(on("go", run("cat plain.txt")), after("go", 1, say("Finis."))), map[string]string{"plain.txt": strings.Join(lines, "\n") + "\n"})
	said(d, "go", "Finis.")
	m := sent(t, d)
	for _, line := range lines {
		inJSON := strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(line)
		if got := m[len(m)-1].Content; !strings.Contains(got, line) && !strings.Contains(got, inJSON) {
			t.Errorf("%q did not come through:\n%s", line, got)
		}
	}
	d.Press("f6", "up", "o").WaitIdle().Expect(Contains(lines[0], lines[1]))
}

//go:build unix

package code

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// raw is Python that speaks to the socket itself.
const raw = `
import hermes_tools, json, os, socket
def dial():
    s = socket.socket(socket.AF_UNIX)
    s.connect(hermes_tools._socket)
    return s, s.makefile("rb")
def ask(conn, **q):
    q.setdefault("token", hermes_tools._token)
    conn[0].sendall(json.dumps(q).encode() + b"\n")
    return conn[1].readline().decode().strip()
`

func TestRefusals(t *testing.T) { everyWay(t, testRefusals) }

func testRefusals(t *testing.T, newBench maker) {
	b := newBench(t, func(o *Options) { o.MaxCalls = 3 })
	r := b.script(raw + `
c = dial()
print(ask(c, id="1", tool="terminal", args={"command": "x"}))
print(ask(c, id="1", tool="terminal", args={"command": "again"}))
print(ask(c, id="2", tool="clarify", args={}))
print(ask(c, id="3", tool="execute_code", args={"code": "1"}))
print(ask(c, id="", tool="terminal", args={}))
print(ask(c, id="4", tool="terminal", args={"command": "x", "background": True}))
print(ask(c, id="5", tool="terminal", args={"command": "x", "PTY": 1}))
print(ask(c, id="6", tool="terminal", args=[1]))
print(ask(c, id="7", tool="terminal", args={"command": "x", "background": False, "timeout": 100000}))
print(ask(c, id="8", tool="terminal", args={"command": "x"}))
print(ask(c, id="9", tool="terminal", args={"command": "the one too many"}))
print(ask(c, id="10", token="guess", tool="terminal", args={}))
other = dial()
other[0].sendall(b"no json\n")
print(other[1].readline().decode().strip())
big = dial()
try:
    big[0].sendall(b"x" * (5 << 20))
except OSError:
    pass
print(big[1].readline().decode().strip(), big[1].readline())
`)
	want := []string{
		`{"id":"1","result":"plain text of terminal"}`, "was used before", "cannot be called", "cannot be called", "needs an id",
		"background of terminal is not available", "PTY of terminal is not available", "must be a JSON object",
		`{"id":"7","result"`, `{"id":"8","result"`, "all of its 3 calls", "token of the request is wrong", "one line of JSON", "4194304 bytes",
	}
	lines := strings.Split(r.Output, "\n")
	if len(lines) != len(want) {
		t.Fatalf("got %s", r.Content)
	}
	for i, line := range lines {
		if !strings.Contains(line, want[i]) {
			t.Errorf("answer %d: %s, want %s", i+1, line, want[i])
		}
	}
	made := b.host.made()
	if len(made) != 3 || r.Calls != 3 || r.Refused != 11 {
		t.Errorf("made %d, counted %d, refused %d", len(made), r.Calls, r.Refused)
	}
	if got := string(made[1].Args); got != `{"command":"x","timeout":300}` {
		t.Errorf("arguments %s", got)
	}
}

// TestConnections holds ten connections at a time, also when the script ends.
func TestConnections(t *testing.T) { everyWay(t, testConnections) }

func testConnections(t *testing.T, newBench maker) {
	b := newBench(t)
	r := b.script(raw + `
import time
r, w = os.pipe()
held = os.fork()
if held == 0:
    many = [dial() for _ in range(10)]
    refused = sum("connections" in ask(m, id="m%d" % i, tool="none") for i, m in enumerate(many))
    os.write(w, b"%d" % refused)
    while True:
        time.sleep(1)
print(os.read(r, 10).decode(), held)
`)
	refused, pid, _ := strings.Cut(r.Output, " ")
	if r.result.Status != "success" || refused != "2" {
		t.Errorf("got %s", r.Content)
	}
	gone(t, pid)
}

// TestFiftyOneCalls makes one call more than are allowed by default.
func TestFiftyOneCalls(t *testing.T) { everyWay(t, testFiftyOneCalls) }

func testFiftyOneCalls(t *testing.T, newBench maker) {
	b := newBench(t)
	r := b.script(`
from concurrent.futures import ThreadPoolExecutor
from hermes_tools import search_files
with ThreadPoolExecutor(12) as pool:
    answers = list(pool.map(lambda i: search_files("*"), range(51)))
print(sum("files" in a for a in answers), [a["error"][:38] for a in answers if "error" in a])
`)
	r.want(t, "success", "50 ['the script has made all of its 50 call']")
	if r.Calls != 50 || r.Refused != 1 {
		t.Errorf("got %s", r.Content)
	}
}

// TestOnlyReadingRunsSideBySide watches how many calls run at a time.
func TestOnlyReadingRunsSideBySide(t *testing.T) { everyWay(t, testOnlyReadingRunsSideBySide) }

func testOnlyReadingRunsSideBySide(t *testing.T, newBench maker) {
	b := newBench(t)
	var running, writing, most atomic.Int32
	two := make(chan struct{})
	b.host.before = func(ctx context.Context, c tools.Call) string {
		n := running.Add(1)
		defer running.Add(-1)
		if c.Name == "terminal" {
			if n != 1 || writing.Add(1) != 1 {
				most.Store(-100)
			}
			writing.Add(-1)
			return "{}"
		}
		if n == 2 {
			close(two)
		}
		select {
		case <-two:
		case <-ctx.Done():
		}
		return "{}"
	}
	r := b.script(`
from concurrent.futures import ThreadPoolExecutor
from hermes_tools import read_file, terminal
with ThreadPoolExecutor(2) as pool:
    list(pool.map(read_file, ["a", "b"]))
with ThreadPoolExecutor(8) as pool:
    list(pool.map(terminal, "abcdefgh"))
print("done")
`)
	r.want(t, "success", "done")
	if most.Load() < 0 {
		t.Error("terminal ran beside another call")
	}
}

func TestEnvironmentHasNoSecrets(t *testing.T) { everyWay(t, testEnvironmentHasNoSecrets) }

func testEnvironmentHasNoSecrets(t *testing.T, newBench maker) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: only Linux shows processes as files")
	}
	env := append(os.Environ(),
		"OPENAI_API_KEY=canary-1", "AWS_SECRET_ACCESS_KEY=canary-2", "DATABASE_URL=canary-3", "SSH_AUTH_SOCK=canary-4",
		"HOMEBREW_GITHUB_API_TOKEN=canary-5", "XDG_TOKEN=canary-6", "HERMES_YOLO_MODE=canary-7", "xdg_Password=canary-8",
		"HERMES_HOME=/hermes", "LC_ALL=C.UTF-8", "PYTHONHOME=/nowhere", "PYTHONSTARTUP=/x", "LD_PRELOAD=/x", "BASH_ENV=/x")
	b := newBench(t, func(o *Options) { o.Env = env })
	r := b.script(raw + `
import subprocess
print(sorted(os.environ))
print(subprocess.run(["env"], capture_output=True, text=True).stdout)
for p in ("self", str(os.getppid())):
    for f in ("environ", "cmdline"):
        print(open(f"/proc/{p}/{f}").read())
print("token around:", hermes_tools._token in open("/proc/self/environ").read() + open(f"/proc/{os.getppid()}/cmdline").read())
print(os.environ["HERMES_HOME"], os.environ["LC_ALL"])
`)
	if r.result.Status != "success" || strings.Contains(r.Content, "canary") || strings.Contains(r.Content, "LD_PRELOAD") || strings.Contains(r.Content, "PYTHONHOME") {
		t.Errorf("got %s", r.Content)
	}
	if !strings.HasSuffix(r.Output, "token around: False\n/hermes C.UTF-8") {
		t.Errorf("got %s", r.Output[max(0, len(r.Output)-100):])
	}
}

// serving starts a server by itself, for peers that are no script.
func listening(t *testing.T, leader int) (path string) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "peer")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path = filepath.Join(dir, "s")
	watch := newStopwatch(time.Hour, func() {})
	s, err := newServer(path, newDispatcher(serving{host: &host{}, tools: map[string]tools.Tool{"terminal": {}}, token: "t", max: 5, watch: watch}))
	if err != nil {
		t.Fatal(err)
	}
	s.begin(leader)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.serve(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		watch.stop()
	})
	for _, p := range []string{dir, path} {
		if err := os.Chmod(p, 0o777); err != nil { // the worst case: the folder is open to all
			t.Fatal(err)
		}
	}
	return path
}

// knock sends a request that is right in everything but who sends it.
const knock = `import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(b'{"token":"t","id":"1","tool":"terminal","args":{}}\n')
print(s.makefile().readline())`

func TestOtherUserIsRefused(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: only root can become another user")
	}
	python := systemPython(t)
	path := listening(t, os.Getpid())
	ask := func(uid uint32) string {
		cmd := exec.CommandContext(t.Context(), python, "-c", knock, path)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if got := ask(0); !strings.Contains(got, "plain text") {
		t.Errorf("our own user: %s", got)
	}
	if got := ask(65534); !strings.Contains(got, "user of the agent only") {
		t.Errorf("another user: %s", got)
	}
}

// TestOtherProcessIsRefused knocks as the same user from a process that is none of
// the script's.
func TestOtherProcessIsRefused(t *testing.T) {
	python := systemPython(t)
	other := exec.CommandContext(t.Context(), "sleep", "1000")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	}()
	path := listening(t, other.Process.Pid)
	out, err := exec.CommandContext(t.Context(), python, "-c", knock, path).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "own processes only") {
		t.Errorf("%s, %v", out, err)
	}
}

// systemPython is one that other users can start as well.
func systemPython(t *testing.T) string {
	t.Helper()
	for _, file := range []string{"/usr/bin/python3", "/usr/local/bin/python3"} {
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	t.Skip("SKIPPED: there is no python3 that everybody can start")
	return ""
}

// TestSlowAndSilentPeers leaves connections open that never finish a request: the
// script ends all the same.
func TestSlowAndSilentPeers(t *testing.T) { everyWay(t, testSlowAndSilentPeers) }

func testSlowAndSilentPeers(t *testing.T, newBench maker) {
	b := newBench(t)
	b.script(raw+`
held = [dial() for _ in range(5)]
held[0][0].sendall(b'{"token"')
print("done")
`).want(t, "success", "done")
}

func TestReadFrame(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
		bad   bool
	}{
		{"abc\ndef\n", 3, "abc", false}, {"abcd\n", 3, "", true}, {"\n", 0, "", false}, {"", 3, "", true}, {"ab", 3, "", true},
		{strings.Repeat("x", 100) + "\n", 100, strings.Repeat("x", 100), false}, {strings.Repeat("x", 101) + "\n", 100, "", true},
	} {
		got, err := readFrame(bufio.NewReaderSize(strings.NewReader(c.in), 16), c.limit)
		if string(got) != c.want || (err != nil) != c.bad {
			t.Errorf("%.20q: %.20q, %v", c.in, got, err)
		}
	}
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte(`{"token":"t","id":"1","tool":"terminal","args":{"command":"x","timeout":1e9}}`+"\n"), 100)
	f.Add([]byte("{\"exit\":1}\n\n\x00\xff"), 3)
	terminal := tools.Tool{Name: "terminal", Scripts: &tools.Scripts{Without: []string{"background"}}}
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		limit = max(0, min(limit, 1<<16))
		r := bufio.NewReaderSize(strings.NewReader(string(data)), 16)
		left := len(data)
		for {
			frame, err := readFrame(r, limit)
			if err != nil {
				return
			}
			if len(frame) > limit || strings.Contains(string(frame), "\n") {
				t.Fatalf("frame of %d bytes, limit %d", len(frame), limit)
			}
			if left -= len(frame) + 1; left < 0 {
				t.Fatal("more frames than data")
			}
			var q request
			if json.Unmarshal(frame, &q) == nil {
				args, why := trimmed(terminal, q.Args)
				if why == "" && !json.Valid(args) {
					t.Fatalf("arguments %q became %q", q.Args, args)
				}
			}
		}
	})
}

// TestTempFolderOfALongName says what to do about it.
func TestTempFolderOfALongName(t *testing.T) {
	b := newBench(t)
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	b.mu.Lock()
	b.scratch, b.sockets, b.remove = dir, dir, func() error { return nil }
	b.mu.Unlock()
	call, err := b.permitted("print(1)")
	if err != nil {
		t.Fatal(err)
	}
	if r, err := b.Tool().Run(t.Context(), call, b.host, nil); err != nil || !strings.Contains(r.Content, "set TMPDIR to a shorter one") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestHomeOfALongName has scripts reach the agent from a scratch folder whose path is too long
// for a socket, and leaves nothing of the shorter one.
func TestHomeOfALongName(t *testing.T) {
	near := newBench(t)
	temp, home := near.at.Info().Temp, filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	if err := errors.Join(os.Mkdir(home, 0o700), os.WriteFile(filepath.Join(near.root, "a.txt"), []byte("alpha"), 0o600)); err != nil {
		t.Fatal(err)
	}
	at, err := place.NewLocal(place.Options{Env: os.Environ(), Temp: temp, Scratch: filepath.Join(home, "run")})
	if err != nil {
		t.Fatal(err)
	}
	b := benchAt(t, at, os.Environ(), near.root, nil)
	if r := b.script("from hermes_tools import read_file\nprint(read_file(path='a.txt'))"); !strings.Contains(r.Output, "alpha") {
		t.Errorf("%+v", r)
	}
	if list, _ := os.ReadDir(temp); len(list) != 1 {
		t.Errorf("%d entries among the temporary files", len(list))
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if list, _ := os.ReadDir(temp); len(list) != 0 {
		t.Errorf("%s stays", list)
	}
}

// TestSocketIsGoneAfterwards looks at what a script leaves.
func TestSocketIsGoneAfterwards(t *testing.T) { everyWay(t, testSocketIsGoneAfterwards) }

func testSocketIsGoneAfterwards(t *testing.T, newBench maker) {
	b := newBench(t)
	r := b.script(raw + "print(hermes_tools._socket, oct(os.stat(os.path.dirname(hermes_tools._socket)).st_mode & 0o777))")
	path, mode, _ := strings.Cut(r.Output, " ")
	if _, err := net.Dial("unix", path); err == nil || mode != "0o700" {
		t.Errorf("mode %s, dial %v", mode, err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("the socket is still there")
	}
	if fmt.Sprint(filepath.Dir(path)) == b.root {
		t.Error("the socket lay in the workspace")
	}
}

//go:build unix

package code

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// forge is Python that makes messages as the relay does.
const forge = `
import base64, json, os, subprocess, sys
def message(kind, channel=0, data=b""):
    return json.dumps({"kind": kind, "channel": channel, "data": base64.b64encode(data).decode()}).encode() + b"\n"
def forged(token):
    call = json.dumps({"token": token, "id": "f", "tool": "terminal", "args": {"command": "forged"}}).encode()
    return message("connect", 1) + message("request", 1, call) + call + b"\n" + message("exit", 0, b"0")
`

// TestForgedMessagesStayOutput writes what would be a call, with the right token, to
// everything that the script and a child of it have open.
func TestForgedMessagesStayOutput(t *testing.T) {
	everyRelay(t, func(t *testing.T, newBench maker) {
		b := newBench(t)
		r := b.script(forge + raw + `
data = forged(hermes_tools._token)
write = "import os, sys\ndata = bytes.fromhex(sys.argv[1])\nfor fd in range(100):\n    try:\n        os.write(fd, data)\n    except OSError:\n        pass\n"
subprocess.run([sys.executable, "-c", write, data.hex()], close_fds=False)
for fd in range(100):
    try:
        os.write(fd, data)
    except OSError:
        pass
os.write(1, b"\0" * 100000 + os.urandom(100000))
if os.path.isdir("/proc/self/fd"):
    links = {int(fd): os.readlink("/proc/self/fd/" + fd) for fd in os.listdir("/proc/self/fd") if os.path.islink("/proc/self/fd/" + fd)}
    private = [os.readlink("/proc/%d/fd/%d" % (os.getppid(), fd)) for fd in range(3)]
    assert not set(links.values()) & set(private) and links[0] == "/dev/null", (links, private)
    assert not any(to.startswith("socket:") for to in links.values()), links
print("\nend of", len(data))
sys.exit(9)
`)
		if r.result.Status != "error" || r.View.Exit == nil || *r.View.Exit != 9 || r.Calls != 0 || r.Refused != 0 || len(b.host.made()) != 0 {
			t.Errorf("status %s, %s; %d calls, %d refused", r.result.Status, r.Error, r.Calls, r.Refused)
		}
		if out, _, _ := strings.Cut(r.Output, "\n--- stderr"); strings.Count(r.Output, `"forged"`)+strings.Count(r.Output, `"request"`) < 8 || !strings.Contains(out, "\nend of") {
			t.Errorf("got %d times in %.300q … %q", strings.Count(r.Output, `"forged"`), r.Output, r.Output[max(0, len(r.Output)-300):])
		}
	})
}

// TestRelayTakenOver writes into the relay's own output, as only a process of the
// same user can: the token counts all the same, and nonsense ends the script.
func TestRelayTakenOver(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: only Linux shows open files of processes")
	}
	for name, c := range map[string]struct{ data, status, words string }{
		"wrong token":  {`message("connect", 7) + message("request", 7, b'{"token":"guess","id":"1","tool":"terminal"}')`, "success", ""},
		"nonsense":     {`b"nonsense" * 3`, "error", "does not belong there"},
		"too long":     {`b'{"kind": "request", "data": "' + b"A" * (8 << 20)`, "error", "does not belong there"},
		"no channel":   {`message("request", 7, b"{}")`, "error", "does not belong there"},
		"forged exit":  {`message("exit", 0, b"5")`, "error", "exit code 5"},
		"negative end": {`message("exit", 0, b"-1")`, "error", "does not belong there"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := pipeBench(t, func(o *Options) { o.Timeout = 60 * time.Second })
			wait := "time.sleep(1000)"
			if c.status == "success" {
				wait = "terminal('x')" // what was forged came before it
			}
			r := b.script(forge + "import time\nfrom hermes_tools import terminal\nwith open('/proc/%d/fd/1' % os.getppid(), 'wb', 0) as f:\n    f.write(" + c.data + ")\n" + wait)
			if r.result.Status != c.status || !strings.Contains(r.Error, c.words) {
				t.Errorf("got %s", r.Content)
			}
			if made := b.host.made(); c.status == "success" && (len(made) != 1 || r.Refused != 1) || c.status != "success" && len(made) != 0 {
				t.Errorf("calls %v, refused %d", made, r.Refused)
			}
		})
	}
}

// TestStrangerAtTheRelay knocks at the relay's socket with all that is needed but as
// none of the script's processes.
func TestStrangerAtTheRelay(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: only Linux shows who connects")
	}
	everyRelay(t, func(t *testing.T, newBench maker) {
		b := newBench(t)
		python := systemPython(t)
		b.host.before = func(ctx context.Context, c tools.Call) string {
			var a struct{ Command string }
			if err := errors.Join(ctx.Err(), json.Unmarshal(c.Args, &a)); err != nil {
				return tools.JSON(err.Error())
			}
			path, token, first := strings.Cut(a.Command, " ")
			if !first {
				return `"the stranger's call was taken"`
			}
			ctx, cancel := context.WithTimeout(ctx, 20*time.Second) // were it taken, it would wait for this one
			defer cancel()
			out, err := exec.CommandContext(ctx, python, "-c", strings.Replace(knock, `"t"`, strconv.Quote(token), 1), path).CombinedOutput()
			return tools.JSON(fmt.Sprintf("%s %v", out, err))
		}
		r := b.script("import hermes_tools\nprint(hermes_tools.terminal(hermes_tools._socket + ' ' + hermes_tools._token))")
		if !strings.Contains(r.Output, "own processes only") || r.Calls != 1 || r.Refused != 1 {
			t.Errorf("got %s", r.Content)
		}
	})
}

// TestLargeResults has answers that no one reads, and calls beside them.
func TestLargeResults(t *testing.T) {
	everyWay(t, func(t *testing.T, newBench maker) {
		b := newBench(t)
		b.host.before = func(context.Context, tools.Call) string { return tools.JSON(strings.Repeat("x", 2_000_000)) }
		r := b.script(raw + `
from concurrent.futures import ThreadPoolExecutor
deaf = dial()
for i in range(4):
    deaf[0].sendall(json.dumps({"token": hermes_tools._token, "id": "d%d" % i, "tool": "read_file", "args": {}}).encode() + b"\n")
with ThreadPoolExecutor(6) as pool:
    print(sum(pool.map(lambda i: print("." * 100) or len(hermes_tools.read_file("x" * 500000)), range(12))))
`)
		if r.result.Status != "success" || !strings.HasSuffix(r.Output, "\n24000000") {
			t.Errorf("got %.200s … %q", r.Content, r.Output[max(0, len(r.Output)-20):])
		}
	})
}

// TestConnectionBreaks ends the place while a script runs.
func TestConnectionBreaks(t *testing.T) {
	host := startSSHD(t)
	b := host.bench(t)
	closed := make(chan error, 1)
	b.host.before = func(ctx context.Context, _ tools.Call) string {
		go func() { closed <- b.at.Close() }()
		<-ctx.Done()
		return "{}"
	}
	call, err := b.permitted("import os\nfrom hermes_tools import terminal\nopen('pid', 'w').write(str(os.getpid()))\nterminal('x')")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	r, err := b.Tool().Run(ctx, call, b.host, nil)
	if err != nil || r.Status == tools.StatusOK || ctx.Err() != nil || !strings.Contains(r.Content, "in which it ran was closed") {
		t.Errorf("got %+v, %v", r, err)
	}
	<-closed
	b.mu.Lock()
	b.remove = nil // no one can delete the folder there any more
	b.mu.Unlock()
	pid, err := os.ReadFile(filepath.Join(b.root, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	gone(t, string(pid))
}

// TestPythonThere looks at what is said when there is no Python, or an old one.
func TestPythonThere(t *testing.T) {
	near := newBench(t)
	for target, want := range map[place.Place]string{
		elsewhere{near.at}: "no python3 was found in docker; install python3 (3.8 or newer) in the container box",
		near.at:            "no python3 was found; install Python 3.8",
	} {
		remote := New(Options{Place: target, Root: near.root, Env: []string{"PATH=" + near.root}}).Tool()
		if err := remote.Available(t.Context()); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("available: %v", err)
		}
		if _, err := remote.Action([]byte(`{"code":"1"}`)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("action: %v", err)
		}
	}
	everyWay(t, func(t *testing.T, newBench maker) {
		old := filepath.Join(t.TempDir(), "python3")
		text := "#!/bin/sh\nexec " + systemPython(t) + ` "$1" "$2" "import sys; sys.version_info = (3, 7, 9); sys.version = '3.7.9'; $3" "$4"` + "\n"
		syscall.ForkLock.RLock() // a child that is forked meanwhile would keep it open for writing
		err := os.WriteFile(old, []byte(text), 0o755)
		syscall.ForkLock.RUnlock()
		if err != nil {
			t.Fatal(err)
		}
		b := newBench(t, func(o *Options) { o.Env = append(o.Env, "PATH="+filepath.Dir(old)+":/usr/bin:/bin") })
		r := b.script("print(1)")
		if r.result.Status != "error" || !strings.Contains(r.Error, "execute_code needs Python 3.8 or newer; this is 3.7.9") {
			t.Errorf("got %s", r.Content)
		}
	})
}

// spoken writes a message of the relay.
func spoken(kind string, channel uint32, body string) string {
	return tools.JSON(message{kind, channel, []byte(body)}) + "\n"
}

// dispatcherOf is a dispatcher for a terminal, with the token t.
func dispatcherOf(h tools.Host) *dispatcher {
	return newDispatcher(newServing(h, []tools.Tool{{Name: "terminal"}}, "t", 50, newStopwatch(time.Hour, func() {})))
}

// TestMessages says what breaks the connection of a script and what does not.
func TestMessages(t *testing.T) {
	in := spoken("connect", 1, "")
	many := ""
	for i := range uint32(maxChannels) {
		many += spoken("connect", i+1, "")
	}
	for name, c := range map[string]struct {
		said string
		ok   bool
	}{
		"output":              {spoken("output", 0, "text") + spoken("errors", 0, ""), true},
		"longest output":      {spoken("output", 0, strings.Repeat("x", maxPart)), true},
		"output too long":     {spoken("output", 0, strings.Repeat("x", maxPart+1)), false},
		"unknown kind":        {spoken("what", 1, ""), false},
		"answer":              {in + spoken("answer", 1, "{}"), false},
		"text":                {"Welcome to this host!\n", false},
		"request":             {in + spoken("request", 1, "{}"), true},
		"longest request":     {in + spoken("request", 1, strings.Repeat("x", maxFrame)), true},
		"request too long":    {in + spoken("request", 1, strings.Repeat("x", maxFrame+1)), false},
		"said to be too long": {in + spoken("too long", 1, ""), true},
		"no channel":          {spoken("request", 1, "{}"), false},
		"two requests":        {in + spoken("request", 1, "{}") + spoken("request", 1, "{}"), false},
		"request when gone":   {in + spoken("request", 1, "{}") + spoken("gone", 1, "") + spoken("request", 1, "{}"), false},
		"again when gone":     {in + spoken("gone", 1, "") + in, true},
		"twice":               {in + in, false},
		"gone for good":       {in + spoken("gone", 1, "") + spoken("gone", 1, ""), false},
		"stranger":            {spoken("connect", 1, "process") + spoken("request", 1, "{}") + spoken("gone", 1, ""), true},
		"who":                 {spoken("connect", 1, "?"), false},
		"all channels":        {many, true},
		"one too many":        {many + spoken("connect", 99, ""), false},
		"exit":                {spoken("exit", 0, "137"), true},
		"exit twice":          {spoken("exit", 0, "1") + spoken("exit", 0, "2"), true},
		"exit too large":      {spoken("exit", 0, "256"), false},
		"exit of nothing":     {spoken("exit", 0, ""), false},
	} {
		for _, step := range []int{1, 1000, 1 << 30} {
			if step == 1 && len(c.said) > 10_000 {
				continue
			}
			ctx, end := context.WithCancelCause(t.Context())
			p := newPipes(dispatcherOf(&host{}), end)
			p.stdout, p.stderr = io.Discard, io.Discard
			for rest := c.said; rest != ""; {
				n := min(step, len(rest))
				if wrote, err := p.Write([]byte(rest[:n])); wrote != n || err != nil {
					t.Fatalf("wrote %d of %d, %v", wrote, n, err)
				}
				rest = rest[n:]
			}
			if broke := errors.Is(context.Cause(ctx), errGarbled); broke == c.ok {
				t.Errorf("%s in steps of %d: broke %v", name, step, broke)
			}
			end(nil)
		}
	}
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte(spoken("connect", 1, "")+spoken("request", 1, `{"token":"t","id":"1","tool":"terminal"}`)+spoken("gone", 1, "")+spoken("exit", 0, "3")), 3)
	f.Fuzz(func(t *testing.T, data []byte, step int) {
		step = max(1, min(step, 1<<16))
		ctx, end := context.WithCancelCause(t.Context())
		defer end(nil)
		p := newPipes(dispatcherOf(&host{}), end)
		p.stdout, p.stderr = io.Discard, io.Discard
		go func() { _, _ = io.Copy(io.Discard, p.in) }()
		served := make(chan struct{})
		go func() {
			defer close(served)
			p.serve(ctx)
		}()
		for rest := data; len(rest) > 0; {
			n := min(step, len(rest))
			_, _ = p.Write(rest[:n])
			rest = rest[n:]
		}
		end(errOver)
		<-served
		if len(p.line) > len(data) || len(p.channels) > maxChannels || p.inside > maxConnections || p.inside < 0 {
			t.Fatalf("%d bytes, %d channels, %d inside", len(p.line), len(p.channels), p.inside)
		}
	})
}

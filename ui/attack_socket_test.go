//go:build unix

package ui_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
)

// rawScript is Python that speaks to the socket of a script itself.
const rawScript = `
import hermes_tools, json, os, socket, time
def dial():
    s = socket.socket(socket.AF_UNIX)
    s.connect(hermes_tools._socket)
    return s, s.makefile("rb")
def ask(conn, **q):
    q.setdefault("token", hermes_tools._token)
    conn[0].sendall(json.dumps(q).encode() + b"\n")
    return conn[1].readline().decode().strip()
`

// TestSocketOfAScript has a script ask for what it must not over its own socket (N6): each
// request is refused and counted, and nothing of it runs.
func TestSocketOfAScript(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("SKIPPED: there is no python3")
	}
	code := rawScript + `
c = dial()
print(1, ask(c, id="1", tool="read_file", args={"path": "a.txt"}))
print(2, ask(c, id="1", tool="terminal", args={"command": "touch owned"}))
print(3, ask(c, id="2", tool="execute_code", args={"code": "1"}))
print(4, ask(c, id="3", tool="delegate_task", args={"goal": "x"}))
print(5, ask(c, id="4", token="guess", tool="terminal", args={"command": "touch owned"}))
big = dial()
try:
    big[0].sendall(b"x" * (5 << 20))
except OSError:
    pass
print(6, big[1].readline().decode().strip())
last, c = "", dial()
for n in range(60):
    last = ask(c, id="r%d" % n, tool="read_file", args={"path": "a.txt"})
    if "all of its" in last:
        break
print(7, n, last)
`
	for name, config := range map[string]string{"confined": "", "not confined": "approvals: {mode: \"off\"}\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, dir := work(t, map[string]string{"a.txt": "alpha\n"})
			d := Start(t, Options{Cols: 120, Rows: 40, Home: home, Dir: dir, Config: config, Timeout: 30 * time.Second, Scenario: answers(
				on("^go$", call("execute_code", map[string]any{"code": code})), after("^go$", 1, say("Finis.")),
			)})
			d.Type("go").Press("enter").WaitFor(Any(Contains("Finis."), Contains("▸ 1 Deny")))
			if Explain(d.Screen(), Contains("Finis.")) != "" { // nothing confines here
				choose(d, "Allow once").Press("enter").WaitFor(Contains("Finis."))
			}
			m := sent(t, d)
			var got struct {
				Output  string
				Made    int `json:"tool_calls_made"`
				Refused int `json:"tool_calls_refused"`
			}
			if err := json.Unmarshal([]byte(unfenced(m[len(m)-1].Content)), &got); err != nil {
				t.Fatalf("%v: %s", err, m[len(m)-1].Content)
			}
			lines := strings.Split(got.Output, "\n")
			for i, want := range []string{"alpha", "was used before", "cannot be called", "cannot be called", "token of the request is wrong", "4194304 bytes", "7 49 "} {
				if i >= len(lines) || !strings.Contains(lines[i], want) {
					t.Errorf("answer %d lacks %q: %s", i+1, want, got.Output)
					break
				}
			}
			if got.Made != 50 || got.Refused != 6 || there(filepath.Join(dir, "owned")) {
				t.Errorf("made %d, refused %d", got.Made, got.Refused)
			}
		})
	}
}

// unfenced is a result without the marks around what comes from outside.
func unfenced(result string) string {
	if !strings.HasPrefix(result, "[data ") {
		return result
	}
	_, result, _ = strings.Cut(result, "\n")
	return result[:max(0, strings.LastIndex(result, "\n["))]
}

// TestSocketForOthers knocks at the socket of a script that runs, with its true token, from a
// process that is none of the script's (N5, N6): it is refused, and files keep others out.
func TestSocketForOthers(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("SKIPPED: there is no python3")
	}
	home, dir := work(t, nil)
	d := Start(t, Options{Cols: 120, Rows: 40, Home: home, Dir: dir, Config: "approvals: {mode: \"off\"}\n", Timeout: 30 * time.Second, Scenario: answers(
		on("^go$", call("execute_code", map[string]any{"code": rawScript + `
with open("at.tmp", "w") as f:
    f.write(hermes_tools._socket + "\n" + hermes_tools._token)
os.rename("at.tmp", "at")
while not os.path.exists("done"):
    time.sleep(0.01)
print("over")
`})), after("^go$", 1, say("Finis.")),
	)})
	d.Type("go").Press("enter")
	var at []byte
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		var err error
		if at, err = os.ReadFile(filepath.Join(dir, "at")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the script does not say where its socket is\n%s", d.Screen())
		}
	}
	socket, token, _ := strings.Cut(string(at), "\n")
	if info, err := os.Stat(filepath.Dir(socket)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("its folder is %v, %v", info, err)
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprintf(conn, "{\"token\":%q,\"id\":\"x\",\"tool\":\"terminal\",\"args\":{\"command\":\"touch owned\"}}\n", token)
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.Contains(answer, "own processes only") {
		t.Errorf("it says %q, %v", answer, err)
	}
	put(t, dir, map[string]string{"done": ""})
	d.WaitFor(Contains("Finis."))
	m := sent(t, d)
	if last := m[len(m)-1].Content; !strings.Contains(last, "over") || !strings.Contains(last, `"tool_calls_made":0`) || there(filepath.Join(dir, "owned")) {
		t.Errorf("the script ended with %s", last)
	}
}

// TestProxyForOthers has a confined command speak to the proxy that is its only way out as a
// page of a browser or another program would (N5): without credentials, with wrong ones, with
// the right ones in a query, with another host and origin, and to open a WebSocket. A host
// that is allowed is not reached either.
func TestProxyForOthers(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("SKIPPED: there is no bash")
	}
	trap := newTrapdoor(t)
	home, dir := work(t, map[string]string{"knock.sh": `at=${HTTP_PROXY#http://}; at=${at%/}; port=${at##*:}; login=${at%@*}
[ -n "$port" ] || { echo "no proxy"; exit; }
knock() { exec 3<>/dev/tcp/127.0.0.1/$port && printf "$@" >&3 && head -1 <&3; exec 3>&-; }
knock 'GET http://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n' "$1" "$1"
knock 'GET http://%s/ HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: Basic YTpi\r\n\r\n' "$1" "$1"
knock 'GET http://%s/?token=%s HTTP/1.1\r\nHost: %s\r\n\r\n' "$1" "$login" "$1"
knock 'GET / HTTP/1.1\r\nHost: evil.test\r\nOrigin: https://evil.test\r\n\r\n'
knock 'GET http://%s/ HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nOrigin: https://evil.test\r\n\r\n' "$1" "$1"
knock 'CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n' "$1" "$1"
`})
	o := Options{Cols: 120, Rows: 40, Home: home, Dir: dir, Timeout: 30 * time.Second, Config: "approvals: {hosts: [\"" + trap.addr + "\"]}\n"}
	o.Scenario = answers(on("^go$", run(saysNetwork)), after("^go$", 1, say("Finis.")))
	confinesNetwork(t, again(t, o, "go"))
	o.Scenario = answers(on("^go$", run("bash knock.sh "+trap.addr)), after("^go$", 1, say("Finis.")))
	d := Start(t, o)
	d.Type("go").Press("enter").WaitFor(Contains("Finis."))
	m := sent(t, d)
	last := m[len(m)-1].Content
	if n := strings.Count(last, "HTTP/1.1 407"); n != 6 {
		t.Errorf("%d of 6 were asked who they are: %s", n, last)
	}
	d.Quit().Wait()
	trap.untouched(t)
}

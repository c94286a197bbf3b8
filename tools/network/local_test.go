//go:build linux

package network

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-tui/tools/place"
)

// greeter is a server that does not speak HTTP, and speaks first.
func greeter(t *testing.T) (port string) {
	t.Helper()
	l := listen(t)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				fmt.Fprintln(c, "welcome")
				line, _ := bufio.NewReader(c).ReadString('\n')
				fmt.Fprint(c, "you said ", line)
			}()
		}
	}()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port
}

// TestThisMachine has confined programs reach what listens on this machine as any program
// does: each port is asked about once for a command, whatever it speaks and however the
// machine is named.
func TestThisMachine(t *testing.T) {
	y := newYard(t)
	y.local = true
	web := server(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "from outside") })
	_, port, _ := net.SplitHostPort(web.Listener.Addr().String())
	for _, c := range []struct{ name, needs, script, want, asked string }{
		{"curl", "curl", "for h in localhost 127.0.0.1 '[::1]'; do curl -gsS --max-time 9 http://$h:" + port + "/ 2>&1; done", strings.Repeat("from outside", 3), port},
		{"python", "python3", "python3 -c 'import urllib.request as u; print(u.urlopen(\"http://localhost:" + port + "/\").read().decode())' 2>&1", "from outside\n", port},
		{"node", "node", "node -e 'fetch(\"http://localhost:" + port + "/\").then(r => r.text()).then(console.log)' 2>&1", "from outside\n", port},
		{"wget", "wget", "wget -q -O - http://127.0.0.1:" + port + "/ 2>&1", "from outside", port},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath(c.needs); err != nil {
				t.Skip("SKIPPED: there is no " + c.needs)
			}
			y.t, y.asked = t, nil
			out, exit := y.run(c.script)
			if out != c.want || exit.Refused != nil || !slices.Equal(slices.Compact(y.asked), []string{"localhost"}) {
				t.Errorf("%q, %+v, asked about %v", out, exit, y.asked)
			}
		})
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("SKIPPED: there is no bash")
	}
	y.t, y.asked = t, nil
	out, exit := y.run("bash -c 'exec 3<>/dev/tcp/127.0.0.1/" + greeter(t) + "; read a <&3; echo $a; echo hello >&3; cat <&3' 2>&1")
	if out != "welcome\nyou said hello\n" || exit.Refused != nil || len(y.asked) != 1 {
		t.Errorf("%q, %+v, asked about %v", out, exit, y.asked)
	}
	y.local, y.asked = false, nil
	at := greeter(t)
	out, exit = y.run("bash -c 'exec 3<>/dev/tcp/127.0.0.1/" + at + "; cat <&3' 2>&1")
	if strings.Contains(out, "welcome") || !slices.Equal(exit.Refused, []place.Refusal{{Kind: place.RefusedNetwork, What: "localhost:" + at}}) {
		t.Errorf("not allowed: %q, %+v", out, exit)
	}
}

// TestOwnServer has a confined command reach a server that another confined command has
// started: no one is asked.
func TestOwnServer(t *testing.T) {
	y := newYard(t)
	for _, name := range []string{"python3", "curl"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("SKIPPED: there is no " + name)
		}
	}
	port := fmt.Sprint(listen(t).Addr().(*net.TCPAddr).Port + 1)
	stop := y.start("echo inside > index.html; exec python3 -m http.server " + port)
	defer stop()
	out, exit := y.run("for i in $(seq 100); do curl -sS http://localhost:" + port + "/ 2>/dev/null && break; sleep .1; done")
	if out != "inside\n" || exit.Refused != nil || len(y.asked) > 0 {
		t.Errorf("%q, %+v, asked about %v", out, exit, y.asked)
	}
}

// TestCredentialsOfAnother has a command use what another one, which runs, was given for
// the proxy: it is not taken for that.
func TestCredentialsOfAnother(t *testing.T) {
	y := newYard(t)
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("SKIPPED: there is no curl")
	}
	made := filepath.Join(y.work, "made")
	if err := exec.Command("mkfifo", made).Run(); err != nil {
		t.Skip("SKIPPED: ", err)
	}
	stop := y.start("echo $HTTP_PROXY > credentials; echo > made; exec sleep 60")
	defer stop()
	if _, err := os.ReadFile(made); err != nil { // waits for it
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"http":     "curl -sS -x $(cat credentials) http://a.example.com/ 2>&1",
		"detached": "setsid -w curl -sS -x $(cat credentials) http://a.example.com/ 2>&1",
		"socks":    "curl -sS --socks5-hostname $(sed s,http://,, credentials) http://a.example.com/ 2>&1",
	} {
		if out, _ := y.run(script); name == "http" && !strings.Contains(out, "this very command") || len(y.asked) > 0 {
			t.Errorf("%s: %s, asked about %v", name, out, y.asked)
		}
	}
}

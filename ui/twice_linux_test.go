package ui_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/internal/proxytest"
	. "hermes-tui/internal/uitest"
)

// TestWithoutANetworkTwiceInTheSameHome works where no name can be looked up and no address is
// reached: what is on this machine works, and the rest ends soon with the reason.
func TestWithoutANetworkTwiceInTheSameHome(t *testing.T) {
	if ownNetwork(t, netip.MustParsePrefix("203.0.113.0/24")) {
		worksTwice(t, nil, "status-5")
	}
}

// TestBehindAProxyTwiceInTheSameHome does the same where a proxy alone reaches the Internet,
// which signs TLS again: servers of this machine and pushes on it do not go there.
func TestBehindAProxyTwiceInTheSameHome(t *testing.T) {
	t.Parallel()
	proxy := proxytest.Start(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "welcome from far away") })
	ca := filepath.Join(t.TempDir(), "company.pem")
	put(t, filepath.Dir(ca), map[string]string{"company.pem": string(proxy.PEM)})
	worksTwice(t, []string{"HTTPS_PROXY=" + proxy.URL.String(), "http_proxy=" + proxy.URL.String(), "SSL_CERT_FILE=" + ca, "CURL_CA_BUNDLE=" + ca}, "welcome from far away")
}

// worksTwice has the first command of each of two starts look for the way out, speak to a
// server of this machine and fetch from a host that is allowed, and then pushes on this
// machine. far is what comes of the fetch.
func worksTwice(t *testing.T, env []string, far string) {
	t.Helper()
	for _, name := range []string{"bash", "git", "curl"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("SKIPPED: there is no " + name)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "welcome from outside\n") // or it has gone
			c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	home, dir := work(t, nil)
	bare := filepath.Join(filepath.Dir(filepath.Dir(dir)), "bare.git")
	gitIn(t, "/", "init", "-q", "--bare", bare)
	gitIn(t, dir, "init", "-q")
	gitIn(t, dir, "remote", "add", "origin", bare)
	look := `echo "netns-$( [ "$(wc -l < /proc/net/dev)" = 3 ] && echo yes ) first-${HTTPS_PROXY:+proxy}"; exec 3<>/dev/tcp/localhost/` + port + `; cat <&3; curl -sS -m 30 https://pages.example/; echo status-$?`
	for i, start := range []string{"first", "second"} {
		begun := time.Now()
		result := again(t, Options{Home: home, Dir: dir, Env: env, Config: "approvals: {hosts: [pages.example, \"localhost:" + port + "\"]}\n", Scenario: answers(on("^go$", run(look)), after("^go$", 1, say("Finis.")))}, "go")
		confinesNetwork(t, result)
		for _, want := range []string{"first-proxy", "welcome from outside", far} {
			if !strings.Contains(result, want) {
				t.Errorf("%s start, after %s: the result lacks %q: %s", start, time.Since(begun), want, result)
			}
		}
		gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", start)
		d := Start(t, Options{Cols: 120, Rows: 40, Home: home, Dir: dir, Env: env, Timeout: time.Minute, Scenario: answers(on("^go$", run("git push origin main")), after("^go$", 1, say("Finis.")))})
		d.Type("go").Press("enter").WaitFor(Contains("sends commits to another repository")).Press("tab").Press("y").WaitFor(Contains("Finis."))
		if log := gitIn(t, bare, "log", "--format=%s", "--all"); strings.Count(log, "\n") != i+1 {
			t.Errorf("%s start: the other side has %q: %+v", start, log, sent(t, d))
		}
		d.Quit().Wait()
	}
}

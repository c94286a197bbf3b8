package ui_test

import (
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
)

// again runs the program without a screen, in a home that is kept.
func again(t *testing.T, o Options, prompt string) string {
	t.Helper()
	l := Prepare(t, o)
	cmd := exec.Command(l.Bin, append(l.Args, "exec", prompt)...)
	cmd.Env, cmd.Dir = l.Env, l.Dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var last string
	for _, r := range l.Server.Requests() {
		last = string(r.Body)
	}
	return last
}

// confinesNetwork skips a test where commands are given no network of their own.
func confinesNetwork(t *testing.T, result string) {
	t.Helper()
	if !strings.Contains(result, "netns-yes") {
		t.Skip("SKIPPED: this machine gives commands no network of their own")
	}
}

// TestFirstCommandTwiceInTheSameHome has the first command of each start say whether it was
// told of the way out: what the program remembers from the start before takes nothing away.
func TestFirstCommandTwiceInTheSameHome(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("SKIPPED: there is no bash")
	}
	home, dir := work(t, nil)
	o := Options{Cols: 120, Rows: 40, Home: home, Dir: dir, Timeout: 30 * time.Second}
	scenario := func() Options {
		o.Scenario = answers(
			on("^go$", run(`echo "netns-$( [ "$(wc -l < /proc/net/dev)" = 3 ] && echo yes ) first-${HTTPS_PROXY:+proxy}"`)),
			after("^go$", 1, run(`echo "second-${HTTPS_PROXY:+proxy}"`)),
			after("^go$", 2, say("Finis.")),
		)
		return o
	}
	for _, start := range []string{"first", "second"} {
		result := again(t, scenario(), "go")
		confinesNetwork(t, result)
		if !strings.Contains(result, "first-proxy") || !strings.Contains(result, "second-proxy") {
			t.Errorf("%s start, without a screen: %s", start, result)
		}
	}
	for _, start := range []string{"first", "second"} {
		d := Start(t, scenario())
		d.Type("go").Press("enter").WaitFor(Contains("Finis."))
		m := sent(t, d)
		if first := m[len(m)-2].Content + m[len(m)-3].Content; !strings.Contains(first, "first-proxy") || !strings.Contains(m[len(m)-1].Content, "second-proxy") {
			t.Errorf("%s start on the screen: %+v", start, m)
		}
		d.Press("ctrl+d").Wait()
	}
}

// TestThisMachineTwiceInTheSameHome has the first command of each start speak to a server
// of this machine that does not speak HTTP: without anyone to ask it is refused with what
// to do, with the port in the settings it is reached, and on the screen it is asked about.
func TestThisMachineTwiceInTheSameHome(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("SKIPPED: there is no bash")
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
	o := Options{Cols: 120, Rows: 40, Home: home, Dir: dir, Timeout: 30 * time.Second}
	scenario := func(config string) Options {
		o.Config = config
		o.Scenario = answers(
			on("^go$", run(`echo "netns-$( [ "$(wc -l < /proc/net/dev)" = 3 ] && echo yes )"; exec 3<>/dev/tcp/localhost/`+port+`; cat <&3 || false`)),
			after("^go$", 1, say("Finis.")),
		)
		return o
	}
	for range 2 {
		result := again(t, scenario(""), "go")
		confinesNetwork(t, result)
		if strings.Contains(result, "welcome") || !strings.Contains(result, "by listing localhost:"+port+" under approvals.hosts") {
			t.Errorf("no one is asked: %s", result)
		}
		if result = again(t, scenario("approvals: {hosts: [\"127.0.0.1:"+port+"\"]}\n"), "go"); !strings.Contains(result, "welcome from outside") {
			t.Errorf("listed: %s", result)
		}
	}
	for range 2 {
		d := Start(t, scenario("approvals: {hosts: []}\n"))
		d.Type("go").Press("enter").WaitFor(Contains("localhost:"+port), Contains("port "+port+" of this machine"))
		d.Press("tab").Press("y").WaitFor(Contains("Finis."))
		if m := sent(t, d); !strings.Contains(m[len(m)-1].Content, "welcome from outside") {
			t.Errorf("allowed: %+v", m[len(m)-1])
		}
		d.Press("ctrl+d").Wait()
	}
}

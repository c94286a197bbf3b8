//go:build unix

package ui_test

import (
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
)

// TestPushWithKeysTwiceInTheSameHome pushes where keys are needed: over https with those of
// ~/.netrc and of the user's own helper, and over ssh. The push is asked about and runs where
// these can be read, at the first start and at the second.
func TestPushWithKeysTwiceInTheSameHome(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("SKIPPED: there is no " + name)
		}
	}
	for name, serve := range map[string]func(t *testing.T, home, bare string) (origin string, env []string){
		"netrc": func(t *testing.T, home, bare string) (string, []string) {
			origin, env := gitOverTLS(t, home, bare)
			put(t, home, map[string]string{".netrc": "machine 127.0.0.1 login own password pass\n"})
			return origin, env
		},
		"helper": func(t *testing.T, home, bare string) (string, []string) {
			origin, env := gitOverTLS(t, home, bare)
			put(t, home, map[string]string{".gitconfig": "[credential]\n\thelper = store\n", ".git-credentials": strings.Replace(origin, "https://", "https://own:pass@", 1)})
			return origin, env
		},
		"ssh": gitOverSSH,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, dir := work(t, nil)
			bare := filepath.Join(filepath.Dir(filepath.Dir(dir)), "served", "bare.git")
			gitIn(t, "/", "init", "-q", "--bare", bare)
			origin, env := serve(t, filepath.Dir(home), bare)
			gitIn(t, dir, "init", "-q")
			gitIn(t, dir, "remote", "add", "origin", origin)
			for i, start := range []string{"first", "second"} {
				gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", start)
				d := Start(t, Options{Cols: 120, Rows: 40, Home: home, Dir: dir, Env: env, Timeout: time.Minute, Scenario: answers(
					on("^go$", run("git push origin main")), after("^go$", 1, say("Finis.")),
				)})
				d.Type("go").Press("enter").WaitFor(Contains("sends commits to another repository")).Press("tab").Press("y").WaitFor(Contains("Finis."))
				if log := gitIn(t, bare, "log", "--format=%s", "--all"); strings.Count(log, "\n") != i+1 {
					t.Errorf("%s start: the other side has %q: %+v", start, log, sent(t, d))
				}
				d.Quit().Wait()
			}
		})
	}
}

// gitOverTLS serves a repository to who has a name and a password, with an authority of its
// own.
func gitOverTLS(t *testing.T, home, bare string) (origin string, env []string) {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	path, err := exec.Command("git", "--exec-path").Output()
	backend := filepath.Join(strings.TrimSpace(string(path)), "git-http-backend")
	if err != nil || !there(backend) {
		t.Skip("SKIPPED: there is no git-http-backend")
	}
	gitIn(t, bare, "config", "http.receivepack", "true")
	h := &cgi.Handler{Path: backend, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(bare), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=own", "PATH=" + filepath.Dir(git) + ":/usr/bin:/bin", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, password, ok := r.BasicAuth(); !ok || name != "own" || password != "pass" {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	ca := filepath.Join(home, "ca.pem")
	put(t, home, map[string]string{"ca.pem": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))})
	return server.URL + "/bare.git", []string{"GIT_SSL_CAINFO=" + ca}
}

// gitOverSSH serves a repository to who has a key, which the user's own settings of git name.
func gitOverSSH(t *testing.T, home, bare string) (origin string, env []string) {
	t.Helper()
	sshd := "/usr/sbin/sshd"
	for _, name := range []string{sshd, "ssh-keygen", "ssh"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("SKIPPED: there is no " + name)
		}
	}
	me, err := user.Current()
	if err != nil {
		t.Skip("SKIPPED: this user has no name: ", err)
	}
	keys, side := filepath.Join(home, ".ssh"), filepath.Join(filepath.Dir(home), "sshd")
	put(t, side, map[string]string{"x": ""})
	put(t, keys, map[string]string{"x": ""})
	for _, file := range []string{filepath.Join(side, "host"), filepath.Join(keys, "id")} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	public, err := os.ReadFile(filepath.Join(keys, "id.pub"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	put(t, side, map[string]string{"allowed": string(public), "conf": fmt.Sprintf(
		"ListenAddress %s\nHostKey %s/host\nAuthorizedKeysFile %s/allowed\nStrictModes no\nUsePAM no\nPidFile none\nPermitRootLogin yes\nPasswordAuthentication no\n", address, side, side)})
	if os.Geteuid() == 0 {
		_ = os.MkdirAll("/run/sshd", 0o755) // it wants an empty folder; without it, it says so
	}
	cmd := exec.Command(sshd, "-D", "-e", "-f", filepath.Join(side, "conf"))
	said, err := os.Create(filepath.Join(side, "said"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Skip("SKIPPED: sshd does not start: ", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		said.Close()
	})
	for up := false; !up; {
		select {
		case <-ended:
			why, _ := os.ReadFile(said.Name())
			t.Skipf("SKIPPED: sshd has ended: %s", why)
		case <-time.After(10 * time.Millisecond):
		}
		if c, err := net.Dial("tcp", address); err == nil {
			up = c.Close() == nil
		}
	}
	put(t, home, map[string]string{".gitconfig": fmt.Sprintf("[core]\n\tsshCommand = ssh -i %s/id -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=%s/known\n", keys, keys)})
	return (&url.URL{Scheme: "ssh", User: url.User(me.Username), Host: "127.0.0.1:" + port, Path: bare}).String(), nil
}

package cli

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"hermes-tui/agent/event"
	"hermes-tui/agent/models"
	"hermes-tui/internal/logintest"
	"hermes-tui/providers/login"
	"hermes-tui/store/config"
)

// loginRig calls the commands about logins against an issuer.
type loginRig struct {
	*box
	issuer   *logintest.Issuer
	client   string
	terminal bool
	ctx      context.Context
	opened   sync.WaitGroup
}

func newLoginRig(t *testing.T) *loginRig {
	t.Helper()
	r := &loginRig{box: newBox(t), issuer: logintest.New(t), client: logintest.Client, ctx: t.Context()}
	r.issuer.Life = 3 * 3600
	t.Cleanup(r.opened.Wait)
	return r
}

// open is a browser that logs in.
func (r *loginRig) open(_ *sys, address string) bool {
	r.opened.Go(func() {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
		resp, err := client.Get(address)
		if err != nil {
			r.t.Error(err)
			return
		}
		resp.Body.Close()
	})
	return true
}

// call calls the program; shown is told what it writes while it runs.
func (r *loginRig) call(shown func(*pipe), args ...string) outcome {
	r.t.Helper()
	c := &call{t: r.t, out: newPipe(), err: newPipe(), done: make(chan int, 1)}
	s := &sys{
		in: strings.NewReader(""), out: c.out, err: c.err, environ: r.environ(), ids: event.SystemSource(),
		env:      func(name string) (string, bool) { v, ok := r.env[name]; return v, ok },
		dir:      func() (string, error) { return r.dir, nil },
		terminal: func() (in, out bool) { return r.terminal, r.terminal },
		size:     func() (cols, rows int, err error) { return 120, 40, nil },
	}
	f := &flags{}
	root := &cobra.Command{Use: "hermes-tui", SilenceErrors: true, SilenceUsage: true}
	f.everywhere(root.PersistentFlags())
	soon := func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }
	addLogins(root, s, f, loginParts{open: r.open, sleep: soon, settings: func(config.Config) models.LoginSettings {
		return models.LoginSettings{OpenAI: login.OpenAI{Issuer: r.issuer.URL, ClientID: r.client, Redirects: []string{"http://127.0.0.1:0/auth/callback"}}}
	}})
	root.SetArgs(args)
	go func() { c.done <- s.report(root.ExecuteContext(r.ctx)) }()
	if shown != nil {
		shown(c.out)
	}
	o := c.wait()
	if all := o.out + o.err; strings.Contains(all, logintest.Canary) || strings.Contains(all, logintest.Account) {
		r.t.Errorf("a secret is shown: %v", o)
	}
	return o
}

// approve uses the code that is shown.
func (r *loginRig) approve(state string) func(*pipe) {
	return func(p *pipe) {
		p.waitFor(r.t, "Waiting")
		_, code, _ := strings.Cut(p.text(), "code: ")
		r.issuer.Use(strings.Fields(code)[0], state)
	}
}

func TestLoginCommands(t *testing.T) {
	for _, way := range []string{"browser", "device"} {
		t.Run(way, func(t *testing.T) {
			r := newLoginRig(t)
			if o := r.call(nil, "login", "--list"); o.code != exitOK || !strings.Contains(o.out, "No one is logged in") {
				t.Error(o)
			}
			var o outcome
			if r.terminal = way == "browser"; r.terminal {
				o = r.call(nil, "login")
				holds(t, "the output", o.out, r.issuer.URL+"/oauth/authorize?", "It was opened for you")
			} else {
				o = r.call(r.approve("approved"), "login", "openai-codex")
				holds(t, "the output", o.out, r.issuer.URL+"/codex/device", "began this login yourself")
			}
			if o.code != exitOK || o.err != "" {
				t.Fatal(o)
			}
			holds(t, "the output", o.out, "Logged in to ChatGPT (account acct…cdef). Use it with hermes-tui --provider openai-codex")
			o = r.call(nil, "login", "--list")
			holds(t, "the list", o.out, "openai-codex", "ChatGPT", "acct…cdef", "auth.json", "until "+time.Now().Add(3*time.Hour).Format("2 Jan 2006"), "then renewed")
			if o = r.call(nil, "logout", "openai-codex"); o.code != exitOK || o.out != "Logged out of ChatGPT.\n" || o.err != "" {
				t.Error(o)
			}
			if o = r.call(nil, "logout", "openai-codex"); o.code != exitOK || o.out != "There was no login to ChatGPT.\n" {
				t.Error(o)
			}
			if raw, err := os.ReadFile(filepath.Join(r.home, "auth.json")); err != nil || strings.Contains(string(raw), logintest.Canary) {
				t.Errorf("auth.json is %s %v", raw, err)
			}
		})
	}
}

// TestLoginTrouble gives one sentence and the exit code of its kind.
func TestLoginTrouble(t *testing.T) {
	for _, c := range []struct {
		name  string
		args  []string
		setup func(r *loginRig)
		shown func(r *loginRig) func(*pipe)
		code  int
		says  []string
	}{
		{name: "no client id", args: []string{"login"}, setup: func(r *loginRig) { r.client = "" }, code: exitUsage, says: []string{"set login.openai.client_id", "API key"}},
		{name: "unknown", args: []string{"login", "openrouter"}, code: exitUsage, says: []string{"no login for", "openai-codex"}},
		{name: "claude", args: []string{"login", "claude"}, code: exitUsage, says: []string{"run claude"}},
		{name: "two at once", args: []string{"login", "a", "b"}, code: exitUsage, says: []string{"one provider"}},
		{name: "logout of nothing", args: []string{"logout"}, code: exitUsage, says: []string{"hermes-tui logout openai-codex"}},
		{name: "logout of claude", args: []string{"logout", "claude"}, code: exitFailed, says: []string{"log out there"}},
		{name: "a damaged file", args: []string{"login"}, setup: func(r *loginRig) { r.write("auth.json", "{") }, code: exitStart, says: []string{"auth.json is damaged"}},
		{name: "a home that is a file", args: []string{"login"}, setup: func(r *loginRig) { r.env["HERMES_HOME"] = r.write("file", "x") }, code: exitStart, says: []string{"file"}},
		{name: "denied", args: []string{"login", "--device"}, shown: func(r *loginRig) func(*pipe) { return r.approve("denied") }, code: exitFailed, says: []string{"did not allow"}},
		{name: "refused", args: []string{"login"}, setup: func(r *loginRig) {
			r.issuer.Instead("/api/accounts/deviceauth/usercode", func(w http.ResponseWriter, _ *http.Request) {
				logintest.Refuse(w, 403, "forbidden", "not here")
			})
		}, code: exitFailed, says: []string{"HTTP 403", "not here", "login.openai"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newLoginRig(t)
			if c.setup != nil {
				c.setup(r)
			}
			var shown func(*pipe)
			if c.shown != nil {
				shown = c.shown(r)
			}
			sentence(t, r.call(shown, c.args...), c.code, c.says...)
		})
	}
}

// TestLoginInterrupted ends a login that waits, and changes nothing.
func TestLoginInterrupted(t *testing.T) {
	for _, args := range [][]string{{"login"}, {"login", "--device"}} {
		r := newLoginRig(t)
		r.terminal = true
		ctx, cancel := context.WithCancel(t.Context())
		r.ctx = ctx
		r.issuer.Instead("/oauth/authorize", func(http.ResponseWriter, *http.Request) {}) // no one logs in
		o := r.call(func(p *pipe) { p.waitFor(t, "Waiting"); cancel() }, args...)
		sentence(t, o, exitInterrupted, "interrupted: the login was not finished")
	}
}

// TestLoginLists tells of logins that are someone else's, or of no use any more.
func TestLoginLists(t *testing.T) {
	r := newLoginRig(t)
	r.write("auth.json", fmt.Sprintf(`{"version":1,"providers":{"openai-codex":{"tokens":{"access_token":%q,"refresh_token":"rt-CANARY"}}}}`,
		logintest.Access(logintest.Account, "app_of_another", time.Now().Add(-time.Hour))))
	dir := filepath.Join(filepath.Dir(r.home), ".claude")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	claude := func(left time.Duration) {
		text := fmt.Sprintf(`{"claudeAiOauth":{"accessToken":"CANARY","expiresAt":%d}}`, time.Now().Add(left).UnixMilli())
		if err := os.WriteFile(filepath.Join(dir, ".credentials.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	claude(time.Hour)
	o := r.call(nil, "login", "--list")
	holds(t, "the list", o.out, "openai-codex", "has ended: log in again", "anthropic", "Claude Code", "until ")
	claude(-time.Hour)
	holds(t, "the list", r.call(nil, "login", "--list").out, "run claude once")
}

func TestOpener(t *testing.T) {
	for _, c := range []struct {
		system string
		env    map[string]string
		want   string
	}{
		{"linux", nil, ""}, {"linux", map[string]string{"DISPLAY": ":0"}, "xdg-open"}, {"freebsd", map[string]string{"WAYLAND_DISPLAY": "w"}, "xdg-open"},
		{"darwin", nil, "open"}, {"windows", nil, ""},
	} {
		if got := opener(c.system, func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }); got != c.want {
			t.Errorf("%s %v: %q", c.system, c.env, got)
		}
	}
}

// TestOpenBrowser starts what the system has, with the address and nothing else.
func TestOpenBrowser(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: it starts xdg-open")
	}
	dir := t.TempDir()
	said := filepath.Join(dir, "said")
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\nprintf '%s|' \"$#\" \"$1\" \"${PATH%%:*}\" > "+said+".part && mv "+said+".part "+said+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	environ := append(os.Environ(), "PATH=.:bin:"+dir+":"+os.Getenv("PATH")) // what it starts is not of the folder
	s := &sys{environ: environ, dir: os.Getwd, env: func(name string) (string, bool) { return ":0", name == "DISPLAY" }}
	if openBrowser(s, "file:///etc/passwd") {
		t.Error("opened a file")
	}
	if !openBrowser(s, "https://x.example/?a=b&c=$(id)") {
		t.Fatal("not opened")
	}
	late := time.After(patience)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if raw, err := os.ReadFile(said); err == nil {
			if string(raw) != "1|https://x.example/?a=b&c=$(id)|"+dir+"|" {
				t.Errorf("it was given %s", raw)
			}
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("it was not started")
		}
	}
}

// TestLoginIsNotAdvisedWithoutAClientID names what works without one.
func TestLoginIsNotAdvisedWithoutAClientID(t *testing.T) {
	r := newLoginRig(t)
	r.client = ""
	o := r.call(nil, "login", "--list")
	if o.code != exitOK || strings.Contains(o.out, "hermes-tui login") || !strings.Contains(o.out, "Set a key") || !strings.Contains(o.out, "login.openai.client_id") {
		t.Error(o)
	}
	sentence(t, r.call(nil, "login"), exitUsage, "login.openai.client_id in config.yaml", "API key")
}

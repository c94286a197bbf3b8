//go:build unix

package ui_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"hermes-tui/internal/scripttest"
	. "hermes-tui/internal/uitest"
)

const goodKey = "sk-right-0123456789abcdef"

// keyed is a server that plays answers for who has the key, if it wants one.
func keyed(t *testing.T, key string) string {
	t.Helper()
	play, err := scripttest.Serve(answers(on("hello", say("Hello from a real server."))), scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = play.Close() })
	to, err := url.Parse(strings.TrimSuffix(play.URL(), "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.FlushInterval = -1
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		if key != "" && r.Header.Get("Authorization") != "Bearer "+key {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":{"message":"Incorrect API key provided"}}`)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/models") {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"data":[{"id":"alpha"},{"id":"qwen3-coder:30b"}]}`)
			return
		}
		proxy.ServeHTTP(w, r)
	})
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL + "/v1"
}

// deadAddress is where no one listens.
func deadAddress(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return "http://" + l.Addr().String() + "/v1"
}

// TestSetup goes from a first start without a model, past a server that is not there, one
// that is none and a wrong key, to an answer, which a second start gets without questions.
func TestSetup(t *testing.T) {
	t.Parallel()
	server := keyed(t, goodKey)
	page := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html><title>Welcome</title></html>") })
	for _, size := range [][2]int{{100, 34}, {60, 24}} {
		o := Options{Cols: size[0], Rows: size[1], Home: filepath.Join(t.TempDir(), "home")}
		d := Start(t, o)
		d.WaitFor(Contains("Setup 1 of 5"), Contains("No model server answers"), Contains("Use an API key"))
		d.Type("custom").Press("enter").WaitFor(Contains("Setup 2 of 5: address"))
		d.Press("enter").WaitFor(Contains("! Nothing was typed yet."))
		d.Type("what").Press("ctrl+u").Type("ftp://x").Press("enter").WaitFor(Contains("That is no address of a"))
		d.Press("ctrl+u").Type(deadAddress(t)).Press("enter").WaitFor(Contains("check that the server"))
		d.Press("ctrl+u").Type(page).Press("enter").WaitFor(Contains("“Welcome”"), Contains("check that the base"))
		d.Press("ctrl+u").Type(server).Press("enter").WaitFor(Contains("2 of 5: key for"))
		d.Type("sk-wrong-key").WaitFor(Contains("••••••••••••")).Press("enter").WaitFor(Contains("does not accept this"), NotContains("•••"))
		d.Press("esc").WaitFor(Contains("Setup 2 of 5: address")).Press("enter").WaitFor(Contains("2 of 5: key for"))
		d.Paste(goodKey).Expect(NotContains(goodKey)).Press("enter").WaitFor(Contains("Setup 3 of 5"), Contains("qwen3-coder:30b"))
		d.Type("qwen").Press("enter").WaitFor(Contains("Setup 4 of 5: the theme"), Contains("contrast-light"))
		d.Type("cream").WaitIdle().Press("enter").WaitFor(Contains("Setup 5 of 5: do you trust this folder?"))
		d.Press("enter").WaitFor(Contains("Set up: qwen3-coder:30b"), NotContains("Setup"))
		d.Type("hello").Press("enter").WaitFor(Contains("Hello from a real server."))
		d.WaitIdle().Quit().Wait()

		kept, err := os.ReadFile(filepath.Join(o.Home, "auth.json"))
		info, serr := os.Stat(filepath.Join(o.Home, "auth.json"))
		if err != nil || serr != nil || !strings.Contains(string(kept), goodKey) || strings.Contains(string(kept), "sk-wrong") || info.Mode().Perm() != 0o600 {
			t.Fatalf("%v, %v: %s", err, serr, kept)
		}
		settings, err := os.ReadFile(filepath.Join(o.Home, "config.yaml"))
		if err != nil || strings.Contains(string(settings), goodKey) || !strings.Contains(string(settings), "theme: cream") || !strings.Contains(string(settings), "local_servers: false") {
			t.Fatalf("%v: %s", err, settings)
		}
		d = Start(t, o)
		d.WaitFor(Contains("qwen3-coder:30b"), Contains("Type what you want done."), NotContains("Setup"))
		d.Type("hello").Press("enter").WaitFor(Contains("Hello from a real server."))
		d.WaitIdle().Quit().Wait()
	}
}

// TestSetupRefused types another key over one of the environment that does not work, and
// the next start uses it, too.
func TestSetupRefused(t *testing.T) {
	t.Parallel()
	server := keyed(t, goodKey)
	o := Options{
		Cols: 100, Rows: 34, Home: filepath.Join(t.TempDir(), "home"), Config: "probe: {local_servers: false}\n",
		Env: []string{"DEEPSEEK_API_KEY=sk-stale", "DEEPSEEK_BASE_URL=" + server},
	}
	d := Start(t, o)
	d.WaitFor(Contains("With a key that is there"), LineMatches(`DeepSeek +another key: `))
	d.Press("enter").WaitFor(Contains("key for DeepSeek"), Contains("no models could be listed"))
	d.Paste(goodKey).Press("enter").WaitFor(Contains("Setup 3 of 5")).Type("qwen").Press("enter").WaitFor(Contains("Setup 4 of 5"))
	d.Press("alt+s").WaitFor(Contains("Set up: qwen3-coder:30b answers."))
	d.Type("hello").Press("enter").WaitFor(Contains("Hello from a real server.")).WaitIdle().Quit().Wait()
	d = Start(t, o)
	d.Type("/model").Press("enter").WaitFor(Contains("2 models"), NotContains("does not accept"))
	d.Press("esc").Quit().Wait()
}

// TestSetupSkipped leaves the setup in each of its windows, and comes back to it for a
// server that was found.
func TestSetupSkipped(t *testing.T) {
	t.Parallel()
	server := keyed(t, "")
	d := Start(t, Options{Cols: 100, Rows: 34, Config: "# mine\nprobe: {local_servers: true, timeout_ms: 10000}\n", Env: []string{"OLLAMA_HOST=" + deadAddress(t)}})
	d.WaitFor(Contains("Setup 1 of 5"))
	d.Press("esc").WaitFor(NotContains("Setup 1"), Contains("/setup gets a real"))
	d.Type("/setup").Press("enter").WaitFor(Contains("Skip (offline demo)")).Press("alt+s").WaitFor(Contains("The offline demo answers; /setup"))
	d.Type("/setup").Press("enter").WaitFor(Contains("Custom server")).Type("anthropic").Press("enter").WaitFor(Contains("which service?")).Type("anthropic").Press("enter").WaitFor(Contains("key for Anthropic"), Contains("platform.claude.com"))
	d.Type("two words").Press("enter").WaitFor(Contains("copy it again"))
	d.Press("alt+s").WaitFor(NotContains("Setup"))
	d.Quit().Wait()

	home := filepath.Join(t.TempDir(), "home")
	d = Start(t, Options{Cols: 100, Rows: 34, Home: home, Config: "# mine\nmodel: {provider: demo}\nprobe: {local_servers: true, timeout_ms: 10000}\n", Env: []string{"OLLAMA_HOST=" + server}})
	d.WaitFor(Contains("Type what you want done."), NotContains("Setup"))
	d.Type("/setup").Press("enter").WaitFor(Contains("Ollama"), Contains("2 models")).Press("enter").WaitFor(Contains("▸  qwen3-coder:30b"))
	d.Press("enter").WaitFor(Contains("Setup 4 of 5")).Press("alt+s").WaitFor(Contains("Set up: qwen3-coder:30b answers."))
	d.Type("hello").Press("enter").WaitFor(Contains("Hello from a real server."))
	d.WaitIdle().Quit().Wait()
	settings, err := os.ReadFile(filepath.Join(home, "config.yaml"))
	if err != nil || !strings.HasPrefix(string(settings), "# mine\nmodel: {provider: ollama, default: \"qwen3-coder:30b\"}") && !strings.Contains(string(settings), "ollama") {
		t.Errorf("%v: %s", err, settings)
	}
}

// TestSetupOffline types a key while the service cannot be reached: it can be kept unchecked,
// and answers when the service is there again, on the screen and in lines.
func TestSetupOffline(t *testing.T) {
	t.Parallel()
	var here atomic.Bool
	server, err := url.Parse(keyed(t, goodKey))
	if err != nil {
		t.Fatal(err)
	}
	server.Path = ""
	through := httputil.NewSingleHostReverseProxy(server)
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !here.Load() {
			panic(http.ErrAbortHandler)
		}
		through.ServeHTTP(w, r)
	})
	o := Options{Cols: 110, Rows: 40, Config: "probe: {local_servers: false}\nproviders:\n  groq:\n    base_url: " + address + "\n"}
	d := Start(t, o)
	d.WaitFor(Contains("Setup 1 of 5")).Type("a service").Press("enter").WaitFor(Contains("which service?"))
	d.Type("groq").WaitIdle().Press("enter").WaitFor(Contains("key for Groq"))
	d.Paste(goodKey).Press("enter").WaitFor(Contains("Keep the key unchecked?", "enter keep it unchecked", "It is tried when you send."), NotContains(goodKey))
	d.Press("esc").WaitFor(Contains("key for Groq")).Paste(goodKey).Press("enter").WaitFor(Contains("Keep the key unchecked?"))
	d.Press("enter").WaitFor(Contains("Setup 3 of 5")).WaitIdle().Press("enter").WaitFor(Contains("Setup 4 of 5"))
	d.Press("alt+s").WaitFor(Contains("Set up: "))
	here.Store(true)
	d.Type("hello").Press("enter").WaitFor(Contains("Hello from a real server.")).Quit().Wait()

	here.Store(false)
	l, p := lines(t, Options{Cols: 240, Rows: 60, Config: o.Config})
	l.Type("/setup").Press("enter").WaitFor(Contains("With a key that you type:"))
	l.Type("groq").Press("enter").WaitFor(Contains("it is not shown."))
	l.Type(goodKey).Press("enter").WaitFor(Contains("can be kept unchecked"), NotContains(goodKey))
	l.Type("yes").Press("enter").WaitFor(Contains("Setup, step 3 of 3"))
	l.Type("usual").Press("enter").WaitFor(Contains("Set up: "))
	here.Store(true)
	l.Type("hello").Press("enter").WaitFor(Contains("Hello from a real server."), Contains("Done after"))
	l.Type("/quit").Press("enter").Wait()
	p.plain(t)
}

// TestSetupOfMissingKey opens the setup where the service of the settings has no key, also
// in a home with earlier sessions.
func TestSetupOfMissingKey(t *testing.T) {
	t.Parallel()
	o := Options{Cols: 100, Rows: 34, Home: filepath.Join(t.TempDir(), "home"), Config: "probe: {local_servers: false}\nmodel: {provider: custom, base_url: '" + keyed(t, "") + "', default: m}\n"}
	d := Start(t, o)
	d.WaitFor(Contains("❯ ")).Type("hello").Press("enter").WaitFor(Contains("Hello from a real server.")).WaitIdle().Quit().Wait()
	o.Config = "probe: {local_servers: false}\nmodel: {provider: groq}\n"
	d = Start(t, o)
	d.WaitFor(Contains("Setup 1 of 5"), Contains("Named in the settings")).Press("enter").WaitFor(Contains("key for Groq"))
	d.Press("alt+s").WaitFor(NotContains("Setup 2 of"), Contains("Groq needs an API key"))
	d.Quit().Wait()
}

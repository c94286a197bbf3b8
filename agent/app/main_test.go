package app

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"hermes-tui/agent/event"
	"hermes-tui/internal/scripttest"
	"hermes-tui/internal/uitest"
	"hermes-tui/providers/catalog"
	"hermes-tui/providers/script"
	"hermes-tui/store"
	"hermes-tui/store/config"
	"hermes-tui/tools/place"
	"hermes-tui/tools/web"
)

// mains runs the tests and removes the program that they built.
type mains struct{ *testing.M }

// Run implements goleak.TestingM. The settings, which are most of the tests, wait for what
// takes a second or more to take effect.
func (m mains) Run() int { return uitest.Main(m.M, 8) }

func TestMain(m *testing.M) {
	if handled, code := place.SandboxMain(os.Args); handled {
		os.Exit(code)
	}
	if handled, code := web.ReaderMain(os.Args); handled {
		os.Exit(code)
	}
	if task := os.Getenv(rewindEnv); task != "" {
		if err := crashingRewind(task); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if task := os.Getenv(homeEnv); task != "" {
		if err := writeHome(task); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
	}
	if task := os.Getenv(linesEnv); task != "" {
		if err := addLines(task); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
	}
	if task := os.Getenv(talkEnv); task != "" {
		if err := talkSessions(task); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
	}
	if os.Getenv(serverEnv) != "" {
		if err := testServer().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	// A machine may have a service that tells credentials, and keeps the connection open.
	if err := os.Setenv("AWS_EC2_METADATA_DISABLED", "true"); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(mains{m})
}

// patience bounds every wait of these tests.
const patience = 20 * time.Second

// hostOf is where an address leads.
func hostOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// box is what an app is opened with: a home, settings, an environment.
type box struct {
	t          *testing.T
	home       store.Home
	dir        string
	env        map[string]string
	flags      map[string]string
	scenario   string
	confine    bool
	unattended bool
}

func newBox(t *testing.T) *box {
	t.Helper()
	dir := t.TempDir()
	home, err := store.Find(store.Where{Dir: filepath.Join(dir, "home")})
	if err != nil {
		t.Fatal(err)
	}
	b := &box{t: t, home: home, dir: filepath.Join(dir, "work"), flags: map[string]string{}, env: map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": dir, "OLLAMA_HOST": "127.0.0.1:1", // nothing listens there
	}}
	for _, d := range []string{b.dir, home.Dir()} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b.config("probe:\n  local_servers: false\n")
	return b
}

// config writes config.yaml.
func (b *box) config(text string) {
	b.t.Helper()
	if err := os.WriteFile(b.home.Config(), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// open opens the app as the command line does.
func (b *box) open() *App {
	b.t.Helper()
	env := func(name string) (string, bool) { v, ok := b.env[name]; return v, ok }
	loading := config.Options{File: b.home.Config(), Env: env, Flags: b.flags}
	c, warned, err := config.Load(loading)
	if err != nil {
		b.t.Fatal(err)
	}
	var environ []string
	for name, value := range b.env {
		environ = append(environ, name+"="+value)
	}
	a, err := Open(b.t.Context(), Options{
		Version: "test", Home: b.home, Config: c, Loading: loading, Warned: warned, Env: env, Environ: environ, Dir: b.dir, Scenario: b.scenario, Confine: b.confine, Unattended: b.unattended, IDs: event.SystemSource(),
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		if err := a.Close(); err != nil {
			b.t.Errorf("close: %v", err)
		}
	})
	return a
}

// begin opens the app and starts a conversation.
func (b *box) begin() (*App, Conversation) {
	b.t.Helper()
	a := b.open()
	c, err := a.Start(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return a, c
}

// resume opens the app and goes on with the newest conversation.
func (b *box) resume() (*App, Conversation) {
	b.t.Helper()
	a := b.open()
	ref, err := a.Latest(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	c, err := a.Resume(b.t.Context(), ref)
	if err != nil {
		b.t.Fatal(err)
	}
	return a, c
}

// say submits a text and waits for the end of its turn.
func say(t *testing.T, c Conversation, text string) {
	t.Helper()
	if _, err := c.Submit(text); err != nil {
		t.Fatal(err)
	}
	ended(t, c)
}

// ended waits until a turn has ended.
func ended(t *testing.T, c Conversation) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		events, err := c.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if end, ok := e.(*event.TurnFinished); ok {
				if end.Outcome != event.TurnCompleted {
					t.Fatalf("the turn ended %s: %s", end.Outcome, end.Explain)
				}
				return
			}
		}
	}
}

// model is what answers, as the screen would show it.
func model(c Conversation) event.Model { return c.State().Model }

// notices are what the transcript tells the user.
func notices(c Conversation) string {
	var list []string
	for _, b := range c.State().Root().Blocks {
		if b.Kind == event.BlockNotice {
			list = append(list, b.Text.String())
		}
	}
	return strings.Join(list, "\n")
}

// closed closes an app before the test goes on.
func closed(t *testing.T, a *App) {
	t.Helper()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// serve plays a scenario that answers everything and offers models.
func serve(t *testing.T, models ...string) *scripttest.Server {
	t.Helper()
	s := &script.Scenario{Rules: []script.Rule{{Steps: []script.Step{script.Text{Text: "ok"}}}}}
	for _, m := range models {
		s.Models = append(s.Models, script.Model{ID: m, ContextLength: 100_000})
	}
	server, err := scripttest.Serve(s, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// asked is the model that a request named.
func asked(t *testing.T, server *scripttest.Server, n int) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	all, err := server.WaitRequests(ctx, n)
	if err != nil {
		t.Fatal(err)
	}
	var body struct{ Model string }
	if err := json.Unmarshal(all[n-1].Body, &body); err != nil {
		t.Fatal(err)
	}
	return body.Model
}

// gate is an endpoint that wants a key and counts who asks for its models.
type gate struct {
	*httptest.Server
	mu   sync.Mutex
	keys []string
}

func newGate(t *testing.T, key string) *gate {
	t.Helper()
	g := &gate{}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := strings.TrimPrefix(r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"), "Bearer ")
		g.mu.Lock()
		g.keys = append(g.keys, given)
		g.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if given != key {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":{"message":"Incorrect API key provided"}}`)
			return
		}
		fmt.Fprint(w, `{"data":[{"id":"some-model"}]}`)
	}))
	t.Cleanup(g.Close)
	return g
}

func (g *gate) url() string { return g.URL + "/v1" }

// provider finds a row of the catalogue.
func provider(t *testing.T, id string) catalog.Provider {
	t.Helper()
	p, ok := catalog.Find(id)
	if !ok {
		t.Fatalf("no provider %s", id)
	}
	return p
}

// offered lists what every endpoint offers, in their order, and why one offers nothing.
func offered(t *testing.T, a *App) ([]ModelInfo, error) {
	t.Helper()
	groups := map[int]ModelGroup{}
	err := a.AskModels(t.Context(), func(g ModelGroup) { groups[g.At] = g })
	var list []ModelInfo
	for _, at := range slices.Sorted(maps.Keys(groups)) {
		g := groups[at]
		if g.Problem != "" {
			list = append(list, ModelInfo{Provider: g.Provider, Label: g.Label, Key: g.Key, Problem: g.Problem})
		}
		list = append(list, g.Models...)
	}
	return list, err
}

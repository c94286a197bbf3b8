package auxiliary

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hermes-tui/internal/scripttest"
	"hermes-tui/providers"
	"hermes-tui/providers/chat"
	"hermes-tui/providers/script"
	"hermes-tui/providers/transport"
	"hermes-tui/store/config"
)

// other is a task that the program does not have.
const other Task = "other"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a set of services on loopback ports, and a client that knows them by
// the names of their providers.
type world struct {
	t         *testing.T
	transport *transport.Transport
	urls      map[string]string
	servers   map[string]*scripttest.Server
	now       time.Time

	mu    sync.Mutex
	spent []spending
}

type spending struct {
	task  Task
	on    Service
	usage *providers.Usage
}

func newWorld(t *testing.T) *world {
	w := &world{
		t: t, transport: transport.New(transport.Options{ReadTimeout: -1}), urls: map[string]string{},
		servers: map[string]*scripttest.Server{}, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
	}
	t.Cleanup(w.transport.CloseIdle)
	return w
}

// serve plays a scenario, in its JSON form, as a provider.
func (w *world) serve(provider, scenario string) {
	w.t.Helper()
	s, err := script.Parse(provider+".json", []byte(scenario))
	if err != nil {
		w.t.Fatal(err)
	}
	srv, err := scripttest.Serve(s, scripttest.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { w.transport.CloseIdle(); _ = srv.Close() })
	w.urls[provider], w.servers[provider] = srv.URL(), srv
}

// says serves a provider that always answers with steps.
func (w *world) says(provider, steps string) { w.serve(provider, `{"rules":[{"steps":[`+steps+`]}]}`) }

// text is a step that says something.
func text(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return `{"text":` + string(b) + `}`
}

// closed adds a provider at whose address no one listens.
func (w *world) closed(provider string) {
	srv := httptest.NewServer(http.NotFoundHandler())
	w.urls[provider] = srv.URL
	srv.Close()
}

func (w *world) open(_ context.Context, s Service) (Runtime, error) {
	client, err := chat.New(chat.Config{Service: transport.Service{Endpoint: providers.Endpoint{Provider: s.Provider, BaseURL: w.urls[s.Provider], Key: s.APIKey.Reveal()}, Transport: w.transport}})
	if err != nil {
		return Runtime{}, err
	}
	model := s.Model
	if model == "" {
		model = "usual-of-" + s.Provider
	}
	return Runtime{Client: client, Model: model}, nil
}

// client makes a client whose main model is that of the provider main.
func (w *world) client(tasks map[Task]Setting) *Client {
	return New(Options{
		Tasks: tasks, Open: w.open, Main: func() Service { return Service{Provider: "main", Model: "big"} },
		Now: func() time.Time { return w.now },
		Spend: func(t Task, s Service, u *providers.Usage) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.spent = append(w.spent, spending{t, s, u})
		},
	})
}

// requests counts what reached a provider.
func (w *world) requests(provider string) int { return len(w.servers[provider].Requests()) }

// sent is the newest request to a provider.
func (w *world) sent(provider string) (body struct {
	Model     string
	Messages  []struct{ Role, Content string }
	MaxTokens int `json:"max_tokens"`
	Tools     []any
}) {
	w.t.Helper()
	list := w.servers[provider].Requests()
	if err := json.Unmarshal(list[len(list)-1].Body, &body); err != nil {
		w.t.Fatal(err)
	}
	return body
}

// key is a secret that has no telling form.
var key = config.NewSecret("plain-words-nobody-knows")

func noKey(t *testing.T, s string) {
	t.Helper()
	if strings.Contains(s, key.Reveal()) || strings.Contains(s, "sk-live") {
		t.Errorf("a key stands in %q", s)
	}
}

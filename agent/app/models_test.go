package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
)

// asks collects what endpoints say, in a readable form.
type asks struct {
	t    *testing.T
	rows []string
	last map[string]ModelGroup
}

func (s *asks) take(g ModelGroup) {
	row := g.Provider
	switch {
	case g.Asking:
		row += "?"
	case g.Problem != "":
		row += "!"
	}
	for _, m := range g.Models {
		row += " " + m.Name
	}
	s.rows = append(s.rows, row)
	if s.last == nil {
		s.last = map[string]ModelGroup{}
	}
	s.last[g.Provider] = g
}

// TestAskModels asks endpoints of every kind: each appears at once, in the order of
// the catalogue, and again with its answer.
func TestAskModels(t *testing.T) {
	here, good, bad := serve(t, "local-b", "local-a"), newGate(t, "good"), newGate(t, "another")
	u, err := url.Parse(here.URL())
	if err != nil {
		t.Fatal(err)
	}
	b := newBox(t)
	b.config("probe:\n  timeout_ms: 5000\n")
	b.env["OLLAMA_HOST"] = u.Host
	b.env["GROQ_API_KEY"], b.env["GROQ_BASE_URL"] = "good", good.url()
	b.env["XAI_API_KEY"], b.env["XAI_BASE_URL"] = "stale", bad.url()
	s := &asks{t: t}
	if err := b.open().AskModels(t.Context(), s.take); err != nil {
		t.Fatal(err)
	}
	if first := s.rows[:3]; !slices.Equal(first, []string{"xai?", "groq?", "demo?"}) {
		t.Errorf("at first %q", first)
	}
	rest := slices.Sorted(slices.Values(s.rows[3:]))
	want := []string{"demo demo", "groq some-model", "ollama local-a local-b", "xai! " + provider(t, "xai").Models[0]}
	if !slices.Equal(rest, want) {
		t.Errorf("then %q, want %q", rest, want)
	}
	xai, groq, ollama, demo := s.last["xai"], s.last["groq"], s.last["ollama"], s.last["demo"]
	if !(xai.At < groq.At && groq.At < ollama.At && ollama.At < demo.At) {
		t.Errorf("places: %d %d %d %d", xai.At, groq.At, ollama.At, demo.At)
	}
	if !strings.Contains(xai.Problem, "does not accept the API key from XAI_API_KEY") || strings.Contains(xai.Problem, "stale") {
		t.Errorf("the problem is %q", xai.Problem)
	}
	if groq.Key != "env GROQ_API_KEY" || groq.Host != hostOf(good.URL) || ollama.Key != "" || !slices.Contains(xai.Aliases, "grok") {
		t.Errorf("%+v\n%+v\n%+v", groq, ollama, xai)
	}
	if ollama.Models[0].ContextMax != 100_000 {
		t.Errorf("the context of %+v", ollama.Models[0])
	}
}

// TestAskModelsDoesNotWait has an endpoint that never answers: the others are told
// of before it, and giving up ends the question at once and says nothing of it.
func TestAskModelsDoesNotWait(t *testing.T) {
	asked, gone := make(chan struct{}), make(chan struct{})
	stuck := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
		close(gone)
	}))
	t.Cleanup(stuck.Close)
	good := newGate(t, "good")
	b := newBox(t)
	b.env["GROQ_API_KEY"], b.env["GROQ_BASE_URL"] = "good", good.url()
	b.env["XAI_API_KEY"], b.env["XAI_BASE_URL"] = "k", stuck.URL
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := &asks{t: t}
	a := b.open()
	err := a.AskModels(ctx, func(g ModelGroup) {
		s.take(g)
		if g.Provider == "groq" && !g.Asking {
			<-asked
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if x := s.last["xai"]; !x.Asking || x.Problem != "" {
		t.Errorf("of the endpoint that was given up: %+v", x)
	}
	<-gone // the request was ended, too
}

// TestAskModelsDespiteSettings lists what there is although what is configured
// cannot be used, and says why.
func TestAskModelsDespiteSettings(t *testing.T) {
	b := newBox(t)
	b.config("model:\n  provider: groq\nprobe:\n  local_servers: false\n")
	s := &asks{t: t}
	if err := b.open().AskModels(t.Context(), s.take); err != nil {
		t.Fatal(err)
	}
	if s.rows[0] != "groq!" || !strings.Contains(s.last["groq"].Problem, "GROQ_API_KEY") || len(s.last["demo"].Models) != 1 {
		t.Errorf("%q: %+v", s.rows, s.last["groq"])
	}
	b.config("model:\n  provider: groq\n  api_key: ${NOWHERE}\nprobe:\n  local_servers: false\n")
	if err := b.open().AskModels(t.Context(), s.take); err == nil || !strings.Contains(err.Error(), "NOWHERE") {
		t.Errorf("the error is %v", err)
	}
}

// TestPick changes what answers: at the endpoint that was meant, with what its list
// says, and keeps how much is to be reasoned.
func TestPick(t *testing.T) {
	one, two := serve(t, "a", "same"), serve(t, "same")
	b := newBox(t)
	b.config("probe:\n  local_servers: false\nmodel:\n  provider: custom\n  base_url: " + one.URL() + "\n  default: a\n")
	b.env["OPENAI_BASE_URL"], b.env["OPENAI_API_KEY"] = two.URL(), "k"
	a, conv := b.begin()
	if _, err := conv.SetEffort("high"); err != nil {
		t.Fatal(err)
	}
	known := ModelInfo{Name: "same", ContextMax: 40_000, Sees: event.No}
	for _, server := range []string{two.URL(), one.URL()} {
		if err := a.Pick(t.Context(), conv.ID(), Choice{Provider: "custom", Host: hostOf(server), Name: "same"}, known); err != nil {
			t.Fatal(err)
		}
		m := model(conv)
		if m.Host != hostOf(server) || m.Name != "same" || m.ContextMax != 40_000 || m.Vision != event.No || m.Effort != "high" || !m.Chosen {
			t.Errorf("%+v answers", m)
		}
	}
	if err := a.Pick(t.Context(), conv.ID(), Choice{Name: "a"}, known); err != nil {
		t.Fatal(err)
	}
	if m := model(conv); m.Host != hostOf(one.URL()) || m.Name != "a" || m.ContextMax == 40_000 || m.Vision == event.No {
		t.Errorf("what is known of another model was taken: %+v", m)
	}
	say(t, conv, "hello")
	if got := asked(t, one, 1); got != "a" {
		t.Errorf("%s was asked", got)
	}
	if err := a.Pick(t.Context(), conv.ID(), Choice{Provider: "nowhere", Name: "x"}, ModelInfo{}); err == nil || !strings.Contains(err.Error(), `no provider "nowhere"`) {
		t.Errorf("the error is %v", err)
	}
	if m := model(conv); m.Name != "a" {
		t.Errorf("%s answers after a refusal", m.Name)
	}
	closed(t, a)
	if err := a.Pick(t.Context(), conv.ID(), Choice{Name: "a"}, ModelInfo{}); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("the error is %v", err)
	}
}

// TestWhatIsKnown adds prices and abilities to what an endpoint says.
func TestWhatIsKnown(t *testing.T) {
	server := serve(t, "gpt-4o", "nobody-knows-this")
	b := newBox(t)
	b.config("probe:\n  local_servers: false\npricing:\n  - {model: gpt-4o, input: 2.5, output: 10, cache_read: 1.25}\nmodel:\n  provider: custom\n  base_url: " + server.URL() + "\n")
	s := &asks{t: t}
	a := b.open()
	if err := a.AskModels(t.Context(), s.take); err != nil {
		t.Fatal(err)
	}
	known, other := s.last["custom"].Models[0], s.last["custom"].Models[1]
	const d = event.Dollar
	if known.Price == nil || *known.Price != (ModelPrice{Input: 5 * d / 2, Output: 10 * d, CacheRead: 5 * d / 4}) || known.Sees != event.Yes || known.Reasons != event.No || known.OutputMax == 0 {
		t.Errorf("known: %+v, %+v", known, known.Price)
	}
	if other.Sees != "" || other.Reasons != "" || other.ContextMax != 100_000 {
		t.Errorf("guessed: %+v", other)
	}
	if m := a.About(event.Model{Provider: "openai", Name: "gpt-4o"}); m.Reasons != event.No {
		t.Errorf("%+v", m)
	}
}

// TestPickKeepsTheConfiguredContext prefers what the settings say of a model.
func TestPickKeepsTheConfiguredContext(t *testing.T) {
	server := serve(t, "mine", "other")
	b := newBox(t)
	b.config(fmt.Sprintf("probe:\n  local_servers: false\nmodel:\n  provider: custom\n  base_url: %s\n  default: mine\n  context_length: 70000\n", server.URL()))
	a, conv := b.begin()
	for name, want := range map[string]int{"other": 100_000, "mine": 70_000} {
		if err := a.Pick(t.Context(), conv.ID(), Choice{Name: name}, ModelInfo{Name: name, ContextMax: 100_000}); err != nil {
			t.Fatal(err)
		}
		if m := model(conv); m.Name != name || m.ContextMax != want {
			t.Errorf("%+v answers", m)
		}
	}
}

// TestAskModelsWhilePlaying does not call the player of a scenario an unknown provider.
func TestAskModelsWhilePlaying(t *testing.T) {
	b := newBox(t)
	b.config("probe:\n  local_servers: false\nmodel:\n  provider: script\n")
	s := &asks{t: t}
	if err := b.open().AskModels(t.Context(), s.take); err != nil {
		t.Fatal(err)
	}
	for id, g := range s.last {
		if g.Problem != "" {
			t.Errorf("%s: %s", id, g.Problem)
		}
	}
	if len(s.last) != 1 {
		t.Errorf("%q", s.rows)
	}
}

package models

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/store/config"
)

// TestTryProof has a service whose list of models is there for everyone prove that it takes
// the key, and says of a wrong one what to do.
func TestTryProof(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/models"):
			fmt.Fprint(w, `{"data":[{"id":"openrouter/auto"}]}`)
		case r.URL.Path == "/v1/key" && r.Header.Get("Authorization") == "Bearer sk-right":
			asked.Add(1)
			fmt.Fprint(w, `{"data":{}}`)
		default:
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":{"message":"No auth credentials found"}}`)
		}
	}))
	defer server.Close()
	b := newLoginBox(t)
	b.env["OPENROUTER_BASE_URL"] = server.URL + "/v1"
	env := func(name string) (string, bool) { v, ok := b.env[name]; return v, ok }
	c, _, err := config.Load(config.Options{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.home.Ensure(); err != nil {
		t.Fatal(err)
	}
	a, err := Open(Options{Version: "test", Home: b.home, Config: c, Env: env, IDs: event.SystemSource()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	s := api.Service{ID: "openrouter", Name: "OpenRouter"}
	g, err := a.Try(t.Context(), s, "sk-right")
	if err != nil || g.Usual != "openrouter/auto" || len(g.Models) != 1 || asked.Load() != 1 {
		t.Fatalf("%+v, %v, asked %d times", g, err, asked.Load())
	}
	if _, err = a.Try(t.Context(), s, "sk-wrong"); err == nil || !strings.Contains(err.Error(), "does not accept this key (HTTP 401): copy it again, or make a new one at https://openrouter.ai/keys") {
		t.Fatalf("got %v", err)
	}
	if _, err := a.KeepKey(t.Context(), s, "setup", "sk-right"); err != nil {
		t.Fatal(err)
	}
	list, err := a.Candidates()
	if err != nil || list[0].Provider != "openrouter" || list[0].Key != "sk-right" {
		t.Fatalf("%v, %v", list, err)
	}
	// A key of the environment counts more, until one that is typed takes its place.
	b.env["OPENROUTER_API_KEY"] = "sk-old"
	if list, err = a.Candidates(); err != nil || list[0].Key != "sk-old" {
		t.Fatalf("%v, %v", list, err)
	}
	if err := a.RetireVariables(t.Context(), s, "sk-right"); err != nil {
		t.Fatal(err)
	}
	if list, err = a.Candidates(); err != nil || list[0].Key != "sk-right" {
		t.Fatalf("%v, %v", list, err)
	}
	b.env["OPENROUTER_API_KEY"] = "sk-new"
	if list, err = a.Candidates(); err != nil || list[0].Key != "sk-new" {
		t.Fatalf("%v, %v", list, err)
	}
}

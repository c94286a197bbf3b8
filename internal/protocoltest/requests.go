package protocoltest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hermes-tui/providers"
)

// request checks the frame of a request: where it goes, what it says of itself,
// and that the credential is in its one place.
func (s suite) request(t *testing.T) {
	srv := s.streams(t, s.body(text("a"), finish(providers.FinishStop)))
	r := hello()
	r.System, r.MaxOutput, r.Session = "be kind", 100, "s1"
	r.Tools = []providers.ToolDef{
		{Name: "now", Description: "The time."},
		{Name: "read", Description: "Reads.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
	}
	client := s.p.New(t, srv.url)
	var bodies []string
	for range 2 {
		if _, err := ask(t, client, r); err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, srv.last().body)
	}
	got := srv.last()
	same(t, "method", got.method, "POST")
	same(t, "path", got.path, s.p.Path)
	same(t, "content type", got.header.Get("Content-Type"), s.p.RequestType)
	for k, v := range s.p.Sends {
		same(t, k, got.header.Get(k), v)
	}
	if agent := got.header.Get("User-Agent"); !strings.HasPrefix(agent, "hermes-tui/") {
		t.Errorf("the user agent is %q", agent)
	}
	if !s.p.Authorised(got.header) {
		t.Errorf("%s is %q", s.p.AuthHeader, got.header.Values(s.p.AuthHeader))
	}
	for line := range strings.Lines(got.head) {
		name, _, _ := strings.Cut(line, ":")
		if strings.Contains(line, Key) && !strings.EqualFold(name, s.p.AuthHeader) {
			t.Errorf("the credential is in %q", name)
		}
	}
	if strings.Contains(got.body, Key) {
		t.Error("the credential is in the body")
	}
	if !json.Valid([]byte(got.body)) {
		t.Errorf("the body is no JSON: %s", got.body)
	}
	same(t, "the body of an equal request", bodies[1], bodies[0])
	holds(t, got.body, "be kind", "hi", "The time.", `"path"`)
}

// roundTrip sends an answer back as history: nothing of it is lost, and what
// only its model understands reaches no other.
func (s suite) roundTrip(t *testing.T) {
	steps, _ := twoCalls()
	all := append([]Step{reason("because "), opaque("of it", "c2lnbmF0dXJl"), text("I look")}, steps...)
	srv := s.streams(t, s.body(append(all, finish(providers.FinishToolCalls))...))
	client := s.p.New(t, srv.url)
	a, err := ask(t, client, hello())
	if err != nil {
		t.Fatal(err)
	}
	r := hello()
	r.Messages = append(r.Messages, a.message("a1"))
	for i, c := range r.Messages[1].Calls {
		r.Messages = append(r.Messages, providers.Message{
			ID: fmt.Sprintf("t%d", i), Role: providers.Tool, CallID: c.ID, CallName: c.Name,
			Parts: providers.TextParts(fmt.Sprintf("result-%d", i)),
		})
	}
	if _, err := ask(t, client, r); err != nil {
		t.Fatal(err)
	}
	body := srv.last().body
	holds(t, body, "I look", "read_file", "terminal", "ls -l", "result-0", "result-1")
	for _, id := range []string{"call_1", "call_2"} {
		if n := strings.Count(body, `"`+id+`"`); n < 2 {
			t.Errorf("%s is in the request %d times, want it with the call and with the result: %s", id, n, body)
		}
	}
	if s.p.ReplaysReasoning {
		holds(t, body, "because of it")
	}
	if s.p.ReplaysOpaque {
		holds(t, body, "c2lnbmF0dXJl")
	}
	r.Model = "other-model"
	if _, err := ask(t, client, r); err != nil {
		t.Fatal(err)
	}
	body = srv.last().body
	holds(t, body, "I look", "result-1")
	if strings.Contains(body, "c2lnbmF0dXJl") {
		t.Errorf("what another model signed is in the request: %s", body)
	}
}

// holds checks that a body contains some texts.
func holds(t *testing.T, body string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(body, text) {
			t.Errorf("the request lacks %q: %s", text, body)
		}
	}
}

package scripttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hermes-tui/providers/script"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scenario parses a scenario, or steps that answer everything.
func scenario(t testing.TB, text string) *script.Scenario {
	t.Helper()
	if strings.HasPrefix(text, "[") {
		text = `{"rules": [{"steps": ` + text + `}]}`
	}
	s, err := script.Parse("test", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return s
}

// stopped is a clock that stands still and does not wait.
type stopped time.Time

func (c stopped) Now() time.Time { return time.Time(c) }

func (c stopped) Sleep(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }

func serve(t testing.TB, text string) *Server {
	t.Helper()
	s, err := Serve(scenario(t, text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// httpClient is a client with connections of its own.
func httpClient(t testing.TB) *http.Client {
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

const hi = `{"model": "m", "stream": true, "stream_options": {"include_usage": true},
	"messages": [{"role": "system", "content": "You are."}, {"role": "user", "content": "hi"}]}`

// post sends a request and reads all of the response, as far as it comes.
func post(t testing.TB, c *http.Client, s *Server, body string) (*http.Response, []byte, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer key")
	resp, err := c.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return resp, got, err
}

// TestWire holds the bytes themselves to the protocol.
func TestWire(t *testing.T) {
	clock := stopped(time.Unix(1700000000, 0))
	s, err := Serve(scenario(t, `{"reasoning_field": "reasoning", "rules": [{"steps": [
		{"keepalive": 1}, {"reasoning": "hm"}, {"text": "a<b"}, {"call": {"name": "ls", "args": {"p": "."}, "id": "c"}},
		{"usage": {"input": 5, "output": 4, "cache_read": 3, "cache_write": 2, "reasoning": 1}}]}]}`), Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	resp, body, err := post(t, httpClient(t), s, `{"model":"x\"y","stream":true,"messages":[{"role":"user","content":"hi"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	head := `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"x\"y",`
	delta := func(s string) string {
		return head + `"choices":[{"index":0,"delta":{` + s + `},"finish_reason":null}]}` + "\n\n"
	}
	want := ": keep-alive\n\n" + delta(`"role":"assistant","content":""`) + delta(`"reasoning":"hm"`) + delta(`"content":"a<b"`) +
		delta(`"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"ls","arguments":""}}]`) +
		delta(`"tool_calls":[{"index":0,"function":{"arguments":"{\"p\":\".\"}"}}]`) +
		head + `"choices":[],"usage":{"completion_tokens":4,"completion_tokens_details":{"reasoning_tokens":1},"prompt_tokens":10,` +
		`"prompt_tokens_details":{"cache_write_tokens":2,"cached_tokens":3},"total_tokens":14}}` + "\n\n" +
		head + `"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
	if string(body) != want {
		t.Errorf("\n got  %s\n want %s", body, want)
	}
	if resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("header %v", resp.Header)
	}
}

// TestUsageOnRequest: counted usage is an answer to include_usage.
func TestUsageOnRequest(t *testing.T) {
	_, body, err := post(t, httpClient(t), serve(t, `[{"text": "a"}]`),
		`{"stream": true, "messages": [{"role": "user", "content": "hi"}]}`)
	if err != nil || strings.Contains(string(body), "usage") || !strings.HasSuffix(string(body), "data: [DONE]\n\n") {
		t.Errorf("%v %s", err, body)
	}
}

func TestRecorded(t *testing.T) {
	s := serve(t, `{"rules": [{"match": {"user": "one"}, "steps": []}, {"match": {"user": "two"}, "steps": []}]}`)
	c := httpClient(t)
	ask := func(text string) string { return `{"messages": [{"role": "user", "content": "` + text + `"}]}` }
	go func() {
		for _, text := range []string{"one", "two", "three"} {
			_, _, _ = post(t, c, s, ask(text))
		}
		_, _, _ = post(t, c, s, `not JSON`)
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	got, err := s.WaitRequests(ctx, 4)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		body string
		rule int
	}{{ask("one"), 0}, {ask("two"), 1}, {ask("three"), -1}, {"not JSON", -1}} {
		if string(got[i].Body) != want.body || got[i].Rule != want.rule || got[i].Header.Get("Authorization") != "Bearer key" {
			t.Errorf("request %d: %s by rule %d, header %v", i, got[i].Body, got[i].Rule, got[i].Header)
		}
	}
	if n := len(s.Requests()); n != 4 {
		t.Errorf("%d requests", n)
	}
	gone, stop := context.WithCancelCause(t.Context())
	stop(errors.New("enough"))
	if got, err := s.WaitRequests(gone, 5); err == nil || err.Error() != "enough" || len(got) != 4 {
		t.Errorf("cancelled wait: %d requests, %v", len(got), err)
	}
}

func TestRecordedBodiesAreBounded(t *testing.T) {
	s := &Server{changed: make(chan struct{})}
	big := bytes.Repeat([]byte("x"), maxBodies/4)
	for range 6 {
		s.record(Recorded{Body: big})
	}
	var have []bool
	for _, r := range s.Requests() {
		have = append(have, r.Body != nil)
	}
	if want := []bool{false, false, true, true, true, true}; !slices.Equal(have, want) {
		t.Errorf("bodies kept: %v", have)
	}
	s.record(Recorded{Body: bytes.Repeat([]byte("x"), maxBodies+1)})
	if got := s.Requests(); got[5].Body != nil || got[6].Body == nil {
		t.Error("the newest body is not the one that is kept")
	}
}

func TestRefusals(t *testing.T) {
	s := serve(t, `[]`)
	c := httpClient(t)
	for body, want := range map[string]string{
		`{`:                              "read the request",
		`{"messages": []}`:               "no messages",
		`{"messages": [{"role": "me"}]}`: "unknown role",
	} {
		resp, got, err := post(t, c, s, body)
		if err != nil || resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(got), want) {
			t.Errorf("%s: %v %s", body, err, got)
		}
	}
	resp, body, err := get(t, c, s.URL()+"/embeddings")
	if err != nil || resp.StatusCode != http.StatusNotFound || !json.Valid(body) {
		t.Errorf("unknown path: %v %s", err, body)
	}
	for _, addr := range []string{"0.0.0.0:0", ":0", "192.0.2.1:80", "nonsense"} {
		if s, err := Serve(scenario(t, `[]`), Options{Addr: addr}); err == nil {
			s.Close()
			t.Errorf("served at %s", addr)
		}
	}
}

func get(t *testing.T, c *http.Client, url string) (*http.Response, []byte, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, body, err
}

func TestModels(t *testing.T) {
	for in, want := range map[string]string{
		`{"rules": []}`: `{"data":[{"created":0,"id":"script","object":"model","owned_by":"script"}],"object":"list"}`,
		`{"models": ["a", {"id": "b", "context_length": 9}], "rules": []}`: `{"data":[{"created":0,"id":"a","object":"model","owned_by":"script"},` +
			`{"context_length":9,"created":0,"id":"b","object":"model","owned_by":"script"}],"object":"list"}`,
	} {
		resp, body, err := get(t, httpClient(t), serve(t, in).URL()+"/models")
		if err != nil || resp.StatusCode != http.StatusOK || string(body) != want {
			t.Errorf("%s: %v %s", in, err, body)
		}
	}
}

// soon is how fast a cancellation must land; the best of some tries counts, as
// the machine may be busy.
const soon = 50 * time.Millisecond

// TestClientLeaves: when the client leaves a silent answer, the server lets go
// of it at once.
func TestClientLeaves(t *testing.T) {
	s := serve(t, `[{"text": "a"}, {"stall": true}]`)
	c := httpClient(t)
	best := time.Hour
	for range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/chat/completions", strings.NewReader(hi))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAtLeast(resp.Body, make([]byte, 4096), 200); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		cancel()
		resp.Body.Close()
		s.busyUntilIdle(t)
		best = min(best, time.Since(begin))
	}
	if best > soon {
		t.Errorf("the server needed %v", best)
	}
}

// busyUntilIdle waits until all answers and connections have ended, and keeps
// the server's own goroutine out of it.
func (s *Server) busyUntilIdle(t *testing.T) {
	t.Helper()
	s.busy.Done()
	defer s.busy.Add(1)
	done := make(chan struct{})
	go func() {
		s.busy.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("answers go on after the client has left")
	}
}

func TestCloseEndsAnswers(t *testing.T) {
	s, err := Serve(scenario(t, `[{"open": true}, {"stall": true}]`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	c := httpClient(t)
	go func() {
		_, _, err := post(t, c, s, hi)
		ended <- err
	}()
	if _, err := s.WaitRequests(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	idle, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.URL(), "http://"), "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := <-ended; err == nil {
		t.Error("the answer ended as if it were complete")
	}
	if _, _, err := post(t, c, s, hi); err == nil {
		t.Error("a closed server answers")
	}
}

func TestConcurrentAnswers(t *testing.T) {
	s := serve(t, `{"rules": [{"steps": [{"text": "for {{last_user}}: "}, {"tokens": {"n": 2000}}]}]}`)
	c := httpClient(t)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			_, body, err := post(t, c, s, strings.Replace(hi, `"hi"`, fmt.Sprintf(`"number %d"`, i), 1))
			if err != nil || !bytes.Contains(body, fmt.Appendf(nil, `" %d:`, i)) || bytes.Count(body, []byte("data: ")) < 2000 {
				t.Errorf("%d: %v, %d bytes", i, err, len(body))
			}
		})
	}
	wg.Wait()
	if n := len(s.Requests()); n != 20 {
		t.Errorf("%d requests", n)
	}
}

// TestPieceArrivesAlone: a paced answer does not wait in a buffer.
func TestPieceArrivesAlone(t *testing.T) {
	s := serve(t, `[{"text": "first"}, {"stall": true}]`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/chat/completions", strings.NewReader(hi))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := httpClient(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got []byte
	buf := make([]byte, 4096)
	for !bytes.Contains(got, []byte(`"content":"first"`)) {
		n, err := resp.Body.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, buf[:n]...)
	}
}

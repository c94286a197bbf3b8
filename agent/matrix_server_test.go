package agent_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/chat"
	"hermes-tui/providers/transport"
)

// unruly is a server on loopback that answers with whatever bytes a test writes.
type unruly struct {
	url    string
	answer func(*ask)

	mu     sync.Mutex
	bodies []json.RawMessage
}

// ask is a request to an unruly server.
type ask struct {
	w http.ResponseWriter
	r *http.Request
	sent
	raw json.RawMessage
	// n counts how often the fault was played, from 1.
	n int
}

func serveUnruly(t testing.TB, answer func(*ask)) *unruly {
	t.Helper()
	u := &unruly{answer: answer}
	srv := httptest.NewUnstartedServer(u)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.Start()
	t.Cleanup(srv.Close)
	u.url = srv.URL + "/v1"
	return u
}

// ServeHTTP implements [http.Handler].
func (u *unruly) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left before it had sent everything
	}
	a := &ask{w: w, r: r, raw: raw}
	if json.Unmarshal(raw, &a.sent) != nil {
		w.WriteHeader(http.StatusTeapot)
	}
	u.mu.Lock()
	u.bodies = append(u.bodies, raw)
	u.mu.Unlock()
	u.answer(a)
}

// requests checks all requests so far and gives their number.
func (u *unruly) requests(t testing.TB) int {
	t.Helper()
	u.mu.Lock()
	defer u.mu.Unlock()
	for i, raw := range u.bodies {
		if err := checkRequest(raw); err != nil {
			t.Errorf("request %d is not valid: %v\n%.4000s", i, err, raw)
		}
	}
	return len(u.bodies)
}

// body is the request with a number, from 0.
func (u *unruly) body(n int) json.RawMessage {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.bodies[n]
}

// clientOf talks to a base URL.
func clientOf(t testing.TB, url string, o transport.Options) providers.Client {
	t.Helper()
	o.Version = "test"
	tr := transport.New(o)
	t.Cleanup(tr.CloseIdle)
	c, err := chat.New(chat.Config{Service: transport.Service{Endpoint: providers.Endpoint{Provider: "test", BaseURL: url}, Transport: tr}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// closedPort is an address where no one listens.
func closedPort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// asked reports whether the newest message of the user is text.
func (a *ask) asked(text string) bool {
	for i := len(a.Messages) - 1; i >= 0; i-- {
		if m := a.Messages[i]; m.Role == "user" {
			return strings.HasSuffix(m.text(), text)
		}
	}
	return false
}

// says reports whether the user has said a word.
func (a *ask) says(text string) bool {
	return slices.ContainsFunc(a.Messages, func(m sentMessage) bool { return m.Role == "user" && slices.Contains(strings.Fields(m.text()), text) })
}

// ran reports whether results of tools are in the history.
func (a *ask) ran() bool {
	for _, m := range a.Messages {
		if m.Role == "tool" {
			return true
		}
	}
	return false
}

// put sends bytes as they are and flushes them.
func (a *ask) put(parts ...string) {
	for _, p := range parts {
		_, _ = io.WriteString(a.w, p)
	}
	_ = http.NewResponseController(a.w).Flush()
}

// open begins an answer that is streamed.
func (a *ask) open() {
	a.w.Header().Set("Content-Type", "text/event-stream")
	a.w.WriteHeader(http.StatusOK)
	a.put()
}

// stream begins an answer and sends events.
func (a *ask) stream(events ...string) {
	a.open()
	for _, e := range events {
		a.put("data: ", e, "\n\n")
	}
}

// say is a whole answer, streamed if that was asked for.
func (a *ask) say(text string) {
	if a.Stream {
		a.stream(textEvent(text), endEvent("stop"), "[DONE]")
		return
	}
	a.w.Header().Set("Content-Type", "application/json")
	a.put(`{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":` + quoted(text) + `}}]}`)
}

// part streams a text that says the how manieth it is.
func (a *ask) part(events ...string) {
	a.stream(append([]string{textEvent(fmt.Sprintf("part %d. ", a.n))}, events...)...)
}

// fail answers with a status.
func (a *ask) fail(status int, message string) {
	a.w.Header().Set("Content-Type", "application/json")
	a.w.WriteHeader(status)
	a.put(fmt.Sprintf(`{"error":{"message":%q,"type":"error"}}`, message))
}

// page answers with a web page.
func (a *ask) page(status int) {
	a.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	a.w.WriteHeader(status)
	a.put("<!DOCTYPE html>\n<html><head><title>Sign in to the network</title></head><body><p>Welcome</p></body></html>")
}

// reset resets the connection.
func (a *ask) reset() {
	conn, _, err := http.NewResponseController(a.w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	conn.Close()
}

// hangUp closes the connection without the end of the response.
func (a *ask) hangUp() { panic(http.ErrAbortHandler) }

// stall is silent until the client leaves.
func (a *ask) stall() { <-a.r.Context().Done() }

// keepAlive sends comments until the client leaves.
func (a *ask) keepAlive() {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for a.r.Context().Err() == nil {
		a.put(": still there\n\n")
		<-tick.C
	}
}

// endless sends an event until the client leaves.
func (a *ask) endless(event string) {
	if a.w.Header().Get("Content-Type") == "" {
		a.open()
	}
	for a.r.Context().Err() == nil {
		a.put("data: ", event, "\n\n")
	}
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func deltaEvent(delta string) string { return `{"choices":[{"index":0,"delta":` + delta + `}]}` }
func textEvent(text string) string   { return deltaEvent(`{"content":` + quoted(text) + `}`) }
func endEvent(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

// callEvent begins call number i; args may be the beginning only.
func callEvent(i int, id, name, args string) string {
	return deltaEvent(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}]}`, i, id, name, quoted(args)))
}

// shellEvent is call number i of a command.
func shellEvent(i int, id, command string) string {
	return callEvent(i, id, "terminal", `{"command":`+quoted(command)+`}`)
}

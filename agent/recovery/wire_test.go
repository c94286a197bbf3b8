package recovery_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/agent/recovery"
	"hermes-tui/providers"
	"hermes-tui/providers/chat"
	"hermes-tui/providers/failure"
	"hermes-tui/providers/transport"
)

// answering is a server on loopback that answers each request with the next of
// the texts and closes the connection; the last one stays.
func answering(t *testing.T, answers ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(c, answers[min(i, len(answers)-1)])
			}
			c.Close()
		}
	})
	t.Cleanup(func() { l.Close(); wg.Wait() })
	return "http://" + l.Addr().String()
}

// head begins an answer that is streamed.
const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

func chunk(delta string) string {
	return `data: {"choices":[{"index":0,"delta":` + delta + `}]}` + "\n\n"
}

// call makes one model call and collects what arrived.
func call(t *testing.T, url string) (recovery.Sent, string, error) {
	t.Helper()
	tr := transport.New(transport.Options{Env: func(string) string { return "" }})
	t.Cleanup(tr.CloseIdle)
	client, err := chat.New(chat.Config{Service: transport.Service{Endpoint: providers.Endpoint{Provider: "example", BaseURL: url}, Transport: tr}})
	if err != nil {
		t.Fatal(err)
	}
	sent := recovery.Sent{Context: failure.Context{Provider: "example", Model: "m", Tokens: 10, Messages: 1}, Now: time.Now(), Took: time.Second}
	s, err := client.Stream(t.Context(), providers.Request{Model: "m", Messages: []providers.Message{{Role: providers.User, Parts: providers.TextParts("hi")}}})
	if err != nil {
		return sent, "", err
	}
	defer s.Close()
	var text strings.Builder
	for {
		d, err := s.Next()
		if errors.Is(err, io.EOF) {
			return sent, text.String(), nil
		}
		if err != nil {
			return sent, text.String(), err
		}
		switch d.Kind {
		case providers.DeltaText:
			text.WriteString(d.Text)
			sent.Began, sent.Text = true, true
		case providers.DeltaReasoning:
			sent.Began = true
		case providers.DeltaCall:
			sent.Calls = append(sent.Calls, d.Name)
		}
	}
}

// TestOverTheWire holds the way from bytes on a connection to an action.
func TestOverTheWire(t *testing.T) {
	toolCall := chunk(`{"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"patch","arguments":"{\"a"}}]}`)
	for _, c := range []struct {
		name, answer string
		want         func(recovery.Action) bool
	}{
		{"503 with a delay", "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
			func(a recovery.Action) bool {
				w, ok := a.(recovery.Wait)
				return ok && w.Delay == 7*time.Second && w.Asked
			}},
		{"429 with RetryInfo", "HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\n\r\n" +
			`{"error":{"code":429,"message":"slow","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3.5s"}]}}`,
			func(a recovery.Action) bool {
				w, ok := a.(recovery.Wait)
				return ok && w.Delay == 3500*time.Millisecond && w.Reason == failure.RateLimit
			}},
		{"hangs up", "", func(a recovery.Action) bool { r, ok := a.(recovery.Resend); return ok && r.Attempt == 1 }},
		{"breaks off while thinking", head + chunk(`{"reasoning_content":"hm"}`),
			func(a recovery.Action) bool { _, ok := a.(recovery.Resend); return ok }},
		{"breaks off behind text", head + chunk(`{"content":"Hello"}`),
			func(a recovery.Action) bool { _, ok := a.(recovery.Resend); return ok }},
		{"breaks off in a call", head + chunk(`{"content":"Hello"}`) + toolCall,
			func(a recovery.Action) bool { _, ok := a.(recovery.Resend); return ok }},
		{"an error in the stream behind text", head + chunk(`{"content":"Hello"}`) + `data: {"error":{"message":"upstream connect error"}}` + "\n\n",
			func(a recovery.Action) bool { w, ok := a.(recovery.Wait); return ok && w.Delay == 2*time.Second }},
		{"an event that is none", head + "data: {\"choices\":[{\n\n", func(a recovery.Action) bool {
			w, ok := a.(recovery.Wait)
			return ok && w.Delay == 5*time.Second && w.Hint == ""
		}},
		{"a web page", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html><title>Welcome</title></html>",
			func(a recovery.Action) bool {
				w, ok := a.(recovery.Wait)
				return ok && w.Delay == 5*time.Second && w.Hint == ""
			}},
		{"a window that is stated", "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n" +
			`{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}`,
			func(a recovery.Action) bool {
				c, ok := a.(recovery.Compress)
				return ok && c.Window == 8192 && c.Persist
			}},
		{"an unknown model", "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n" + `{"error":{"message":"The model 'm' does not exist","code":"model_not_found"}}`,
			func(a recovery.Action) bool {
				e, ok := a.(recovery.Abort)
				return ok && e.Cause == recovery.CauseRefused && strings.Contains(e.Sentence, "example does not have m")
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sent, _, err := call(t, answering(t, c.answer))
			if err == nil {
				t.Fatal("the call succeeded")
			}
			a, _ := recovery.Defaults(nil).Next(recovery.Read(err, sent), recovery.Start(recovery.Means{Compression: true}, recovery.Shape{}))
			if !c.want(a) {
				t.Errorf("got %T %+v for %v", a, a, err)
			}
		})
	}
}

// TestSurvives plays a call the way a caller does, with a service that fails in
// several ways before it answers.
func TestSurvives(t *testing.T) {
	url := answering(t,
		"", // hangs up
		"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
		"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"+`{"error":{"message":"json-schema-to-grammar: pattern"}}`,
		head+chunk(`{"content":"Hello"}`)+`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n",
	)
	p, s := recovery.Defaults(nil), recovery.Start(recovery.Means{}, recovery.Shape{})
	var waited time.Duration
	for range 10 {
		sent, text, err := call(t, url)
		if err == nil {
			if text != "Hello" || waited != 2*time.Second || !s.Shape().Has(recovery.PlainSchemas) {
				t.Fatalf("%q after %v, %+v", text, waited, s.Shape())
			}
			return
		}
		var a recovery.Action
		switch a, s = p.Next(recovery.Read(err, sent), s); a := a.(type) {
		case recovery.Wait:
			waited += a.Delay
		case recovery.Abort:
			t.Fatalf("gave up: %+v", a)
		}
	}
	t.Fatal("no answer")
}

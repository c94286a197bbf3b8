package chat

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

func TestStatuses(t *testing.T) {
	for _, c := range []struct {
		name, head, body string
		status           int
		says             string
		check            func(e *providers.Error) bool
	}{
		{"401", "401 Unauthorized", `{"error":{"message":"Incorrect API key provided: sk-secret-0123456789","code":"invalid_api_key"}}`, 401,
			"Incorrect API key provided: sk-sec...6789", func(e *providers.Error) bool { return e.Code == "invalid_api_key" }},
		{"429", "429 Too Many Requests\r\nRetry-After: 20", `{"error":{"message":"slow down"}}`, 429,
			"slow down", func(e *providers.Error) bool {
				return e.RetryAfter == 20*time.Second && e.Header.Get("Retry-After") == "20"
			}},
		{"502 page", "502 Bad Gateway\r\nContent-Type: text/html", `<html><head><title>502 Bad Gateway</title></head></html>`, 502,
			"502 Bad Gateway", func(e *providers.Error) bool { return strings.Contains(string(e.Body), "<title>") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := answer(t, "HTTP/1.1 "+c.head+"\r\nConnection: close\r\n\r\n", c.body)
			e := failure(t, err, providers.ErrorStatus, c.says)
			if e.Status != c.status || !c.check(e) || got != nil {
				t.Errorf("got %+v", e)
			}
			if !strings.HasSuffix(e.Endpoint, "/v1/chat/completions") {
				t.Errorf("endpoint %s", e.Endpoint)
			}
		})
	}
}

func TestConnectionRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	c := newClient(t, "http://"+l.Addr().String())
	_, err = collect(t, c, hello())
	failure(t, err, providers.ErrorConnect, "connection refused by "+l.Addr().String())
	_, err = c.Models(t.Context())
	failure(t, err, providers.ErrorConnect, "connection refused by "+l.Addr().String())
}

func TestUnknownAuthority(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	t.Cleanup(srv.Close)
	tr := transport.New(transport.Options{RootCAs: x509.NewCertPool()})
	t.Cleanup(tr.CloseIdle)
	_, err := collect(t, newClient(t, srv.URL, func(c *Config) { c.Transport = tr }), hello())
	failure(t, err, providers.ErrorConnect, "is not signed by an authority")
}

func TestModels(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []providers.Model
	}{
		{"OpenAI", `{"object":"list","data":[{"id":"b","object":"model"},{"id":"a"}]}`, []providers.Model{{ID: "b"}, {ID: "a"}}},
		{"gateway", `{"data":[{"id":"x/y","name":"Y","context_length":200000,"top_provider":{"context_length":1,"max_completion_tokens":64000}}]}`, []providers.Model{{ID: "x/y", Name: "Y", ContextMax: 200000, OutputMax: 64000}}},
		{"limits elsewhere", `{"data":[{"id":"a","context_window":1,"max_completion_tokens":2},{"id":"b","max_context_length":3,"max_output_tokens":4},{"id":"c","max_model_len":5},{"id":"d","meta":{"n_ctx_train":6}},{"id":"e","context_length":"7","top_provider":null,"meta":null}]}`,
			[]providers.Model{{ID: "a", ContextMax: 1, OutputMax: 2}, {ID: "b", ContextMax: 3, OutputMax: 4}, {ID: "c", ContextMax: 5}, {ID: "d", ContextMax: 6}, {ID: "e", ContextMax: 7}}},
		{"bare list", ` [{"id":"a","display_name":"A"}]`, []providers.Model{{ID: "a", Name: "A"}}},
		{"models", `{"models":[{"name":"a","model":"a:latest"},{"name":"b"}]}`, []providers.Model{{ID: "a:latest", Name: "a"}, {ID: "b"}}},
		{"odd entries", `{"data":[null,7,{"id":9},{"id":"a","context_length":-4}]}`, []providers.Model{{ID: "a"}}},
		{"none", `{"data":[]}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, func(conn net.Conn) { write(conn, jsonHead, c.body) })
			got, err := newClient(t, s.url+"/v1?k=v").Models(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(c.want) {
				t.Fatalf("got %+v, want %+v", got, c.want)
			}
			for i := range got {
				if got[i] != c.want[i] {
					t.Errorf("got %+v, want %+v", got[i], c.want[i])
				}
			}
			if a := s.asked(); a.path != "/v1/models?k=v" || a.header.Get("Authorization") != "Bearer sk-secret-0123456789" {
				t.Errorf("asked %+v", a)
			}
		})
	}
	for name, c := range map[string]struct{ head, body, says string }{
		"page":         {htmlHead, "<title>Hi sk-secret-0123456789</title>", "a web page: Hi sk-sec...6789"},
		"other object": {jsonHead, `{"ok":true}`, "check the base URL"},
		"text":         {jsonHead, "Ollama is running", "Ollama"},
		"null":         {jsonHead, `{"data":null}`, "check the base URL"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(conn net.Conn) { write(conn, c.head, c.body) })
			_, err := newClient(t, s.url).Models(t.Context())
			failure(t, err, providers.ErrorProtocol, c.says)
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		s := serve(t, func(conn net.Conn) { cancel(cause); hang(conn) })
		if _, err := newClient(t, s.url).Models(ctx); !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
	})
}

package transport

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

func TestDecodeError(t *testing.T) {
	for _, c := range []struct {
		name, body          string
		code, kind, message string
	}{
		{"OpenAI", `{"error":{"message":"Bad key","type":"invalid_request_error","code":"invalid_api_key","param":null}}`, "invalid_api_key", "invalid_request_error", "Bad key"},
		{"numeric code", `{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}`, "429", "RESOURCE_EXHAUSTED", "slow down"},
		{"bare string", `{"error":"model 'x' not found"}`, "", "", "model 'x' not found"},
		{"bare name", `{"error":"invalid_grant","error_description":"it expired"}`, "invalid_grant", "", "it expired"},
		{"string and message", `{"error":"Bad Request","message":"no such field","statusCode":400}`, "", "", "Bad Request: no such field"},
		{"truth value", `{"error":true,"message":"broken"}`, "", "", "broken"},
		{"detail", `{"detail":"expired"}`, "", "", "expired"},
		{"detail list", `{"detail":[{"loc":["body"],"msg":"field required","type":"missing"},{"msg":"too long"}]}`, "", "missing", "field required; too long"},
		{"message", `{"object":"error","message":"too many tokens","type":"BadRequestError","code":400}`, "400", "BadRequestError", "too many tokens"},
		{"list", `[{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT"}}]`, "400", "INVALID_ARGUMENT", "API key not valid"},
		{"message list", `{"error":{"message":["one","two"]}}`, "", "", "one; two"},
		{"gateway, raw as text", `{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"{\"error\":{\"message\":\"over capacity\",\"type\":\"busy\"}}","provider_name":"X"}}}`, "429", "busy", "Provider returned error: over capacity"},
		{"gateway, raw plain", `{"error":{"message":"Provider returned error","metadata":{"raw":"upstream died"}}}`, "", "", "Provider returned error: upstream died"},
		{"gateway, raw twice", `{"error":{"message":"Provider returned error: busy","metadata":{"raw":"busy"}}}`, "", "", "Provider returned error: busy"},
		{"nested", `{"error":{"error":{"message":"deep","code":"c"}}}`, "c", "", "deep"},
		{"JSON in a message", `{"message":"{\"detail\":\"inner\"}"}`, "", "", "inner"},
		{"unknown object", `{"foo":1}`, "", "", `{"foo":1}`},
		{"empty object", `{}`, "", "", ""},
		{"page", "<!DOCTYPE html><html><head><TITLE>502 Bad&nbsp;Gateway\n</TITLE>…", "", "", "502 Bad Gateway"},
		{"page, heading only", "\n<html><body><h1 class=x>Not <b>Found</b></h1>", "", "", "Not Found"},
		{"page without words", "<html></html>", "", "", "a web page without a title"},
		{"text", "  upstream \n timed out\x00\xff ", "", "", "upstream timed out\x00\ufffd"},
		{"cut off", `{"error":{"message":"`, "", "", `{"error":{"message":"`},
		{"nothing", "", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			want(t, "details", DecodeError([]byte(c.body)), Details{Code: c.code, Type: c.kind, Message: c.message})
		})
	}
}

func TestDecodeErrorIsBounded(t *testing.T) {
	long := strings.Repeat("ä", 1<<16)
	for _, body := range []string{long, `{"error":{"message":"` + long + `","code":"` + long + `"}}`, "<title>" + long[:60000] + "</title>"} {
		d := DecodeError([]byte(body))
		if len(d.Message) > maxMessage+len("…") || len(d.Code) > maxMessage+len("…") || !strings.HasPrefix(d.Message, "ää") {
			t.Errorf("message of %d and code of %d bytes", len(d.Message), len(d.Code))
		}
	}
	deep := strings.Repeat(`{"error":`, 5000) + `"x"` + strings.Repeat("}", 5000)
	if d := DecodeError([]byte(deep)); len(d.Message) > maxMessage+len("…") {
		t.Errorf("%d bytes", len(d.Message))
	}
}

func TestStatusErrors(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name, head, body string
		check            func(*testing.T, *providers.Error)
	}{
		{"401", "401 Unauthorized\r\nX-Request-Id: r1\r\nSet-Cookie: s=1", `{"error":{"message":"Incorrect API key: sk-secret-0123456789","type":"invalid_request_error","code":"invalid_api_key"}}`,
			func(t *testing.T, e *providers.Error) {
				want(t, "status", e.Status, 401)
				want(t, "code", e.Code, "invalid_api_key")
				want(t, "type", e.Type, "invalid_request_error")
				want(t, "message", e.Message, "Incorrect API key: sk-sec...6789")
				want(t, "header", e.Header.Get("X-Request-Id"), "r1")
				want(t, "cookie", e.Header.Get("Set-Cookie"), "")
			}},
		{"429 seconds", "429 Too Many Requests\r\nRetry-After: 7", `{"error":"slow"}`, func(t *testing.T, e *providers.Error) {
			want(t, "retry after", e.RetryAfter, 7*time.Second)
			want(t, "raw header", e.Header.Get("Retry-After"), "7")
		}},
		{"429 date", "429 Too Many Requests\r\nRetry-After: Fri, 02 Jan 2026 03:05:05 GMT", "", func(t *testing.T, e *providers.Error) {
			want(t, "retry after", e.RetryAfter, time.Minute)
			want(t, "message", e.Message, "")
		}},
		{"502 page", "502 Bad Gateway\r\nContent-Type: text/html", "<html><title>502 Bad Gateway</title><body>cf-ray: 8c1", func(t *testing.T, e *providers.Error) {
			want(t, "message", e.Message, "502 Bad Gateway")
			wantIn(t, string(e.Body), "cf-ray")
		}},
		{"304", "304 Not Modified", "", func(t *testing.T, e *providers.Error) {
			want(t, "status", e.Status, 304)
			wantIn(t, e.Message, "redirect")
		}},
		{"unknown compression", "503 Busy\r\nContent-Encoding: br", "\x0b\x02\x80", func(t *testing.T, e *providers.Error) {
			want(t, "status", e.Status, 503)
			want(t, "message", e.Message, "")
		}},
		{"large body", "500 Oops", strings.Repeat("x", 200<<10), func(t *testing.T, e *providers.Error) {
			want(t, "body", len(e.Body), maxErrorBody)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := rawServer(t, func(conn net.Conn, _ *http.Request) {
				write(conn, "HTTP/1.1 "+c.head+"\r\nConnection: close\r\n\r\n", c.body)
			})
			tr := newTransport(t, Options{Now: func() time.Time { return now }})
			e := fail(t, tr, request(t, t.Context(), url+"/v1/chat?key=query-secret"))
			want(t, "kind", e.Kind, providers.ErrorStatus)
			want(t, "endpoint", e.Endpoint, url+"/v1/chat")
			c.check(t, e)
			noSecrets(t, e)
		})
	}
}

// noSecrets checks that nothing of an error holds a credential.
func noSecrets(t *testing.T, e *providers.Error) {
	t.Helper()
	header, err := json.Marshal(e.Header)
	if err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprintf("%s %s %+v %s %v", e.Error(), e.Body, *e, header, e.Cause)
	for _, secret := range []string{"sk-secret", "query-secret", "hunter2"} {
		if strings.Contains(all, secret) {
			t.Errorf("%q is in the error: %s", secret, all)
		}
	}
}

func TestAnErrorBodyThatNeverEnds(t *testing.T) {
	url := rawServer(t, func(c net.Conn, _ *http.Request) {
		write(c, "HTTP/1.1 500 Oops\r\nContent-Length: 100\r\n\r\nit began")
		hang(c)
	})
	tr := newTransport(t, Options{})
	tr.limits.errorTime = 20 * time.Millisecond
	within(t, 5*time.Second, func() {
		e := fail(t, tr, request(t, t.Context(), url))
		want(t, "message", e.Message, "it began")
		want(t, "status", e.Status, 500)
	})
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, expect := range map[string]time.Duration{
		"": 0, "12": 12 * time.Second, " 1.5 ": 1500 * time.Millisecond, "-3": 0, "NaN": 0, "Inf": 0, "soon": 0,
		"1e300":                         24 * time.Hour,
		"Fri, 02 Jan 2026 03:04:35 GMT": 30 * time.Second,
		"Fri, 02 Jan 2015 03:04:35 GMT": 0,
	} {
		want(t, value, retryAfter(value, now), expect)
	}
}

func FuzzDecodeError(f *testing.F) {
	f.Add([]byte(`{"error":{"message":"m","metadata":{"raw":"{\"error\":\"x\"}"}}}`))
	f.Add([]byte("<html><title>x"))
	f.Add([]byte("<h1>\xff</h1"))
	f.Fuzz(func(t *testing.T, body []byte) {
		d := DecodeError(body)
		for _, s := range []string{d.Code, d.Type, d.Message} {
			if len(s) > maxMessage+len("…") || strings.ContainsAny(s, "\r\n\t") {
				t.Fatalf("%q", s)
			}
		}
	})
}

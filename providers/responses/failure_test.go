package responses

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

// TestStatuses holds what becomes of the errors that the services answer with.
func TestStatuses(t *testing.T) {
	for _, c := range []struct {
		name    string
		status  int
		headers map[string]string
		body    string
		says    string
		code    string
		kind    string
		wait    time.Duration
	}{
		{"key", 401, nil, `{"error":{"message":"Incorrect API key provided: sk-secret-0123456789","type":"invalid_request_error","code":"invalid_api_key"}}`,
			"Incorrect API key provided: sk-sec...6789", "invalid_api_key", "invalid_request_error", 0},
		{"detail", 400, nil, `{"detail":"Unsupported parameter: max_output_tokens"}`, "Unsupported parameter: max_output_tokens", "", "", 0},
		{"allowance", 429, nil, `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_at":1777936568,"resets_in_seconds":13872}}`,
			"The usage limit has been reached", "", "usage_limit_reached", 13872 * time.Second},
		{"allowance by the clock", 429, map[string]string{"Date": "Mon, 04 May 2026 23:00:00 GMT"}, `{"error":{"type":"usage_limit_reached","message":"no more","resets_at":1777936568}}`,
			"no more", "", "usage_limit_reached", time.Duration(1777936568-1777935600) * time.Second},
		{"allowance in headers", 429, map[string]string{"X-Codex-Primary-Used-Percent": "100", "X-Codex-Primary-Reset-After-Seconds": "471285", "X-Codex-Secondary-Used-Percent": "40", "X-Codex-Secondary-Reset-After-Seconds": "600000"},
			`{"detail":"limit"}`, "limit", "", "", 471285 * time.Second},
		{"stated otherwise", 429, map[string]string{"Retry-After": "20", "X-Codex-Primary-Used-Percent": "100", "X-Codex-Primary-Reset-After-Seconds": "471285"},
			`{"error":{"message":"slow down","resets_in_seconds":9}}`, "slow down", "", "", 20 * time.Second},
		{"no figures", 429, map[string]string{"X-Codex-Primary-Used-Percent": "NaN", "X-Codex-Primary-Reset-After-Seconds": "-4"}, `{"error":{"message":"no","resets_in_seconds":"soon"}}`, "no", "", "", 0},
		{"far away", 429, nil, `{"error":{"message":"no","resets_in_seconds":1e300}}`, "no", "", "", longest},
		{"page", 403, map[string]string{"Content-Type": "text/html"}, `<html><head><title>Just a moment...</title></head></html>`, "Just a moment...", "", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				for k, v := range c.headers {
					w.Header().Set(k, v)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			_, err := collect(t, newClient(t, s.url), hello())
			e := failure(t, err, providers.ErrorStatus, c.says)
			if e.Status != c.status || e.Code != c.code || e.Type != c.kind || e.RetryAfter != c.wait {
				t.Errorf("got status %d, code %q, type %q, wait %s", e.Status, e.Code, e.Type, e.RetryAfter)
			}
			if !strings.HasSuffix(e.Endpoint, "/v1/responses") {
				t.Errorf("endpoint %s", e.Endpoint)
			}
		})
	}
}

// TestSecrets has servers repeat the key wherever they can.
func TestSecrets(t *testing.T) {
	const key = "sk-secret-0123456789"
	for name, body := range map[string]string{
		"error event":    sse(`{"type":"error","code":"` + key + `","message":"` + key + `"}`),
		"failed":         sse(`{"type":"response.failed","response":{"error":{"code":"x","message":"` + key + `"}}}`),
		"malformed":      sse(`{"type":"response.completed","response":"` + key + `",}`),
		"other protocol": sse(`{"choices":"` + key + `"}`),
		"words":          key + " is your key",
		"page":           "<title>" + key + "</title>",
		"document":       `{"key":"` + key + `"}`,
		"error document": `{"error":{"type":"` + key + `","message":"` + key + `"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Echo", key)
				_, _ = io.WriteString(w, body)
			})
			_, err := collect(t, newClient(t, s.url), hello())
			var e *providers.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			failure(t, err, e.Kind, "")
		})
	}
}

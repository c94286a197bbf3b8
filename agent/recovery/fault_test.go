package recovery

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/failure"
)

func status(code int, body string) *providers.Error {
	return &providers.Error{Kind: providers.ErrorStatus, Endpoint: "https://api.example/v1", Status: code, Body: []byte(body)}
}

func TestRead(t *testing.T) {
	sent := Sent{Context: failure.Context{Provider: "example", Model: "m", Tokens: 1000, Messages: 4, ContextMax: 200_000}}
	of := func(provider, model string) Sent {
		s := sent
		s.Provider, s.Model = provider, model
		return s
	}
	overflows := `{"error":{"message":"max_tokens: 64000 > context_window: 200000 - input_tokens: 190000 = available_tokens: 10000"}}`
	for _, c := range []struct {
		name string
		err  error
		sent Sent
		ok   func(Fault) bool
	}{
		{"nothing", nil, sent, func(f Fault) bool { return f.Reason == "" && f.Asked == 0 }},
		{"the request", status(400, `{}`), sent, func(f Fault) bool {
			return f.ContextMax == 200_000 && f.Reason == failure.FormatError
		}},
		{"any error", errors.New("retry after 9 s"), sent, func(f Fault) bool { return f.Asked == 9*time.Second && !f.Lost && !f.Invalid }},
		{"delay of the transport", &providers.Error{Kind: providers.ErrorStatus, Status: 429, RetryAfter: 4 * time.Second}, sent,
			func(f Fault) bool { return f.Asked == 4*time.Second }},
		{"delay in the text", status(429, `{"error":{"message":"Please try again in 1m20s"}}`), sent, func(f Fault) bool { return f.Asked == 80*time.Second }},
		{"delay in a stream", &providers.Error{Kind: providers.ErrorStream, Message: "Rate limit reached. Please try again in 2s."}, sent,
			func(f Fault) bool { return f.Asked == 2*time.Second && f.Reason == failure.RateLimit }},
		{"output that fits", status(400, overflows), sent, func(f Fault) bool { return f.Output == 10_000 && f.Window == 0 }},
		{"stated window", status(400, `{"error":{"message":"This model's maximum context length is 32768 tokens"}}`), sent,
			func(f Fault) bool { return f.Window == 32_768 && f.Output == 0 }},
		{"a code is no window", status(400, `{"error":{"message":"context window exceeds limit (2013)"}}`), of("minimax", "M2"),
			func(f Fault) bool { return f.Compress && f.Window == 0 }},
		{"by the model too", status(400, `{"error":{"message":"context window exceeds limit (2013)"}}`), of("openrouter", "MiniMax/M2"),
			func(f Fault) bool { return f.Compress && f.Window == 0 }},
		{"limits of no overflow", status(429, `{"error":{"message":"limit 60000 requests"}}`), sent, func(f Fault) bool { return f.Window == 0 }},
		{"images refused", status(404, `{"error":{"message":"No endpoints found that support image input"}}`), sent, func(f Fault) bool { return f.ImagesRefused }},
		{"images refused in a 500", status(500, `{"error":{"message":"images are not supported"}}`), sent, func(f Fault) bool { return !f.ImagesRefused }},
		{"image size", status(400, `{"error":{"message":"image dimensions exceed max allowed size for many-image requests: 2000 pixels, 8000 px otherwise"}}`), sent,
			func(f Fault) bool { return f.Reason == failure.ImageTooLarge && f.Pixels == 2000 && !f.ImagesRefused }},
		{"image size not stated", status(400, `{"error":{"message":"image exceeds 5 MB maximum, 16 px"}}`), sent,
			func(f Fault) bool { return f.Reason == failure.ImageTooLarge && f.Pixels == 0 }},
		{"text that cannot be sent", status(500, `{"detail":"'utf-8' codec can't encode character '\\ud83d': surrogates not allowed"}`), sent,
			func(f Fault) bool { return f.Encoding }},
		{"stream refused", status(400, `{"error":{"message":"'stream': streaming is not supported for this model"}}`), sent, func(f Fault) bool { return f.StreamRefused }},
		{"Bedrock", status(403, `{"message":"User is not authorized to perform: bedrock:InvokeModelWithResponseStream"}`), sent, func(f Fault) bool { return f.StreamRefused }},
		{"an option of streaming", status(400, `{"error":{"message":"Unsupported parameter: stream_options"}}`), sent, func(f Fault) bool { return !f.StreamRefused }},
		{"an upstream", status(400, `{"error":{"message":"upstream says: tool use not supported"}}`), sent, func(f Fault) bool { return !f.StreamRefused }},
		{"streaming, and far away something else", status(400, `{"error":{"message":"stream ended `+strings.Repeat("x", 100)+` not supported"}}`), sent,
			func(f Fault) bool { return !f.StreamRefused }},
		{"allowance used up", status(429, `{"error":{"type":"usage_limit_reached","message":"come back later"}}`), sent, func(f Fault) bool { return f.UsageUp && f.Rotate }},
		{"not reached", &providers.Error{Kind: providers.ErrorConnect}, sent, func(f Fault) bool { return !f.Transport && !f.Lost }},
		{"broke off, router", &providers.Error{Kind: providers.ErrorBroken}, of("OpenRouter", "m"), func(f Fault) bool { return f.Lost && !f.Transport }},
		{"408 is HTTP", status(408, ""), sent, func(f Fault) bool { return !f.Transport && f.Reason == failure.Timeout }},
		{"broke off", &providers.Error{Kind: providers.ErrorBroken, Message: "unexpected EOF"}, sent, func(f Fault) bool { return f.Lost && f.Transport }},
		{"cancelled", context.Canceled, sent, func(f Fault) bool { return f.Reason == failure.Cancelled }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if f := Read(c.err, c.sent); !c.ok(f) {
				t.Errorf("got %+v", f)
			}
		})
	}
}

func TestHints(t *testing.T) {
	odd := func(status int, code, body string) *providers.Error {
		return &providers.Error{Kind: providers.ErrorProtocol, Status: status, Code: code, Body: []byte(body)}
	}
	for _, c := range []struct {
		name string
		err  *providers.Error
		took time.Duration
		want string
	}{
		{"524", odd(524, "", ""), 0, hintUpstreamLate},
		{"504", odd(504, "", ""), 0, hintUpstreamLate},
		{"429 as a code", odd(200, "429", ""), 0, hintRate},
		{"500", odd(500, "", ""), 0, hintUpstreamFailed},
		{"502", odd(502, "", ""), 0, hintUpstreamFailed},
		{"503", odd(503, "", ""), 0, hintOverloaded},
		{"529", odd(529, "", ""), 0, hintOverloaded},
		{"soon", odd(200, "", `{"choices":[]}`), 2 * time.Second, hintRate},
		{"late", odd(200, "", ""), 61 * time.Second, hintUpstreamLate},
		{"in between", odd(200, "", ""), 30 * time.Second, ""},
		{"not known how long", odd(200, "", ""), 0, ""},
		{"a web page", odd(200, "", "<html>"), 2 * time.Second, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if f := Read(c.err, Sent{Took: c.took}); f.Hint != c.want || !f.Invalid {
				t.Errorf("got %q", f.Hint)
			}
		})
	}
	if f := Read(status(524, ""), Sent{}); f.Hint != "" {
		t.Errorf("a plain failure has the hint %q", f.Hint)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(429, `{"error":{"message":"Please try again in 1m20s"}}`, "rate_limit", true)
	f.Add(400, `{"error":{"message":"image dimensions exceed 99999999999999999999 px, stream not supported"}}`, "", false)
	f.Add(0, "", "unexpected EOF", true)
	f.Fuzz(func(t *testing.T, status int, body, message string, text bool) {
		for _, kind := range []providers.ErrorKind{providers.ErrorStatus, providers.ErrorStream, providers.ErrorBroken, providers.ErrorProtocol} {
			got := Read(&providers.Error{Kind: kind, Status: status, Body: []byte(body), Message: message}, Sent{Text: text})
			if got.Asked < 0 || got.Window < 0 || got.Output < 0 || got.Pixels < 0 {
				t.Fatalf("%+v", got)
			}
			a, _ := Defaults(nil).Next(got, Start(Means{Compression: true}, Shape{}))
			checkAction(t, a)
		}
	})
}

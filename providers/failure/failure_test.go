package failure

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hermes-tui/providers"
)

// checkSentence checks what holds for every sentence.
func checkSentence(t testing.TB, s string) {
	t.Helper()
	if !strings.HasSuffix(s, ".") || strings.HasSuffix(s, "..") || strings.ContainsAny(s, "\n\r\x1b") || !utf8.ValidString(s) {
		t.Errorf("no clean sentence: %q", s)
	}
	if strings.HasPrefix(s, "the ") || utf8.RuneCountInString(s) > 700 {
		t.Errorf("no plain sentence: %q", s)
	}
	if strings.Contains(s, "(“”)") || strings.Contains(s, "  ") {
		t.Errorf("a gap in the sentence: %q", s)
	}
}

func status(code int, body string) *providers.Error {
	return &providers.Error{Kind: providers.ErrorStatus, Endpoint: "https://user:pw@api.example/v1/chat?key=abc", Status: code, Body: []byte(body)}
}

func TestClassifyGoErrors(t *testing.T) {
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connect: connection refused")}
	cert := &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
	wrap := func(k providers.ErrorKind, cause error) error {
		return fmt.Errorf("stream: %w", &providers.Error{Kind: k, Endpoint: "http://127.0.0.1:1/v1", Cause: cause})
	}
	small, large := Context{Tokens: 10, ContextMax: 200_000}, Context{Tokens: 190_000, ContextMax: 200_000}
	for _, c := range []struct {
		name string
		err  error
		c    Context
		want Failure
	}{
		{"cancelled", wrap(providers.ErrorBroken, context.Canceled), small, Failure{Reason: Cancelled}},
		{"bare cancelled", context.Canceled, small, Failure{Reason: Cancelled}},
		{"deadline", context.DeadlineExceeded, large, retry(Timeout)},
		{"refused", wrap(providers.ErrorConnect, dial), large, retry(Timeout)},
		{"bare net error", dial, small, retry(Timeout)},
		{"certificate", wrap(providers.ErrorConnect, cert), large, retry(Timeout)},
		{"end of file", wrap(providers.ErrorBroken, io.ErrUnexpectedEOF), small, retry(Timeout)},
		{"end of file, large", wrap(providers.ErrorBroken, io.EOF), large, compress(ContextOverflow)},
		{"stalled", wrap(providers.ErrorBroken, errors.New("no data for 180s")), large, retry(Timeout)},
		{"request", wrap(providers.ErrorRequest, errors.New("marshal: bad")), small, elsewhere(FormatError)},
		{"protocol", wrap(providers.ErrorProtocol, errors.New("no choices")), small, retry(Unknown)},
		{"any other", errors.New("strange"), small, retry(Unknown)},
		{"unknown window", &providers.Error{Kind: providers.ErrorBroken, Message: "server disconnected"}, Context{Tokens: 130_000}, compress(ContextOverflow)},
		{"rate in a stream", &providers.Error{Kind: providers.ErrorStream, Message: "Rate limit exceeded"}, small, limited()},
		{"usage in a stream", &providers.Error{Kind: providers.ErrorStream, Message: "Monthly limit exceeded"}, small, otherKey(Billing)},
		{"object in a stream", &providers.Error{Kind: providers.ErrorStream, Message: `{"error":{"code":"context_length_exceeded"}}`}, small, compress(ContextOverflow)},
		{"redirect", status(302, "try later"), small, elsewhere(Unknown)},
		{"too large", &providers.Error{Kind: providers.ErrorProtocol, Code: providers.CodeTooLarge, Message: "rate limit"}, small, elsewhere(Unknown)},
		{"proxy login", status(407, ""), small, elsewhere(FormatError)},
		{"list", status(400, `[{"error":{"message":"The model does not exist"}}]`), small, elsewhere(ModelNotFound)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Classify(c.err, c.c)
			checkSentence(t, got.Sentence())
			plain := Failure{Reason: got.Reason, Retryable: got.Retryable, Compress: got.Compress, Rotate: got.Rotate, Fallback: got.Fallback}
			if plain != c.want {
				t.Errorf("got %+v, want %+v", plain, c.want)
			}
		})
	}
	if f := Classify(nil, small); f != (Failure{}) || f.Sentence() != "" {
		t.Errorf("no error gave %+v", f)
	}
}

// TestClassifyRealConnections meets real failures of the network.
func TestClassifyRealConnections(t *testing.T) {
	hang := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer slow.Close()
	defer close(hang)
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = c.Close()
		}
	}))
	defer cut.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()

	for _, c := range []struct {
		name, url, sentence string
		patience            time.Duration
	}{
		{"refused", gone.URL, "cannot be reached", time.Minute},
		{"slow", slow.URL, "did not answer in time", 50 * time.Millisecond},
		{"cut", cut.URL, "broke off", time.Minute},
		{"certificate", secure.URL, "certificate", time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), c.patience)
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/v1", nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultClient.Do(r)
			if err == nil {
				_ = resp.Body.Close()
				t.Fatal("the call succeeded")
			}
			f := Classify(&providers.Error{Kind: providers.ErrorConnect, Endpoint: c.url + "/v1", Cause: err}, Context{Provider: "Local"})
			if f.Reason != Timeout || !f.Retryable || f.Compress {
				t.Errorf("got %+v for %v", f, err)
			}
			if s := f.Sentence(); !strings.Contains(s, c.sentence) {
				t.Errorf("%q does not say %q", s, c.sentence)
			}
		})
	}
}

func TestSentences(t *testing.T) {
	c := Context{Provider: "OpenRouter", Model: "big-1", KeyFrom: "env OPENROUTER_API_KEY", KeyPage: "https://openrouter.ai/keys"}
	for _, x := range []struct {
		name string
		err  error
		c    Context
		want string
	}{
		{"key", status(401, ""), c, "OpenRouter does not accept the API key from OPENROUTER_API_KEY (HTTP 401): set a valid one in OPENROUTER_API_KEY or with /setup, keys are made at https://openrouter.ai/keys."},
		{"key from a file", status(401, ""), Context{Provider: "P", KeyFrom: "config.yaml"}, "P does not accept the API key from config.yaml (HTTP 401): set a valid one in config.yaml or with /setup."},
		{"key of an address", &providers.Error{Status: 401, Endpoint: "http://10.0.0.7:8080/v1/chat", Body: []byte(`{"error":{"message":"Invalid token for tenant blue"}}`)}, Context{Provider: "custom"},
			"10.0.0.7:8080 does not accept the API key (HTTP 401) (“Invalid token for tenant blue”): set a valid one in the environment or in config.yaml or with /setup."},
		{"key from nowhere", status(401, ""), Context{}, "https://api.example/v1/chat does not accept the API key (HTTP 401): set a valid one in the environment or in config.yaml or with /setup."},
		{"refused", status(403, `{"error":{"message":"No access."}}`), c, "OpenRouter refuses access with this API key (HTTP 403) (“No access”): check what the key may do, or choose another model with /model."},
		{"billing", status(402, ""), c, "OpenRouter says that credit or quota is used up: top up the account, or choose another model with /model."},
		{"rate until a time", &providers.Error{Kind: providers.ErrorStatus, Status: 429, RetryAfter: 2 * time.Hour}, c, "OpenRouter limits the rate of requests: try again in 2 h, or choose another model with /model."},
		{"rate", status(429, ""), c, "OpenRouter limits the rate of requests: wait a moment and try again, or choose another model with /model."},
		{"overflow", status(400, `{"message":"prompt is too long"}`), c, "The session is too long for big-1: shorten it with /compress, or choose a model with a larger context with /model."},
		{"model", status(404, `{"error":"model 'big-1' not found"}`), c, "OpenRouter does not have big-1 (“model 'big-1' not found”): choose another model with /model."},
		{"page", status(404, "<html><title>Not\n Found</title>"), c, "https://api.example/v1/chat answered with a web page (“Not Found”): check that the base URL is right, it usually ends in /v1."},
		{"path", status(404, "404 page not found"), c, "https://api.example/v1/chat does not exist (HTTP 404) (“404 page not found”): check that the base URL is right, it usually ends in /v1."},
		{"server", status(502, "<html><head><title>502 Bad Gateway</title></head>Ray ID: <b>8c1f00aa11bb22cc</b></html>"), c, "OpenRouter failed (HTTP 502) (“502 Bad Gateway (Cloudflare ray 8c1f00aa11bb22cc)”): try again, and if it stays so, look at the status page of the service."},
		{"unreachable", &providers.Error{Kind: providers.ErrorConnect, Endpoint: "http://127.0.0.1:11434/v1", Cause: errors.New("connection refused")}, c, "http://127.0.0.1:11434/v1 cannot be reached (“connection refused”): check that the server runs and that the base URL is right."},
	} {
		t.Run(x.name, func(t *testing.T) {
			if got := Classify(x.err, x.c).Sentence(); got != x.want {
				t.Errorf("got  %q\nwant %q", got, x.want)
			}
		})
	}
}

// TestEveryReasonHasASentence makes one failure of each reason.
func TestEveryReasonHasASentence(t *testing.T) {
	seen := map[string]Reason{}
	for _, r := range []Reason{
		Auth, Billing, RateLimit, Overloaded, ServerError, Timeout, ContextOverflow, PayloadTooLarge, ImageTooLarge,
		ModelNotFound, ProviderPolicyBlocked, ContentPolicyBlocked, FormatError, InvalidEncryptedContent,
		MultimodalToolContentUnsupported, LongContextTier, GrammarPattern, Cancelled, Unknown,
	} {
		f := Classify(status(499, "said"), Context{Provider: "P", Model: "m"})
		f.Reason = r
		s := f.Sentence()
		checkSentence(t, s)
		if other, ok := seen[s]; ok {
			t.Errorf("%s and %s have the same sentence %q", r, other, s)
		}
		seen[s] = r
	}
}

func TestNothingLeaks(t *testing.T) {
	key := "s" + "k-u8jzPde0IgxLd6GncfBAepfJBd0Kh8oOOL8dKLzd"
	for _, code := range []int{400, 401, 403, 404, 429, 500} {
		f := Classify(status(code, `{"error":{"message":"Incorrect API key provided: `+key+`, see https://a:hunter2@b\u001b[31m"}}`), Context{})
		for _, s := range []string{f.Message, f.Sentence()} {
			if strings.Contains(s, key) || strings.Contains(s, "hunter2") || strings.Contains(s, "pw@") || strings.Contains(s, "key=abc") || strings.Contains(s, "\x1b") {
				t.Errorf("HTTP %d leaks: %q", code, s)
			}
		}
		if f.Status != code {
			t.Errorf("status %d, want %d", f.Status, code)
		}
	}
	long := Classify(status(500, strings.Repeat("wörter ", 10_000)), Context{})
	if n := utf8.RuneCountInString(long.Message); n > longestMessage || n < longestMessage-10 {
		t.Errorf("the message has %d characters", n)
	}
	checkSentence(t, long.Sentence())
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		text           string
		window, output int
	}{
		{"This exceeds the context window, you sent 250000 tokens (limit 200000)", 200000, 0},
		{"Context limit: 1,048,576 tokens (input 1,050,000)", 1048576, 0},
		{"n_ctx=4096. Then 9999", 4096, 0},
		{"limit of 32,768 tokens", 32768, 0},
		{"maximum context length is 8192 tokens (9000 in the messages, 100 in the completion)", 8192, 0},
		{"429: 30000 tokens per day, context length 8192", 0, 0},
		{"available_tokens: 100", 0, 0},
		{"99999999999999999999999999 limit", 0, 0},
	} {
		if window, output := Limits(c.text); window != c.window || output != c.output {
			t.Errorf("%q gave %d, %d; want %d, %d", c.text, window, output, c.window, c.output)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		h    http.Header
		body string
		want time.Duration // -1: none
	}{
		{"bad milliseconds fall through", http.Header{"Retry-After-Ms": {"soon"}, "Retry-After": {"3"}}, "", 3 * time.Second},
		{"past date", http.Header{"Retry-After": {"Mon, 02 Mar 2026 09:00:00 GMT"}}, "", 0},
		{"hexadecimal", http.Header{"Retry-After": {"0x10"}}, "", -1},
		{"not finite", http.Header{"Retry-After": {"Inf"}}, "", -1},
		{"beyond all bounds", http.Header{"Retry-After": {"999999999999"}}, "", 1<<63 - 1},
		{"header before body", http.Header{"Retry-After": {"5"}}, `{"error":{"message":"try again in 9s"}}`, 5 * time.Second},
		{"list", nil, `[{"error":{"details":[{"@type":"x/google.rpc.RetryInfo","retryDelay":"1.5s"}]}}]`, 1500 * time.Millisecond},
		{"other detail", nil, `{"error":{"details":[{"@type":"x/Other","retryDelay":"1s"}]}}`, -1},
		{"negative detail", nil, `{"error":{"details":[{"@type":"x/RetryInfo","retryDelay":"-1s"}]}}`, -1},
		{"plain text", nil, "Too many. Please retry after 45 seconds.", 45 * time.Second},
		{"hours", nil, `{"m":"Try again in 1 hour, 2 minutes and 3s"}`, time.Hour + 2*time.Minute + 3*time.Second},
		{"milliseconds", nil, `{"m":"try again in 20ms"}`, 20 * time.Millisecond},
		{"second mention", nil, `{"m":"try again in a while, try again in 4s"}`, 4 * time.Second},
		{"other unit", nil, `{"m":"try again in 2 months"}`, -1},
		{"no unit", nil, `{"m":"try again in 2"}`, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := RetryAfter(c.h, []byte(c.body), now)
			if !ok {
				got = -1
			}
			if got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func FuzzClassify(f *testing.F) {
	f.Add(400, `{"error":{"message":"Error","metadata":{"raw":"{\"a\":1}"}}}`, 100)
	f.Add(0, "server disconnected", 1_000_000)
	f.Add(424, `{"originalStatusCode":424,"__type":"a#ExpiredToken","error":{"type":"usage_limit_reached","resets_in_seconds":1e300}}`, 100)
	f.Add(502, "<html><title>x</title>ray id: <b>", 0)
	f.Fuzz(func(t *testing.T, code int, body string, tokens int) {
		e := status(code, body)
		got := Classify(e, Context{Tokens: tokens, ContextMax: 200_000})
		if got.Reason == "" || got != Classify(e, Context{Tokens: tokens, ContextMax: 200_000}) {
			t.Errorf("no stable class for %q", body)
		}
		if utf8.RuneCountInString(got.Message) > longestMessage {
			t.Errorf("a message of %d bytes", len(got.Message))
		}
		checkSentence(t, got.Sentence())
	})
}

func FuzzLimits(f *testing.F) {
	f.Add("maximum context length is 32768 tokens (29024 in the messages, 4096 in the completion)")
	f.Add("max_tokens available_tokens: 10")
	f.Fuzz(func(t *testing.T, s string) {
		window, output := Limits(s)
		if window != 0 && (window < leastWindow || window > mostWindow) || output < 0 {
			t.Errorf("%q gave %d, %d", s, window, output)
		}
		if d, ok := RetryAfter(http.Header{"Retry-After": {s}}, []byte(s), time.Unix(0, 0)); ok && d < 0 {
			t.Errorf("%q gave %v", s, d)
		}
	})
}

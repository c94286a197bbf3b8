package bedrock

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"go.uber.org/goleak"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The credentials of the tests.
const (
	accessKey    = "AKIAIOSFODNN7EXAMPLE"
	secretKey    = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
	sessionToken = "IQoJb3JpZ2luX2VjEXAMPLETOKENwithalotofletters0123456789"
	bearerKey    = "ABSKQmVkcm9ja0FQSUtleS1zZWNyZXQtMDEyMzQ1Njc4OQ"
	modelID      = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
)

// bareMachine keeps the AWS settings of the machine out of a test.
func bareMachine(t testing.TB) {
	t.Helper()
	dir := t.TempDir()
	for k, v := range map[string]string{
		"HOME": dir, "AWS_CONFIG_FILE": filepath.Join(dir, "config"), "AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "credentials"),
		"AWS_EC2_METADATA_DISABLED": "true",
	} {
		t.Setenv(k, v)
	}
	for _, k := range []string{
		"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
		"AWS_BEARER_TOKEN_BEDROCK", "AWS_CA_BUNDLE", "AWS_ENDPOINT_URL", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
	} {
		t.Setenv(k, "")
	}
}

// keys is an environment with credentials.
func keys(key string) string {
	return map[string]string{
		"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey, "AWS_SESSION_TOKEN": sessionToken,
	}[key]
}

// asked is a request as a server saw it.
type asked struct {
	path   string // with query
	header http.Header
	body   string
}

// server answers requests and keeps them.
type server struct {
	url string
	mu  sync.Mutex
	got []asked
}

func (s *server) all() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}

func (s *server) last(t testing.TB) asked {
	t.Helper()
	all := s.all()
	if len(all) == 0 {
		t.Fatal("nothing was asked")
	}
	return all[len(all)-1]
}

// serve starts a server on this machine.
func serve(t testing.TB, handle http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.got = append(s.got, asked{path: r.RequestURI, header: r.Header, body: string(body)})
		s.mu.Unlock()
		handle(w, r)
	}))
	t.Cleanup(srv.Close)
	s.url = srv.URL
	return s
}

const eventType = "application/vnd.amazon.eventstream"

// streams answers with frames.
func streams(t testing.TB, parts ...[]byte) *server {
	t.Helper()
	body := bytes.Join(parts, nil)
	return serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", eventType)
		_, _ = w.Write(body)
	})
}

// newClient makes a client of a server that signs with the credentials above.
func newClient(t testing.TB, url string, change ...func(*Config)) *Client {
	t.Helper()
	bareMachine(t)
	tr := transport.New(transport.Options{Version: "test"})
	t.Cleanup(tr.CloseIdle)
	config := Config{Service: transport.Service{Endpoint: providers.Endpoint{Provider: "bedrock", BaseURL: url}, Env: keys, Transport: tr}}
	for _, f := range change {
		f(&config)
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	c.grace = 100 * time.Millisecond
	return c
}

// hello is a small request.
func hello() providers.Request {
	return providers.Request{Model: modelID, Messages: []providers.Message{{ID: "1", Role: providers.User, Parts: providers.TextParts("hi")}}}
}

// rawFrame writes a frame with some headers.
func rawFrame(payload string, headers ...string) []byte {
	m := eventstream.Message{Payload: []byte(payload)}
	for i := 0; i+1 < len(headers); i += 2 {
		m.Headers.Set(headers[i], eventstream.StringValue(headers[i+1]))
	}
	var b bytes.Buffer
	if err := eventstream.NewEncoder().Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// ev writes an event as the service does.
func ev(name, payload string) []byte {
	return rawFrame(payload, ":event-type", name, ":content-type", "application/json", ":message-type", "event")
}

func exception(name, payload string) []byte {
	return rawFrame(payload, ":exception-type", name, ":content-type", "application/json", ":message-type", "exception")
}

// Events, in short.
func begin() []byte { return ev("messageStart", `{"p":"abcd","role":"assistant"}`) }
func delta(index int, fields string) []byte {
	return ev("contentBlockDelta", fmt.Sprintf(`{"contentBlockIndex":%d,"delta":{%s},"p":"abcdefghijk"}`, index, fields))
}
func text(index int, s string) []byte { return delta(index, `"text":`+quote(s)) }
func think(index int, s string) []byte {
	return delta(index, `"reasoningContent":{"text":`+quote(s)+`}`)
}
func sign(index int, s string) []byte {
	return delta(index, `"reasoningContent":{"signature":`+quote(s)+`}`)
}
func redacted(index int, s string) []byte {
	return delta(index, `"reasoningContent":{"redactedContent":"`+base64.StdEncoding.EncodeToString([]byte(s))+`"}`)
}
func call(index int, id, name string) []byte {
	return ev("contentBlockStart", fmt.Sprintf(`{"contentBlockIndex":%d,"start":{"toolUse":{"name":%s,"toolUseId":%s}},"p":"ab"}`, index, quote(name), quote(id)))
}
func args(index int, s string) []byte { return delta(index, `"toolUse":{"input":`+quote(s)+`}`) }
func closed(index int) []byte {
	return ev("contentBlockStop", fmt.Sprintf(`{"contentBlockIndex":%d,"p":"abcdefg"}`, index))
}
func stop(reason string) []byte {
	return ev("messageStop", `{"p":"ab","stopReason":`+quote(reason)+`}`)
}
func figures() []byte {
	return ev("metadata", `{"metrics":{"latencyMs":812},"p":"abc","usage":{"cacheReadInputTokenCount":60,"cacheReadInputTokens":60,"cacheWriteInputTokenCount":7,"cacheWriteInputTokens":7,"inputTokens":40,"outputTokens":20,"serverToolUsage":{},"totalTokens":127}}`)
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// answer streams an answer of frames.
func answer(t testing.TB, parts ...[]byte) ([]string, error) {
	t.Helper()
	return collect(t, newClient(t, streams(t, parts...).url), hello())
}

// collect reads a whole answer. The error is nil for a complete one.
func collect(t testing.TB, c *Client, r providers.Request) ([]string, error) {
	t.Helper()
	deltas, err := readAll(t, c, r)
	var out []string
	for _, d := range deltas {
		out = append(out, show(d))
	}
	return out, err
}

// readAll reads a whole answer within twenty seconds.
func readAll(t testing.TB, c *Client, r providers.Request) (out []providers.Delta, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Second, errors.New("the test took too long"))
	defer cancel()
	s, err := c.Stream(ctx, r)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for {
		d, err := s.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, d)
	}
}

// show writes a delta as one line.
func show(d providers.Delta) string {
	switch d.Kind {
	case providers.DeltaOpen:
		return "open"
	case providers.DeltaText:
		return "text " + d.Text
	case providers.DeltaReasoning:
		return "reasoning " + d.Text
	case providers.DeltaCall:
		return fmt.Sprintf("call %d %s %s", d.Index, d.CallID, d.Name)
	case providers.DeltaArguments:
		return fmt.Sprintf("arguments %d %s", d.Index, d.Text)
	case providers.DeltaUsage:
		return fmt.Sprintf("usage %d %d %d %d %d", d.Usage.Input, d.Usage.Output, d.Usage.CacheRead, d.Usage.CacheWrite, d.Usage.Reasoning)
	case providers.DeltaItem:
		return fmt.Sprintf("item %d %s %s %s %s", d.Item.At, d.Item.Issuer, d.Item.Model, d.Item.Kind, d.Item.Raw)
	case providers.DeltaFinish:
		return "finish " + string(d.Finish)
	}
	return fmt.Sprintf("unknown delta %+v", d)
}

// same compares what came with what should have come.
func same(t testing.TB, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// failure checks that an error is of a kind, contains some words and keeps every
// credential.
func failure(t testing.TB, err error, kind providers.ErrorKind, words string) *providers.Error {
	t.Helper()
	var e *providers.Error
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want a *providers.Error", err)
	}
	if e.Kind != kind || !strings.Contains(e.Message, words) {
		t.Errorf("got %s %q, want %s with %q", e.Kind, e.Message, kind, words)
	}
	if e.Endpoint == "" {
		t.Error("the error names no endpoint")
	}
	all := fmt.Sprintf("%v %+v %s", e, *e, e.Body)
	for _, secret := range []string{secretKey, sessionToken, bearerKey} {
		if strings.Contains(all, secret) {
			t.Errorf("the error holds a credential: %s", all)
		}
	}
	return e
}

// pemOf writes bytes as the lines of a PEM block.
func pemOf(raw []byte) string {
	var b strings.Builder
	for line := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString(raw)), 64) {
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.String()
}

package bedrock

import (
	"bytes"
	"encoding/base64"
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

	"hermes-tui/internal/protocoltest"
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

// answer streams an answer of frames.
func answer(t testing.TB, parts ...[]byte) ([]string, error) {
	t.Helper()
	return collect(t, newClient(t, streams(t, parts...).url), hello())
}

var (
	readAll = protocoltest.Read
	collect = protocoltest.Collect
	show    = protocoltest.Show
	same    = protocoltest.Same
	quote   = protocoltest.Quote
)

// failure checks that an error is of a kind, contains some words and keeps every
// credential.
func failure(t testing.TB, err error, kind providers.ErrorKind, words string) *providers.Error {
	t.Helper()
	return protocoltest.Failed(t, err, kind, words, secretKey, sessionToken, bearerKey)
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

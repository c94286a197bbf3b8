package agent_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/anthropic"
	"hermes-tui/providers/bedrock"
	"hermes-tui/providers/responses"
	"hermes-tui/providers/script"
	"hermes-tui/providers/transport"
	"hermes-tui/tools"
)

// tongue is a protocol as a server on loopback speaks it.
type tongue struct {
	name  string
	media string
	open  func(t testing.TB, url string) providers.Client
	// call and say are answers without usage, refusal the body of a refusal.
	call, say func() string
	refusal   func(message string) string
	// image is how an image of a request begins, schema the key of a tool's parameters.
	image, schema string
}

func tongues() []tongue {
	service := func(t testing.TB, url string) transport.Service {
		tr := transport.New(transport.Options{Version: "test"})
		t.Cleanup(tr.CloseIdle)
		return transport.Service{
			Endpoint: providers.Endpoint{Provider: "test", BaseURL: url}, Transport: tr,
			Env: func(key string) string { return map[string]string{"AWS_BEARER_TOKEN_BEDROCK": "key"}[key] },
		}
	}
	must := func(t testing.TB, c providers.Client, err error) providers.Client {
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	sse := func(events ...string) string {
		var b strings.Builder
		for _, e := range events {
			b.WriteString("data: " + e + "\n\n")
		}
		return b.String()
	}
	plain := func(message string) string {
		return `{"type":"error","error":{"type":"invalid_request_error","message":` + quoted(message) + `}}`
	}
	frames := func(parts ...string) string {
		var b bytes.Buffer
		for i := 0; i < len(parts); i += 2 {
			m := eventstream.Message{Payload: []byte(parts[i+1])}
			for k, v := range map[string]string{":event-type": parts[i], ":content-type": "application/json", ":message-type": "event"} {
				m.Headers.Set(k, eventstream.StringValue(v))
			}
			_ = eventstream.NewEncoder().Encode(&b, m) // into memory
		}
		return b.String()
	}
	const mediaSSE = "text/event-stream"
	return []tongue{
		{
			name: "chat", media: mediaSSE, refusal: plain, image: `"type":"image_url"`, schema: `"parameters":`,
			open: func(t testing.TB, url string) providers.Client { return clientOf(t, url+"/v1", transport.Options{}) },
			say:  func() string { return sse(textEvent("Fine."), endEvent("stop"), "[DONE]") },
			call: func() string { return sse(callEvent(0, "c1", "todo", "{}"), endEvent("tool_calls"), "[DONE]") },
		},
		{
			name: "anthropic", media: mediaSSE, refusal: plain, image: `"type":"image"`, schema: `"input_schema":`,
			open: func(t testing.TB, url string) providers.Client {
				c, err := anthropic.New(anthropic.Config{Service: service(t, url)})
				return must(t, c, err)
			},
			say: func() string {
				return sse(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Fine."}}`,
					`{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, `{"type":"message_stop"}`)
			},
			call: func() string {
				return sse(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"todo","input":{}}}`, `{"type":"content_block_stop","index":0}`,
					`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, `{"type":"message_stop"}`)
			},
		},
		{
			name: "responses", media: mediaSSE, refusal: plain, image: `"type":"input_image"`, schema: `"parameters":`,
			open: func(t testing.TB, url string) providers.Client {
				c, err := responses.New(responses.Config{Service: service(t, url+"/v1")})
				return must(t, c, err)
			},
			say: func() string {
				return sse(`{"type":"response.output_text.delta","delta":"Fine."}`, `{"type":"response.completed","response":{"status":"completed"}}`)
			},
			call: func() string {
				return sse(`{"type":"response.output_item.done","output_index":0,"item":{"id":"fc_1","type":"function_call","call_id":"c1","name":"todo","arguments":"{}"}}`, `{"type":"response.completed","response":{"status":"completed"}}`)
			},
		},
		{
			name: "bedrock", media: "application/vnd.amazon.eventstream", image: `"image":{`, schema: `"inputSchema":`,
			refusal: func(message string) string { return `{"message":` + quoted(message) + `}` },
			open: func(t testing.TB, url string) providers.Client {
				c, err := bedrock.New(bedrock.Config{Service: service(t, url), Options: bedrock.Options{Region: "us-east-1"}})
				return must(t, c, err)
			},
			say: func() string {
				return frames("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"Fine."}}`, "contentBlockStop", `{"contentBlockIndex":0}`, "messageStop", `{"stopReason":"end_turn"}`)
			},
			call: func() string {
				return frames("contentBlockStart", `{"contentBlockIndex":0,"start":{"toolUse":{"name":"todo","toolUseId":"c1"}}}`, "contentBlockStop", `{"contentBlockIndex":0}`, "messageStop", `{"stopReason":"tool_use"}`)
			},
		},
	}
}

// bareAWS keeps the AWS settings of the machine out of a test.
func bareAWS(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for k, v := range map[string]string{"AWS_CONFIG_FILE": filepath.Join(dir, "config"), "AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "credentials"), "AWS_EC2_METADATA_DISABLED": "true", "AWS_PROFILE": "", "AWS_REGION": "", "AWS_ENDPOINT_URL": ""} {
		t.Setenv(k, v)
	}
}

// judging is a server in one of the tongues: it refuses what its judge does not like, has the
// first good request make a call, and answers all others.
type judging struct {
	url     string
	mu      sync.Mutex
	bodies  []string
	refused int
}

func (j *judging) counts() (requests, refused int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.bodies), j.refused
}

// body is the request with a number, from the end if it is negative.
func (j *judging) body(n int) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if n < 0 {
		n += len(j.bodies)
	}
	return j.bodies[n]
}

func judge(t *testing.T, g tongue, of func(body string, n int) string) *judging {
	t.Helper()
	j, called := &judging{}, false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		j.bodies = append(j.bodies, string(raw))
		if words := of(string(raw), len(j.bodies)); words != "" {
			j.refused++
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("X-Amzn-ErrorType", "ValidationException")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, g.refusal(words))
			return
		}
		w.Header().Set("Content-Type", g.media)
		answer := g.say()
		if !called {
			called, answer = true, g.call()
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(srv.Close)
	j.url = srv.URL
	return j
}

// longest is the most tokens that a request lets its answer have.
func longest(body string) int {
	n := 0
	if m := longestRE.FindStringSubmatch(body); m != nil {
		n, _ = strconv.Atoi(m[1]) // digits
	}
	return n
}

var longestRE = regexp.MustCompile(`"max_?(?:completion_|output_)?[tT]okens":(\d+)`)

// TestRefusedPartInEveryProtocol refuses one part of a request in the words of a service, over
// each protocol. The turn goes on, the next one is refused nothing, and where the service did not
// count tokens, they are estimated and marked.
func TestRefusedPartInEveryProtocol(t *testing.T) {
	bareAWS(t)
	for _, g := range tongues() {
		has := func(body, tool string) bool { return strings.Contains(body, `"name":"`+tool+`"`) }
		for name, c := range map[string]struct {
			judge   func(body string, n int) string
			refused int
			notice  string
			images  int
			says    string // the request after the refusal
		}{
			"a tool by its name": {judge: func(body string, _ int) string {
				if has(body, "write_file") {
					return "Invalid schema for function 'write_file': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
				}
				return ""
			}, refused: 1, notice: "refuses the tool write_file"},
			"too many tools": {judge: func(body string, _ int) string {
				if n := strings.Count(body, g.schema); n > 5 {
					return fmt.Sprintf("Invalid 'tools': array too long. Expected an array with maximum length 5, but got an array with length %d instead.", n)
				}
				return ""
			}, refused: 1, notice: "takes 5 tools"},
			"too many images": {images: 7, judge: func(body string, _ int) string {
				if n := strings.Count(body, g.image); n > 5 {
					return "Too many images: 5 at most"
				}
				return ""
			}, refused: 1, notice: "takes 5 images"},
			"images in other words": {images: 7, judge: func(body string, _ int) string {
				if n := strings.Count(body, g.image); n > 3 {
					return "At most 3 image(s) may be provided in one request."
				}
				return ""
			}, refused: 1, notice: "takes 3 images"},
			"a longer answer than the model has": {judge: func(body string, _ int) string {
				if n := longest(body); n > 16_384 {
					return fmt.Sprintf("max_tokens is too large: %d. This model supports at most 16384 completion tokens, whereas you provided %d.", n, n)
				}
				return ""
			}, refused: 1},
			"a longer answer than there is room for": {judge: func(body string, _ int) string {
				if in, n := len(body)/3, longest(body); in+n > 130_000 {
					return fmt.Sprintf("input length and `max_tokens` exceed context limit: %d + %d > 130000, decrease input length or `max_tokens` and try again", in, n)
				}
				return ""
			}, refused: 1},
			"a message": {judge: func(_ string, n int) string {
				if n == 2 {
					return "messages.2.content.0: Input should be a valid dictionary"
				}
				return ""
			}, refused: 1},
			"a call that cannot be read": {judge: func(_ string, n int) string {
				if n == 1 {
					return "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details."
				}
				return ""
			}, refused: 1, says: "could not read the tool call"},
		} {
			t.Run(g.name+"/"+name, func(t *testing.T) {
				j := judge(t, g, c.judge)
				r := newRig(t, &script.Scenario{Name: "unused"}, patient(3), withMode(event.ModeOff), seeing(event.Yes), func(cfg *agent.Config) {
					cfg.Runtime.Client, cfg.Runtime.MaxOutput = g.open(t, j.url), 128_000
				})
				for n := 1; n <= 2; n++ {
					var images []event.Attachment
					if n == 1 {
						images = r.attach([]string{"1", "2", "3", "4", "5", "6", "7"}[:c.images]...)
					}
					if _, err := r.conv.Submit(fmt.Sprint("go ", n), images...); err != nil {
						t.Fatal(err)
					}
					r.idle(n)
					if end := r.last(); end.Outcome != event.TurnCompleted {
						t.Fatalf("turn %d: %+v", n, end)
					}
					if all, refused := j.counts(); refused != c.refused || all != n+1+refused {
						t.Errorf("turn %d: %d requests, %d refused", n, all, refused)
					}
				}
				if c.notice != "" {
					r.wants(c.notice)
				}
				if c.says != "" && !strings.Contains(j.body(1), c.says) {
					t.Errorf("the model was not told: %s", j.body(1))
				}
				if got := r.countRetries(); c.says == "" && got > 0 {
					t.Errorf("%d waits", got)
				}
				if u := r.state.Usage(); u.Uncounted != 3 || u.Calls != 3 || u.Input < 1000 || u.Output < 3 {
					t.Errorf("usage %+v", u)
				}
			})
		}
	}
}

// pictured is a toolbox whose todo answers with a picture, as a server of tools may.
type pictured struct {
	agent.Toolbox
	data []byte
}

// Lookup implements [agent.Toolbox].
func (p pictured) Lookup(name string) (tools.Tool, bool) {
	tool, ok := p.Toolbox.Lookup(name)
	if name == "todo" {
		tool.Run = func(context.Context, tools.Call, tools.Host, tools.Sink) (tools.Result, error) {
			return tools.Result{Content: "Took it: [image, kept in /kept/1]", Images: []tools.Image{{Data: p.data}, {Data: []byte("no picture")}}}, nil
		}
	}
	return tool, ok
}

// TestPicturesOfResults shows a model that sees the pictures of results, over each protocol, small
// enough, and also with a word of the user behind it; one that does not see gets the text. A service
// that takes no pictures in results gets the request without them.
func TestPicturesOfResults(t *testing.T) {
	bareAWS(t)
	var big bytes.Buffer
	if err := png.Encode(&big, image.NewGray(image.Rect(0, 0, 2400, 1200))); err != nil {
		t.Fatal(err)
	}
	for _, g := range tongues() {
		for _, c := range []struct {
			sees    event.Ability
			refuses bool
			images  []int // of the requests
		}{{event.Yes, false, []int{0, 1, 1}}, {event.No, false, []int{0, 0, 0}}, {event.Yes, true, []int{0, 1, 0, 0}}} {
			t.Run(fmt.Sprintf("%s/%s/%t", g.name, c.sees, c.refuses), func(t *testing.T) {
				j := judge(t, g, func(body string, _ int) string {
					if c.refuses && strings.Contains(body, g.image) {
						return "tool message content must be a string"
					}
					return ""
				})
				r := newRig(t, &script.Scenario{Name: "unused"}, patient(3), withMode(event.ModeOff), seeing(c.sees), func(cfg *agent.Config) {
					cfg.Runtime.Client, cfg.Tools = g.open(t, j.url), pictured{cfg.Tools, big.Bytes()}
				})
				for n := 1; n <= 2; n++ {
					r.submit(fmt.Sprint("go ", n))
					r.idle(n)
					if end := r.last(); end.Outcome != event.TurnCompleted {
						t.Fatalf("turn %d: %+v", n, end)
					}
				}
				var got []int
				for n := range c.images {
					body := j.body(n)
					got = append(got, strings.Count(body, g.image))
					if n > 0 && !strings.Contains(body, "kept in /kept/1") {
						t.Errorf("request %d lacks the text", n)
					}
				}
				if all, _ := j.counts(); all != len(c.images) || !slices.Equal(got, c.images) {
					t.Errorf("%d requests with %v images, want %v", all, got, c.images)
				}
			})
		}
	}
}

package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestInspect tells messages from other JSON, and finds keys that stand twice.
func TestInspect(t *testing.T) {
	t.Parallel()
	var nine, deep string
	for i := range 20 {
		nine += fmt.Sprintf(`"k%d":%d,`, i, i)
	}
	deep = strings.Repeat(`[`, 5000) + `{"a":1,"a":2}` + strings.Repeat(`]`, 5000)
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","method":"a"}`:                             "",
		` { "jsonrpc" : "2.0" , "id" : 1 , "result" : { } } `:        "",
		`{"jsonrpc":"2.0","id":"x","error":{"code":1}}`:              "",
		`{"jsonrpc":"2.0","id":1,"result":[true,null,-1.5e9,"\"}"]}`: "",
		`{}`: "no message", `[]`: "no message", `1`: "no message", `"a"`: "no message", `{"jsonrpc":"2.0","id":1}`: "no message", `{"JSONRPC":"2.0","METHOD":"a"}`: "no message",
		`{"jsonrpc":"2.0","method":"a",}`: "no message", `{"jsonrpc":"2.0","id":NaN,"method":"a"}`: "no message", ``: "no message", strings.Repeat("[", 20_000): "no message",
		`{"jsonrpc":"2.0","method":"a","method":"b"}`:                                 `"method" stands twice`,
		`{"jsonrpc":"2.0","id":1,"result":{"a":[{"b":1,"\u0062":2}]}}`:                `"b" stands twice`,
		`{"jsonrpc":"2.0","id":1,"result":{` + nine + `"k3":1}}`:                      `"k3" stands twice`,
		`{"jsonrpc":"2.0","id":1,"result":{` + nine + `"k":1}}`:                       "",
		`{"jsonrpc":"2.0","id":1,"result":` + deep + `}`:                              `"a" stands twice`,
		`{"jsonrpc":"2.0","id":1,"result":{"a":{"x":1},"b":{"x":1},"A":1,"":1}}`:      "",
		`{"jsonrpc":"2.0","id":1,"result":{"a` + "\xff" + `":1,"a` + "\xff" + `":1}}`: "stands twice",
	} {
		err := inspect([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.200s: %v, want %q", text, err, want)
		}
	}
}

// FuzzInspect takes anything, and lets nothing through that is no JSON.
func FuzzInspect(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"a":[{"b":1,"\u0062":2}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := inspect(data); !json.Valid(data) && !errors.Is(err, errNoMessage) {
			t.Errorf("%v", err)
		}
	})
}

// TestBodies reads answers of an address: what is too long or has a key twice breaks off, what
// is no message is passed over, and a question says which call it belongs to.
func TestBodies(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxFrame)
	for name, row := range map[string]struct {
		kind, body, want, bad string
		skipped               int
	}{
		"message":     {"application/json", `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, "", 0},
		"long":        {"application/json; charset=utf-8", `"` + long + `"`, "", "more than 16 MB", 0},
		"long page":   {"text/html", long + "x", "", "more than 16 MB", 0},
		"twice":       {"application/json", `{"jsonrpc":"2.0","id":1,"id":1,"result":{}}`, "", `"id" stands twice`, 0},
		"event":       {"text/event-stream", "event: message\r\nid: 7\r\ndata: {\"jsonrpc\":\"2.0\",\r\ndata: \"method\":\"a\"}\r\n\r\n", "event: message\nid: 7\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"a\"}\n\n", "", 0},
		"long event":  {"text/event-stream", "data: " + long + "\n\n", "", "more than 16 MB", 0},
		"many lines":  {"text/event-stream", strings.Repeat(": still here, nothing to say\n", maxFrame/20), "", "more than 16 MB", 0},
		"twice event": {"text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":1,\"a\":2}}\n\n", "", `"a" stands twice`, 0},
		"junk event":  {"text/event-stream", "nonsense\ndata: {\"level\":30}\n\nid: 4\ndata: junk\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"a\"}", ":\n\nid: 4\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n\n", "", 2},
		"other event": {"text/event-stream", "event: endpoint\ndata: /messages\n\n:\n\n", "event: endpoint\ndata: /messages\n\n:\n\n:\n\n", "", 0},
		"question":    {"text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"elicitation/create\",\"params\":{\"message\":\"m\",\"_meta\":{\"a\":1}}}\n\n", `data: {"id":3,"jsonrpc":"2.0","method":"elicitation/create","params":{"_meta":{"a":1,"hermes-tui/call":"call-5"},"message":"m"}}` + "\n\n", "", 0},
	} {
		var bad error
		skipped := 0
		body := guarded(&http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {row.kind}}, Body: io.NopCloser(strings.NewReader(row.body))}, "call-5", func(e error) { bad = e }, func([]byte) { skipped++ })
		got, err := io.ReadAll(body)
		got = bytes.TrimSuffix(got, []byte(":\n\n")) // at the end of a stream
		if row.bad != "" {
			if err == nil || bad == nil || !strings.Contains(bad.Error(), row.bad) {
				t.Errorf("%s: %v, %v", name, err, bad)
			}
			continue
		}
		if err != nil || bad != nil || string(got) != strings.TrimSuffix(row.want, ":\n\n") || skipped != row.skipped {
			t.Errorf("%s: %q, %v, %v, %d passed over", name, got, err, bad, skipped)
		}
	}
}

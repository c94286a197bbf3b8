//go:build unix

package mcp_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/mcp"
)

// TestHostileRemote holds servers at addresses that answer calls as they should not: each is
// bounded, says what was wrong, and the next call finds the server again.
func TestHostileRemote(t *testing.T) {
	t.Parallel()
	answer := func(id json.RawMessage, text string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`, id, text)
	}
	how := map[string]func(w http.ResponseWriter, r *http.Request, id json.RawMessage){
		"good": func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) { fmt.Fprint(w, answer(id, "fine")) },
		"long": func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
			head, tail, _ := strings.Cut(answer(id, "|"), "|")
			fmt.Fprint(w, head)
			for range 1 << 10 { // a gigabyte, if anyone takes it
				if _, err := io.WriteString(w, strings.Repeat("x", 1<<20)); err != nil {
					return
				}
			}
			fmt.Fprint(w, tail)
		},
		"twice": func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[],"content":[{"type":"text","text":"other"}]}}`, id)
		},
		"endless": func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: ")
			for {
				if _, err := io.WriteString(w, strings.Repeat("x", 1<<20)); err != nil {
					return
				}
			}
		},
		"packed": func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write([]byte(answer(id, "packed")))
			_ = z.Close()
		},
		"junk": func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "listening\ndata: {\"level\":30}\n\ndata: %s\n\n", answer(id, "through the noise"))
		},
		"drip": func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				fmt.Fprint(w, ": \n")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(20 * time.Millisecond)
			}
		},
		"cut": func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, answer(id, "half")[:20])
		},
		"page": func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<h1>Please log in</h1>")
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
		}
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || json.Unmarshal(body, &m) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		switch {
		case m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		case m.Method == "initialize":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"far","version":"1"}}}`, m.ID)
		case m.Method == "tools/list":
			var list []string
			for name := range how {
				list = append(list, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, name))
			}
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, m.ID, strings.Join(list, ","))
		case m.Method == "tools/call":
			how[m.Params.Name](w, r, m.ID)
		default:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		}
	}))
	t.Cleanup(server.Close)
	b := newBench(t)
	c := mcp.Config{Name: "far", Origin: "test", URL: server.URL, Trusted: true, ConnectTimeout: 5 * time.Second, Timeout: 5 * time.Second}
	if s := b.begin(c)[0]; s.State != mcp.Ready || len(s.Tools) != len(how) {
		t.Fatalf("%+v", s)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, row := range []struct{ name, want string }{
		{"long", "it sent a message of more than 16 MB"}, {"twice", `the key \"content\" stands twice`}, {"endless", "it sent a message of more than 16 MB"},
		{"packed", "cannot be read"}, {"cut", "cannot be read"}, {"page", "cannot be read"}, {"drip", "did not answer within 5s"},
	} {
		b.wants(row.name, `{}`, row.want, tools.StatusFailed)
		b.wants("good", `{}`, "fine", tools.StatusOK)
	}
	runtime.ReadMemStats(&after)
	if grown := (after.TotalAlloc - before.TotalAlloc) >> 20; grown > 400 {
		t.Errorf("%d MB were allocated", grown)
	}
	b.wants("junk", `{}`, "through the noise", tools.StatusOK)
	if s := b.List()[0]; !strings.HasPrefix(s.Junk, "It has written 1 line that is no message") || !strings.Contains(b.logOf("far"), `"level"`) {
		t.Errorf("%q, log %s", s.Junk, b.logOf("far"))
	}
	b.Close()
}

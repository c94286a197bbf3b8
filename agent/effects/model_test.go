//go:build linux

package effects_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// modelAddr is where the scripted model of a machine listens.
const modelAddr = "127.0.0.1:19190"

// model is a scripted model: it answers with one call after the other and keeps
// what it was sent.
type model struct {
	calls   []toolCall
	opinion string

	mu      sync.Mutex
	bodies  []string
	results []string // of the calls, as the model got them
}

// listen serves the model until the machine ends.
func (m *model) listen() error {
	l, err := net.Listen("tcp", modelAddr)
	if err != nil {
		return err
	}
	go http.Serve(l, m) //nolint:gosec // it ends with the process
	return nil
}

// ServeHTTP answers a chat completion.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"m","object":"model"}]}`)
		return
	}
	var q struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools  []json.RawMessage `json:"tools"`
		Stream bool              `json:"stream"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var results []string
	for _, msg := range q.Messages {
		if msg.Role == "tool" {
			var text string
			if json.Unmarshal(msg.Content, &text) != nil {
				text = string(msg.Content)
			}
			results = append(results, text)
		}
	}
	m.mu.Lock()
	m.bodies = append(m.bodies, string(body))
	if len(q.Tools) > 0 {
		m.results = results
	}
	m.mu.Unlock()
	delta := map[string]any{"role": "assistant", "content": "Done."}
	finish := "stop"
	if len(q.Tools) == 0 {
		delta["content"] = m.opinion
	}
	if n := len(results); len(q.Tools) > 0 && n < len(m.calls) {
		c := m.calls[n]
		delta = map[string]any{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{
			"index": 0, "id": fmt.Sprintf("call_%d", n), "type": "function",
			"function": map[string]any{"name": c.Name, "arguments": strings.ReplaceAll(string(c.Args), "$SESSION", session(results))},
		}}}
		finish = "tool_calls"
	}
	send(w, q.Stream, delta, finish)
}

var sessionID = regexp.MustCompile(`"session_id":\s*"([^"]+)"`)

// session is the job that was started last.
func session(results []string) string {
	for i := len(results) - 1; i >= 0; i-- {
		if m := sessionID.FindStringSubmatch(results[i]); m != nil {
			return m[1]
		}
	}
	return ""
}

func send(w http.ResponseWriter, stream bool, delta map[string]any, finish string) {
	usage := map[string]any{"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
	if !stream {
		_ = json.NewEncoder(w).Encode(map[string]any{"id": "x", "object": "chat.completion", "model": "m", "usage": usage,
			"choices": []any{map[string]any{"index": 0, "message": delta, "finish_reason": finish}}})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, c := range []map[string]any{{"index": 0, "delta": delta}, {"index": 0, "delta": map[string]any{}, "finish_reason": finish}} {
		data, err := json.Marshal(map[string]any{"id": "x", "object": "chat.completion.chunk", "model": "m", "choices": []any{c}, "usage": usage})
		if err != nil {
			return
		}
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// said returns what the model was sent, and the results of its calls.
func (m *model) said() (bodies, results []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bodies, m.results
}

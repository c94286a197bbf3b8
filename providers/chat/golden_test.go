package chat

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

// goldenCase is a request. Its file holds what is sent for it.
type goldenCase struct {
	Name     string        `json:"name"` // of the row, and behind a colon of the variation
	Provider string        `json:"provider"`
	Path     string        `json:"path,omitempty"`
	Model    string        `json:"model"`
	Effort   string        `json:"effort,omitempty"`
	Max      int           `json:"max,omitempty"`
	CacheFor time.Duration `json:"cache_for,omitempty"`
	change   func(*Config)
	efforts  []string // that the service lists
}

// goldenCases has at least one request for each row of the table.
func goldenCases() []goldenCase {
	return []goldenCase{
		{Name: "plain", Provider: "acme", Model: "m-1", Effort: "xhigh", Max: 4096, CacheFor: time.Hour},
		{Name: "overrides", Provider: "acme", Model: "m-1", Effort: "high", Max: 4096, change: func(c *Config) {
			c.Extra = `{"temperature": 0.2, "reasoning_effort": "low", "max_tokens": null, "max_completion_tokens": 99, "top_k": 6, "service_tier": "flex"}`
		}},

		{Name: "openrouter", Provider: "openrouter", Model: "mistralai/devstral", Effort: "high", change: func(c *Config) {
			c.Routing = Routing{
				Only: []string{"a", "b"}, Ignore: []string{"c"}, Order: []string{"b"}, Sort: "price", RequireParameters: true, DataCollection: "deny",
			}
			c.AnswerCache = 300 * time.Second
		}},
		{Name: "openrouter reasoning", Provider: "openrouter", Model: "qwen/qwen3-max"},
		{Name: "openrouter reasoning: asked", Provider: "openrouter", Model: "deepseek/deepseek-v4-pro", Effort: "xhigh"},
		{Name: "openrouter reasoning: off", Provider: "openrouter", Model: "openai/gpt-5", Effort: "none", Max: 99},
		{Name: "openrouter: gemini 4", Provider: "openrouter", Model: "google/gemini-4-neon", Effort: "high"},
		{Name: "openrouter: kimi k3", Provider: "openrouter", Model: "moonshotai/kimi-k3", Effort: "medium"},
		{Name: "openrouter: glm 5.3", Provider: "openrouter", Model: "z-ai/glm-5.3", Effort: "high"},
		{Name: "openrouter claude", Provider: "openrouter", Model: "anthropic/claude-sonnet-4.5", Effort: "high", CacheFor: 5 * time.Minute},
		{Name: "openrouter claude: hour", Provider: "openrouter", Model: "anthropic/claude-opus-4.1", CacheFor: time.Hour, Max: 1000},
		{Name: "openrouter adaptive claude", Provider: "openrouter", Model: "anthropic/claude-opus-4.6", Effort: "minimal"},
		{Name: "openrouter adaptive claude: off", Provider: "openrouter", Model: "anthropic/claude-opus-4.6", Effort: "none"},
		{Name: "openrouter adaptive claude: mythos", Provider: "openrouter", Model: "anthropic/claude-mythos-5.2", Effort: "max"},
		{Name: "openrouter adaptive claude: always", Provider: "openrouter", Model: "anthropic/claude-opus-5.5", Effort: "none"},
		{Name: "openrouter grok", Provider: "openrouter", Model: "x-ai/grok-4.3", Effort: "low"},
		{Name: "openrouter pareto", Provider: "openrouter", Model: "openrouter/pareto-code", change: func(c *Config) { c.RouterScore = 0.65 }},

		{Name: "nous", Provider: "nous", Model: "hermes-4-405b", Effort: "low", CacheFor: time.Hour},
		{Name: "nous: off", Provider: "nous", Model: "hermes-4-405b", Effort: "none"},
		{Name: "nous claude", Provider: "nous", Model: "anthropic/claude-sonnet-4.6", CacheFor: time.Hour},
		{Name: "nous qwen", Provider: "nous", Model: "qwen/qwen3-coder", CacheFor: time.Hour},

		{Name: "kimi", Provider: "moonshot", Model: "kimi-k2.6", Effort: "xhigh"},
		{Name: "kimi: unset", Provider: "moonshot", Model: "kimi-k2.6"},
		{Name: "kimi: off", Provider: "moonshot", Model: "kimi-k2.6", Effort: "none"},
		{Name: "kimi: k3", Provider: "moonshot", Model: "kimi-k3", Effort: "medium"},
		{Name: "kimi models", Provider: "groq", Model: "moonshotai/kimi-k2-instruct"},
		{Name: "deepseek thinking", Provider: "deepseek", Model: "deepseek-v4-pro", Effort: "xhigh"},
		{Name: "deepseek thinking: off", Provider: "deepseek", Model: "deepseek-reasoner", Effort: "none"},
		{Name: "reasoning echo", Provider: "deepseek", Model: "deepseek-chat"},
		{Name: "gemini", Provider: "gemini", Path: "/v1beta/openai", Model: "gemma-4-31b", Effort: "high"},
		{Name: "gemini thinking", Provider: "gemini", Path: "/v1beta/openai", Model: "gemini-2.5-pro", Effort: "high"},
		{Name: "gemini thinking: off", Provider: "gemini", Path: "/v1beta/openai", Model: "gemini-3.5-flash", Effort: "none"},
		{Name: "gemini thinking: 3 flash", Provider: "gemini", Path: "/v1beta/openai", Model: "gemini-3.5-flash", Effort: "medium"},
		{Name: "gemini thinking: 3 pro", Provider: "gemini", Path: "/v1beta/openai", Model: "models/gemini-3-pro-preview", Effort: "medium"},
		{Name: "gemini thinking: 4", Provider: "gemini", Path: "/v1beta/openai", Model: "gemini-4-neon", Effort: "max"},
		{Name: "gemini signatures", Provider: "openrouter", Model: "google/gemini-3-pro-preview"},
		{Name: "zai", Provider: "zai", Model: "glm-5.3", Effort: "xhigh"},
		{Name: "zai: older", Provider: "zai", Model: "glm-4.7", Effort: "high"},
		{Name: "grok", Provider: "xai", Model: "grok-4", Effort: "low"},
		{Name: "minimax m3", Provider: "minimax", Model: "MiniMax-M3", Effort: "high"},
		{Name: "xiaomi", Provider: "xiaomi", Model: "mimo-v2.5-pro", change: func(c *Config) { c.Provider = "xiaomi" }},
		{Name: "mistral", Provider: "mistral", Model: "mistral-medium-latest"},

		{Name: "qwen portal", Provider: "qwen-oauth", Model: "qwen3-coder-plus", CacheFor: time.Hour},
		{Name: "alibaba qwen", Provider: "dashscope", Model: "qwen3.7-plus", CacheFor: time.Hour},

		{Name: "context size", Provider: "custom", Model: "m-1", change: func(c *Config) { c.Window = 65_536 }},
		{Name: "ollama", Provider: "ollama", Model: "qwen3:8b", Effort: "none"},
		{Name: "ollama: asked", Provider: "ollama", Model: "qwen3:8b", Effort: "xhigh", Max: 4000},
		{Name: "lm studio", Provider: "lmstudio", Model: "qwen/qwen3-8b", Effort: "high", efforts: []string{"off", "low"}},
		{Name: "lm studio: unable", Provider: "lmstudio", Model: "llama", Effort: "high", efforts: []string{}},

		{Name: "mistral models", Provider: "acme", Model: "devstral-small-2"},
		{Name: "gemma models", Provider: "acme", Model: "gemma-3-27b-it"},
		{Name: "minimax m2", Provider: "acme", Model: "MiniMaxAI/MiniMax-M2.7"},

		{Name: "trinity", Provider: "arcee", Model: "trinity-large-thinking"},
	}
}

// goldenRequest reads the canonical request.
func goldenRequest(t *testing.T, c goldenCase) providers.Request {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "golden", "history.json"))
	if err != nil {
		t.Fatal(err)
	}
	var h struct {
		System   string
		Tools    []providers.ToolDef
		Messages []providers.Message
	}
	if err := json.Unmarshal(data, &h); err != nil {
		t.Fatal(err)
	}
	for _, m := range h.Messages {
		for i := range m.Native {
			if m.Native[i].Issuer == "self" {
				m.Native[i].Issuer = c.Provider
			}
			if m.Native[i].Model == "self" {
				m.Native[i].Model = c.Model
			}
		}
	}
	return providers.Request{
		Model: c.Model, System: h.System, Tools: h.Tools, Messages: h.Messages, MaxOutput: c.Max, Effort: c.Effort,
		Session: "session-1", CacheFor: c.CacheFor,
	}
}

// goldenFile is what a file holds.
type goldenFile struct {
	In      goldenCase        `json:"in"`
	Rows    []string          `json:"rows"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
}

// ordinary are the headers that every request has.
func ordinary() []string {
	return []string{"Accept", "Accept-Encoding", "Authorization", "Cache-Control", "Connection", "Content-Length", "Content-Type", "User-Agent"}
}

func own(h http.Header) map[string]string {
	out := map[string]string{}
	for k := range h {
		if !slices.Contains(ordinary(), k) {
			out[k] = h.Get(k)
		}
	}
	return out
}

// TestGoldens compares requests with files. UPDATE_GOLDEN=1 writes them.
func TestGoldens(t *testing.T) {
	s := okServer(t)
	seen, files := map[string]bool{}, []string{"history.json"}
	for _, c := range goldenCases() {
		row, _, _ := strings.Cut(c.Name, ":")
		file := strings.NewReplacer(": ", "_", " ", "_").Replace(c.Name) + ".json"
		files = append(files, file)
		t.Run(c.Name, func(t *testing.T) {
			client := newClient(t, s.url+c.Path, func(o *Config) {
				o.Provider = c.Provider
				if c.change != nil {
					c.change(o)
				}
			})
			client.learn(map[string][]string{c.Model: c.efforts})
			if _, err := collect(t, client, goldenRequest(t, c)); err != nil {
				t.Fatal(err)
			}
			rows := client.needs(c.Model).rows
			if slices.Contains(rows, row) {
				seen[row] = true
			}
			got := s.asked()
			same(t, []string{got.header.Get("User-Agent")}, "hermes-tui/test")
			golden(t, filepath.Join("testdata", "golden", file), goldenFile{c, rows, own(got.header), json.RawMessage(got.body)})
		})
	}
	for _, row := range quirks() {
		if !seen[row.name] {
			t.Errorf("no request shows the row %q", row.name)
		}
	}
	entries, err := os.ReadDir(filepath.Join("testdata", "golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(files, e.Name()) {
			t.Errorf("the file %s belongs to no request", e.Name())
		}
	}
}

// golden compares with a file, in which JSON is laid out for reading. The order of
// keys counts.
func golden(t *testing.T, file string, got goldenFile) {
	t.Helper()
	compact, err := marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, compact, "", "  "); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.WriteFile(file, pretty.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if pretty.String() != string(want) {
		t.Errorf("%s differs (UPDATE_GOLDEN=1 accepts it):\n%s", file, pretty.String())
	}
}

// marshal writes JSON without the escapes that only HTML needs.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

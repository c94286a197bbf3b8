package chat

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// at makes a client of an address that is not asked.
func at(t *testing.T, provider, address string) *Client {
	t.Helper()
	return newClient(t, address, func(c *Config) { c.Provider = provider })
}

// Services are known by their address as well, whatever the user calls them.
func TestRowsByAddress(t *testing.T) {
	for _, c := range []struct{ provider, address, model, want string }{
		{"mine", "https://openrouter.ai/api/v1", "openai/gpt-5", "openrouter, openrouter reasoning"},
		{"mine", "https://openrouter.ai/api/v1", "openai/gpt-oss-120b:free", "openrouter, openrouter reasoning"},
		{"mine", "https://openrouter.ai/api/v1", "meta/llama-4", "openrouter"},
		{"mine", "https://openrouter.ai/api/v1", "google/gemini-2.5-flash", "openrouter, openrouter reasoning, gemini signatures"},
		{"mine", "https://openrouter.ai.evil.test/v1", "openai/gpt-5", ""},
		{"mine", "https://notopenrouter.ai/v1", "openai/gpt-5", ""},
		{"OpenRouter", "https://proxy.test/v1", "m", "openrouter"},
		{"mine", "https://openrouter.ai/api/v1", "anthropic/claude-3.7-sonnet", "openrouter, openrouter reasoning, openrouter claude"},
		{"mine", "https://openrouter.ai/api/v1", "Anthropic/Claude-Sonnet-4.5", "openrouter, openrouter reasoning, openrouter claude"},
		{"mine", "https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4-20250514", "openrouter, openrouter reasoning, openrouter claude"},
		{"mine", "https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.6", "openrouter, openrouter reasoning, openrouter claude, openrouter adaptive claude"},
		{"mine", "https://openrouter.ai/api/v1", "anthropic/claude-4.6-opus-20260101", "openrouter, openrouter reasoning, openrouter claude, openrouter adaptive claude"},
		{"mine", "https://openrouter.ai/api/v1", "anthropic/claude-opus-5.5", "openrouter, openrouter reasoning, openrouter claude, openrouter adaptive claude"},
		{"mine", "https://inference-api.nousresearch.com/v1", "Hermes-4-405B", "nous"},
		{"mine", "https://api.moonshot.cn/v1", "kimi-k2-thinking", "kimi, kimi models"},
		{"mine", "https://api.kimi.com/coding/v1", "k3", "kimi, kimi models"},
		{"mine", "https://api.deepseek.com", "deepseek-v5-pro", "deepseek thinking, reasoning echo"},
		{"mine", "https://api.deepseek.com", "deepseek-v3.2", "reasoning echo"},
		{"mine", "https://generativelanguage.googleapis.com/v1beta/openai", "gemini-2.0-flash", "gemini, gemini signatures"},
		{"mine", "https://generativelanguage.googleapis.com/v1beta/openai", "gemini-3.1-pro-preview", "gemini, gemini thinking, gemini signatures"},
		{"mine", "https://api.x.ai/v1", "grok-4", "grok"},
		{"mine", "https://api.minimax.io/v1", "MiniMax-M3", "minimax m3"},
		{"mine", "https://api.minimax.io/v2", "MiniMax-M3", ""},
		{"mine", "https://api.minimax.io/v1", "MiniMax-M2.5", "minimax m2"},
		{"mine", "https://api.xiaomimimo.com/v1", "mimo-v2", "xiaomi, reasoning echo"},
		{"mine", "https://portal.qwen.ai/v1", "qwen3-coder-plus", "qwen portal"},
		{"mine", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "qwen-plus", "alibaba qwen"},
		{"mine", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "glm-5", ""},
		{"mine", "https://opencode.ai/zen/v1", "qwen3-coder", "alibaba qwen"},
		{"mine", "http://127.0.0.1:11434/v1", "qwen3", "ollama"},
		{"mine", "http://gpu-box:11434/v1", "qwen3", "ollama"},
		{"mine", "https://models.example.test:11434/v1", "qwen3", ""},
		{"mine", "http://localhost:1234/v1", "qwen3", "lm studio"},
		{"mine", "https://api.test/v1", "arcee-ai/trinity-large-thinking:free", "trinity"},
		{"mine", "https://api.test/v1", "arcee-ai/trinity-large", ""},
		{"mine", "https://api.test/v1", "models/gemma-3-27b", "gemma models, gemini signatures"},
		{"mine", "https://api.openai.com/v1", "gpt-5", ""},
	} {
		rows := at(t, c.provider, c.address).needs(c.model).rows
		rows = slices.DeleteFunc(rows, func(r string) bool { return r == "context size" })
		if got := strings.Join(rows, ", "); got != c.want {
			t.Errorf("%s %s %s: got %q, want %q", c.provider, c.address, c.model, got, c.want)
		}
	}
}

func TestRowsHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range quirks() {
		if row.name == "" || seen[row.name] {
			t.Errorf("row %q", row.name)
		}
		seen[row.name] = true
		for _, pattern := range row.at.models {
			if pattern != strings.ToLower(pattern) || strings.Count(pattern, "/") > 1 {
				t.Errorf("%s: no name can match %q", row.name, pattern)
			}
		}
	}
}

func TestClaudeOutput(t *testing.T) {
	for model, want := range map[string]int{
		"anthropic/claude-3-opus": 4096, "anthropic/claude-3-haiku": 4096, "anthropic/claude-3.5-haiku": 8192, "anthropic/claude-3.7-sonnet:thinking": 128_000,
		"anthropic/claude-opus-4": 32_000, "anthropic/claude-opus-4.1": 32_000, "claude-opus-4-20250514": 32_000, "anthropic/claude-sonnet-4": 64_000,
		"anthropic/claude-sonnet-4.5": 64_000, "anthropic/claude-opus-4.5": 64_000, "anthropic/claude-haiku-4.5": 64_000,
		"anthropic/claude-opus-4.6": 128_000, "anthropic/claude-4.6-opus": 128_000, "anthropic/claude-opus-4.8": 128_000, "anthropic/claude-sonnet-4.6": 64_000,
		"anthropic/claude-fable-1": 128_000, "anthropic/claude-sonnet-5": 128_000,
	} {
		if got := claudeOutput(model); got != want {
			t.Errorf("%s: got %d, want %d", model, got, want)
		}
	}
}

// A call that belongs to no session is not made to reason.
func TestCallsBesideTheConversation(t *testing.T) {
	c := at(t, "openrouter", "https://openrouter.ai/api/v1")
	r := hello()
	r.Model = "anthropic/claude-sonnet-4.5"
	extra := c.extra(r, c.needs(r.Model))
	for _, k := range []string{"reasoning", "session_id"} {
		if v, set := extra[k]; set {
			t.Errorf("%s is %v", k, v)
		}
	}
}

func TestAListForEveryContentButOfTools(t *testing.T) {
	out := []message{{Role: "user", Content: "a"}, {Role: "tool", Content: "b"}}
	listContents(out, true)
	if _, list := out[0].Content.([]part); !list || out[1].Content != "b" {
		t.Errorf("got %v", out)
	}
}

func TestMarked(t *testing.T) {
	for _, c := range []struct {
		provider, model string
		asked, want     time.Duration
	}{
		{"openrouter", "anthropic/claude-sonnet-4.6", 5 * time.Minute, 5 * time.Minute},
		{"openrouter", "anthropic/claude-sonnet-4.6", time.Hour, time.Hour},
		{"openrouter", "anthropic/claude-sonnet-4.6", 0, 0},
		{"openrouter", "openai/gpt-5", time.Hour, 0},
		{"openrouter", "qwen/qwen3-max", time.Hour, 0},
		{"nous", "qwen/qwen3-max", time.Hour, 5 * time.Minute},
		{"nous", "anthropic/claude-opus-5", time.Hour, time.Hour},
		{"dashscope", "qwen-plus", time.Hour, 5 * time.Minute},
		{"acme", "claude-sonnet-4.6", time.Hour, 0},
	} {
		if got := at(t, c.provider, "https://host.test/v1").marked(c.model, c.asked); got != c.want {
			t.Errorf("%s %s for %v: got %v, want %v", c.provider, c.model, c.asked, got, c.want)
		}
	}
}

func TestSettingsThatCannotBeSent(t *testing.T) {
	for what, change := range map[string]func(*Config){
		"the score":      func(c *Config) { c.RouterScore = 1.1 },
		`hold "tools"`:   func(c *Config) { c.Extra = `{"tools": null}` },
		`"messages"`:     func(c *Config) { c.Extra = `{"messages": []}` },
		"no JSON object": func(c *Config) { c.Extra = `[]` },
	} {
		config := Config{Service: transport.Service{Endpoint: providers.Endpoint{BaseURL: "https://host.test"}, Transport: transport.New(transport.Options{})}}
		change(&config)
		if _, err := New(config); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("got %v, want %s", err, what)
		}
	}
}

// The user's own headers win over those of a row.
func TestHeadersOfTheUserWin(t *testing.T) {
	s := okServer(t)
	c := newClient(t, s.url, func(c *Config) {
		c.Provider, c.Headers = "openrouter", map[string]string{"x-title": "mine"}
	})
	if _, err := collect(t, c, hello()); err != nil {
		t.Fatal(err)
	}
	if got := s.asked().header.Values("X-Title"); !slices.Equal(got, []string{"mine"}) {
		t.Errorf("got %q", got)
	}
}

// No request claims to come from another program.
func TestNoRowImitatesAnotherProgram(t *testing.T) {
	for _, g := range goldenCases() {
		c := at(t, g.Provider, "https://host.test/v1")
		n := c.needs(g.Model)
		q := query{config: &c.config, model: g.Model, session: "s"}
		for k, v := range n.extraHeaders(q) {
			if slices.Contains([]string{"User-Agent", "Originator"}, k) || k == "X-Title" && v != program {
				t.Errorf("%s: %s: %s", g.Name, k, v)
			}
		}
		if tags, ok := n.fields(q)["tags"].([]string); ok && !slices.Equal(tags, []string{"product=" + program}) {
			t.Errorf("%s: tags %q", g.Name, tags)
		}
	}
}

func TestEcho(t *testing.T) {
	c := at(t, "deepseek", "https://api.deepseek.com/v1")
	item := func(issuer, kind, raw string) providers.Item {
		return providers.Item{Issuer: issuer, Model: "deepseek-v4-pro", Kind: kind, Raw: []byte(raw)}
	}
	calls := []providers.Call{{ID: "k", Name: "f"}}
	for _, tc := range []struct {
		name  string
		calls []providers.Call
		items []providers.Item
		want  string
	}{
		{"its own", calls, []providers.Item{item("deepseek", itemReasoningContent, `"why"`)}, `"why"`},
		{"none", calls, nil, `" "`},
		{"empty", calls, []providers.Item{item("deepseek", itemReasoningContent, `""`)}, `" "`},
		{"of another", calls, []providers.Item{item("openrouter", itemReasoningContent, `"secret"`)}, `" "`},
		{"under another name", calls, []providers.Item{item("deepseek", itemReasoning, `"why"`)}, ""},
		{"no calls", nil, nil, ""},
	} {
		m := providers.Message{Role: providers.Assistant, Reasoning: "secret", Calls: tc.calls, Native: tc.items}
		r := providers.Request{Model: "deepseek-v4-pro", Messages: []providers.Message{m}}
		if got := string(c.messages(r, c.needs(r.Model))[0].ReasoningContent); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
}

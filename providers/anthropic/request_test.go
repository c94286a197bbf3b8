package anthropic

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

// item is a native item of the client and model that the tests use.
func item(kind, raw string, at int) providers.Item {
	return providers.Item{Issuer: "acme", Model: "claude-sonnet-5", Kind: kind, At: at, Raw: json.RawMessage(raw)}
}

// history holds every kind of message.
func wholeHistory() []providers.Message {
	picture := &providers.Image{MediaType: "image/png", Data: []byte("\x89PNG\r\n")}
	return []providers.Message{
		{ID: "m0", Role: providers.Assistant, Parts: providers.TextParts("hello")},
		{ID: "m1", Role: providers.User, Parts: []providers.Part{{Text: "fix <it>"}, {Image: picture}, {Text: " \n"}}},
		{ID: "m2", Role: providers.User, Parts: providers.TextParts("please")},
		{
			ID: "m3", Role: providers.Assistant, Parts: providers.TextParts("I look.Then on."), Reasoning: "hm", Finish: providers.FinishToolCalls,
			Calls: []providers.Call{
				{ID: "k1", WireID: "toolu_a", Name: "read_file", Arguments: `{"path": "a", "n": 12345678901234567890}`},
				{ID: "k2", WireID: "toolu_a", Name: "terminal"},
				{ID: "k:3", Name: "terminal", Arguments: `{"command":"l`},
				{ID: "k_3", Name: "terminal", Arguments: `["ls"]`},
			},
			Native: []providers.Item{
				item("thinking", `{"type":"thinking","thinking":"hm","signature":"c2ln"}`, 0),
				item("redacted_thinking", `{"type":"redacted_thinking","data":"ZGF0YQ=="}`, 2),
				item("news", `{"type":"news","x":1}`, 5),
				item(itemOrder, `[{"text":7},{"text":8},{},{},{},{}]`, 9),
				{Issuer: "other", Model: "claude-sonnet-5", Kind: "thinking", Raw: json.RawMessage(`{"type":"thinking","thinking":"no"}`)},
				{Issuer: "acme", Model: "claude-opus-5", Kind: "thinking", Raw: json.RawMessage(`{"type":"thinking","thinking":"no"}`)},
				item("broken", `{`, 0),
			},
		},
		{ID: "m4", Role: providers.Tool, CallID: "k1", Parts: []providers.Part{{Text: "text"}, {Image: picture}}},
		{ID: "m5", Role: providers.Tool, CallID: "k2"},
		{ID: "m6", Role: providers.Tool, CallID: "k:3", Parts: providers.TextParts("é")},
		{ID: "m7", Role: providers.Tool, CallID: "k_3", Parts: providers.TextParts(" ")},
		{ID: "m8", Role: providers.User, Parts: providers.TextParts("and then?")},
		{
			ID: "m9", Role: providers.Assistant, Reasoning: "only thought",
			Native: []providers.Item{item("thinking", `{"type":"thinking","thinking":"only thought","signature":"eA=="}`, 0)},
		},
		{ID: "m10", Role: providers.User},
		{ID: "m11", Role: providers.Assistant, Finish: providers.FinishInterrupted},
		{ID: "m12", Role: providers.User, Parts: providers.TextParts("go on")},
	}
}

func wholeTools() []providers.ToolDef {
	return []providers.ToolDef{
		{Name: "now", Description: "The time."},
		{Name: "plain", Parameters: json.RawMessage(`{"type":"object","properties":{"z":{"type":"string","description":"<a>"},"a":{"maximum":12345678901234567890}},"required":["z"]}`)},
		{Name: "plain", Parameters: json.RawMessage(`{"type":"object","title":"the second"}`)},
		{Name: "nullable", Parameters: json.RawMessage(`{"type":"object","anyOf":[{"required":["a"]}],"properties":{
			"a":{"anyOf":[{"type":"string","minLength":1},{"type":"null"}],"description":"A","default":null},
			"b":{"type":["integer","null"]},
			"c":{"oneOf":[{"type":"string"},{"type":"null"},{"type":"array","items":{"type":["string","null"]}}]},
			"anyOf":{"type":"boolean"},
			"d":{"enum":["null",1e2]}}}`)},
		{Name: "untyped", Parameters: json.RawMessage(`{"properties":{}}`)},
	}
}

// wholeRequest uses everything that a request can say.
func wholeRequest() providers.Request {
	return providers.Request{
		Model: "claude-sonnet-5", System: "be <kind>", Messages: wholeHistory(), Tools: wholeTools(),
		MaxOutput: 4096, Effort: "high", Session: "s1", CacheFor: time.Hour,
	}
}

// calm is a small request of a model.
func calm(model string) providers.Request {
	return providers.Request{Model: model, Messages: []providers.Message{{ID: "1", Role: providers.User, Parts: providers.TextParts("hi")}}}
}

func TestRequests(t *testing.T) {
	with := func(r providers.Request, change func(*providers.Request)) providers.Request { change(&r); return r }
	for name, r := range map[string]providers.Request{
		"whole":            wholeRequest(),
		"small":            calm("m-1"),
		"five_minutes":     with(wholeRequest(), func(r *providers.Request) { r.CacheFor, r.Effort = 5*time.Minute, "" }),
		"no_system_prompt": with(wholeRequest(), func(r *providers.Request) { r.System, r.Messages = "", r.Messages[1:3] }),
		"unmarked_model":   with(wholeRequest(), func(r *providers.Request) { r.Model = "glm-5" }),
		"old_model":        with(wholeRequest(), func(r *providers.Request) { r.Model, r.MaxOutput = "anthropic/claude-opus-4.1", 0 }),
	} {
		t.Run(name, func(t *testing.T) {
			body, _, err := newClient(t, "http://127.0.0.1:1").body(r)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", "requests", name+".json"), body)
		})
	}
}

// golden compares a body with a file, in which it is laid out for reading.
func golden(t *testing.T, file string, body []byte) {
	t.Helper()
	var got bytes.Buffer
	if err := json.Indent(&got, body, "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the request is not that of %s:\n%s", file, got.Bytes())
	}
}

// A longer history begins with the bytes of the shorter one, or a cache is of no
// use.
func TestHistoriesGrowAtTheirEnd(t *testing.T) {
	c := newClient(t, "http://127.0.0.1:1")
	r := wholeRequest()
	r.CacheFor = 0
	messages := func(n int) string {
		r := r
		r.Messages = r.Messages[:n]
		body, _, err := c.body(r)
		if err != nil {
			t.Fatal(err)
		}
		var top struct{ Messages json.RawMessage }
		if err := json.Unmarshal(body, &top); err != nil {
			t.Fatal(err)
		}
		grows := string(top.Messages) // its last message may
		for _, end := range []string{"]", `,"role":"user"}`, `,"role":"assistant"}`, "]"} {
			grows = strings.TrimSuffix(grows, end)
		}
		return grows
	}
	whole := messages(len(r.Messages))
	for n := 1; n < len(r.Messages); n++ {
		if short := messages(n); !strings.HasPrefix(whole, short) {
			t.Errorf("%d messages are no beginning of all:\n%s\n%s", n, short, whole)
		}
	}
}

func TestThinking(t *testing.T) {
	for _, c := range []struct {
		model, effort string
		most          int
		want          string // thinking, effort and max_tokens
	}{
		{"claude-sonnet-4-6", "", 0, `- - 64000`},
		{"claude-opus-4.7", "", 0, `{"display":"summarized","type":"adaptive"} - 128000`},
		{"claude-opus-4-8", "", 0, `{"display":"summarized","type":"adaptive"} - 128000`},
		{"claude-opus-4-8", "", 64, `- - 64`},
		{"claude-sonnet-5", "", 64, `{"display":"summarized","type":"adaptive"} - 64`},
		{"claude-opus-5-5", "", 0, `{"display":"summarized","type":"adaptive"} - 128000`},
		{"claude-sonnet-5-5", "", 0, `{"display":"summarized","type":"adaptive"} - 128000`},
		{"claude-haiku-5-5", "", 0, `{"display":"summarized","type":"adaptive"} - 128000`},
		{"claude-fable-5-2", "", 0, `{"display":"summarized","type":"adaptive"} - 128000`},
		{"claude-mythos-5-2", "", 0, `{"display":"summarized","type":"adaptive"} - 128000`},
		{"claude-fable-5-2", "max", 0, `{"display":"summarized","type":"adaptive"} max 128000`},
		{"claude-sonnet-5-5", "ultra", 0, `{"display":"summarized","type":"adaptive"} max 128000`},
		{"claude-opus-4-8", "none", 0, `- - 128000`},
		{"claude-opus-4-8", "minimal", 0, `{"display":"summarized","type":"adaptive"} low 128000`},
		{"claude-opus-4-8", "medium", 100, `{"display":"summarized","type":"adaptive"} medium 100`},
		{"claude-opus-4.7", "xhigh", 0, `{"display":"summarized","type":"adaptive"} xhigh 128000`},
		{"anthropic/claude-opus-4.6", "xhigh", 0, `{"display":"summarized","type":"adaptive"} max 128000`},
		{"claude-sonnet-4-6", "high", 0, `{"display":"summarized","type":"adaptive"} high 64000`},
		{"claude-opus-5", "none", 0, `{"type":"disabled"} - 128000`},
		{"claude-haiku-5-5", "none", 0, `{"type":"disabled"} - 128000`},
		{"claude-sonnet-5-5", "none", 0, `{"type":"between_tools"} - 128000`},
		{"claude-opus-5-5", "none", 0, `{"display":"summarized","type":"adaptive"} low 128000`},
		{"claude-fable-5-1", "none", 0, `{"display":"summarized","type":"adaptive"} low 128000`},
		{"claude-fable-5", "low", 0, `{"display":"summarized","type":"adaptive"} low 128000`},
		{"claude-next-7", "high", 0, `{"display":"summarized","type":"adaptive"} high 128000`},
		{"claude-opus-4-5-20251101", "high", 0, `{"budget_tokens":16000,"type":"enabled"} - 64000`},
		{"claude-haiku-4-5", "minimal", 0, `{"budget_tokens":4000,"type":"enabled"} - 64000`},
		{"claude-sonnet-4-20250514", "medium", 0, `{"budget_tokens":8000,"type":"enabled"} - 64000`},
		{"claude-opus-4-1", "xhigh", 0, `{"budget_tokens":27904,"type":"enabled"} - 32000`},
		{"claude-opus-4-1", "none", 0, `- - 32000`},
		{"claude-3-7-sonnet-latest", "xhigh", 0, `{"budget_tokens":32000,"type":"enabled"} - 128000`},
		{"claude-opus-4-1", "high", 5000, `{"budget_tokens":2500,"type":"enabled"} - 5000`},
		{"claude-opus-4-1", "high", 2000, `- - 2000`},
		{"claude-3-5-sonnet-20241022", "high", 0, `- - 8192`},
		{"claude-3-opus-20240229", "high", 9999, `- - 4096`},
		{"MiniMax-M2", "high", 0, `{"budget_tokens":16000,"type":"enabled"} - 131072`},
		{"MiniMax-M2", "none", 0, `{"type":"disabled"} - 131072`},
		{"qwen3-coder-plus", "low", 0, `{"budget_tokens":4000,"type":"enabled"} - 65536`},
		{"kimi-k2", "high", 0, `- - 128000`},
		{"moonshotai/Kimi-K2", "none", 0, `- - 128000`},
		{"4o", "", 0, `- - 128000`},
	} {
		t.Run(c.model+" "+c.effort, func(t *testing.T) {
			r := calm(c.model)
			r.Effort, r.MaxOutput = c.effort, c.most
			if got := asked(t, newClient(t, "http://127.0.0.1:1"), r); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// asked gives what a request says of thinking.
func asked(t *testing.T, c *Client, r providers.Request) string {
	t.Helper()
	body, _, err := c.body(r)
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Thinking json.RawMessage `json:"thinking"`
		Output   struct {
			Effort string `json:"effort"`
		} `json:"output_config"`
		Max json.Number `json:"max_tokens"`
	}
	if err := json.Unmarshal(body, &p); err != nil {
		t.Fatal(err)
	}
	dash := func(s string) string {
		if s == "" {
			return "-"
		}
		return s
	}
	return dash(string(p.Thinking)) + " " + dash(p.Output.Effort) + " " + p.Max.String()
}

// A model with a budget cannot begin to think between calls and their results.
func TestThinkingBehindCallsWithoutAny(t *testing.T) {
	c := newClient(t, "http://127.0.0.1:1")
	r := calm("claude-opus-4-1")
	r.Effort = "low"
	made := providers.Message{ID: "2", Role: providers.Assistant, Calls: []providers.Call{{ID: "k", Name: "now"}}}
	result := providers.Message{ID: "3", Role: providers.Tool, CallID: "k"}
	said := providers.Message{ID: "4", Role: providers.User, Parts: providers.TextParts("more")}
	thought := made
	thought.Native = []providers.Item{{Issuer: "acme", Model: r.Model, Kind: "thinking", Raw: json.RawMessage(`{"type":"thinking","thinking":"","signature":"x"}`)}}
	foreign := thought
	foreign.Native = []providers.Item{{Issuer: "acme", Model: "claude-opus-4-5", Kind: "thinking", Raw: thought.Native[0].Raw}}
	for name, c2 := range map[string]struct {
		rest  []providers.Message
		think bool
	}{
		"without":          {[]providers.Message{made, result}, false},
		"with":             {[]providers.Message{thought, result}, true},
		"of another model": {[]providers.Message{foreign, result}, false},
		"steered":          {[]providers.Message{made, result, said}, false},
		"a new turn":       {[]providers.Message{made, result, {ID: "5", Role: providers.Assistant, Parts: providers.TextParts("a")}, said}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := r
			r.Messages = append(r.Messages[:1:1], c2.rest...)
			if got := asked(t, c, r); strings.HasPrefix(got, "{") != c2.think {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestContextsCapAnswers(t *testing.T) {
	c := newClient(t, "http://127.0.0.1:1", func(c *Config) { c.ContextMax = 8192 })
	if got := asked(t, c, calm("m-1")); got != "- - 8191" {
		t.Errorf("got %s", got)
	}
}

func TestModelNames(t *testing.T) {
	for name, want := range map[string]string{
		"anthropic/claude-opus-4.6": "claude-opus-4-6", "claude-3.5-sonnet": "claude-3-5-sonnet", "MiniMax-M2.1": "MiniMax-M2.1",
		"Anthropic/Claude-Sonnet-4.5": "Claude-Sonnet-4-5", "anthropic/": "anthropic/", "moonshotai/kimi-k2.5": "moonshotai/kimi-k2.5",
	} {
		if got := wireModel(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]int{"claude-opus-4.8": 128_000, "claude-sonnet-4": 64_000, "claude-opus-45": 128_000, "3": 128_000} {
		if got := askOf(name).Output; got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
}

func TestSchemasThatAreNoJSON(t *testing.T) {
	r := calm("m-1")
	r.Tools = []providers.ToolDef{{Name: "f", Parameters: json.RawMessage(`{`)}}
	_, err := newClient(t, "http://127.0.0.1:1").Stream(t.Context(), r)
	failed(t, err, providers.ErrorRequest, "")
}

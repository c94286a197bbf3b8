package bedrock

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

func user(s string) providers.Message {
	return providers.Message{Role: providers.User, Parts: providers.TextParts(s)}
}

func said(s string, calls ...providers.Call) providers.Message {
	return providers.Message{Role: providers.Assistant, Parts: providers.TextParts(s), Calls: calls}
}

func result(id, name, s string) providers.Message {
	return providers.Message{Role: providers.Tool, CallID: id, CallName: name, Parts: providers.TextParts(s)}
}

func called(id, wire, name, arguments string) providers.Call {
	return providers.Call{ID: id, WireID: wire, Name: name, Arguments: arguments}
}

func picture(kind string) providers.Part {
	return providers.Part{Image: &providers.Image{MediaType: "image/" + kind, Data: []byte("\x89PNG\r\n")}}
}

// item makes a native item of the client and the model of the tests.
func item(kind, raw string) providers.Item {
	return providers.Item{Issuer: "bedrock", Model: modelID, Kind: kind, Raw: json.RawMessage(raw)}
}

// withItems adds native items to a message.
func withItems(m providers.Message, items ...providers.Item) providers.Message {
	m.Native = items
	return m
}

var twoTools = []providers.ToolDef{
	{Name: "now", Description: "The time."},
	{Name: "read_file", Description: "Reads <a> & \"b\".", Parameters: json.RawMessage(`{"type": "object","properties":{"path":{"type":"string"},"n":{"type":"integer","maximum":12345678901234567890}},"required":["path"]}`)},
	{Name: "untyped", Parameters: json.RawMessage(`{"properties":{}}`)},
}

const (
	thoughtA = `{"reasoningText":{"text":"first","signature":"c2lnLWE="}}`
	thoughtB = `{"redactedContent":"c2VjcmV0"}`
	thoughtC = `{"reasoningText":{"text":"unsigned"}}`
)

// requests are the goldens: what goes out for what comes in.
var requests = []struct {
	name   string
	change func(c *Config)
	r      providers.Request
}{
	{"small", nil, providers.Request{Messages: []providers.Message{user("hi")}}},
	{"tools", nil, providers.Request{System: "Be kind.", MaxOutput: 1000, Tools: twoTools, Messages: []providers.Message{
		user("look"), said("I look", called("k1", "tooluse_1", "read_file", `{"path": "ä\n", "n": 12345678901234567890}`), called("k2", "tooluse_2", "now", "")),
		result("k1", "read_file", "text"), result("k2", "now", ""), user("and?"),
	}}},
	{"odd calls", nil, providers.Request{Tools: twoTools, Messages: []providers.Message{
		user("x"), said("", called("k1", "", "bad name!", `{"a":`), called("k2", "same id", "now", `[1]`), called("k3", "same id", "", "{}"), called("k5", strings.Repeat("long", 30), "now", "{}"), called("k4", strings.Repeat("long", 30), "now", "{}")),
		result("k1", "bad name!", "a"), result("k2", "now", "b"), result("k3", "", "c"), result("k4", "now", "d"), result("k9", "now", "nobody asked"),
	}}},
	{"roles", nil, providers.Request{System: " \n", Messages: []providers.Message{
		said("I begin"), said("twice"), user("a"), user(" "), user(""), said(" \n"), user(" "), said("the end"),
	}}},
	{"nothing", nil, providers.Request{}},
	{"images", nil, providers.Request{Tools: twoTools, Messages: []providers.Message{
		{Role: providers.User, Parts: []providers.Part{{Text: "see"}, picture("png"), picture("jpeg")}},
		said("", called("k1", "t1", "read_file", "{}")),
		{Role: providers.Tool, CallID: "k1", Parts: []providers.Part{picture("webp"), {Text: "a picture"}}},
	}}},
	{"cache", nil, providers.Request{System: "Be kind.", CacheFor: 5 * time.Minute, Messages: []providers.Message{
		user("1"), said("2"), user("3"), said("4"), user("5"),
	}}},
	{"cache for an hour", nil, providers.Request{System: "Be kind.", CacheFor: time.Hour, Messages: []providers.Message{user("1")}}},
	{"cache for an hour on an older model", nil, providers.Request{Model: "anthropic.claude-3-7-sonnet-20250219-v1:0", System: "Be kind.", CacheFor: time.Hour, Messages: []providers.Message{user("1")}}},
	{"cache on another model", nil, providers.Request{Model: "meta.llama3-3-70b-instruct-v1:0", System: "Be kind.", CacheFor: time.Hour, Messages: []providers.Message{user("1")}}},
	{"reasoning", nil, providers.Request{Effort: "high", MaxOutput: 2000, Tools: twoTools, Messages: []providers.Message{
		user("a"), withItems(said("b", called("k1", "t1", "now", "{}")), item(itemReasoning, thoughtA), item(itemReasoning, thoughtB), item(itemReasoning, thoughtC)),
		result("k1", "now", "noon"), withItems(said(""), item(itemReasoning, thoughtB)), user("c"),
	}}},
	{"reasoning asked for amid calls", nil, providers.Request{Effort: "high", MaxOutput: 2000, Tools: twoTools, Messages: []providers.Message{
		user("a"), said("b", called("k1", "t1", "now", "{}")), result("k1", "now", "noon"),
	}}},
	{"reasoning asked for after calls", nil, providers.Request{Effort: "high", Tools: twoTools, Messages: []providers.Message{
		user("a"), said("b", called("k1", "t1", "now", "{}")), result("k1", "now", "noon"), said("c"), user("d"),
	}}},
	{"reasoning in its place", nil, providers.Request{Tools: twoTools, Messages: []providers.Message{
		user("a"), withItems(said("one two", called("k1", "t1", "now", "{}"), called("k2", "t2", "now", "{}")),
			item(itemReasoning, thoughtA), item(itemReasoning, thoughtB),
			item(itemLayout, `[{"kind":"reasoning"},{"kind":"text","end":4},{"kind":"call"},{"kind":"reasoning"},{"kind":"text","end":7},{"kind":"call"}]`)),
		result("k1", "now", "noon"), result("k2", "now", "night"),
	}}},
	{"layout that does not fit", nil, providers.Request{Messages: []providers.Message{
		user("a"), withItems(said("changed since"), item(itemReasoning, thoughtA), item(itemLayout, `[{"kind":"text","end":4},{"kind":"reasoning"}]`)), user("b"),
	}}},
	{"reasoning of others", nil, providers.Request{Messages: []providers.Message{
		user("a"), withItems(said("b"), providers.Item{Issuer: "other", Model: modelID, Kind: itemReasoning, Raw: json.RawMessage(thoughtA)},
			providers.Item{Issuer: "bedrock", Model: "other", Kind: itemReasoning, Raw: json.RawMessage(thoughtA)}, item("unknown", `1`), item(itemReasoning, `7`)), user("c"),
	}}},
	{"history with tools and none offered", nil, providers.Request{Messages: []providers.Message{
		user("x"), said("", called("k1", "t1", "now", "{}"), called("k2", "t2", "now", "{}")), result("k1", "now", "noon"), result("k2", "now", "noon"), user("sum up"),
	}}},
	{"model without tools", nil, providers.Request{Model: "us.deepseek.r1-v1:0", Effort: "high", Tools: twoTools, Messages: []providers.Message{
		user("x"), withItems(said("", called("k1", "t1", "now", `{"a":1}`)), providers.Item{Issuer: "bedrock", Model: "us.deepseek.r1-v1:0", Kind: itemReasoning, Raw: json.RawMessage(thoughtC)}),
		result("k1", "now", " "), user("go on"),
	}}},
	{"guardrail", func(c *Config) {
		c.Guardrail = Guardrail{ID: "gr-1", Version: "DRAFT", Mode: "sync", Trace: "enabled"}
	}, providers.Request{Messages: []providers.Message{user("hi")}}},
}

// TestRequests compares bodies with testdata/requests. UPDATE_GOLDEN=1 rewrites
// them.
func TestRequests(t *testing.T) {
	for _, c := range requests {
		t.Run(c.name, func(t *testing.T) {
			s := streams(t, begin(), stop("end_turn"), figures())
			client := newClient(t, s.url, func(config *Config) {
				if c.change != nil {
					c.change(config)
				}
			})
			if c.r.Model == "" {
				c.r.Model = modelID
			}
			var bodies []string
			for range 2 {
				if _, err := collect(t, client, c.r); err != nil {
					t.Fatal(err)
				}
				bodies = append(bodies, s.last(t).body)
			}
			if bodies[0] != bodies[1] {
				t.Errorf("the same request twice:\n%s\n%s", bodies[0], bodies[1])
			}
			var pretty bytes.Buffer
			if err := json.Indent(&pretty, []byte(bodies[0]), "", "  "); err != nil {
				t.Fatalf("%v: %s", err, bodies[0])
			}
			golden(t, c.name, pretty.String()+"\n")
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "requests", strings.ReplaceAll(name, " ", "_")+".json")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRequestsThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		name string
		r    providers.Request
		says string
	}{
		{"no model", providers.Request{}, "no model is named"},
		{"schema", providers.Request{Model: "m", Tools: []providers.ToolDef{{Name: "t", Parameters: json.RawMessage(`[1]`)}}}, "the parameters of the tool t"},
		{"schema that is cut off", providers.Request{Model: "m", Tools: []providers.ToolDef{{Name: "t", Parameters: json.RawMessage(`{"a"`)}}}, "the parameters of the tool t"},
		{"image", providers.Request{Model: "m", Messages: []providers.Message{{Role: providers.User, Parts: []providers.Part{picture("tiff")}}}}, `"image/tiff"`},
		{"empty image", providers.Request{Model: "m", Messages: []providers.Message{{Role: providers.Tool, Parts: []providers.Part{{Image: &providers.Image{MediaType: "image/png"}}}}}}, "attach it again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := streams(t)
			_, err := collect(t, newClient(t, s.url), c.r)
			failure(t, err, providers.ErrorRequest, c.says)
			if n := len(s.all()); n != 0 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// The models of the tests, one of each generation and family.
const (
	sonnet46 = "global.anthropic.claude-sonnet-4-6"
	opus47   = "us.anthropic.claude-opus-4-7-v1:0"
	opus41   = "us.anthropic.claude-opus-4-1-20250805-v1:0"
	sonnet4  = "eu.anthropic.claude-sonnet-4-20250514-v1:0"
	sonnet37 = "anthropic.claude-3-7-sonnet-20250219-v1:0"
	haiku45  = "us.anthropic.claude-haiku-4-5-20251001-v1:0"
	sonnet35 = "anthropic.claude-3-5-sonnet-20241022-v2:0"
	fable    = "global.anthropic.claude-fable-5-1"
	nova2    = "us.amazon.nova-2-lite-v1:0"
	gpt      = "openai.gpt-oss-120b-1:0"
	llama    = "meta.llama3-3-70b-instruct-v1:0"
)

const askToShow = `{"thinking":{"display":"summarized","type":"adaptive"}}`

func askAdaptive(effort string) string {
	return `{"output_config":{"effort":"` + effort + `"},"thinking":{"display":"summarized","type":"adaptive"}}`
}

func askBudget(n int, between bool) string {
	beta := ""
	if between {
		beta = `"anthropic_beta":["interleaved-thinking-2025-05-14"],`
	}
	return fmt.Sprintf(`{%s"thinking":{"budget_tokens":%d,"type":"enabled"}}`, beta, n)
}

// efforts are what models are asked for at each effort.
var efforts = []struct {
	model, effort string
	most          int
	fields        string
	max           int32 // 0 for none
}{
	{sonnet46, "", 0, "", 0},
	{sonnet46, "none", 0, "", 0},
	{sonnet46, "minimal", 0, askAdaptive("low"), 0},
	{sonnet46, "medium", 9, askAdaptive("medium"), 9},
	{sonnet46, "xhigh", 0, askAdaptive("max"), 0},
	{opus47, "xhigh", 0, askAdaptive("xhigh"), 0},
	{opus47, "", 0, askToShow, 0},
	{opus47, "", 64, "", 64},
	{fable, "high", 0, askAdaptive("high"), 0},
	{fable, "", 0, askToShow, 0},
	{fable, "max", 0, askAdaptive("max"), 0},
	{fable, "none", 0, askAdaptive("low"), 0},
	{"us.anthropic.claude-opus-5-5", "", 0, askToShow, 0},
	{"us.anthropic.claude-sonnet-5-5", "none", 0, `{"thinking":{"type":"between_tools"}}`, 0},
	{"us.anthropic.claude-sonnet-5", "none", 0, `{"thinking":{"type":"disabled"}}`, 0},
	{"arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-mythos-5-2", "", 64, askToShow, 64},
	{modelID, "none", 7, "", 7},
	{modelID, "high", 0, askBudget(16_000, true), 64_000},
	{modelID, "medium", 1000, askBudget(8_000, true), 12_096},
	{modelID, "low", 50_000, askBudget(4_000, true), 50_000},
	{sonnet4, "xhigh", 0, askBudget(32_000, true), 64_000},
	{opus41, "xhigh", 0, askBudget(27_904, true), 32_000},
	{sonnet37, "minimal", 0, askBudget(4_000, false), 64_000},
	{haiku45, "high", 5, askBudget(16_000, true), 20_096},
	{sonnet35, "high", 0, "", 0},
	{nova2, "high", 5, `{"reasoningConfig":{"maxReasoningEffort":"high","type":"enabled"}}`, 0},
	{nova2, "minimal", 5, `{"reasoningConfig":{"maxReasoningEffort":"low","type":"enabled"}}`, 5},
	{nova2, "none", 5, `{"reasoningConfig":{"type":"disabled"}}`, 5},
	{gpt, "xhigh", 5, `{"reasoning_effort":"high"}`, 5},
	{gpt, "none", 0, `{"reasoning_effort":"low"}`, 0},
	{llama, "high", 5, "", 5},
	{llama, "", 1 << 40, "", 1<<31 - 1},
}

func TestFields(t *testing.T) {
	for _, c := range efforts {
		t.Run(c.model+" "+c.effort, func(t *testing.T) {
			in, err := newClient(t, "").input(providers.Request{Model: c.model, Effort: c.effort, MaxOutput: c.most})
			if err != nil {
				t.Fatal(err)
			}
			fields := ""
			if in.AdditionalModelRequestFields != nil {
				b, err := in.AdditionalModelRequestFields.MarshalSmithyDocument()
				if err != nil {
					t.Fatal(err)
				}
				fields = string(b)
			}
			var most int32
			if in.InferenceConfig != nil {
				most = *in.InferenceConfig.MaxTokens
			}
			if fields != c.fields || most != c.max {
				t.Errorf("got %s and %d, want %s and %d", fields, most, c.fields, c.max)
			}
		})
	}
}

// TestTraits holds which models know cache points, and how long ones.
func TestTraits(t *testing.T) {
	for model, want := range map[string]string{
		"anthropic.claude-v2:1":                           "-",
		"anthropic.claude-instant-v1":                     "-",
		"anthropic.claude-3-haiku-20240307-v1:0":          "-",
		"anthropic.claude-3-5-sonnet-20240620-v1:0":       "-",
		"us.anthropic.claude-3-5-sonnet-20241022-v2:0":    "5m",
		"us.anthropic.claude-3-5-haiku-20241022-v1:0":     "5m",
		"us.anthropic.claude-3-7-sonnet-20250219-v1:0":    "5m",
		"us.anthropic.claude-opus-4-20250514-v1:0":        "5m",
		"us.anthropic.claude-opus-4-1-20250805-v1:0":      "5m",
		"us.anthropic.claude-opus-4-5-20251101-v1:0":      "1h",
		"global.anthropic.claude-haiku-4-5-20251001-v1:0": "1h",
		"global.anthropic.claude-sonnet-5":                "1h",
		"global.anthropic.claude-fable":                   "1h",
		"us.amazon.nova-pro-v1:0":                         "5m",
		"us.amazon.nova-2-lite-v1:0":                      "5m",
		"us.deepseek.r1-v1:0":                             "- plain forgetful",
		"deepseek.v3-v1:0":                                "- forgetful",
		"stability.sd3-5-large-v1:0":                      "- plain",
		"amazon.titan-embed-text-v2:0":                    "- plain",
		"openai.gpt-oss-20b-1:0":                          "- unsigned",
		"moonshot.kimi-k2-thinking":                       "- unsigned",
		"arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0": "1h",
		"arn:aws:bedrock:eu-west-1:1:application-inference-profile/abcdefghi":                        "- unsigned",
	} {
		tr := traitsOf(model)
		got := "-"
		switch {
		case tr.hours:
			got = "1h"
		case tr.marks:
			got = "5m"
		}
		for _, f := range []struct {
			on   bool
			name string
		}{{tr.plain, "plain"}, {tr.forgetful, "forgetful"}, {tr.unsigned && !tr.marks, "unsigned"}} {
			if f.on {
				got += " " + f.name
			}
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", model, got, want)
		}
	}
}

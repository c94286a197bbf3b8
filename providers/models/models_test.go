package models

import (
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

func TestModelText(t *testing.T) {
	m, err := readModels(text)
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for word, list := range m.sizes {
		for _, f := range list {
			known++
			if !strings.HasPrefix(f.part, word) || wordAt(f.part) != word {
				t.Errorf("%s is filed under %s", f.part, word)
			}
			if f.is.context == 0 {
				t.Errorf("%s: an entry without a window says too little", f.part)
			}
			if got, ok := find(m.sizes, f.provider, f.part); !ok || got != f.is {
				t.Errorf("%s at %q is found as %+v", f.part, f.provider, got)
			}
			if _, ok := find(m.asks, "", f.part); !ok {
				t.Errorf("nothing says how %s is asked", f.part)
			}
		}
	}
	if known < 100 {
		t.Errorf("only %d entries", known)
	}
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, b := range m.blocks {
		if b.entries == 0 || len(b.addresses) == 0 || len(b.dates) == 0 {
			t.Errorf("block %d is empty: %+v", i, b)
		}
		for _, d := range b.dates {
			if d.Before(first) {
				t.Errorf("block %d was established on %v", i, d)
			}
		}
	}
}

func TestContextMax(t *testing.T) {
	for model, want := range map[string]int{
		"anthropic/claude-opus-4.6": 1_000_000, "claude-opus-4-6-20260301": 1_000_000, "claude-sonnet-4-5": 200_000, "claude-3-haiku": 200_000,
		"gpt-5.5": 1_050_000, "GPT-5.4-Mini": 400_000, "openai/gpt-5": 400_000, "gpt-4.1-nano": 1_047_576, "gpt-4o": 128_000,
		"models/gemini-2.5-pro": 1_048_576, "gemma-3-27b": 131_072, "gemma-2-9b": 8_192, "deepseek-v4-pro": 1_000_000, "deepseek-r1": 128_000,
		"meta-llama/Llama-3.3-70B": 131_072, "qwen3-coder": 262_144, "qwen3-32b": 131_072, "MiniMax-M2.5": 204_800, "MiniMax-M3": 1_000_000,
		"glm-5": 202_752, "kimi-k2": 262_144, "grok-4-0709": 256_000, "grok-4-fast-reasoning": 2_000_000, "grok-3": 131_072,
		"gpt-4-1106-preview": 128_000, "claude-sonnet-4-20250514": 200_000, "us.anthropic.claude-sonnet-4-6-v1:0": 1_000_000,
		"arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-haiku-4-5-20251001-v1:0": 200_000,
		"accounts/fireworks/models/kimi-k2p6":                                                       262_144, "accounts/fireworks/models/glm-5p2": 1_000_000, "gpt-oss:120b": 131_072,
		"chatgpt-4o-latest": 128_000, "hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M": 131_072, "claude-opus-5-5:thinking": 1_000_000, "o3": 200_000,
		"codex-unheard-of": 0, "": 0, "o": 0, "gpt": 0, "preclaude": 0, "claudette": 0, "so3": 0, "claude/": 0, "o35": 0, "2claude": 0,
	} {
		if got := ContextMax(model); got != want {
			t.Errorf("ContextMax(%q) = %d, want %d", model, got, want)
		}
	}
}

func TestOutputMax(t *testing.T) {
	for model, want := range map[string]int{
		"claude-opus-4-6": 128_000, "claude-opus-4-20250514": 32_000, "anthropic/claude-sonnet-4.6": 64_000, "claude-sonnet-4-20250514": 64_000,
		"claude-opus-4-1-20250805": 32_000, "claude-3-7-sonnet": 128_000, "claude-3-5-haiku": 8_192, "claude-3-opus": 4_096, "MiniMax-M2": 131_072,
		"qwen3-max": 65_536, "gpt-5": 128_000, "gpt-oss-20b": 0, "unheard-of": 0,
	} {
		if got, _ := Describe(model); got.OutputMax != want {
			t.Errorf("%q writes %d, want %d", model, got.OutputMax, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	const able, unable, unsaid = providers.Yes, providers.No, providers.Unknown
	for _, c := range []struct {
		provider, model      string
		context, output      int
		sees, calls, reasons providers.Ability
		known                bool
	}{
		{"", "claude-opus-4-8", 1_000_000, 128_000, able, able, able, true},
		{"", "anthropic/claude-3.5-haiku", 200_000, 8_192, able, able, unable, true},
		{"openai", "gpt-5.1-codex-mini-2026-01-01", 400_000, 128_000, able, able, able, true},
		{"openai", "gpt-5-chat-latest", 128_000, 16_384, able, able, unable, true},
		{"", "o3-mini", 200_000, 100_000, unable, able, able, true},
		{"", "grok-4", 256_000, 0, able, able, able, true},
		{"", "mistral-nemo", 131_072, 0, unsaid, unsaid, unable, true},
		{"openai-codex", "gpt-5.5", 272_000, 128_000, able, able, able, true},
		{"openai-codex", "gpt-5.3-codex-spark", 128_000, 32_000, unsaid, able, able, true},
		{"openai-codex", "o3", 200_000, 100_000, able, able, able, true},
		{"", "unheard-of", GuessedContext, 0, unsaid, unsaid, unsaid, false},
	} {
		got, known := DescribeAt(c.provider, c.model)
		want := providers.Model{ID: c.model, ContextMax: c.context, OutputMax: c.output, Vision: c.sees, Tools: c.calls, Reasoning: c.reasons}
		if got != want || known != c.known {
			t.Errorf("%s at %q: got %+v, %v; want %+v, %v", c.model, c.provider, got, known, want, c.known)
		}
	}
}

func TestReadModelsRefuses(t *testing.T) {
	const head = "source 2026-01-02 https://example.com\n"
	for name, text := range map[string]string{
		"no source":           "m 2048 - - - -",
		"bad date":            "source 2026-13-02 https://example.com\n",
		"bad address":         "source 2026-01-02 example.com\n",
		"no address":          "source 2026-01-02\n",
		"at before a source":  "at x\n",
		"at behind an entry":  head + "m 2048 - - - -\nat x\n",
		"too few words":       head + "m 2048 - - -\n",
		"no number":           head + "m 2k - - - -\n",
		"too small":           head + "m 12 - - - -\n",
		"too large":           head + "m 10000001 - - - -\n",
		"no ability":          head + "m 2048 - maybe - -\n",
		"no word on reasons":  head + "m 2048 - - - low\n",
		"more out than in":    head + "m 2048 4096 - - -\n",
		"not in its form":     head + "GPT-5 2048 - - - -\n",
		"point":               head + "gpt-5.1 2048 - - - -\n",
		"no word":             head + "5 2048 - - - -\n",
		"twice":               head + "m 2048 - - - -\nm 2048 - - - -\n",
		"twice in a line":     head + "m,m 2048 - - - -\n",
		"nothing after comma": head + "m, 2048 - - - -\n",
	} {
		if _, err := readModels(text); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if _, err := readModels("# x\n\n" + head + head + "m 2048 1024 yes no yes\n" + head + "at p\nm - - - - -\n"); err != nil {
		t.Error(err)
	}
}

func FuzzDescribe(f *testing.F) {
	for _, s := range []string{"us.anthropic.claude-3-5-sonnet-20241022-v2:0", "accounts/fireworks/models/kimi-k2p6", "gpt-5.1", "日本o3", "a.1.2.3-"} {
		f.Add("openai-codex", s)
	}
	f.Fuzz(func(t *testing.T, provider, model string) {
		m, known := DescribeAt(provider, model)
		if m.ID != model || m.ContextMax <= 0 || m.OutputMax < 0 || m.OutputMax > m.ContextMax {
			t.Errorf("%q gave %+v", model, m)
		}
		if !known && (m.OutputMax != 0 || m.Vision != providers.Unknown || m.ContextMax != GuessedContext) {
			t.Errorf("%q: a guess that says too much: %+v", model, m)
		}
		if upper, _ := DescribeAt(provider, strings.ToUpper(strings.ToLower(model))); isASCII(model) && upper.ContextMax != m.ContextMax {
			t.Errorf("case matters for %q", model)
		}
		if canonical(canonical(model)) != canonical(model) {
			t.Errorf("%q has no form of its own", model)
		}
	})
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

func FuzzReadModels(f *testing.F) {
	f.Add("source 2026-01-02 https://example.com\nm 2048 - - - -\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := readModels(text)
		if err != nil {
			return
		}
		for _, list := range m.sizes {
			for _, x := range list {
				if _, ok := find(m.sizes, x.provider, x.part); !ok {
					t.Errorf("%q is not found", x.part)
				}
			}
		}
	})
}

func TestLevels(t *testing.T) {
	for _, c := range []struct {
		effort       string
		levels       string
		lower, upper string
	}{
		{"minimal", "low medium high", "low", "low"},
		{"xhigh", "low medium high", "high", "high"},
		{"medium", "low high", "low", "high"},
		{"xhigh", "low high max", "high", "max"},
		{"high", "high", "high", "high"},
		{"low", "none", "", ""},
		{"low", "", "", ""},
		{"nonsense", "low medium high", "medium", "medium"},
	} {
		levels := strings.Fields(c.levels)
		if l, u := AtMost(c.effort, levels), AtLeast(c.effort, levels); l != c.lower || u != c.upper {
			t.Errorf("%s of %s: got %q and %q, want %q and %q", c.effort, c.levels, l, u, c.lower, c.upper)
		}
	}
}

func TestOf(t *testing.T) {
	for model, want := range map[string]string{
		"gpt-6.2-sol":                        "openai responses tokens developer steers low,medium,high,xhigh,max",
		"openai/gpt-6-sol":                   "openai responses tokens developer steers none,low,medium,high,xhigh,max",
		"gpt-6-astra":                        "openai responses tokens developer steers low,medium,high,xhigh,max",
		"gpt-4.1-mini":                       "openai tokens ",
		"gpt-oss:120b":                       "openai low,medium,high",
		"o3-mini":                            "openai tokens developer low,medium,high",
		"o1like":                             " ",
		"us.anthropic.claude-opus-4-7-v1:0":  "anthropic adaptive quiet none,low,medium,high,xhigh,max",
		"anthropic/claude-4.8-opus":          "anthropic adaptive quiet none,low,medium,high,xhigh,max",
		"claude-opus-5-5-20260922":           "anthropic adaptive never quiet bound steers low,medium,high,xhigh,max",
		"claude-sonnet-5.5":                  "anthropic adaptive between quiet bound steers none,low,medium,high,xhigh,max",
		"global.anthropic.claude-mythos-5-2": "anthropic adaptive never quiet bound steers low,medium,high,xhigh,max",
		"claude-fable-5-2":                   "anthropic adaptive never quiet bound steers low,medium,high,xhigh,max",
		"claude-fable-5":                     "anthropic adaptive never quiet bound low,medium,high,xhigh,max",
		"claude-opus-5":                      "anthropic adaptive disabled quiet steers none,low,medium,high,xhigh,max",
		"claude-sonnet-5":                    "anthropic adaptive disabled quiet none,low,medium,high,xhigh,max",
		"openai/gpt-6.2-sol-pro":             "openai responses tokens developer low,medium,high,xhigh,max",
		"claude-next-7":                      "anthropic adaptive never quiet bound steers low,medium,high,xhigh,max",
		"claude-haiku-4.5":                   "anthropic budget none,low,medium,high,xhigh",
		"claude-3.5-sonnet":                  "anthropic ",
		"models/gemini-4-neon":               "google low,medium,high,xhigh",
		"gemini-3-pro-preview":               "google low,high",
		"gemini-2.5-pro":                     "google ",
		"moonshotai/kimi-k3":                 "moonshot low,high,max",
		"accounts/fireworks/models/glm-5p2":  "zai none,low,medium,high,xhigh,max",
		"x-ai/grok-4":                        "xai ",
		"deepseek/deepseek-v4-pro":           "deepseek none,low,medium,high,max",
		"unheard-of":                         " ",
	} {
		a := Of(model)
		words := []string{a.Maker}
		for _, f := range []struct {
			word string
			on   bool
		}{
			{"responses", a.Responses}, {"tokens", a.NewTokens}, {"developer", a.Developer}, {string(a.Think), a.Think != ""},
			{string(a.Off), a.Off != ""}, {"quiet", a.Quiet}, {"bound", a.Bound}, {"steers", a.Steers},
		} {
			if f.on {
				words = append(words, f.word)
			}
		}
		if got := strings.Join(append(words, strings.Join(a.Efforts, ",")), " "); got != want {
			t.Errorf("%s: got %q, want %q", model, got, want)
		}
	}
}

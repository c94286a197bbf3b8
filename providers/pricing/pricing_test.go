package pricing

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

func table(t testing.TB, overrides ...Override) *Table {
	t.Helper()
	made, err := New(overrides)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func moment(t testing.TB, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// Sums that were worked out by hand, in trillionths of a dollar.
func TestCost(t *testing.T) {
	full := providers.Usage{Input: 12, Output: 800, CacheRead: 15000, CacheWrite: 900, Reasoning: 300}
	prices := table(t)
	for _, c := range []struct {
		name  string
		query Query
		usage providers.Usage
		want  int64
		how   Status
	}{
		// 12×5 + 800×25 + 15000×0.5 + 900×6.25 = 60 + 20,000 + 7,500 + 5,625 millionths
		{"all parts", Query{Provider: "anthropic", Model: "claude-opus-4-8"}, full, 33_185_000_000, Estimated},
		// 900×10 instead of 900×6.25
		{"long cache", Query{Provider: "anthropic", Model: "claude-opus-4-8", LongCache: true}, full, 36_560_000_000, Estimated},
		{"reasoning is output", Query{Provider: "openai", Model: "gpt-5"}, providers.Usage{Output: 10, Reasoning: 10}, 100_000_000, Estimated},
		{"fractions", Query{Provider: "groq", Model: "openai/gpt-oss-20b"}, providers.Usage{Input: 1, CacheRead: 1}, 75_000 + 37_500, Estimated},
		{"no tokens", Query{Provider: "openai", Model: "gpt-5"}, providers.Usage{}, 0, Estimated},
		{"negative counts", Query{Provider: "openai", Model: "gpt-5"}, providers.Usage{Input: -5, Output: 1, CacheRead: math.MinInt64}, 10_000_000, Estimated},
		{"up to the bound", Query{Provider: "gemini", Model: "gemini-2.5-pro"}, providers.Usage{Input: 100_000, CacheRead: 100_000, Output: 1}, 100_000*1_250_000 + 100_000*125_000 + 10_000_000, Estimated},
		{"above the bound", Query{Provider: "gemini", Model: "gemini-2.5-pro"}, providers.Usage{Input: 100_000, CacheRead: 100_001, Output: 1}, 100_000*2_500_000 + 100_001*250_000 + 15_000_000, Estimated},
		{"written counts for the bound", Query{Provider: "anthropic", Model: "claude-haiku-5-5"}, providers.Usage{CacheWrite: 100_001}, 100_001 * 625_000, Estimated},
		{"written, and no price for it", Query{Provider: "openai", Model: "gpt-4o"}, providers.Usage{Input: 100, CacheWrite: 1}, 0, Unknown},
		{"read, and no price for it", Query{Provider: "xai", Model: "grok-4.5"}, providers.Usage{Input: 100, CacheRead: 1}, 0, Unknown},
		{"no price above the bound", Query{Provider: "dashscope", Model: "qwen3.7-plus"}, providers.Usage{Input: 256_001}, 0, Unknown},
		{"saturated", Query{Provider: "openai", Model: "gpt-5"}, providers.Usage{Input: math.MaxInt64, Output: math.MaxInt64, CacheRead: math.MaxInt64}, math.MaxInt64, Estimated},
		{"local", Query{Provider: "ollama", Model: "qwen3:8b", Local: true}, full, 0, Included},
		{"subscription", Query{Provider: "openai", Model: "gpt-5", Subscription: true}, full, 0, Included},
		{"unknown", Query{Provider: "openai", Model: "gpt-99"}, full, 0, Unknown},
		{"unknown without tokens", Query{Provider: "nobody", Model: "m"}, providers.Usage{}, 0, Unknown},
	} {
		got, how := prices.Lookup(c.query).Cost(c.usage)
		if got != c.want || how != c.how {
			t.Errorf("%s: %d %s, want %d %s", c.name, got, how, c.want, c.how)
		}
	}
	if got, how := (Price{}).Cost(full); got != 0 || how != Unknown {
		t.Errorf("no price at all: %d %s", got, how)
	}
}

func TestSaturation(t *testing.T) {
	for _, c := range [][3]int64{{1 << 62, 4, math.MaxInt64}, {1 << 62, 2, math.MaxInt64}, {1 << 61, 2, 1 << 62}, {math.MaxInt64, 1, math.MaxInt64}, {math.MaxInt64, math.MaxInt64, math.MaxInt64}, {0, math.MaxInt64, 0}} {
		if got := times(c[0], c[1]); got != c[2] {
			t.Errorf("%d times %d is %d", c[0], c[1], got)
		}
	}
	for _, c := range [][3]int64{{1, 2, 3}, {math.MaxInt64, 0, math.MaxInt64}, {math.MaxInt64, 1, math.MaxInt64}, {math.MaxInt64, math.MaxInt64, math.MaxInt64}} {
		if got := plus(c[0], c[1]); got != c[2] {
			t.Errorf("%d plus %d is %d", c[0], c[1], got)
		}
	}
}

func TestSaved(t *testing.T) {
	prices := table(t)
	for _, c := range []struct {
		name  string
		query Query
		usage providers.Usage
		want  int64
		known bool
	}{
		{"read", Query{Provider: "anthropic", Model: "claude-opus-4-8"}, providers.Usage{Input: 10, Output: 5, CacheRead: 1000}, 1000 * 4_500_000, true},
		{"written only", Query{Provider: "anthropic", Model: "claude-opus-4-8"}, providers.Usage{CacheWrite: 1000}, -1000 * 1_250_000, true},
		{"both", Query{Provider: "anthropic", Model: "claude-opus-4-8", LongCache: true}, providers.Usage{CacheRead: 1000, CacheWrite: 1000}, 1000*4_500_000 - 1000*5_000_000, true},
		{"nothing cached", Query{Provider: "openai", Model: "gpt-4o"}, providers.Usage{Input: 10}, 0, true},
		{"no price", Query{Provider: "xai", Model: "grok-4.5"}, providers.Usage{CacheRead: 1}, 0, false},
		{"no price for writing", Query{Provider: "openai", Model: "gpt-4o"}, providers.Usage{CacheWrite: 1}, 0, false},
		{"no model", Query{Provider: "xai", Model: "x"}, providers.Usage{CacheRead: 1}, 0, false},
		{"local", Query{Provider: "vllm", Model: "x", Local: true}, providers.Usage{CacheRead: 1}, 0, true},
		{"huge", Query{Provider: "anthropic", Model: "claude-opus-4-8"}, providers.Usage{CacheRead: math.MaxInt64, CacheWrite: math.MaxInt64}, 0, true},
	} {
		got, known := prices.Lookup(c.query).Saved(c.usage)
		if got != c.want || known != c.known {
			t.Errorf("%s: %d %v, want %d %v", c.name, got, known, c.want, c.known)
		}
	}
}

func TestLookup(t *testing.T) {
	prices := table(t)
	for _, c := range []struct{ provider, model, want string }{
		{"anthropic", "claude-sonnet-4-5", "claude-sonnet-4-5"},
		{"anthropic", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5"},
		{"anthropic", "claude-sonnet-4-5@20250929", "claude-sonnet-4-5"},
		{" Claude ", "Claude-Opus-4.5-latest", "claude-opus-4-5"},
		{"anthropic", "claude-opus-4-20250514", "claude-opus-4"},
		{"anthropic", "claude-opus-4-1-20250805", "claude-opus-4-1"},
		{"anthropic", "claude-opus-5-5", "claude-opus-5-5"},
		{"anthropic", "claude-fable-5-2", "claude-fable-5-2"},
		{"gemini", "gemini-4-neon", "gemini-4-neon"},
		{"openrouter", "google/gemini-4-hydrogen", "gemini-4-hydrogen"},
		{"openai", "gpt-4.1-2025-04-14", "gpt-4-1"},
		{"openai", "gpt-4.1-mini-2025-04-14", "gpt-4-1-mini"},
		{"openai", "gpt-4o-2024-05-13", "gpt-4o-2024-05-13"},
		{"openai", "gpt-4o-2024-11-20", "gpt-4o"},
		{"openai", "gpt-5-2025-08-07", "gpt-5"},
		{"openai", "gpt-5.2-2025-12-11", "gpt-5-2"},
		{"openai", "gpt-5-chat-latest", "gpt-5"},
		{"google", "models/gemini-2.0-flash-001", "gemini-2-0-flash"},
		{"grok", "grok-4-0709", "grok-4"},
		{"minimax", "minimax-m3", "minimax-m3"},
		{"openrouter", "anthropic/claude-sonnet-4.6", "claude-sonnet-4-6"},
		{"openrouter", "x-ai/grok-4.6-20260807", "grok-4-6"},
		{"openrouter", "google/gemini-2.5-pro", "gemini-2-5-pro"},
		{"openrouter", "moonshotai/kimi-k3", "moonshotai/kimi-k3"},
		{"openrouter", "some/model:free", "some/model:free"},
		{"groq", "openai/gpt-oss-120b", "openai/gpt-oss-120b"},

		// Other models, however similar their names are.
		{"openai", "gpt-4o-audio-preview", ""},
		{"openai", "gpt-5-5-mini", ""},
		{"openai", "gpt-4", ""},
		{"openai", "gpt-5x", ""},
		{"openai", "gpt-5_latest", ""},
		{"openai", "o1-pro", ""},
		{"openai", "openai/gpt-5", ""},
		{"anthropic", "claude-opus-5-6", ""},
		{"anthropic", "claude-opus-4-9-20261001", ""},
		{"anthropic", "claude-opus-4-8-fast", ""},
		{"anthropic", "claude-sonnet-4-5-", ""},
		{"anthropic", "claude-sonnet-4-5:free", ""},
		{"mistral", "mistral-large-2402", ""},
		{"xai", "grok-4.1", ""},
		{"openrouter", "claude-sonnet-4.6", ""},
		{"openrouter", "other/claude-sonnet-4.6", ""},
		{"openrouter", "anthropic/claude-sonnet-4.6:nitro", ""},
		{"openrouter", "openai/gpt-oss-120b", ""},
		{"nous", "anthropic/claude-sonnet-4.6", ""},
		{"custom", "gpt-5", ""},
		{"", "gpt-5", ""},
		{"openai", "", ""},
	} {
		p := prices.Lookup(Query{Provider: c.provider, Model: c.model})
		if p.Model != c.want || (p.Status == Unknown) != (c.want == "") {
			t.Errorf("%s %s: %q %s, want %q", c.provider, c.model, p.Model, p.Status, c.want)
		}
	}
	if p := prices.Lookup(Query{Provider: "work", Model: "gpt-5", BaseURL: "https://API.openai.com:443/v1"}); p.Model != "gpt-5" || p.Source == "" || p.Checked.IsZero() {
		t.Errorf("by its address: %+v", p)
	}
	if p := prices.Lookup(Query{Provider: "work", Model: "gpt-5", BaseURL: "https://api.openai.com.example/v1"}); p.Status != Unknown {
		t.Errorf("by another address: %+v", p)
	}
	if p := prices.Lookup(Query{Provider: "openrouter", Model: "some/model:free"}); p.Status != Included {
		t.Errorf("free of charge: %+v", p)
	}
}

// The longest entry counts, wherever it stands.
func TestLongestEntry(t *testing.T) {
	for _, text := range []string{"m 1 1 1 1 1\nm-2024 2 2 2 2 2\n", "m-2024 2 2 2 2 2\nm 1 1 1 1 1\n"} {
		sections, err := parse("provider p 2026-01-01 https://p\n" + text)
		if err != nil {
			t.Fatal(err)
		}
		prices := &Table{sections: sections}
		for model, want := range map[string]string{"m-2024": "m-2024", "m-2024-latest": "m-2024", "m-2025": "m", "m-2025-latest": ""} {
			if p := prices.Lookup(Query{Provider: "p", Model: model}); p.Model != want {
				t.Errorf("%s: %q, want %q", model, p.Model, want)
			}
		}
	}
}

func TestOwnServers(t *testing.T) {
	prices := table(t)
	for _, c := range []struct {
		provider, model string
		local           bool
		want            Status
	}{
		{"ollama", "qwen3:8b", true, Included},
		{"ollama", "qwen3:8b", false, Unknown},
		{"ollama", "gpt-oss:120b-cloud", true, Unknown},
		{"ollama", "gemma4:cloud", true, Unknown},
		{"LMStudio", "m", true, Included},
		{"llama.cpp", "m", true, Included},
		{"vllm", "m", true, Included},
		{"ollama-cloud", "gpt-oss:120b", false, Unknown},
		{"custom", "m", true, Unknown},       // may be a proxy
		{"openai", "gpt-5", true, Estimated}, // surely one
	} {
		if p := prices.Lookup(Query{Provider: c.provider, Model: c.model, Local: c.local}); p.Status != c.want {
			t.Errorf("%+v: %s", c, p.Status)
		}
	}
}

func TestTimes(t *testing.T) {
	prices := table(t)
	for _, c := range []struct {
		provider, model, at string
		want                int64
	}{
		{"gemini", "gemini-3.8-flash", "2026-12-31T23:59:59Z", 750_000},
		{"gemini", "gemini-3.8-flash", "2027-01-01T00:00:00Z", 1_500_000},
		{"gemini", "gemini-3.8-flash", "2026-12-31T23:00:00-02:00", 1_500_000},
		{"deepseek", "deepseek-v4-pro", "2026-11-20T00:59:59Z", 660_000}, // a Friday
		{"deepseek", "deepseek-v4-pro", "2026-11-20T01:00:00Z", 1_320_000},
		{"deepseek", "deepseek-v4-pro", "2026-11-20T12:30:00+09:00", 1_320_000}, // 03:30 UTC
		{"deepseek", "deepseek-v4-pro", "2026-11-20T04:00:00Z", 660_000},
		{"deepseek", "deepseek-v4-pro", "2026-11-20T09:59:59Z", 1_320_000},
		{"deepseek", "deepseek-v4-pro", "2026-11-20T10:00:00Z", 660_000},
		{"deepseek", "deepseek-v4-pro", "2026-11-21T02:00:00Z", 660_000}, // a Saturday
		{"deepseek", "deepseek-v4-pro", "2026-11-22T02:00:00Z", 660_000},
		{"deepseek", "deepseek-v4-pro", "2026-11-23T02:00:00Z", 1_320_000},
	} {
		if p := prices.Lookup(Query{Provider: c.provider, Model: c.model, At: moment(t, c.at)}); p.Rates(1).Input != c.want {
			t.Errorf("%+v: %d", c, p.Rates(1).Input)
		}
	}
	for model, want := range map[string]int64{"gemini-3.8-flash": 750_000, "deepseek-v4-pro": 660_000} {
		if p := prices.Lookup(Query{Provider: strings.SplitN(model, "-", 2)[0], Model: model}); p.Rates(1).Input != want {
			t.Errorf("%s without a time: %d", model, p.Rates(1).Input)
		}
	}
}

func TestOverrides(t *testing.T) {
	prices := table(t,
		Override{Key: "pricing.1", Model: "GPT-5", Input: "1", Output: "2"},
		Override{Key: "pricing.2", Provider: "OpenAI", Model: "gpt-5", Input: "3", Output: "4", CacheRead: "0", CacheWrite: " 5.5 "},
		Override{Key: "pricing.3", Model: "gpt-5-2025-08-07", Input: "7", Output: "8"},
		Override{Key: "pricing.4", Provider: "own", Model: "*", Input: "0", Output: "0.0"},
		Override{Key: "pricing.5", Provider: "own", Model: "big-1.2", Input: "0.000001", Output: "1000000"},
	)
	for _, c := range []struct {
		provider, model string
		want            Rates
		source          string
	}{
		{"openai", "gpt-5", Rates{3_000_000, 4_000_000, 0, 5_500_000}, "pricing.2"},
		{"other", "gpt-5-latest", Rates{1_000_000, 2_000_000, 1_000_000, 1_000_000}, "pricing.1"},
		{"openai", "gpt-5-2025-08-07", Rates{7_000_000, 8_000_000, 7_000_000, 7_000_000}, "pricing.3"},
		{"openai", "gpt-5-mini", Rates{250_000, 2_000_000, 25_000, Missing}, "https://developers.openai.com/api/docs/pricing"},
		{"own", "anything", Rates{}, "pricing.4"},
		{"own", "big-1-2-latest", Rates{1, 1_000_000_000_000, 1, 1}, "pricing.5"},
	} {
		p := prices.Lookup(Query{Provider: c.provider, Model: c.model})
		if p.Rates(10) != c.want || p.Source != c.source {
			t.Errorf("%s %s: %+v from %s", c.provider, c.model, p.Rates(10), p.Source)
		}
	}
	if p := prices.Lookup(Query{Provider: "own", Model: "anything"}); p.Status != Included {
		t.Errorf("paid for: %s", p.Status)
	}
	if p := prices.Lookup(Query{Provider: "own", Model: "big-1.2", LongCache: true}); p.Rates(1).CacheWrite != 1 {
		t.Errorf("long cache: %+v", p.Rates(1))
	}
}

func TestOverrideErrors(t *testing.T) {
	good := Override{Provider: "p", Model: "m", Input: "1", Output: "2"}
	for want, change := range map[string]func(*Override){
		"pricing.2.model":       func(o *Override) { o.Model = " " },
		"pricing.2.provider":    func(o *Override) { o.Model, o.Provider = "*", "" },
		"pricing.2.input":       func(o *Override) { o.Input = "" },
		"pricing.2.output":      func(o *Override) { o.Output = "-1" },
		"pricing.2.cache_read":  func(o *Override) { o.CacheRead = "${PRICE}" },
		"pricing.2.cache_write": func(o *Override) { o.CacheWrite = "0.0000001" },
	} {
		o := good
		o.Model = "n"
		change(&o)
		_, err := New([]Override{good, o})
		if e := (*Error)(nil); !errors.As(err, &e) || e.Key != want || e.Problem == "" || !strings.HasPrefix(err.Error(), want+" ") {
			t.Errorf("want an error for %s, got %v", want, err)
		}
	}
	_, err := New([]Override{good, {Key: "x", Provider: "P", Model: "M", Input: "1", Output: "2"}})
	if e := (*Error)(nil); !errors.As(err, &e) || e.Key != "x.model" || !strings.Contains(e.Problem, "pricing.1") {
		t.Errorf("twice: %v", err)
	}
}

// The cost of two calls is the sum of their costs, while rates are the same.
func TestCostIsAdditive(t *testing.T) {
	prices := table(t)
	random := rand.New(rand.NewPCG(1, 2))
	tokens := func() int64 { return random.Int64N(50_000) }
	for _, s := range prices.sections {
		for _, r := range s.rows {
			p := prices.Lookup(Query{Provider: s.names[0], Model: r.models[0]})
			for range 20 {
				a := providers.Usage{Input: tokens(), Output: tokens()}
				b := providers.Usage{Input: tokens(), Output: tokens()}
				if rates := p.Rates(1); rates.CacheRead != Missing {
					a.CacheRead, b.CacheRead = tokens(), tokens()
				}
				sum := providers.Usage{Input: a.Input + b.Input, Output: a.Output + b.Output, CacheRead: a.CacheRead + b.CacheRead}
				if p.Rates(sum.Prompt()) != p.Rates(a.Prompt()) || p.Rates(sum.Prompt()) != p.Rates(b.Prompt()) || p.Rates(sum.Prompt()).Input == Missing {
					continue
				}
				x, how := p.Cost(a)
				y, _ := p.Cost(b)
				both, _ := p.Cost(sum)
				if how != Estimated || x+y != both || x <= 0 {
					t.Fatalf("%s %s: %d + %d is not %d (%s)", s.names[0], r.models[0], x, y, both, how)
				}
			}
		}
	}
}

func FuzzLookup(f *testing.F) {
	f.Add("openrouter", "anthropic/claude-sonnet-4.6:free", "https://openrouter.ai/api/v1", int64(5), int64(7))
	f.Add("", "gpt-5-2025-08-", "://", int64(-1), int64(math.MaxInt64))
	f.Add("own", "*", "http://[::1", int64(0), int64(1))
	prices := table(f, Override{Provider: "own", Model: "*", Input: "1", Output: "1"}, Override{Model: "m.1", Input: "1", Output: "1"})
	f.Fuzz(func(t *testing.T, provider, model, address string, input, output int64) {
		for _, q := range []Query{
			{Provider: provider, Model: model, BaseURL: address},
			{Provider: provider, Model: model, Local: true, LongCache: true, At: time.Unix(input%4e9, 0)},
		} {
			u := providers.Usage{Input: input, Output: output, CacheRead: output, CacheWrite: input}
			p := prices.Lookup(q)
			amount, how := p.Cost(u)
			if amount < 0 || how != Estimated && amount != 0 || p.Status == Actual || p.Status == "" {
				t.Errorf("%+v: %d %s", p, amount, how)
			}
			p.Saved(u)
		}
	})
}

// TestListed takes what an endpoint lists for its models before our own list, and
// after what the user has set.
func TestListed(t *testing.T) {
	own, err := New([]Override{{Key: "pricing.1", Model: "set-by-hand", Input: "7", Output: "8"}})
	if err != nil {
		t.Fatal(err)
	}
	list := &providers.ListPrice{Input: "0.000003", Output: "1.5e-05", CacheRead: "0.0000003"}
	for _, c := range []struct {
		name   string
		model  string
		list   *providers.ListPrice
		usage  providers.Usage
		cost   int64
		status Status
	}{
		{"listed", "anthropic/claude-sonnet-4.6", list, providers.Usage{Input: 1000, Output: 10, CacheRead: 100}, 1000*3e6 + 10*15e6 + 100*3e5, Estimated},
		{"a bucket without a price", "anthropic/claude-sonnet-4.6", list, providers.Usage{Input: 1, CacheWrite: 1}, 0, Unknown},
		{"free", "a/b", &providers.ListPrice{Input: "0", Output: "0"}, providers.Usage{Input: 9, CacheRead: 9}, 0, Included},
		{"varying", "openrouter/auto", &providers.ListPrice{Input: "-1", Output: "-1"}, providers.Usage{Input: 9}, 0, Unknown},
		{"unreadable", "anthropic/claude-sonnet-4.6", &providers.ListPrice{Input: "three", Output: "0.1"}, providers.Usage{Input: 1}, 3e6, Estimated},
		{"set by hand", "set-by-hand", list, providers.Usage{Input: 1, Output: 1}, 15e6, Estimated},
	} {
		cost, status := own.Lookup(Query{Provider: "openrouter", Model: c.model, Listed: c.list}).Cost(c.usage)
		if cost != c.cost || status != c.status {
			t.Errorf("%s: %d %s, want %d %s", c.name, cost, status, c.cost, c.status)
		}
	}
}

func TestDearer(t *testing.T) {
	table, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		provider, model string
		prompt, want    int64
	}{
		{"openai", "gpt-6.2-sol", 272_000, 0}, {"openai", "gpt-6.2-sol", 272_001, 272_000},
		{"anthropic", "claude-haiku-4-5", 900_000, 0}, {"openai", "unheard-of", 900_000, 0},
	} {
		if got := table.Lookup(Query{Provider: c.provider, Model: c.model}).Dearer(c.prompt); got != c.want {
			t.Errorf("%s, %d: %d", c.model, c.prompt, got)
		}
	}
}

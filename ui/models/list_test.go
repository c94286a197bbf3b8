package models_test

import (
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/models"
	"hermes-tui/ui/overlay"
)

// offered are all models of a list in its order.
func offered(l *models.List) string {
	var names []string
	for _, c := range l.Complete("") {
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}

func TestRounds(t *testing.T) {
	group := func(at int, provider string, asking bool, names ...string) app.ModelGroup {
		g := app.ModelGroup{At: at, Provider: provider, Label: provider, Asking: asking}
		for _, n := range names {
			g.Models = append(g.Models, app.ModelInfo{Name: n})
		}
		return g
	}
	l := &models.List{}
	check := func(when, want string, asking int) {
		t.Helper()
		if got := offered(l); got != want || l.Asking() != asking || l.Len() != len(strings.Fields(want)) {
			t.Errorf("%s: %q of %d, %d asked; want %q, %d", when, got, l.Len(), l.Asking(), want, asking)
		}
	}
	l.Begin()
	l.Put(group(0, "a", true))
	l.Put(group(2, "b", true))
	check("begun", "", 2)
	l.Put(group(2, "b", false, "b1", "b2"))
	check("the second first", "b1 b2", 1)
	l.Put(group(1, "found", false, "f"))
	l.Put(group(0, "a", false, "a1"))
	check("all", "a1 f b1 b2", 0)
	l.End()
	check("ended", "a1 f b1 b2", 0)

	l.Begin()
	l.Put(group(0, "a", true))
	l.Put(group(2, "b", true))
	check("again: what was there stays", "a1 f b1 b2", 2)
	l.Put(group(2, "b", false, "b2", "b3"))
	l.Stop()
	check("broken off", "a1 f b2 b3", 0)
	l.Begin()
	l.Put(group(0, "b", false, "b4"))
	l.End()
	check("the others are gone", "b4", 0)
}

func TestMaxIsABound(t *testing.T) {
	l := listOf(many("a", 0, models.Max-10), many("b", 1, 100))
	if l.Len() != models.Max {
		t.Errorf("%d models", l.Len())
	}
	l.Put(many("a", 0, 5))
	l.Put(many("b", 1, 100))
	if l.Len() != 105 {
		t.Errorf("%d models once the first has fewer", l.Len())
	}
}

func TestSearch(t *testing.T) {
	l := listOf(endpoints()...)
	for query, want := range map[string][]string{
		"opus":            {"anthropic:claude-opus-4-6", "openrouter:anthropic/claude-opus-4.6"},
		"openrouter opus": {"openrouter:anthropic/claude-opus-4.6"},
		"opus openrouter": {"openrouter:anthropic/claude-opus-4.6"},
		"OpenR OPUS":      {"openrouter:anthropic/claude-opus-4.6"},
		"groq/qwen":       {"groq:qwen3-coder"},
		"groq:qwen":       {"groq:qwen3-coder"},
		"claude/son":      {"anthropic:claude-sonnet-4-6"}, // an alias of the provider
		"grok":            {"xai:grok-4.5"},
		"ollama":          {"ollama:qwen3-coder", "ollama:qwen3:8b"},
		"ollama 8b":       {"ollama:qwen3:8b"},
		"qwen3:8b":        {"ollama:qwen3:8b"},
		"anthropic/claud": {"anthropic:claude-opus-4-6", "anthropic:claude-haiku-4-5", "anthropic:claude-sonnet-4-6", "openrouter:anthropic/claude-opus-4.6"},
		"q3c":             {"groq:qwen3-coder", "ollama:qwen3-coder", "openrouter:qwen/qwen3-coder"},
		"offline":         {"demo:demo"},
		"nosuchthing":     nil,
		"groq nosuch":     nil,
	} {
		p := models.NewPicker(styles, l, hints)
		p.Type(query)
		var got []string
		for p.Move(overlay.Top); ; p.Move(overlay.Down) {
			s := selected(p)
			if s == "" || len(got) > 0 && got[len(got)-1] == s {
				break
			}
			got = append(got, s)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	// The order of the hits: the provider that was named, then the best name.
	p := models.NewPicker(styles, l, hints)
	p.Type("anthropic")
	if got := selected(p); got != "anthropic:claude-haiku-4-5" {
		t.Errorf("the provider's own come first, not %s", got)
	}
}

// TestResolve reads names as people type them.
func TestResolve(t *testing.T) {
	twins := append(endpoints(), app.ModelGroup{At: 12, Provider: "mirror", Label: "Mirror", Models: []app.ModelInfo{{Name: "Demo"}, {Name: "demo"}, {Name: "openai/gpt-5-mini"}}})
	for _, c := range []struct {
		text   string
		answer models.Answer
		want   []string
	}{
		{"claude-sonnet-4-6", models.Found, []string{"anthropic:claude-sonnet-4-6"}},
		{" Claude-Sonnet-4-6 ", models.Found, []string{"anthropic:claude-sonnet-4-6"}},
		{"anthropic:claude-haiku-4-5", models.Found, []string{"anthropic:claude-haiku-4-5"}},
		{"anthropic/claude-haiku-4-5", models.Found, []string{"anthropic:claude-haiku-4-5"}},
		{"Claude:claude-haiku-4-5", models.Found, []string{"anthropic:claude-haiku-4-5"}},
		{"anthropic/claude-opus-4.6", models.Found, []string{"openrouter:anthropic/claude-opus-4.6"}}, // a name with a slash in it
		{"openrouter:anthropic/claude-opus-4.6", models.Found, []string{"openrouter:anthropic/claude-opus-4.6"}},
		{"openrouter/anthropic/claude-opus-4.6", models.Found, []string{"openrouter:anthropic/claude-opus-4.6"}},
		{"google/gemma-3-27b-it:free", models.Found, []string{"openrouter:google/gemma-3-27b-it:free"}},
		{"qwen3:8b", models.Found, []string{"ollama:qwen3:8b"}},
		{"ollama:qwen3:8b", models.Found, []string{"ollama:qwen3:8b"}},
		{"qwen3-coder", models.Several, []string{"groq:qwen3-coder", "ollama:qwen3-coder"}},
		{"ollama/qwen3-coder", models.Found, []string{"ollama:qwen3-coder"}},
		{"openai/gpt-5-mini", models.Several, []string{"openrouter:openai/gpt-5-mini", "mirror:openai/gpt-5-mini"}},
		{"DEMO", models.Found, []string{"demo:demo"}}, // two of the mirror differ by case only
		{"grok-4.5", models.Found, []string{"xai:grok-4.5"}},
		{"grok:grok-9", models.Unlisted, []string{"xai:grok-9"}}, // its endpoint did not say what it has
		{"claude-sonet-4-6", models.Nowhere, []string{"anthropic:claude-sonnet-4-6", "anthropic:claude-sonet-4-6"}},
		{"ollama:qwen3-coder2", models.Nowhere, []string{"ollama:qwen3-coder", "ollama:qwen3-coder2"}},
		{"gtp-5-mini", models.Nowhere, []string{"openrouter:openai/gpt-5-mini", "mirror:openai/gpt-5-mini", "anthropic:gtp-5-mini"}},
		{"versatile", models.Nowhere, []string{"groq:llama-3.3-70b-versatile", "anthropic:versatile"}},
		{"groq:", models.Nowhere, []string{"anthropic:groq:"}},
		{"zzzzzzzz", models.Nowhere, []string{"anthropic:zzzzzzzz"}},
	} {
		r := listOf(twins...).Resolve(c.text)
		var got []string
		for _, o := range r.Options {
			got = append(got, o.Choice.Provider+":"+o.Choice.Name)
		}
		if r.Answer != c.answer || !slices.Equal(got, c.want) {
			t.Errorf("%q: %d %q, want %d %q", c.text, r.Answer, got, c.answer, c.want)
		}
	}
}

// TestResolveWaits answers as soon as it can: for the endpoint in use and for one
// that is named no one else is waited for.
func TestResolveWaits(t *testing.T) {
	l := &models.List{}
	l.SetCurrent(now)
	l.Begin()
	all := endpoints()
	for _, g := range all {
		g.Asking, g.Models, g.Problem = true, nil, ""
		l.Put(g)
	}
	expect := func(text string, want models.Answer) {
		t.Helper()
		if got := l.Resolve(text).Answer; got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	expect("claude-opus-4-6", models.Found) // the one in use
	expect("claude-haiku-4-5", models.Unsure)
	l.Put(all[2])
	expect("claude-haiku-4-5", models.Unsure)
	expect("groq:qwen3-coder", models.Found)
	expect("qwen3-coder", models.Unsure) // others may have it, too
	l.Put(all[0])
	expect("claude-haiku-4-5", models.Found)
	for _, g := range all {
		l.Put(g)
	}
	expect("qwen3-coder", models.Several)
}

// TestResolveWithoutLists takes a name for what it is where no one tells.
func TestResolveWithoutLists(t *testing.T) {
	l := listOf(app.ModelGroup{Provider: "anthropic", Host: now.Host, Label: "Anthropic", Problem: "It does not answer."})
	r := l.Resolve("claude-next")
	if r.Answer != models.Unlisted || r.Options[0].Choice != (app.Choice{Provider: "anthropic", Host: now.Host, Name: "claude-next"}) {
		t.Errorf("%+v", r)
	}
	empty := &models.List{}
	empty.SetCurrent(now)
	if r := empty.Resolve("x"); r.Answer != models.Nowhere || r.Options[0].Choice.Provider != "anthropic" {
		t.Errorf("%+v", r)
	}
}

func TestComplete(t *testing.T) {
	l := listOf(endpoints()...)
	for text, want := range map[string]string{
		"son":             "claude-sonnet-4-6",
		"qwen3-c":         "groq:qwen3-coder ollama:qwen3-coder qwen/qwen3-coder",
		"ollama:":         "ollama:qwen3-coder ollama:qwen3:8b",
		"Grok/":           "Grok/grok-4.5",
		"claude:opus":     "claude:claude-opus-4-6",
		"claude-opus-4-6": "",
		"groq:qwen3":      "groq:qwen3-coder",
		"nosuch":          "",
	} {
		var got []string
		for _, c := range l.Complete(text) {
			got = append(got, c.Name)
			if r := l.Resolve(c.Name); r.Answer != models.Found {
				t.Errorf("%q offers %q, which is understood as %d", text, c.Name, r.Answer)
			}
			for _, i := range c.Match {
				if i >= len(c.Name) {
					t.Errorf("%q: offset %d into %q", text, i, c.Name)
				}
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q offers %q, want %q", text, got, want)
		}
	}
	if n := len(listOf(many("a", 0, 500)).Complete("")); n != 50 {
		t.Errorf("%d are offered", n)
	}
}

func TestKnown(t *testing.T) {
	l := listOf(endpoints()...)
	if m, ok := l.Known(now); !ok || m.Reasons != event.Yes {
		t.Errorf("known of %s: %+v, %v", now.Name, m, ok)
	}
	for _, m := range []event.Model{{Provider: "anthropic", Name: "other"}, {Provider: "nowhere", Name: now.Name}, {}} {
		if k, ok := l.Known(m); ok {
			t.Errorf("known of %+v: %+v", m, k)
		}
	}
}

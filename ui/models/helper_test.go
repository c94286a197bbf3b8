package models_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/internal/celltest"
	"hermes-tui/themes"
	"hermes-tui/ui/models"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

var (
	styles = rows.NewStyles(themes.Dark())
	hints  = []status.Hint{{Key: "enter", Text: "take"}, {Key: "esc", Text: "close"}}
	now    = event.Model{Provider: "anthropic", Host: "api.anthropic.com", Name: "claude-opus-4-6", ContextMax: 200_000}
)

// dollars is a price for a million tokens.
func dollars(in, out float64) *app.ModelPrice {
	const d = float64(event.Dollar)
	return &app.ModelPrice{Input: event.Money(in * d), Output: event.Money(out * d)}
}

// info is a model with abilities by letters: s sees, r reasons, t calls tools; in
// capitals it cannot.
func info(name string, context int, price *app.ModelPrice, can string) app.ModelInfo {
	m := app.ModelInfo{Name: name, ContextMax: context, Price: price}
	for _, c := range can {
		to, what := event.Yes, c
		if strings.ToLower(string(c)) != string(c) {
			to, what = event.No, c+'a'-'A'
		}
		switch what {
		case 's':
			m.Sees = to
		case 'r':
			m.Reasons = to
		case 't':
			m.Calls = to
		}
	}
	return m
}

// endpoints are what a user with some keys may have.
func endpoints() []app.ModelGroup {
	return []app.ModelGroup{
		{At: 0, Provider: "anthropic", Host: "api.anthropic.com", Label: "Anthropic", Aliases: []string{"claude"}, Key: "a login", Models: []app.ModelInfo{
			info("claude-haiku-4-5", 200_000, dollars(1, 5), "srt"),
			info("claude-opus-4-6", 200_000, dollars(5, 25), "srt"),
			info("claude-sonnet-4-6", 1_000_000, dollars(3, 15), "srt"),
		}},
		{At: 2, Provider: "openrouter", Host: "openrouter.ai", Label: "OpenRouter", Key: "env OPENROUTER_API_KEY", Models: []app.ModelInfo{
			info("anthropic/claude-opus-4.6", 200_000, dollars(5, 25), "srt"),
			info("google/gemma-3-27b-it:free", 131_072, dollars(0, 0), "sRT"),
			info("openai/gpt-5-mini", 400_000, dollars(0.25, 2), "srt"),
			info("qwen/qwen3-coder", 262_144, dollars(0.0375, 0.8), "SRt"),
		}},
		{At: 4, Provider: "groq", Host: "api.groq.com", Label: "Groq", Key: "config.yaml", Models: []app.ModelInfo{
			info("llama-3.3-70b-versatile", 131_072, nil, ""),
			info("qwen3-coder", 131_072, nil, ""),
		}},
		{At: 6, Provider: "xai", Host: "api.x.ai", Label: "xAI", Key: "env XAI_API_KEY", Aliases: []string{"grok"},
			Problem: "xAI does not accept the API key from XAI_API_KEY (HTTP 401): set a valid one in XAI_API_KEY, keys are made at https://console.x.ai.",
			Models:  []app.ModelInfo{info("grok-4.5", 0, nil, "")}},
		{At: 8, Provider: "ollama", Host: "127.0.0.1:11434", Label: "Ollama", Models: []app.ModelInfo{
			info("qwen3-coder", 32_768, dollars(0, 0), "SRt"),
			info("qwen3:8b", 40_960, dollars(0, 0), "SrT"),
		}},
		{At: 10, Provider: "demo", Label: "Offline", Models: []app.ModelInfo{info("demo", 0, dollars(0, 0), "")}},
	}
}

// listOf is a list of endpoints that have all answered.
func listOf(groups ...app.ModelGroup) *models.List {
	l := &models.List{}
	l.SetCurrent(now)
	l.Begin()
	for _, g := range groups {
		l.Put(g)
	}
	l.End()
	return l
}

func picker(groups ...app.ModelGroup) *models.Picker {
	return models.NewPicker(styles, listOf(groups...), hints)
}

// draw lays a box over an empty frame and checks it.
func draw(t testing.TB, b overlay.Box, w, h int) []string {
	t.Helper()
	frame := make([]string, h)
	for i := range frame {
		frame[i] = strings.Repeat("·", w)
	}
	overlay.Draw(frame, b, w, h)
	celltest.Check(t, frame, w, h)
	return frame
}

func text(t testing.TB, b overlay.Box, w, h int) string {
	t.Helper()
	return ansi.Strip(strings.Join(draw(t, b, w, h), "\n"))
}

// selected is the model under the marker, with its provider.
func selected(p *models.Picker) string {
	c, _, ok := p.Selected()
	if !ok {
		return ""
	}
	return c.Provider + ":" + c.Name
}

// rowOf is the row of the screen with a text.
func rowOf(t testing.TB, b overlay.Box, w, h int, what string) int {
	t.Helper()
	for i, row := range draw(t, b, w, h) {
		if strings.Contains(ansi.Strip(row), what) {
			return i
		}
	}
	t.Fatalf("%q is not in sight:\n%s", what, text(t, b, w, h))
	return -1
}

// many is an endpoint with n models.
func many(provider string, at, n int) app.ModelGroup {
	g := app.ModelGroup{At: at, Provider: provider, Label: strings.ToUpper(provider), Key: "env KEY"}
	vendors := []string{"anthropic", "openai", "google", "meta-llama", "mistralai", "qwen", "deepseek", "x-ai"}
	for i := range n {
		g.Models = append(g.Models, info(fmt.Sprintf("%s/model-%d-%dB-instruct", vendors[i%len(vendors)], i, i%97), 8192*(i%30+1), dollars(float64(i%20)/4, float64(i%9)), "sRt"))
	}
	return g
}

package models_test

import (
	"strings"
	"testing"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/models"
)

func TestChange(t *testing.T) {
	to := func(m app.ModelInfo) models.Option {
		return models.Option{Choice: app.Choice{Provider: "openrouter", Host: "openrouter.ai", Name: "new"}, Info: m, Label: "OpenRouter"}
	}
	big := info("new", 1_000_000, dollars(5, 25), "srt")
	cached := now
	cached.CacheSeconds = 300
	for _, c := range []struct {
		name string
		c    models.Change
		asks bool
		says []string
		not  []string
	}{
		{"nothing said yet", models.Change{From: now, To: to(big)}, false, nil, nil},
		{"the same", models.Change{From: now, To: models.Option{Choice: app.Choice{Provider: now.Provider, Host: now.Host, Name: now.Name}}, Turns: 3, Tokens: 9}, false, nil, nil},
		{"the same of another host", models.Change{From: now, To: models.Option{Choice: app.Choice{Provider: now.Provider, Host: "other", Name: now.Name}}, Turns: 3}, true, nil, nil},
		{
			"a price", models.Change{From: now, To: to(big), Turns: 3, Tokens: 84_000, Kept: 60_000}, true,
			[]string{"claude-opus-4-6 → new (OpenRouter)", "drops the prompt cache of claude-opus-4-6", "sends 84k tokens again, about $0.42."}, []string{"window", "image", "turn"},
		},
		{"a small price", models.Change{From: cached, To: to(big), Turns: 1, Tokens: 400}, true, []string{"drops the prompt cache", "400 tokens again, less than $0.01."}, nil},
		{"free", models.Change{From: now, To: to(info("new", 0, dollars(0, 0), "")), Turns: 1, Tokens: 400}, true, []string{"400 tokens", "free of charge", "Whatever claude-opus-4-6 had cached"}, []string{"$"}},
		{"no price", models.Change{From: now, To: to(app.ModelInfo{}), Turns: 1, Tokens: 400}, true, []string{"price unknown"}, []string{"$"}},
		{"no size", models.Change{From: now, To: to(big), Turns: 2}, true, []string{"the session", "price unknown"}, nil},
		{"too large", models.Change{From: now, To: to(info("new", 32_000, nil, "")), Turns: 1, Tokens: 84_000}, true, []string{"more than its window of 32k tokens", "shortened first"}, nil},
		{"blind", models.Change{From: now, To: to(info("new", 0, nil, "S")), Turns: 1, Tokens: 9, Images: 3}, true, []string{"does not see images", "3 images"}, nil},
		{"perhaps blind", models.Change{From: now, To: to(info("new", 0, nil, "")), Turns: 1, Tokens: 9, Images: 3}, true, nil, []string{"image"}},
		{"talks only", models.Change{From: now, To: to(info("new", 0, nil, "T")), Turns: 1, Tokens: 9}, true, []string{"does not call tools"}, nil},
		{"busy", models.Change{From: now, To: to(big), Turns: 1, Tokens: 9, Busy: true}, true, []string{"The running turn ends with claude-opus-4-6; the next one begins with new."}, nil},
		{"picked and never asked", models.Change{From: now, To: to(big), Turns: 1, Tokens: 9, Fresh: true}, false, nil, nil},
		{"too large all the same", models.Change{From: now, To: to(info("new", 5, nil, "")), Turns: 1, Tokens: 9, Fresh: true}, true, []string{"more than its window"}, []string{"drops", "dropped"}},
	} {
		if got := c.c.Asks(); got != c.asks {
			t.Errorf("%s: asks %v", c.name, got)
		}
		var all []string
		for _, l := range c.c.Lines() {
			all = append(all, l.Text)
		}
		text := strings.Join(all, "\n")
		for _, s := range c.says {
			if !strings.Contains(text, s) {
				t.Errorf("%s: %q is not in\n%s", c.name, s, text)
			}
		}
		for _, s := range c.not {
			if strings.Contains(text, s) {
				t.Errorf("%s: %q is in\n%s", c.name, s, text)
			}
		}
	}
}

// TestCostIsExact multiplies without loss, and without overflow.
func TestCostIsExact(t *testing.T) {
	for _, c := range []struct {
		tokens int
		price  event.Money
		want   event.Money
	}{
		{1_000_000, 3 * event.Dollar, 3 * event.Dollar},
		{1, event.Dollar, event.Dollar / 1_000_000},
		{2_000_000_000, 150 * event.Dollar, 300_000 * event.Dollar},
		{333_333, 37_500_000_000, 12_499_987_500},
		{1_000_000, 1_234_567, 1_234_567},
	} {
		ch := models.Change{Tokens: c.tokens, To: models.Option{Info: app.ModelInfo{Price: &app.ModelPrice{Input: c.price}}}}
		if got, ok := ch.Cost(); !ok || got != c.want {
			t.Errorf("%d tokens at %d cost %d, want %d", c.tokens, c.price, got, c.want)
		}
	}
}

// TestChangeOf reads a conversation.
func TestChangeOf(t *testing.T) {
	root := &event.Agent{Turns: 2, Context: event.Context{Used: 500}, Cache: []event.CacheReport{{Model: "before", Read: 100, Written: 20}}}
	root.Blocks = []*event.Block{{Images: make([]event.Attachment, 2)}, {}, {Images: make([]event.Attachment, 1)}}
	s := &event.State{Model: event.Model{Name: "picked"}, Agents: []*event.Agent{root}}
	c := models.ChangeOf(s, models.Option{})
	if c.Turns != 2 || c.Tokens != 500 || c.Kept != 120 || c.Images != 3 || !c.Fresh || c.Busy {
		t.Errorf("%+v", c)
	}
	root.Cache[0].Model, root.Turn = "picked", "turn"
	if c := models.ChangeOf(s, models.Option{}); c.Fresh || !c.Busy {
		t.Errorf("%+v", c)
	}
	if c := models.ChangeOf(&event.State{}, models.Option{}); c.Asks() {
		t.Errorf("%+v asks", c)
	}
}

package models

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/anthropic"
	"hermes-tui/providers/bedrock"
	"hermes-tui/providers/chat"
	"hermes-tui/providers/models"
	"hermes-tui/providers/responses"
	"hermes-tui/providers/transport"
	"hermes-tui/store/config"
)

// The settings, the commands and the table of models know the same efforts.
func TestEffortsAreTheSameEverywhere(t *testing.T) {
	if !slices.Equal(event.Efforts(), models.Efforts()) {
		t.Errorf("%v and %v", event.Efforts(), models.Efforts())
	}
	for _, of := range []any{config.Agent{}, config.Delegation{}} {
		f, _ := reflect.TypeOf(of).FieldByName("ReasoningEffort")
		if got := strings.Split(f.Tag.Get("enum"), "|")[1:]; !slices.Equal(got, models.Efforts()) {
			t.Errorf("%T takes %v", of, got)
		}
	}
}

// TestOtherEffort holds that an effort which a model does not take is named, with the effort
// that is asked for instead.
func TestOtherEffort(t *testing.T) {
	tr := transport.New(transport.Options{Version: "test"})
	defer tr.CloseIdle()
	at := func(provider, url string) transport.Service {
		return transport.Service{Endpoint: providers.Endpoint{Provider: provider, BaseURL: url, Key: "k"}, Transport: tr}
	}
	made := func(c providers.Client, err error) providers.Client {
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	router := made(chat.New(chat.Config{Service: at("openrouter", "https://openrouter.ai/api/v1")}))
	google := made(chat.New(chat.Config{Service: at("gemini", "https://generativelanguage.googleapis.com/v1beta/openai")}))
	openai := made(responses.New(responses.Config{Service: at("openai", "https://api.openai.com/v1")}))
	xai := made(responses.New(responses.Config{Service: at("xai", "https://api.x.ai/v1")}))
	claude := made(anthropic.New(anthropic.Config{Service: at("anthropic", "https://api.anthropic.com")}))
	amazon := made(bedrock.New(bedrock.Config{Service: at("bedrock", bedrock.AnyRegion)}))
	for _, c := range []struct {
		client        providers.Client
		model, wanted string
		want          string // in the sentence, empty for none
	}{
		{router, "google/gemini-4-neon", "high", ""},
		{router, "moonshotai/kimi-k3", "medium", "asked for low"},
		{router, "z-ai/glm-5.3", "max", ""},
		{router, "mistralai/devstral-2512", "high", "takes no reasoning effort"},
		{router, "anthropic/claude-opus-5.5", "none", "asked for low"},
		{google, "gemini-4-neon", "max", "asked for xhigh"},
		{google, "gemini-4-carbon", "low", ""},
		{google, "gemini-2.5-pro", "low", "knows no efforts"},
		{openai, "gpt-6.2-sol", "none", "asked for low"},
		{openai, "gpt-6.2-sol", "ultra", "asked for max"},
		{openai, "gpt-6-sol", "none", ""},
		{openai, "gpt-4.1", "high", "takes no reasoning effort"},
		{xai, "grok-4", "high", "takes no reasoning effort"},
		{xai, "grok-4.7", "max", "asked for high"},
		{claude, "claude-fable-5-2", "max", ""},
		{claude, "claude-opus-4-6", "xhigh", "asked for max"},
		{claude, "claude-opus-4-1", "max", "asked for xhigh"},
		{claude, "claude-opus-5-5", "none", "asked for low"},
		{claude, "claude-3-5-haiku", "high", "takes no reasoning effort"},
		{amazon, "us.anthropic.claude-opus-5-5", "max", ""},
		{amazon, "us.amazon.nova-2-lite-v1:0", "max", "asked for high"},
		{amazon, "meta.llama3-3-70b-instruct-v1:0", "high", "takes no reasoning effort"},
		{claude, "claude-opus-5-5", "", ""},
	} {
		got := agent.Runtime{Client: c.client, Model: event.Model{Name: c.model, Effort: c.wanted}}.OtherEffort()
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s, %s: %q", c.model, c.wanted, got)
		}
	}
}

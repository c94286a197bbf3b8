package app

import (
	"errors"
	"os"
	"strings"
	"testing"

	"hermes-tui/agent/journal"
)

// chosen is a box with two endpoints: the settings name the model "usual" of the
// provider "one", "two" is there besides.
func chosen(t *testing.T) *box {
	t.Helper()
	one, two := serve(t, "usual", "special"), serve(t, "large")
	b := newBox(t)
	b.config("# mine\nprobe:\n  local_servers: false\nmodel:\n  provider: one\n  default: usual\nproviders:\n" +
		"  one:\n    base_url: " + one.URL() + "\n  groq:\n    base_url: " + two.URL() + "\n")
	return b
}

// TestPickedModelHolds picks a model, leaves and comes back: the model is found
// again, the settings are as they were, and other conversations are not touched.
func TestPickedModelHolds(t *testing.T) {
	for _, c := range []struct {
		name            string
		before          bool // picked before the first message
		provider, model string
		found           string // provider/model
	}{
		{"another of the same provider", false, "", "special", "one/special"},
		{"of another provider", false, "groq", "large", "groq/large"},
		{"before anything was said", true, "groq", "large", "groq/large"},
		{"the demonstration", false, "demo", "demo", "demo/demo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := chosen(t)
			settings, err := os.ReadFile(b.home.Config())
			if err != nil {
				t.Fatal(err)
			}
			a, conv := b.begin()
			if !c.before {
				say(t, conv, "hello")
			}
			if err := a.Pick(t.Context(), conv.ID(), Choice{Provider: c.provider, Name: c.model}, ModelInfo{}); err != nil {
				t.Fatal(err)
			}
			if _, err := conv.SetEffort("high"); err != nil {
				t.Fatal(err)
			}
			if c.before {
				say(t, conv, "hello")
			}
			check := func(conv Conversation, when string) {
				t.Helper()
				if m := model(conv); m.Provider+"/"+m.Name != c.found || !m.Chosen || m.Effort != "high" {
					t.Errorf("%s: %+v answers", when, m)
				}
			}
			check(conv, "after the choice")
			closed(t, a)
			for _, when := range []string{"resumed", "resumed again"} {
				a, conv = b.resume()
				check(conv, when)
				if got := notices(conv); got != "" {
					t.Errorf("%s: %s", when, got)
				}
				list, err := a.Sessions(t.Context(), "", 10, false)
				if err != nil || len(list) != 1 || list[0].Model != c.model {
					t.Errorf("listed as %+v, %v", list, err)
				}
				if c.provider != "demo" {
					say(t, conv, "go on")
				}
				closed(t, a)
			}
			_, conv = b.begin()
			if m := model(conv); m.Name != "usual" || m.Chosen {
				t.Errorf("a new conversation begins with %+v", m)
			}
			if now, err := os.ReadFile(b.home.Config()); err != nil || string(now) != string(settings) {
				t.Errorf("config.yaml was changed: %q, %v", now, err)
			}
		})
	}
}

// TestUnpickedModelFollowsTheSettings changes the settings between two runs.
func TestUnpickedModelFollowsTheSettings(t *testing.T) {
	b := chosen(t)
	a, conv := b.begin()
	say(t, conv, "hello")
	closed(t, a)
	text, err := os.ReadFile(b.home.Config())
	if err != nil {
		t.Fatal(err)
	}
	b.config(strings.Replace(string(text), "default: usual", "default: special", 1))
	_, conv = b.resume()
	if m := model(conv); m.Name != "special" || m.Chosen {
		t.Errorf("%+v answers", m)
	}
}

// TestFlagsPick begins with a flag and resumes without, and the other way round.
func TestFlagsPick(t *testing.T) {
	b := chosen(t)
	b.flags = map[string]string{"model.default": "special"}
	a, conv := b.begin()
	if m := model(conv); m.Name != "special" || !m.Chosen {
		t.Errorf("begun with %+v", m)
	}
	say(t, conv, "hello")
	closed(t, a)

	b.flags = nil
	a, conv = b.resume()
	if m := model(conv); m.Name != "special" || !m.Chosen {
		t.Errorf("resumed with %+v", m)
	}
	closed(t, a)

	b.flags = map[string]string{"model.provider": "groq", "model.default": "large"}
	a, conv = b.resume()
	if m := model(conv); m.Provider != "groq" || m.Name != "large" || !m.Chosen {
		t.Errorf("resumed by flag with %+v", m)
	}
	say(t, conv, "go on")
	closed(t, a)

	b.flags = nil
	_, conv = b.resume()
	if m := model(conv); m.Provider != "groq" || m.Name != "large" {
		t.Errorf("resumed after that with %+v", m)
	}
}

// TestPickedModelIsGone resumes when the endpoint of the picked model is not
// there any more: the settings answer, and the user is told.
func TestPickedModelIsGone(t *testing.T) {
	b := chosen(t)
	a, conv := b.begin()
	say(t, conv, "hello")
	if err := a.Pick(t.Context(), conv.ID(), Choice{Provider: "groq", Name: "large"}, ModelInfo{}); err != nil {
		t.Fatal(err)
	}
	closed(t, a)
	one := serve(t, "usual")
	b.config("probe:\n  local_servers: false\nmodel:\n  provider: custom\n  base_url: " + one.URL() + "\n  default: usual\n")
	_, conv = b.resume()
	if m := model(conv); m.Name != "usual" || m.Chosen {
		t.Errorf("%+v answers", m)
	}
	got := notices(conv)
	for _, part := range []string{"large of groq was picked for this session", "no key and no server", "usual answers instead", "/model"} {
		if !strings.Contains(got, part) {
			t.Errorf("the notice lacks %q: %s", part, got)
		}
	}
	say(t, conv, "go on")
	if got := asked(t, one, 1); got != "usual" {
		t.Errorf("the request names %q", got)
	}
}

// TestCustomEndpointsAreToldApart has the picked endpoint and another one, both
// without a name.
func TestCustomEndpointsAreToldApart(t *testing.T) {
	first, second := serve(t, "m"), serve(t, "m")
	b := newBox(t)
	b.flags = map[string]string{"model.provider": "custom", "model.base_url": second.URL(), "model.default": "m"}
	a, conv := b.begin()
	say(t, conv, "hello")
	closed(t, a)

	b.flags = nil
	b.config("probe:\n  local_servers: false\nmodel:\n  base_url: " + first.URL() + "\n  default: m\n")
	b.env["OPENAI_BASE_URL"] = second.URL()
	a, conv = b.resume()
	if m := model(conv); m.Host != hostOf(second.URL()) || notices(conv) != "" {
		t.Errorf("%+v answers; %s", m, notices(conv))
	}
	if err := a.Pick(t.Context(), conv.ID(), Choice{Provider: "", Name: "other"}, ModelInfo{}); err != nil {
		t.Fatal(err)
	}
	if m := model(conv); m.Host != hostOf(second.URL()) || m.Name != "other" {
		t.Errorf("%+v answers", m)
	}
	closed(t, a)

	delete(b.env, "OPENAI_BASE_URL")
	_, conv = b.resume()
	if m := model(conv); m.Host != hostOf(first.URL()) || !strings.Contains(notices(conv), "was picked for this session") {
		t.Errorf("%+v answers; %s", m, notices(conv))
	}
}

func TestPickRefuses(t *testing.T) {
	b := chosen(t)
	a, conv := b.begin()
	if err := a.Pick(t.Context(), conv.ID(), Choice{Provider: "nowhere", Name: "m"}, ModelInfo{}); err == nil || !strings.Contains(err.Error(), `no provider "nowhere"`) {
		t.Errorf("an unknown provider: %v", err)
	}
	if m := model(conv); m.Name != "usual" || m.Chosen {
		t.Errorf("a refused choice left %+v", m)
	}
	if err := conv.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.Pick(t.Context(), conv.ID(), Choice{Provider: "", Name: "special"}, ModelInfo{}); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("a closed conversation: %v", err)
	}
}

package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/store/config"
)

// comes waits for what a change of config.yaml brings about.
func comes(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatal("it does not come about: ", what)
}

// TestSettingsFollowTheirFile edits config.yaml behind a link: the next session has other
// tools and another model, a running one keeps its own, a key that is new is masked, and
// what the command line says stays.
func TestSettingsFollowTheirFile(t *testing.T) {
	one, two := serve(t, "m"), serve(t, "m")
	const key = "a-key-that-no-pattern-knows"
	settings := func(url, more string) string {
		return "probe: {local_servers: false}\nagent: {auto_title: false, max_turns: 5}\nmodel: {provider: custom, default: m, base_url: " + url + "}\n" + more
	}
	b := newBox(t)
	b.flags["display.theme"] = "dark"
	real := filepath.Join(b.dir, "dotfiles.yaml")
	if err := os.WriteFile(real, []byte(settings(one.URL(), "")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(b.home.Config()); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, b.home.Config()); err != nil {
		t.Fatal(err)
	}
	a, c := b.begin()
	say(t, c, "hello")
	if err := os.WriteFile(real, []byte(settings(two.URL(), "toolsets: [file]\ndisplay: {theme: light, mouse: false}\nagnet: {}\nproviders: {mine: {base_url: \"http://127.0.0.1:1/v1\", api_key: "+key+"}}\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	comes(t, "a notice", func() bool { return strings.Contains(notices(c), "Settings have changed") })
	said := notices(c)
	for _, want := range []string{"at once: display.mouse", "with the next session: model.base_url, providers, toolsets", "agnet"} {
		if !strings.Contains(said, want) {
			t.Errorf("notices lack %q:\n%s", want, said)
		}
	}
	if strings.Contains(said, "display.theme") || a.Settings().Theme != "dark" || a.Settings().Mouse {
		t.Errorf("settings %+v, notices:\n%s", a.Settings(), said)
	}
	if s, err := a.NextSettings(t.Context()); err != nil || s.Mouse {
		t.Error(s, err)
	}
	if got := a.Mask("it is " + key); strings.Contains(got, key) {
		t.Error("a key of the new settings shows:", got)
	}
	before := len(one.Requests())
	say(t, c, "again")
	next, err := a.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	say(t, next, "hello")
	requests := one.Requests()
	if len(requests) != before+1 || len(two.Requests()) != 1 {
		t.Fatalf("%d and %d requests", len(requests), len(two.Requests()))
	}
	if body := string(requests[before].Body); !strings.Contains(body, `"terminal"`) {
		t.Error("the running session has lost a tool")
	}
	if body := string(two.Requests()[0].Body); strings.Contains(body, `"name":"terminal"`) || !strings.Contains(body, `"name":"read_file"`) {
		t.Errorf("the tools of the next session: %.3000s", body)
	}
}

// TestSettingsBecomeUnusable says once what is wrong, keeps what was, and says that it
// is mended.
func TestSettingsBecomeUnusable(t *testing.T) {
	server := serve(t, "m")
	good := "probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: custom, default: m, base_url: " + server.URL() + "}\n"
	b := newBox(t)
	b.config(good)
	a, c := b.begin()
	for _, bad := range []string{good + "approvals: {mode: many}\n", "a: [", good + "approvals: {deny: {a: b}}\n", "\x00", strings.Repeat("a: &a [*a]\n", 9)} {
		b.config(bad)
		n := strings.Count(notices(c), "cannot be used")
		comes(t, "a sentence about "+bad, func() bool { return strings.Count(notices(c), "cannot be used") == n+1 })
	}
	if err := os.Remove(b.home.Config()); err != nil {
		t.Fatal(err)
	}
	comes(t, "no file is the defaults", func() bool { return strings.Contains(notices(c), "model.base_url") })
	b.config(good)
	comes(t, "the model is back", func() bool { return a.config().Model.Default == "m" })
	say(t, c, "hello")
}

func TestChanges(t *testing.T) {
	var all []config.Key
	live := 0
	for _, k := range config.Keys() {
		if strings.HasPrefix(k.Name, "display.") || k.Name == "model.default" {
			all = append(all, k)
			if k.Class == config.Live {
				live++
			}
		}
	}
	got := changes(all)
	for _, want := range []string{"at once: display.", fmt.Sprintf(", %d more;", live-mostNamed), "; with the next turn: display.file_mutation_verifier, display.turn_completion_explainer", "; with the next session: model.default", "; with the next start: display.markdown_style, display.linear."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if !slices.IsSorted([]int{strings.Index(got, "at once"), strings.Index(got, "next turn"), strings.Index(got, "next session"), strings.Index(got, "next start")}) {
		t.Error(got)
	}
}

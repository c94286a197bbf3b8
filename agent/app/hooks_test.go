//go:build unix

package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFinalizeReasons tells hooks why a session ends.
func TestFinalizeReasons(t *testing.T) {
	server := serve(t, "m")
	b := newBox(t)
	told := filepath.Join(t.TempDir(), "told")
	b.env["PATH"] = os.Getenv("PATH")
	b.config("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: custom, default: m, base_url: " + server.URL() + "}\n" +
		"hooks_auto_accept: true\nhooks: {on_session_finalize: [{command: \"cat > '" + told + "'\"}]}\n")
	for name, c := range map[string]struct {
		unattended bool
		end        func(t *testing.T, a *App, c Conversation) error
	}{
		"clear": {end: func(t *testing.T, a *App, c Conversation) error {
			if _, err := a.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			return c.Close(t.Context())
		}},
		"resume": {end: func(t *testing.T, a *App, c Conversation) error {
			other, err := a.Start(t.Context()) // this one goes on beside it
			if err != nil {
				t.Fatal(err)
			}
			say(t, other, "hi")
			for _, ref := range []Conversation{c, other} {
				if _, err := a.Resume(t.Context(), string(ref.Session())); err != nil {
					t.Fatal(err)
				}
			}
			return c.Close(t.Context())
		}},
		"prompt_input_exit": {end: func(_ *testing.T, a *App, _ Conversation) error { return a.Close() }},
		"other": {end: func(_ *testing.T, a *App, _ Conversation) error {
			a.Interrupt()
			return a.Close()
		}},
		"other, unattended": {true, func(_ *testing.T, a *App, _ Conversation) error { return a.Close() }},
	} {
		t.Run(name, func(t *testing.T) {
			b.unattended = c.unattended
			a, conv := b.begin()
			say(t, conv, "hi")
			if err := c.end(t, a, conv); err != nil {
				t.Fatal(err)
			}
			var got struct {
				Extra struct {
					Reason string `json:"reason"`
				} `json:"extra"`
			}
			data, err := os.ReadFile(told)
			if err == nil {
				err = json.Unmarshal(data, &got)
			}
			if want, _, _ := strings.Cut(name, ","); err != nil || got.Extra.Reason != want {
				t.Errorf("told %q, %v", data, err)
			}
			closed(t, a)
			if err := os.Remove(told); err != nil {
				t.Error(err)
			}
		})
	}
}

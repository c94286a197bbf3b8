//go:build unix

package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An instruction file that is new, or another one, since its folder was trusted is named and
// left out until the user takes it, at the top of the folder and below; one that is as it was
// then counts.
func TestInstructionsSinceTrust(t *testing.T) {
	t.Parallel()
	server := serve(t, "m")
	b := newBox(t)
	b.dir = t.TempDir()
	b.config("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: custom, default: m, base_url: " + server.URL() + "}\n")
	put := func(name, text string) string {
		file := filepath.Join(b.dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	put("AGENTS.md", "Count the sheep.")
	old := put("old/AGENTS.md", "Count old sheep.")
	a, conv := b.begin()
	if _, _, err := conv.Trust(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	counts := func(a *App, conv Conversation, text string) bool {
		t.Helper()
		say(t, conv, "hi")
		all := server.Requests()
		return strings.Contains(string(all[len(all)-1].Body), text)
	}
	if !counts(a, conv, "Count the sheep.") {
		t.Error("what was there does not count")
	}
	closed(t, a)
	put("AGENTS.md", "Count the wolves.")
	deep := put("new/agents.md", "Count new wolves.")
	a, conv = b.begin()
	if counts(a, conv, "wolves") {
		t.Error("what has changed counts")
	}
	c := conv.(*conversation)
	never := func(string) bool { return false }
	text := c.prompt.Instruct([]string{old, deep}, never)
	if !strings.Contains(text, "Count old sheep.") || strings.Contains(text, "wolves") {
		t.Errorf("deeper: %s", text)
	}
	held := conv.HeldInstructions()
	if len(held) != 2 || held[0].Name != "AGENTS.md" || !strings.Contains(held[0].Why, "since you trusted") {
		t.Fatalf("held: %+v", held)
	}
	for _, h := range held {
		if err := conv.TakeInstructions(t.Context(), h); err != nil {
			t.Fatal(err)
		}
	}
	if text := c.prompt.Instruct([]string{deep}, never); !strings.Contains(text, "new wolves") && !strings.Contains(text, "began") {
		t.Errorf("taken: %s", text)
	}
	closed(t, a)
	a, conv = b.begin()
	if !counts(a, conv, "Count the wolves.") {
		t.Error("what was taken does not count")
	}
	put("AGENTS.md", "Count the sheep.") // as it was when the folder was trusted
	closed(t, a)
	a, conv = b.begin()
	if !counts(a, conv, "Count the sheep.") {
		t.Error("what is as it was does not count")
	}
	if held := conv.HeldInstructions(); slices.ContainsFunc(held, func(h HeldInstructions) bool { return h.Name == "AGENTS.md" }) {
		t.Errorf("held: %+v", held)
	}
	closed(t, a)
}

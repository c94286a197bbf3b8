package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"hermes-tui/agent/app"
)

// TestContext prints what the model gets of a session: its prompt is the one that was
// sent, and the list for readers has the same parts.
func TestContext(t *testing.T) {
	b, server := with(t, on("", say("Hello.")))
	b.flags = nil
	b.settings("model: {provider: custom, base_url: '" + server.URL() + "', default: script, context_length: 100000}\nskills: {index_percent: 2}\n")
	b.exec("say hello")
	o := b.run("context", "--json")
	var l app.Layers
	if err := json.Unmarshal([]byte(o.out), &l); err != nil || o.code != exitOK {
		t.Fatal(err, o)
	}
	var prompt []string
	tools := 0
	text, rooms := map[string]string{}, map[string]int{}
	for _, layer := range l.List {
		if layer.Room > 0 {
			rooms[layer.Setting] = layer.Room
		}
		switch layer.Kind {
		case "system":
			prompt = append(prompt, layer.Text)
		case "tool":
			tools++
		case "history":
			text[layer.Name] = layer.Text
		}
	}
	all := server.Requests()
	if got := prompted(t, all[len(all)-1].Body); strings.Join(prompt, "\n\n") != got || len(prompt) < 4 {
		t.Errorf("%d parts of another prompt than was sent", len(prompt))
	}
	if tools < 5 || text["user"] != "say hello" || text["answers"] != "Hello." {
		t.Errorf("%d tools, history %q", tools, text)
	}
	if l.Room != 64_000 || rooms["skills.index_percent"] != 2000 { // compression begins at 64,000 at the earliest
		t.Errorf("room for %d in all, %v", l.Room, rooms)
	}
	plain := b.run("context", latest(t, b))
	holds(t, "context", plain.out, "identity", "environment", "terminal", "answers", "total", "of 2k (skills.index_percent)")
	if o := b.run("context", "a", "b"); o.code != exitUsage {
		t.Errorf("two sessions: %v", o)
	}
	if o := b.run("context", "no-such-session"); o.code == exitOK || o.out != "" {
		t.Errorf("no such session: %v", o)
	}
}

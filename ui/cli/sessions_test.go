package cli

import (
	"encoding/json"
	"testing"

	"hermes-tui/agent/app"
)

// TestSessions lists, searches and reads sessions from the command line.
func TestSessions(t *testing.T) {
	b, _ := with(t, on("lighthouse", say("The keeper sleeps.")), on("", say("Hello.")))
	if o := b.run("sessions", "list"); o.code != exitOK || o.out != "" {
		t.Errorf("none yet: %v", o)
	}
	b.exec("who is in the lighthouse")
	b.exec("say hello")
	o := b.run("sessions", "list")
	holds(t, "list", o.out, "who is in the lighthouse", "say hello")
	if o := b.run("sessions", "list", "--limit", "1", "light"); o.code != exitOK {
		t.Error(o)
	} else {
		holds(t, "list of a text", o.out, "lighthouse")
	}
	var found []app.Match
	o = b.run("sessions", "search", "--json", "keeper", "in:.")
	if err := json.Unmarshal([]byte(o.out), &found); err != nil || len(found) != 1 || len(found[0].Hits) != 1 || found[0].Hits[0].Text != "The keeper sleeps." {
		t.Fatal(err, o)
	}
	holds(t, "search", b.run("sessions", "search", "keeper").out, found[0].Session, "1 match", "assistant: The keeper sleeps.")
	o = b.run("sessions", "show", found[0].Session)
	if o.code != exitOK || o.out != "❯ who is in the lighthouse\n\nThe keeper sleeps.\n" {
		t.Error(o)
	}
	holds(t, "show", b.run("sessions", "show", "--json", found[0].Session).out, `"role": "assistant"`, `"text": "The keeper sleeps."`)
	if o := b.run("sessions", "search", "zeppelin"); o.code != exitOK || o.out != "" {
		t.Errorf("nothing found: %v", o)
	}
	for _, args := range [][]string{{"sessions", "search", "role:boss"}, {"sessions", "search"}, {"sessions", "show", "no-such"}, {"sessions", "shred"}} {
		if o := b.run(args...); o.code != exitUsage || o.out != "" {
			t.Errorf("%v: %v", args, o)
		}
	}
}

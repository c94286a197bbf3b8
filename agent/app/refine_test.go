package app

import (
	"encoding/json"
	"strings"
	"testing"

	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
)

// TestRefine looks back with what the conversation has sent as the beginning of its
// request, refuses other tools, keeps what was found as the setting says, and changes
// nothing of the conversation.
func TestRefine(t *testing.T) {
	for _, mode := range []string{"off", "staged", "on"} {
		t.Run(mode, func(t *testing.T) {
			server, err := scripttest.Serve(&script.Scenario{Rules: []script.Rule{
				{Match: script.Match{User: "Look back", Results: new(int)}, Steps: []script.Step{
					script.Call{Name: "write_file", Args: `{"path":"x","content":"y"}`},
					script.Call{Name: "memory", Args: `{"target":"user","action":"add","content":"wants tabs"}`},
				}},
				{Steps: []script.Step{script.Text{Text: "It is so."}}},
			}}, scripttest.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = server.Close() })
			b := newBox(t)
			b.config("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: custom, default: m, base_url: " + server.URL() + "}\nmemory: {review: " + mode + "}\n")
			a, c := b.begin()
			if _, err := c.Refine(t.Context(), ""); err == nil {
				t.Error("it looks back at nothing")
			}
			say(t, c, "use tabs")
			kept, err := c.Refine(t.Context(), "the tabs")
			if err == nil {
				say(t, c, "and now?")
			}
			closed(t, a)
			if len(kept.Changes) != 1 || kept.Usage.Calls < 2 {
				t.Fatalf("kept %+v, %v", kept, err)
			}
			entries, _, listErr := a.memory.List("user")
			if listErr != nil || (len(entries) == 1) != (mode == "on") {
				t.Errorf("memory holds %v, %v", entries, listErr)
			}
			if waits := strings.Contains(kept.Sentence(), "needs your decision under /memory"); waits != (mode != "on") {
				t.Errorf("it says %q", kept.Sentence())
			}
			checkPrefix(t, server.Requests())
		})
	}
}

// checkPrefix compares the requests of a turn, of the look back after it and of the next
// turn.
func checkPrefix(t *testing.T, all []scripttest.Recorded) {
	t.Helper()
	type request struct {
		Messages []json.RawMessage `json:"messages"`
		Tools    json.RawMessage   `json:"tools"`
	}
	var sent []request
	for _, r := range all {
		var q request
		if err := json.Unmarshal(r.Body, &q); err == nil && len(q.Messages) > 0 {
			sent = append(sent, q)
		}
	}
	if len(sent) < 4 {
		t.Fatalf("%d requests", len(sent))
	}
	last := sent[len(sent)-1]
	for i, q := range sent[1:] {
		if string(q.Tools) != string(sent[0].Tools) {
			t.Errorf("request %d has other tools", i+1)
		}
		for k, m := range sent[0].Messages {
			if string(q.Messages[k]) != string(m) {
				t.Errorf("request %d differs in message %d:\n%s\n%s", i+1, k, m, q.Messages[k])
			}
		}
	}
	if body, _ := json.Marshal(last); strings.Contains(string(body), "Look back") || strings.Contains(string(body), "wants tabs") {
		t.Errorf("the conversation knows of it: %s", body)
	}
	second, _ := json.Marshal(sent[2])
	if text := string(second); !strings.Contains(text, "does not work while you look back") || !strings.Contains(text, "the tabs") {
		t.Errorf("the second step is %s", text)
	}
}

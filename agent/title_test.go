package agent_test

import (
	"context"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/attach"
	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
)

// TestTitles names conversations after the first turn that says what they are about:
// not after the name of a command or a picture, also when the program was started again
// before, with a number where the title is taken, and never again.
func TestTitles(t *testing.T) {
	var asked []string
	titles := func(c *agent.Config) {
		c.Title = func(_ context.Context, said, _ string) (string, error) {
			asked = append(asked, said)
			return "Look at it", nil
		}
	}
	r := newRig(t, say(script.Text{Text: "Well."}), titles)
	r.submit("/commit")
	r.idle(1)
	picture, err := r.conv.Attach(t.Context(), "a.png", attach.Image{MediaType: "image/png", Data: []byte("png"), Width: 1, Height: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.conv.Submit("", picture); err != nil {
		t.Fatal(err)
	}
	r.idle(2)
	if title := r.conv.State().Title; title != "" || len(asked) > 0 {
		t.Errorf("titled %q for %q", title, asked)
	}
	r.resume(titles)
	r.submit("/review the store")
	r.until("the title", func(s *event.State) bool { return s.Title == "Look at it" })
	r.submit("and more")
	r.idle(4)
	if len(asked) != 1 || asked[0] != "/review the store" {
		t.Errorf("asked for %q", asked)
	}

	second := &rig{t: t, dir: r.dir, work: r.work, ids: r.ids, db: r.db, server: r.server}
	second.start(nil, titles)
	second.submit("go")
	second.until("the title", func(s *event.State) bool { return s.Title == "Look at it #2" })
	if err := second.conv.SetTitle("Mine"); err != nil {
		t.Fatal(err)
	}
	second.submit("go on")
	second.idle(2)
	if title := second.conv.State().Title; title != "Mine" || len(asked) != 2 {
		t.Errorf("renamed, it is %q (%q)", title, asked)
	}
}

package app

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
	"hermes-tui/store"
)

// remembers is a call that keeps a text.
func remembers(text string) script.Step {
	return script.Call{Name: "memory", Args: `{"target":"user","action":"add","content":"` + text + `"}`}
}

// onReview answers the calls of a look back, one after the other, and all else with a word.
func onReview(calls ...[]script.Step) (rules []script.Rule) {
	for i, steps := range calls {
		rules = append(rules, script.Rule{Match: script.Match{User: "This is not the user", Results: &i}, Steps: steps})
	}
	return append(rules, script.Rule{Steps: []script.Step{script.Text{Text: "It is so."}}})
}

// reviewing writes settings with a model for the session, and one that looks back.
func (b *box) reviewing(main, other *scripttest.Server, more string) {
	b.config("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: custom, default: m, base_url: " + main.URL() + "}\nmemory: {review: on}\n" +
		"auxiliary: {background_review: {provider: custom, base_url: " + other.URL() + ", model: small" + more + "}}\n")
}

// known are the entries that memory holds of the user.
func known(t *testing.T, a *App) (texts []string) {
	t.Helper()
	list, _, err := a.memory.List("user")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		texts = append(texts, e.Text)
	}
	return texts
}

// TestReviewTimesOut: a model that says nothing in its time is followed by the next.
func TestReviewTimesOut(t *testing.T) {
	main, other := keeps(t), serves(t, script.Rule{Steps: []script.Step{script.Stall{}}})
	b := newBox(t)
	b.reviewing(main, other, ", timeout: 1")
	a, c := b.begin()
	say(t, c, "use tabs")
	kept, err := c.Refine(t.Context(), "")
	closed(t, a)
	if err != nil || len(kept.Changes) != 1 || len(lookBacks(t, other)) != 1 || len(lookBacks(t, main)) != 2 {
		t.Errorf("%+v, %v, %d and %d requests", kept, err, len(lookBacks(t, other)), len(lookBacks(t, main)))
	}
}

// TestReviewBreaksOff: what a model has kept before it fails stays, is said, and is not kept
// again by the next one.
func TestReviewBreaksOff(t *testing.T) {
	main := keeps(t)
	other := serves(t, onReview([]script.Step{remembers("wants spaces")}, []script.Step{script.Failure{Status: 500, Message: "broken"}})...)
	b := newBox(t)
	b.reviewing(main, other, "")
	a, c := b.begin()
	say(t, c, "use spaces")
	kept, err := c.Refine(t.Context(), "")
	told, texts := notices(c), known(t, a)
	closed(t, a)
	if err == nil || len(kept.Changes) != 1 || len(lookBacks(t, main)) != 0 || !slices.Equal(texts, []string{"wants spaces"}) {
		t.Errorf("%+v, %v, memory %q", kept, err, texts)
	}
	if !strings.Contains(told, "Looked back: ") || !strings.Contains(told, "Then it ended: ") {
		t.Errorf("it says %q", told)
	}
}

// TestReviewOfNoModel: with no model that answers, the session goes on, and says why.
func TestReviewOfNoModel(t *testing.T) {
	broken := []script.Step{script.Failure{Status: 500, Message: "broken"}}
	main, other := serves(t, onReview(broken)...), serves(t, onReview(broken)...)
	b := newBox(t)
	b.reviewing(main, other, "")
	a, c := b.begin()
	say(t, c, "use tabs")
	kept, err := c.Refine(t.Context(), "")
	say(t, c, "and now?")
	told := notices(c)
	closed(t, a)
	if err == nil || len(kept.Changes) != 0 || strings.Count(told, "nothing was kept") != 1 || !strings.Contains(told, "auxiliary.background_review") {
		t.Errorf("%+v, %v, it says %q", kept, err, told)
	}
}

// TestReviewClosed: the end of a session is not held up by a look back, which ends with it.
func TestReviewClosed(t *testing.T) {
	server := serves(t, onReview([]script.Step{remembers("wants tabs")}, []script.Step{script.Stall{}})...)
	b := newBox(t)
	b.reviewing(server, server, "")
	a, c := b.begin()
	say(t, c, "use tabs")
	ended := make(chan error, 1)
	go func() { _, err := c.Refine(context.WithoutCancel(t.Context()), ""); ended <- err }()
	if _, err := server.WaitRequests(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("closing took %v", took)
	}
	if err := <-ended; err == nil {
		t.Error("the look back ended as if it were done")
	}
	if texts := known(t, a); !slices.Equal(texts, []string{"wants tabs"}) {
		t.Errorf("memory holds %q", texts)
	}
}

// reviewKillEnv makes the test binary look back in a home: its value is the folder.
const reviewKillEnv = "REVIEW_KILL_HOME"

// TestReviewKilled kills the program in the middle of a look back: what it had kept is
// whole, and the session goes on as if there had been none.
func TestReviewKilled(t *testing.T) {
	b := newBox(t)
	if dir := os.Getenv(reviewKillEnv); dir != "" {
		home, err := store.Find(store.Where{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		b.home, b.dir = home, filepath.Join(filepath.Dir(dir), "work")
		_, c := b.begin()
		say(t, c, "use tabs")
		_, err = c.Refine(t.Context(), "")
		t.Fatalf("it ended: %v", err)
	}
	server := serves(t, onReview([]script.Step{remembers("wants tabs")}, []script.Step{script.Stall{}})...)
	b.reviewing(server, server, "")
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), reviewKillEnv+"="+b.home.Dir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := server.WaitRequests(ctx, 3)
	if killed := cmd.Process.Kill(); err != nil || killed != nil {
		t.Fatal(err, killed)
	}
	_ = cmd.Wait() // it was killed
	a, c := b.resume()
	if texts := known(t, a); !slices.Equal(texts, []string{"wants tabs"}) {
		t.Errorf("memory holds %q", texts)
	}
	if s := c.State(); s.Looking != nil || s.Root().Turns != 1 || strings.Contains(notices(c), "ooking back") {
		t.Errorf("the session has %d turns and says %q", s.Root().Turns, notices(c))
	}
	say(t, c, "and now?")
	all := server.Requests()
	if last := string(all[len(all)-1].Body); strings.Contains(last, "This is not the user") || !strings.Contains(last, "use tabs") {
		t.Errorf("the session goes on with %s", last)
	}
	for _, block := range c.State().Root().Blocks {
		if block.Kind == event.BlockTool {
			t.Error("the session has a call of the look back")
		}
	}
}

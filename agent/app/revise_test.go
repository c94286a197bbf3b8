package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
	"hermes-tui/tools/hunks"
)

// TestRevise rejects, rewrites and comments what a turn has changed: the files are changed,
// but for one that someone else has changed since, the agent is told in one message, and
// going back brings all of it back.
func TestRevise(t *testing.T) {
	n := func(n int) *int { return &n }
	text := func(changed ...string) string {
		var b strings.Builder
		for _, l := range []string{"a", "b", "c", "d", "e", "f", "g"} {
			for _, c := range changed {
				if strings.EqualFold(c, l) {
					l = c
				}
			}
			b.WriteString(l + "\r\n")
		}
		return b.String()
	}
	patch := `*** Begin Patch\n*** Update File: f.txt\n@@\n-a\n+A\n@@\n-d\n+D\n@@\n-g\n+G\n*** Add File: new.txt\n+new\n*** Delete File: old.txt\n*** Update File: other.txt\n@@\n-x\n+X\n*** End Patch`
	server, err := scripttest.Serve(&script.Scenario{Rules: []script.Rule{
		{Match: script.Match{User: "^go$", Results: n(0)}, Steps: []script.Step{script.Call{Name: "patch", Args: `{"mode":"patch","patch":"` + patch + `"}`}}},
		{Steps: []script.Step{script.Text{Text: "done"}}},
	}}, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	b := newBox(t)
	b.config("probe:\n  local_servers: false\napprovals:\n  mode: \"off\"\nmodel:\n  provider: custom\n  default: script\n  base_url: " + server.URL() + "\n")
	files := map[string]string{"f.txt": text(), "old.txt": "old\n", "other.txt": "x\ny\n"}
	check := func(want map[string]string) {
		t.Helper()
		for name, text := range want {
			if data, err := os.ReadFile(filepath.Join(b.dir, name)); string(data) != text || (text == "") != os.IsNotExist(err) {
				t.Errorf("%s holds %q (%v), want %q", name, data, err, text)
			}
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, c := b.begin()
	say(t, c, "go")
	turn := promptTurns(c.State())[0]
	e, err := c.Edits(t.Context(), turn)
	if err != nil || e.Edit == nil || len(e.Edit.Files) != 4 {
		t.Fatalf("%+v, %v", e, err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "other.txt"), []byte("X\ny\nmine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	no := func(file, piece int, comment string) hunks.Decision {
		return hunks.Decision{File: file, Piece: piece, Verdict: hunks.Reject, Comment: comment}
	}
	// While an agent changes one of the files, the review waits.
	release, err := c.(*conversation).app.files.Hold(t.Context(), "", []string{filepath.Join(b.dir, "f.txt")})
	if err != nil {
		t.Fatal(err)
	}
	given, giveUp := context.WithCancel(t.Context())
	giveUp()
	if _, err := c.Revise(given, e, hunks.Review{Rest: hunks.Reject}); !errors.Is(err, context.Canceled) {
		t.Errorf("a review beside a change: %v", err)
	}
	release()
	said, err := c.Revise(t.Context(), e, hunks.Review{Rest: hunks.Accept, List: []hunks.Decision{ // f, new, old, other
		no(0, 1, "leave d"), {Piece: 2, Verdict: hunks.Replace, Text: "gg\nhh"}, no(1, 0, ""), no(2, 0, ""), no(3, 0, ""),
	}})
	if err != nil || said != "Not changed, because it was changed by someone else since the agent left it: other.txt. 3 files were changed; the agent is told." {
		t.Errorf("said %q, %v", said, err)
	}
	check(map[string]string{"f.txt": strings.Replace(text("A"), "g\r\n", "gg\r\nhh\r\n", 1), "new.txt": "", "old.txt": "old\n", "other.txt": "X\ny\nmine\n"})
	if info, err := os.Stat(filepath.Join(b.dir, "old.txt")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file that is there again has other permissions: %v, %v", info, err)
	}
	ended(t, c)
	requests := server.Requests()
	last := string(requests[len(requests)-1].Body)
	for _, part := range []string{"rejected. My comment: leave d", `-d\n   +D`, "rewritten by the user", `gg\n   hh`, "f.txt, line 4", "changed by someone else meanwhile", "Of 6 hunks, 1 stays"} {
		if !strings.Contains(last, part) {
			t.Errorf("the agent is not told %q: %s", part, last)
		}
	}
	if _, err := c.Revise(t.Context(), e, hunks.Review{Rest: hunks.Reject}); err == nil || !strings.Contains(err.Error(), "were changed again") {
		t.Errorf("a review of what is gone: %v", err)
	}
	plan, err := c.PlanRewind(t.Context(), turn)
	if err != nil || paths(plan.Conflicts) != "other.txt" {
		t.Errorf("conflicts %v, %v", plan.Conflicts, err)
	}
	if _, err := c.Rewind(t.Context(), RewindOptions{To: turn, Conversation: true, Files: true}); err != nil {
		t.Fatal(err)
	}
	check(map[string]string{"f.txt": text(), "new.txt": "", "old.txt": "old\n", "other.txt": "X\ny\nmine\n"})
}

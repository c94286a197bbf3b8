package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/providers/script"
	"hermes-tui/store/learnings"
)

// TestLearningsSettings has a command fail and work in another way, and then one fail of
// which something is known: capture says whether the first is kept, apply whether the second
// is told.
func TestLearningsSettings(t *testing.T) {
	for _, capture := range []bool{true, false} {
		for _, apply := range []bool{true, false} {
			t.Run(fmt.Sprintf("capture %v, apply %v", capture, apply), func(t *testing.T) {
				runs := func(command string) []script.Step {
					return []script.Step{script.Call{Name: "terminal", Args: fmt.Sprintf(`{"command":%q}`, command)}}
				}
				one, two, three := 1, 2, 3
				server := serves(t,
					script.Rule{Match: script.Match{Results: new(int)}, Steps: runs("sh build.sh")},
					script.Rule{Match: script.Match{Results: &one}, Steps: runs("sh scripts/build.sh")},
					script.Rule{Match: script.Match{Results: &two}, Steps: runs("cat notes.txt")},
					script.Rule{Match: script.Match{Results: &three}, Steps: []script.Step{script.Text{Text: "done"}}})
				b := newBox(t)
				b.config(fmt.Sprintf("probe: {local_servers: false}\nagent: {auto_title: false}\napprovals: {mode: off}\nmodel: {provider: custom, default: m, base_url: %s}\nlearnings: {capture: %v, apply: %v}\n", server.URL(), capture, apply))
				if err := os.MkdirAll(filepath.Join(b.dir, "scripts"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(b.dir, "scripts", "build.sh"), []byte("echo built\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				a, c := b.begin()
				if _, _, err := a.learnings.Add(t.Context(), learnings.Entry{Kind: "$ cat", Pattern: "cat notes.txt", Fix: "they are in docs/notes.txt"}); err != nil {
					t.Fatal(err)
				}
				say(t, c, "go")
				list, _, err := a.Learnings()
				closed(t, a)
				if err != nil || (len(list) == 2) != capture {
					t.Errorf("kept %+v, %v", list, err)
				}
				all := server.Requests()
				if last := string(all[len(all)-1].Body); strings.Contains(last, "they are in docs/notes.txt") != apply {
					t.Errorf("the model gets %s", last)
				}
			})
		}
	}
}

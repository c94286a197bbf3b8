package agent_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/prompt"
	"hermes-tui/providers/script"
)

// slowGit says where the repository stands when the test does.
type slowGit struct {
	*prompt.Builder
	says chan string
}

func (g slowGit) Git(ctx context.Context, _ bool) string {
	select {
	case said := <-g.says:
		return said
	case <-ctx.Done():
		return ""
	}
}

// gitRig has had a turn in a repository whose HEAD is head, before git answered.
func gitRig(t *testing.T, head string) (*rig, slowGit) {
	git := slowGit{says: make(chan string)}
	r := newRig(t, &script.Scenario{Rules: []script.Rule{{Steps: []script.Step{script.Text{Text: "Done."}}}}}, func(c *agent.Config) {
		git.Builder = c.Prompt.(*prompt.Builder)
		c.Prompt, c.Awareness.Git = git, true
		c.After = func(time.Duration) <-chan time.Time { return make(chan time.Time) }
		if err := os.Mkdir(filepath.Join(git.Dir, ".git"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(git.Dir, ".git", "HEAD"), []byte(head), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	r.submit("one")
	r.idle(1)
	return r, git
}

// told returns all that the agent was sent.
func told(r *rig) (all string) {
	for _, m := range r.messages() {
		all += m.Content
	}
	return all
}

// TestGitAnswersAfterTheFirstTurn holds that the agent is told what its prompt does not say:
// a branch that was checked out before git answered, and not the branch of the prompt.
func TestGitAnswersAfterTheFirstTurn(t *testing.T) {
	for _, s := range []struct {
		head, says string
		news       bool
	}{
		{"ref: refs/heads/main\n", `branch "main", 1 untracked`, false},
		{"ref: refs/heads/main\n", `branch "main2", nothing changed`, true},
		{"0123456789abcdef0123456789abcdef01234567\n", `no branch, at commit "0123456789ab…", nothing changed`, false},
	} {
		r, git := gitRig(t, s.head)
		git.says <- s.says
		ctx, done := context.WithCancel(t.Context())
		go func() { // git is asked again unless its answer is on its way yet
			select {
			case git.says <- s.says:
			case <-ctx.Done():
			}
		}()
		r.submit("two")
		r.idle(2)
		done()
		if all := told(r); strings.Contains(all, "The git repository now: "+s.says) != s.news {
			t.Errorf("%q, %s: %s", s.head, s.says, all)
		}
	}
}

// TestTurnsDoNotWaitForGit holds that neither the first turn nor one that was expected waits
// for git, and that the latter tells what git has said meanwhile. No time passes here.
func TestTurnsDoNotWaitForGit(t *testing.T) {
	r, git := gitRig(t, "ref: refs/heads/main\n")
	git.says <- `branch "main"` // as the prompt has it
	for asked := false; !asked; {
		r.conv.Expect()
		select {
		case git.says <- `branch "topic"`:
			asked = true
		case <-time.After(5 * time.Millisecond): // the root agent was not at rest yet
		}
	}
	r.submit("two")
	r.idle(2)
	all := told(r)
	if n := strings.Count(all, "The git repository now"); n != 1 || !strings.Contains(all, `branch "topic"`) {
		t.Errorf("the agent is told %d times: %s", n, all)
	}
}

// TestBlocksAreHeldOnce holds that what waits for the next front end and what the reader has
// folded share the blocks of turns that have ended.
func TestBlocksAreHeldOnce(t *testing.T) {
	r := newRig(t, &script.Scenario{Rules: []script.Rule{{Steps: []script.Step{script.Text{Text: "Done."}}}}})
	for turn := range 2 {
		r.submit("go on")
		r.idle(turn + 1)
		r.conv.Handled(r.state)
	}
	mine, its := r.state.Root().Blocks, r.conv.Fold().Root().Blocks
	if len(mine) < 4 || !slices.Equal(mine, its) {
		t.Errorf("of %d blocks and %d, not all are the same", len(mine), len(its))
	}
}

package agent_test

import (
	"context"
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

// TestTurnsDoNotWaitForGit holds that neither the first turn nor one that was expected waits
// for git, and that the latter tells what git has said meanwhile. No time passes here.
func TestTurnsDoNotWaitForGit(t *testing.T) {
	git := slowGit{says: make(chan string)}
	r := newRig(t, &script.Scenario{Rules: []script.Rule{{Steps: []script.Step{script.Text{Text: "Done."}}}}}, func(c *agent.Config) {
		git.Builder = c.Prompt.(*prompt.Builder)
		c.Prompt, c.Awareness.Git = git, true
		c.After = func(time.Duration) <-chan time.Time { return make(chan time.Time) }
	})
	r.submit("one")
	r.idle(1)
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
	var told string
	for _, m := range r.messages() {
		told += m.Content
	}
	if n := strings.Count(told, "The git repository now"); n != 1 || !strings.Contains(told, `branch "topic"`) {
		t.Errorf("the agent is told %d times: %s", n, told)
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

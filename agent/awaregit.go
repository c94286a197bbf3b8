package agent

import (
	"context"
	"encoding/json"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/tools"
)

// gitTold is what an agent was told of its repository.
type gitTold struct {
	// told is what it was told last, empty for nothing; kept is what is stored of that.
	told, kept string
	// asked brings what git says, nil when it is not asked.
	asked chan string
	// now is what git has said last, empty when it could not.
	now string
}

// restore takes what is stored.
func (g *gitTold) restore(states map[string]json.RawMessage) {
	var told string
	if json.Unmarshal(states[event.GitState], &told) != nil {
		told = ""
	}
	g.told, g.kept = told, told
}

// gitWait is how long a turn waits for git, which is asked beside it and given up after
// gitTime. What comes later is told with the next result, or in the next turn.
const (
	gitWait = 50 * time.Millisecond
	gitTime = 5 * time.Second
)

// askGit asks git where the repository stands. first says that the prompt has just
// been written, which says it; before there is one, nothing is asked. Subagents live
// too short for it to matter.
func (t *turn) askGit(first bool) {
	g := &t.aware.git
	if !t.conv.aware.Git || t.parent != nil || t.system == "" {
		return
	}
	if !first {
		t.takeGit(nil) // what was asked in the last turn
	}
	if g.asked != nil {
		return
	}
	asked := make(chan string, 1)
	g.asked = asked
	t.conv.serving.Go(func() {
		ctx, cancel := context.WithTimeout(t.conv.ctx, gitTime)
		defer cancel()
		root, _ := t.prompt.Instructions()
		decided, yes, err := t.trust.Trusted(ctx, root)
		asked <- t.prompt.Git(ctx, decided && yes && err == nil)
	})
	t.takeGit(t.conv.after(gitWait))
	if first {
		g.told = g.now
	}
}

// takeGit takes what git has said, if it has before late; nil is now.
func (t *turn) takeGit(late <-chan time.Time) {
	g := &t.aware.git
	if late == nil {
		select {
		case g.now = <-g.asked:
			g.asked = nil
		default:
		}
		return
	}
	select {
	case g.now = <-g.asked:
		g.asked = nil
	case <-late:
	}
}

// gitNews says where the repository stands if that is not what the agent was told.
func (t *turn) gitNews() (tools.News, bool) {
	g := &t.aware.git
	t.takeGit(nil)
	if g.now == "" || g.now == g.told {
		return tools.News{}, false
	}
	g.told = g.now
	return tools.News{Text: "The git repository now: " + g.now + ".", Short: "git: " + g.now}, true
}

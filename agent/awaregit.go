package agent

import (
	"context"
	"encoding/json"
	"strings"
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
	// ahead is when it was asked for a turn that is to begin, zero when it was not.
	ahead time.Time
	// written is the branch that the prompt names if the prompt was written when git was
	// asked, and empty otherwise.
	written string
}

// restore takes what is stored.
func (g *gitTold) restore(states map[string]json.RawMessage) {
	var told string
	if json.Unmarshal(states[event.GitState], &told) != nil {
		told = ""
	}
	g.told, g.kept = told, told
}

// gitWait is how long a turn waits for git where it was not asked ahead, gitFresh how long
// an answer counts that was. Git is given up after gitTime. What comes later is told with
// the next result, or in the next turn.
const (
	gitWait  = 50 * time.Millisecond
	gitFresh = 5 * time.Second
	gitTime  = 5 * time.Second
)

// Expect prepares what the next turn would wait for: the user has begun to write.
func (c *Conversation) Expect() {
	ask := func() {
		g, now := &c.root.aware.git, c.ids.Now()
		if g.take(nil); now.Sub(g.ahead) >= gitFresh && (&turn{Agent: c.root}).beginGit("") {
			g.ahead = now
		}
	}
	select {
	case c.chores <- ask:
	default: // a turn runs
	}
}

// askGit asks git where the repository stands when a turn begins.
func (t *turn) askGit() {
	g := &t.aware.git
	if t.conv.ids.Now().Sub(g.ahead) >= gitFresh {
		g.take(nil) // what was asked in the last turn
		t.beginGit("")
	}
	if g.ahead = (time.Time{}); g.asked != nil {
		g.take(t.conv.after(gitWait))
	}
}

// beginGit asks git and reports whether it did. Before there is a prompt, nothing is asked;
// written is the branch that one written just now names. Subagents live too short for it
// to matter.
func (t *turn) beginGit(written string) bool {
	if !t.conv.aware.Git || t.parent != nil || t.system == "" || t.aware.git.asked != nil {
		return false
	}
	asked := make(chan string, 1)
	t.aware.git.asked, t.aware.git.written = asked, written
	t.conv.serving.Go(func() {
		ctx, cancel := context.WithTimeout(t.conv.ctx, gitTime)
		defer cancel()
		root, _ := t.prompt.Instructions()
		decided, yes, err := t.trust.Trusted(ctx, root)
		asked <- t.prompt.Git(ctx, decided && yes && err == nil)
	})
	return true
}

// take takes what git has said, if it has before late; nil is now.
func (g *gitTold) take(late <-chan time.Time) {
	if late == nil && len(g.asked) == 0 {
		return
	}
	select {
	case g.now = <-g.asked:
	case <-late:
		return
	}
	if g.asked = nil; g.asWritten() {
		g.told = g.now
	}
}

// asWritten reports whether git names the branch that the prompt names. Another one was
// checked out before git answered, which the agent is told. A commit is cut in the answer.
func (g *gitTold) asWritten() bool {
	name := strings.TrimSuffix(tools.Quote(g.written, len(g.written)), `"`)
	return g.written != "" && (strings.Contains(g.now, name+`"`) || strings.Contains(g.now, name+"…"))
}

// gitNews says where the repository stands if that is not what the agent was told.
func (t *turn) gitNews() (tools.News, bool) {
	g := &t.aware.git
	g.take(nil)
	if g.now == "" || g.now == g.told {
		return tools.News{}, false
	}
	g.told = g.now
	return tools.News{Text: "The git repository now: " + g.now + ".", Short: "git: " + g.now}, true
}

package agent

import (
	"context"
	"slices"
	"strings"
	"sync"

	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/tools"
)

// deeper remembers the folders in which an agent has looked for instructions, while
// what it was given is before it.
type deeper struct {
	mu   sync.Mutex
	dirs map[string]bool
}

func (d *deeper) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dirs = nil
}

// instruct finds what the folders that a call is the first to touch ask of the agent.
// It goes with the result, so that what the model has seen before stays as it is.
func (c *callRun) instruct(ctx context.Context, t *turn) (bool, error) {
	if c.parent != "" || c.started.IsZero() || c.result.Status == tools.StatusCancelled {
		return true, nil
	}
	paths := slices.Concat(t.tools.Touched(tools.Call{Name: c.tool.Name, Args: c.args}, c.result.View), c.paths, c.changed)
	d := &t.Agent.deeper
	d.mu.Lock() // also while the user is asked, once
	defer d.mu.Unlock()
	if d.dirs == nil {
		d.dirs = map[string]bool{}
	}
	files := t.prompt.Deeper(paths, func(dir string) bool {
		was := d.dirs[dir]
		d.dirs[dir] = true
		return !was
	})
	if len(files) == 0 {
		return true, nil
	}
	root, _ := t.prompt.Instructions()
	c.waited.begin(t.conv.ids.Now())
	yes, err := t.trustedFor(ctx, root, files)
	c.waited.end(t.conv.ids.Now())
	if err != nil || !yes {
		return true, nil // a call that has run keeps its result
	}
	text := t.mask.Text(t.prompt.Instruct(files, t.told))
	if text == "" {
		return true, nil
	}
	c.deeper = text
	if t.parent == nil {
		t.conv.Notify(event.LevelInfo, "Read the instructions of a deeper folder: "+strings.Join(files, ", ")+".")
	}
	return true, nil
}

// told reports whether a result that is before the model has a text: that of a
// conversation that was resumed, or one that a compression has left.
func (t *turn) told(text string) bool {
	text = t.mask.Text(text)
	return slices.ContainsFunc(t.history, func(m providers.Message) bool {
		return m.Role == providers.Tool && strings.Contains(m.Text(), text)
	})
}

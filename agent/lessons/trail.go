package lessons

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"hermes-tui/store/learnings"
)

// Store keeps what was learnt.
type Store interface {
	Match(q learnings.Query) []learnings.Entry
	Add(ctx context.Context, e learnings.Entry) (kept learnings.Entry, known bool, err error)
	Used(ctx context.Context, ids ...string) error
}

// Options say what is done with lessons.
type Options struct {
	Store Store
	// Capture keeps what calls teach, Apply puts what was learnt behind results.
	Capture, Apply bool
	// Project is the workspace.
	Project string
	// Warn hears of a store that cannot be written.
	Warn func(error)
}

// Call is a call that has ended. Its texts are masked.
type Call struct {
	Tool string
	Args []byte // JSON
	// Command is the command line of a call that runs one, empty for others.
	Command string
	Failed  bool
	// Output is what it gave, the readable part.
	Output string
	// Changed says that it has changed files by itself, as an edit does.
	Changed bool
	// Risky says that it ran with all rights of the user and did not only read.
	Risky bool
	// Stranger says that others may have written its output.
	Stranger bool
}

// How many calls of other kinds may lie between a failure and what worked, and how
// many failures an agent has in mind.
const (
	maxApart = 6
	maxOpen  = 4
)

// storeTime bounds the wait for other programs that write learnings.
const storeTime = 2 * time.Second

// Trail follows the calls of one agent. It is safe for concurrent use.
type Trail struct {
	o Options

	mu     sync.Mutex
	number int
	open   []failure       // the oldest first
	shown  map[string]bool // entries that are before the model
}

// failure is a call that failed and has not been made up for.
type failure struct {
	number      int
	call        Call
	kind, class string
	line        string
}

// NewTrail follows an agent that has made no calls yet.
func NewTrail(o Options) *Trail { return &Trail{o: o, shown: map[string]bool{}} }

// Forget says that earlier results are no longer before the model.
func (t *Trail) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.shown)
}

// Ended takes note of a call that has ended, and gives what is to be put behind its
// result: what earlier ones like it teach, empty for nothing.
func (t *Trail) Ended(ctx context.Context, c Call) string {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	f := failure{call: c, kind: learnings.Kind(c.Tool, c.Command)}
	if c.Failed {
		f.class, f.line = Classify(c)
	}
	learnt := t.follow(f)
	if learnt != nil && t.o.Capture {
		if _, _, err := t.o.Store.Add(ctx, *learnt); err != nil {
			t.o.Warn(fmt.Errorf("keep what a call has taught: %w", err))
		}
	}
	if !t.o.Apply || !c.Failed && !c.Risky {
		return ""
	}
	return t.recall(ctx, f)
}

// follow adds a call to the trail, and gives what it teaches, nil for nothing.
func (t *Trail) follow(f failure) *learnings.Entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.number++
	f.number = t.number
	for len(t.open) > 0 && (t.number-t.open[0].number > maxApart || len(t.open) > maxOpen) {
		t.open = t.open[1:]
	}
	switch {
	case f.call.Failed:
		if f.class != "" && f.kind != "" {
			t.open = append(t.open, f)
		}
		return nil
	case f.call.Changed: // what works from now on may work because of that
		defer func() { t.open = nil }()
	}
	for i := len(t.open) - 1; i >= 0; i-- {
		was := t.open[i]
		if was.call.Stranger { // nothing of what others wrote is kept
			was.line = ""
		}
		if was.kind != f.kind {
			continue
		}
		fix := change(was.call, f.call)
		if fix == "" {
			continue
		}
		t.open = append(t.open[:i:i], t.open[i+1:]...)
		return &learnings.Entry{
			Pattern: text(was.call), ErrorType: was.class, Fix: fix, Context: was.line, Tags: []string{"captured"},
			Kind: was.kind, Project: t.o.Project,
		}
	}
	return nil
}

// text is a call as it reads.
func text(c Call) string {
	if c.Command != "" {
		return c.Command
	}
	return c.Tool + " " + brief(c.Args)
}

// recall gives what was learnt about a call, each thing once.
func (t *Trail) recall(ctx context.Context, f failure) string {
	found := t.o.Store.Match(learnings.Query{Kind: f.kind, Text: text(f.call), Failure: f.line, ErrorType: f.class, Project: t.o.Project})
	var ids []string
	var b strings.Builder
	t.mu.Lock()
	for _, e := range found {
		if !t.shown[e.ID] && e.Fix != f.call.Command { // else it is what was learnt
			t.shown[e.ID] = true
			ids = append(ids, e.ID)
			fmt.Fprintf(&b, "\n- %s failed before. What worked: %s", e.Pattern, e.Fix)
		}
	}
	t.mu.Unlock()
	if len(ids) == 0 {
		return ""
	}
	if err := t.o.Store.Used(ctx, ids...); err != nil {
		t.o.Warn(fmt.Errorf("count the use of a learning: %w", err))
	}
	return "[Learnt from earlier calls like this one; it may not fit:" + b.String() + "]"
}

package agent

import (
	"slices"
	"strings"
	"sync"

	"hermes-tui/agent/event"
	"hermes-tui/tools"
)

// maxStrangers bounds how many sources of untrusted texts are named.
const maxStrangers = 4

// strangers are where texts come from that an agent has read in its turn and that people
// whom no one knows may have written. It is safe for concurrent use.
type strangers struct {
	mu    sync.Mutex
	names []string
}

func (s *strangers) add(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range names {
		if n != "" && !slices.Contains(s.names, n) && len(s.names) < maxStrangers {
			s.names = append(s.names, n)
		}
	}
}

func (s *strangers) set(names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names = names
}

func (s *strangers) list() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.names)
}

// meets begins the list of a turn again: with what the agent above has read, and with what
// its own subagents have that still run. A turn that no user began goes on with what there
// was before it.
func (a *Agent) meets(in event.Queued) {
	if a.parent == nil && in.Origin == "" {
		a.strangers.set(nil)
	}
	if a.parent != nil {
		a.strangers.add(a.parent.strangers.list()...)
	}
	a.conv.mu.Lock()
	defer a.conv.mu.Unlock()
	for _, child := range a.conv.children {
		if child.parent == a {
			a.strangers.add(child.strangers.list()...)
		}
	}
}

// met notes that a text came in, for the agent and for all that it works for: what it
// reports is made of it.
func (a *Agent) met(source string) {
	for ; a != nil; a = a.parent {
		a.strangers.add(source)
	}
}

// heed notes what strangers may have written in the result of a call. Of commands only what
// shows contents of the network counts: others bring names and versions.
func (c *callRun) heed(t *turn) {
	switch {
	case c.result.Untrusted == "":
	case c.result.View.Kind != tools.KindCommand:
		t.met(c.result.Untrusted)
	case c.brings != "":
		t.met("the output of " + c.brings)
	}
}

// after names what strangers may have written of what the agent has read, for a question.
func (t *turn) after() string {
	if !t.tuned.AskAfterUntrusted {
		return ""
	}
	return strings.Join(t.strangers.list(), ", ")
}

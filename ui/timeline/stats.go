package timeline

import (
	"strconv"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/tools/shorten"
	"hermes-tui/ui/agents"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// outcomes are the states that agents of a tree are counted by, with the sign and
// the words of each. What goes on is counted as running.
func outcomes() []event.AgentState {
	return []event.AgentState{
		event.AgentRunning, event.AgentCompleted, event.AgentFailed, event.AgentTimeout, event.AgentKilled,
		event.AgentInterrupted, event.AgentRefused,
	}
}

// stats is a tree in figures.
type stats struct {
	tree   event.TurnID
	prompt string
	agents int
	by     map[event.AgentState]int
	asks   int // wait for the user
	depth  int
	tools  int
	usage  event.Usage
	worked time.Duration // of the agents that ended
	// from and to are when it began and ended; live agents go on.
	from, to time.Time
	live     []event.Spawned
}

// add counts an agent.
func (s *stats) add(a *event.Agent) {
	s.agents++
	s.depth = max(s.depth, a.Depth)
	s.tools += a.Tools
	s.usage = s.usage.Plus(a.Usage)
	if !a.Started.IsZero() && (s.from.IsZero() || a.Started.Before(s.from)) {
		s.from = a.Started.Round(0)
	}
	if a.State.Ended() {
		s.by[a.State]++
		s.worked += a.Elapsed(a.Ended)
		if at := a.Ended.Round(0); at.After(s.to) {
			s.to = at
		}
		return
	}
	s.by[event.AgentRunning]++
	if _, person := Word(a.State, a.On); person && a.State == event.AgentWaiting {
		s.asks++
	}
	s.live = append(s.live, event.Spawned{Started: a.Started, Held: a.Held, HeldFrom: a.HeldFrom})
}

// running reports whether an agent of the tree has not ended.
func (s *stats) running() bool { return len(s.live) > 0 }

// took is how long the tree took on the clock, or takes until now.
func (s *stats) took(now time.Time) time.Duration {
	to := s.to
	if s.running() {
		to = now.Round(0)
	}
	if s.from.IsZero() || to.IsZero() {
		return 0
	}
	return max(to.Sub(s.from), 0)
}

// work is how long its agents have worked in all.
func (s *stats) work(now time.Time) time.Duration {
	sum := s.worked
	for _, l := range s.live {
		sum += l.Elapsed(now)
	}
	return sum
}

// signs writes how many agents ended how: "✓5 ✗1".
func (s *stats) signs(st *rows.Styles, frame int) (text string, width int) {
	var b strings.Builder
	for _, o := range outcomes() {
		n := s.by[o]
		if n == 0 {
			continue
		}
		if width > 0 {
			b.WriteByte(' ')
			width++
		}
		sign, style := agents.Glyph(st, o, frame)
		piece := sign + strconv.Itoa(n)
		b.WriteString(style.Render(piece))
		width += rows.Width(piece)
	}
	return b.String(), width
}

// words says what [stats.signs] shows.
func (s *stats) words() string {
	var parts []string
	for _, o := range outcomes() {
		if n := s.by[o]; n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+outcomeWord(o))
		}
	}
	return strings.Join(parts, ", ")
}

func outcomeWord(s event.AgentState) string {
	switch s {
	case event.AgentRunning:
		return "running"
	case event.AgentTimeout:
		return "timed out"
	}
	return string(s)
}

// stamp writes when something was: the time of a day that is today's, and the
// date before it for others.
func stamp(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	at = at.In(now.Location())
	y, m, d := at.Date()
	if ny, nm, nd := now.Date(); y == ny && m == nm && d == nd {
		return at.Format("15:04")
	} else if y == ny {
		return at.Format("Jan _2 15:04")
	}
	return at.Format("2006-01-02 15:04")
}

// promptBytes bounds what is looked at of a prompt.
const promptBytes = 400

// promptOf is what began a turn of the root, in one line.
func promptOf(root *event.Agent, turn event.TurnID) string {
	if root == nil {
		return ""
	}
	text := ""
	for i := len(root.Blocks) - 1; i >= 0; i-- {
		b := root.Blocks[i]
		switch {
		case b == nil:
		case b.Turn == turn && b.Kind == event.BlockUser:
			text = promptLine(b)
		case b.Turn != turn && text != "":
			return text
		}
	}
	return text
}

// promptLine is a prompt in one line.
func promptLine(b *event.Block) string {
	raw := b.Text.Bytes()
	text := shorten.Bytes(string(raw[:min(len(raw), promptBytes+4)]), promptBytes)
	text = strings.Join(strings.Fields(term.Plain(text)), " ")
	if len(raw) > promptBytes {
		text += "…"
	}
	text = term.Line(text)
	switch b.Origin {
	case event.OriginJob:
		return join("a background job", text)
	case event.OriginAgent:
		return join("a subagent", text)
	}
	return text
}

// prompts finds what began each turn of the root. It reads each block once.
type prompts struct {
	of      map[event.TurnID]string
	settled int
	last    *event.Block
}

// read takes in the blocks that are new since the last time.
func (p *prompts) read(root *event.Agent) {
	if root == nil {
		*p = prompts{}
		return
	}
	list := root.Blocks
	if p.of == nil || p.settled > len(list) || p.settled > 0 && list[p.settled-1] != p.last {
		*p = prompts{of: map[event.TurnID]string{}}
	}
	for _, b := range list[p.settled:] {
		if b == nil || b.Kind != event.BlockUser {
			continue
		}
		if _, known := p.of[b.Turn]; !known {
			p.of[b.Turn] = promptLine(b)
		}
	}
	for p.settled < len(list) && list[p.settled] != nil && !list[p.settled].Open {
		p.last = list[p.settled]
		p.settled++
	}
}

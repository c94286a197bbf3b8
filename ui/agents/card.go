package agents

import (
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// Bounds of what a [Detail] keeps.
const (
	goalBytes   = 16 << 10 // of the goal
	resultBytes = 32 << 10 // of the summary, and of the error
	callsKept   = 24
	callsSought = 600 // blocks that are searched for calls
	filesKept   = 40  // of each kind
	kidsKept    = 60
	steersKept  = 3
	tailBytes   = 8 << 10
	tailLines   = 40
)

// card is what is known about an agent. All texts are safe to show.
type card struct {
	found   bool
	root    bool
	state   event.AgentState
	on      string
	doing   string
	ask     string // what its question to the user is about
	retry   *retry
	path    string
	goal    string
	summary string
	err     string
	model   string
	kind    string
	depth   int
	sets    string
	back    bool // no one waits for it

	budget, calls int
	turns         int
	watch         event.Spawned
	own, sum      figures
	context       event.Context

	list    []callRow
	running int
	kids    []kid
	allKids int
	below   int // agents below it, at any depth
	read    files
	written files
	tail    []string
	tailOf  event.BlockKind // of what the tail is
	steers  []string
	waiting int // texts that wait, steers are the first of them
}

// retry is another attempt at a model call.
type retry struct {
	attempt, most int
	reason        string
	until         time.Time
}

// callRow is a tool call in one row.
type callRow struct {
	stage   event.CallStage
	outcome event.Outcome
	asked   bool
	name    string
	subject string
	note    string // how it failed
	started time.Time
	took    time.Duration
	bytes   int
}

// kid is a subagent in one row.
type kid struct {
	state event.AgentState
	on    string
	name  string
	tools int
	usage event.Usage
	watch event.Spawned
}

// files are the newest names of a list and how many there are.
type files struct {
	names []string
	count int
}

func newFiles(list []string) files {
	f := files{count: len(list)}
	for i := len(list) - 1; i >= 0 && len(f.names) < filesKept; i-- {
		f.names = append(f.names, clip(list[i]))
	}
	return f
}

// has reports whether a section has something to show.
func (c *card) has(s Section) bool {
	switch s {
	case SectionGoal:
		return c.goal != ""
	case SectionResult:
		return c.summary != "" || c.err != ""
	case SectionCalls:
		return len(c.list) > 0 || c.own.tools > 0
	case SectionOutput:
		return len(c.tail) > 0
	case SectionAgents:
		return c.allKids > 0
	case SectionFiles:
		return c.read.count+c.written.count > 0
	}
	return c.found
}

// Sync takes the agent as it is now.
func (d *Detail) Sync(s *event.State) {
	d.card = card{}
	if d.id == "" {
		return
	}
	a := s.Agent(d.id)
	if a == nil {
		return
	}
	c := &d.card
	c.take(a)
	c.path = path(s, a)
	c.family(s, a)
	for i := range s.Requests {
		if r := &s.Requests[i]; r.Agent == a.ID && c.ask == "" {
			c.ask = question(r)
		}
	}
	for i := range s.Queue {
		if q := &s.Queue[i]; q.Agent == a.ID || q.Agent == "" && q.Steer && a.Parent == "" {
			if c.waiting++; len(c.steers) < steersKept {
				c.steers = append(c.steers, clip(q.Text))
			}
		}
	}
	c.seek(a)
	if !a.State.Ended() {
		c.tail, c.tailOf = d.tail.take(a)
	}
}

// take copies what the agent says of itself.
func (c *card) take(a *event.Agent) {
	var r record
	r.do(a)
	*c = card{
		found: true, root: a.Parent == "", state: a.State, on: a.On, doing: r.doing,
		goal: plain(a.Goal, goalBytes), summary: plain(a.Summary, resultBytes), err: plain(a.Error, resultBytes),
		model: clip(a.Model), kind: a.Kind(), depth: a.Depth, back: a.Background,
		sets:   clip(strings.Join(a.Toolsets, ", ")),
		budget: a.Budget, calls: a.Calls, turns: a.Turns,
		watch: event.Spawned{Started: a.Started, Ended: a.Ended, Held: a.Held, HeldFrom: a.HeldFrom},
		own:   figures{a.Tools, a.Usage}, context: a.Context, running: len(a.Running),
		read: newFiles(a.Read), written: newFiles(a.Written),
	}
	if c.root {
		c.watch = event.Spawned{}
		if a.Turn != "" {
			c.watch.Started = a.TurnStarted
		}
	}
	if t := a.Retry; t != nil {
		c.retry = &retry{t.Attempt, t.Max, clip(t.Reason), t.Until}
	}
}

// plain makes a text of several lines safe, and cuts it to most bytes.
func plain(s string, most int) string {
	cut := len(s) > most
	if cut {
		s = s[:most]
	}
	s = strings.TrimSpace(term.Plain(s))
	if cut {
		s += " …"
	}
	return s
}

// path names those above an agent, from the root down.
func path(s *event.State, a *event.Agent) string {
	names := s.Path(a.Parent)
	for i := range names {
		names[i] = clip(names[i])
	}
	return strings.Join(names, " › ")
}

// family adds up what is below an agent and lists its own subagents. Parents come
// before their children.
func (c *card) family(s *event.State, a *event.Agent) {
	c.sum = c.own
	below := map[event.AgentID]bool{a.ID: true}
	for _, b := range s.Agents {
		if b.Parent == "" || b.ID == a.ID || !below[b.Parent] {
			continue
		}
		below[b.ID] = true
		c.below++
		c.sum.add(figures{b.Tools, b.Usage})
		if b.Parent != a.ID {
			continue
		}
		c.allKids++
		if len(c.kids) == kidsKept { // the newest are the ones that do something
			c.kids = c.kids[:copy(c.kids, c.kids[1:])]
		}
		c.kids = append(c.kids, kid{
			b.State, b.On, shownName(b), b.Tools, b.Usage,
			event.Spawned{Started: b.Started, Ended: b.Ended, Held: b.Held, HeldFrom: b.HeldFrom},
		})
	}
}

// question says in one line what a request is about.
func question(r *event.Request) string {
	switch {
	case r.Approval != nil:
		return clip(r.Approval.Action + ": " + r.Approval.Text)
	case r.Clarify != nil:
		return clip(r.Clarify.Question)
	case r.Secret != nil:
		return clip(r.Secret.Label)
	case r.Trust != nil:
		return clip(r.Trust.Root)
	}
	return ""
}

// seek collects the newest calls, the newest first.
func (c *card) seek(a *event.Agent) {
	for i := len(a.Blocks) - 1; i >= max(len(a.Blocks)-callsSought, 0) && len(c.list) < callsKept; i-- {
		if a.Blocks[i].Call != nil {
			c.list = append(c.list, newCallRow(a.Blocks[i].Call, a.State.Ended()))
		}
	}
}

// newCallRow reads a call. One of an agent that has ended runs no more, whatever was
// last heard of it.
func newCallRow(k *event.Call, ended bool) callRow {
	r := callRow{
		stage: k.Stage, outcome: k.Outcome, asked: k.Asked != "", name: clip(k.View.Name),
		subject: clip(k.View.Subject), started: k.Started.Add(k.Held), took: k.Took, bytes: k.Bytes,
	}
	if k.Stage == event.CallEnded && k.Outcome != event.OutcomeOK {
		note, _, _ := strings.Cut(strings.TrimSpace(k.View.Summary), "\n")
		r.note = clip(note)
		if k.View.Exit != nil {
			r.note = strings.TrimSuffix("exit "+itoa(*k.View.Exit)+": "+r.note, ": ")
		}
	}
	if how := clip(k.View.How(1)); how != "" {
		r.note = strings.TrimSuffix(how+" · "+r.note, " · ")
	}
	if ended && k.Stage != event.CallEnded {
		r.outcome = event.OutcomeSkipped
		if k.Stage == event.CallRunning {
			r.outcome = event.OutcomeUnknown
		}
		r.stage, r.asked = event.CallEnded, false
	}
	return r
}

// tail keeps the end of a text that grows, ready to be shown, by the block and the
// revision that it was taken of.
type tail struct {
	block event.BlockID
	rev   uint64
	lines []string
}

// take finds the newest live output of a running call, or else the text that is
// being written.
func (t *tail) take(a *event.Agent) ([]string, event.BlockKind) {
	for i := len(a.Blocks) - 1; i >= max(len(a.Blocks)-recentBlocks, 0); i-- {
		b := a.Blocks[i]
		if b.Call != nil && b.Call.Stage == event.CallRunning && b.Call.Tail.Len() > 0 {
			t.read(b, b.Call.Tail)
			return t.lines, b.Kind
		}
	}
	if n := len(a.Blocks); n > 0 {
		if b := a.Blocks[n-1]; b.Open && (b.Kind == event.BlockAnswer || b.Kind == event.BlockReasoning) {
			t.read(b, b.Text)
			return t.lines, b.Kind
		}
	}
	return nil, ""
}

// read makes the last lines of a text safe.
func (t *tail) read(b *event.Block, text event.Text) {
	if t.block == b.ID && t.rev == b.Rev && t.lines != nil {
		return
	}
	end, _ := text.Tail(tailBytes)
	clean := strings.TrimRight(term.Plain(term.CarriageReturns(string(end))), " \t\n")
	lines := strings.Split(clean, "\n")
	lines = lines[max(len(lines)-tailLines, 0):]
	t.block, t.rev, t.lines = b.ID, b.Rev, make([]string, 0, len(lines))
	for _, l := range lines {
		t.lines = append(t.lines, rows.ExpandTabs(l))
	}
	if clean == "" {
		t.lines = t.lines[:0]
	}
}

// reason says in one sentence what a state means that is not plain from its name:
// what the agent waits for, or why it ended.
func (c *card) reason(now time.Time) string {
	switch c.state {
	case event.AgentWaiting:
		if c.ask != "" {
			return waitsFor(c.on) + ": " + c.ask
		}
		return waitsFor(c.on)
	case event.AgentStopping, event.AgentPausing:
		if on := clip(c.on); on != "" {
			return on
		}
		if c.state == event.AgentPausing {
			return "pauses before its next step"
		}
	case event.AgentPaused:
		return "continues when it is resumed; nothing is lost"
	case event.AgentQueued:
		return "waits for a free slot"
	}
	if r := c.retry; r != nil {
		return r.words(now)
	}
	if c.err == "" {
		if words := ends[c.state]; words != "" {
			return words
		}
	}
	return c.doing
}

// ends say why an agent ended, when it does not say so itself.
var ends = map[event.AgentState]string{
	event.AgentFailed:      "it failed and did not say why",
	event.AgentKilled:      "ended by you",
	event.AgentTimeout:     "it ran out of time",
	event.AgentInterrupted: "its parent or the program was ended",
	event.AgentRefused:     "it was asked for and not started",
}

// words say what comes of a model call that failed.
func (r *retry) words(now time.Time) string {
	text := "retrying now"
	if left := r.until.Sub(now); left > 0 && !now.IsZero() {
		text = "retrying in " + format.Elapsed(left+time.Second-1)
	}
	if r.reason != "" {
		text += ": " + r.reason
	}
	if r.attempt > 0 && r.most > 0 {
		text += " (" + itoa(r.attempt) + " of " + itoa(r.most) + ")"
	}
	return text
}

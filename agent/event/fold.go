package event

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
)

// Apply folds one event into the state. Events of agents that were never
// spawned, of calls and requests that are not known, and of unknown types are
// skipped: a journal written by a newer program stays readable.
func (s *State) Apply(e Event) {
	h := e.Head()
	if h.Seq > s.Seq {
		s.Seq = h.Seq
	}
	if h.Conv != "" {
		s.Conv = h.Conv
	}
	if r := byType[reflect.TypeOf(e)]; r != nil {
		r.fold(s, e)
	}
}

func (s *State) spawn(e *AgentSpawned) {
	if s.Agent(e.Agent) != nil {
		return
	}
	if e.Session != "" && len(s.Agents) == 0 {
		s.Session = e.Session
	}
	a := &Agent{
		ID: e.Agent, Parent: e.Parent, Session: e.Session, Tree: e.Tree, SpawnedBy: e.Call, Index: e.Index, Depth: e.Depth,
		Role: e.Role, Goal: e.Goal, Model: e.Model, Toolsets: e.Toolsets, Budget: e.Budget, Background: e.Background,
		State: AgentIdle, Phase: PhaseIdle, Started: e.At, Active: e.At,
	}
	s.Agents = append(s.Agents, a)
	if e.Parent != "" {
		a.enter(AgentQueued, "", e.At)
		s.introduce(a)
	}
}

// status folds what an early journal says in one event.
func (s *State) status(e *StatusChanged) {
	if e.Model != nil {
		s.setModel(*e.Model)
	}
	if e.Mode != "" {
		s.Mode = e.Mode
	}
	if e.Work != nil {
		s.Work = *e.Work
	}
	if e.Queue != nil {
		s.Queue = slices.Clone(*e.Queue)
	}
	if e.Frozen != nil {
		s.Frozen = *e.Frozen
	}
}

func (s *State) setModel(m Model) {
	s.Model = m
	if a := s.Root(); a != nil {
		a.Model, a.Context.Max = m.Name, m.ContextMax
	}
}

func (s *State) lookingBack(e *LookingBack) {
	if s.Looking = e; e.Ended {
		s.Looking = nil
	}
}

func (s *State) bookmark(e *BookmarkChanged) {
	s.Bookmarks = slices.DeleteFunc(slices.Clone(s.Bookmarks), func(id BlockID) bool { return id == e.Block })
	if e.On {
		s.Bookmarks = append(s.Bookmarks, e.Block)
	}
}

func (s *State) request(e *Requested) {
	s.Requests = append(s.Requests, e.Request)
	a := s.Agent(e.Request.Agent)
	if a == nil {
		return
	}
	if a.Turn != "" && (a.State == AgentRunning || a.State == AgentWaiting) {
		a.enter(AgentWaiting, string(e.Request.Kind), e.At)
		s.brief(a, e)
	}
	a.changeCall(e.Request.Call, func(c *Call) {
		if c.Asked == "" {
			c.AskedAt = e.At.Round(0)
		}
		c.Asked = e.Request.ID
	})
}

func (s *State) resolve(e *RequestResolved) {
	i := slices.IndexFunc(s.Requests, func(r Request) bool { return r.ID == e.Request })
	if i < 0 {
		return
	}
	r := s.Requests[i]
	s.Requests = slices.Delete(slices.Clone(s.Requests), i, i+1)
	a := s.Agent(r.Agent)
	if a == nil {
		return
	}
	if a.State == AgentWaiting && !s.asks(a.ID) {
		a.enter(AgentRunning, "", e.At)
		s.brief(a, e)
	}
	answer := e.Answer
	a.changeCall(r.Call, func(c *Call) {
		c.Asked, c.Decision = s.asked(r), &answer
		if c.Asked == "" && c.Stage == CallRunning {
			c.Held += max(e.At.Round(0).Sub(c.AskedAt), 0)
		}
	})
}

// asked is the newest request that waits for the same call as one, empty if none.
func (s *State) asked(as Request) RequestID {
	for _, r := range slices.Backward(s.Requests) {
		if r.Call == as.Call && r.Agent == as.Agent {
			return r.ID
		}
	}
	return ""
}

func (a *Agent) turnStarted(e *TurnStarted) {
	a.Turn, a.TurnStarted, a.Budget = e.Turn, e.At, e.Budget
	if a.Parent == "" { // a subagent's budget is for all of its turns
		a.Calls = 0
	}
	a.Rewind, a.hidden = nil, hidden{}
	a.marks = append(a.marks, mark{e.Turn, a.kept(), a.Context.Used})
	a.Turns++
	a.Phase, a.Detail = PhasePreparing, ""
	if a.Parent == "" || a.State == AgentQueued {
		a.enter(AgentRunning, "", e.At)
	}
}

func (a *Agent) phaseChanged(e *PhaseChanged) {
	a.Phase, a.Detail = e.Phase, e.Detail
	if e.Phase != PhaseRetrying {
		a.Retry = nil
	}
}

func (a *Agent) reasoned(e *ReasoningDelta) { a.stream(e.Block, BlockReasoning, e.Text, &e.Meta) }

func (a *Agent) answered(e *TextDelta) { a.stream(e.Block, BlockAnswer, e.Text, &e.Meta) }

func (a *Agent) output(e *ToolOutput) { a.changeCall(e.Call, func(c *Call) { c.output(e) }) }

func (a *Agent) finished(e *AgentFinished) {
	a.enter(e.State, "", e.At)
	a.Summary, a.Error, a.Ended = e.Summary, e.Error, e.At
	if e.State == AgentRefused {
		a.Session = ""
	}
	a.dropUncommitted()
	a.Turn, a.Phase, a.Detail, a.Retry, a.Running = "", PhaseIdle, "", nil, nil
}

func (a *Agent) usageUpdated(e *UsageUpdated) {
	a.Usage, a.Context = e.Usage, e.Context
	a.cached(e.Cache)
	if e.Final {
		a.Calls++
	}
}

// keep takes over the state of some tools, and lists the tasks if it is theirs.
func (a *Agent) keep(name string, state json.RawMessage, turn TurnID) {
	states := map[string]json.RawMessage{name: state}
	for other, s := range a.States {
		if other != name {
			states[other] = s
		}
	}
	a.States = states
	if name != TodoState {
		return
	}
	if items, ok := readTodos(state); ok {
		a.Todos, a.TodosTurn = items, turn
	}
}

// readTodos reads the tasks that the tool has kept.
func readTodos(state json.RawMessage) (items []Todo, ok bool) {
	if r := (plainReader{&Decoder{}, state, 0}); r.list(reflect.ValueOf(&items).Elem(), readTodo) && r.at == len(state) {
		return items, true
	}
	items = nil
	return items, json.Unmarshal(state, &items) == nil
}

// readTodo reads one task.
var readTodo = readerOf(reflect.TypeFor[Todo]())

// todos folds what an early journal says of the task list.
func (a *Agent) todos(e *TodosChanged) {
	if state, err := json.Marshal(e.Items); err == nil {
		a.keep(TodoState, state, e.Turn)
	}
}

func (a *Agent) notice(e *NoticeRaised) {
	a.insertNotice(&Block{ID: e.Block, Kind: BlockNotice, Turn: e.Turn, At: e.At, Level: e.Level, Text: NewText(e.Text)})
}

// compressed folds a compression. Another program may have gone on in a session of
// its own.
func (s *State) compressed(a *Agent, e *ContextCompressed) {
	a.compact(e)
	if e.Into != "" && a.Parent == "" {
		s.Session, a.Session = e.Into, e.Into
	}
}

// compacting shows a record that is being written, or no longer.
func (a *Agent) compacting(e *ContextCompressing) {
	if i := a.streamed(e.Block); i >= 0 {
		a.Blocks = slices.Delete(a.Blocks, i, i+1)
	}
	if !e.Ended {
		a.stream(e.Block, BlockCompact, "", &e.Meta)
	}
}

// compact marks the place from which on the model gets less of what is above.
func (a *Agent) compact(e *ContextCompressed) {
	id := e.Block
	if id == "" { // of an early journal
		id = BlockID("compact-" + strconv.FormatUint(e.Seq, 10))
	}
	rev := uint64(0)
	if i := a.streamed(id); i >= 0 {
		rev = a.Blocks[i].Rev + 1
		a.Blocks = slices.Delete(a.Blocks, i, i+1)
	}
	text := e.Summary
	if e.Record != "" {
		text += "\n\n" + e.Record
	}
	if e.Restored {
		a.Context.Used += a.shortened()
	} else {
		a.Context.Used = e.After
	}
	a.insertNotice(&Block{
		ID: id, Kind: BlockCompact, Rev: rev, Turn: e.Turn, At: e.At, Text: NewText(text),
		Compact: &Compaction{Into: e.Into, Restored: e.Restored, Before: e.Before, After: e.After, Results: e.Results, Calls: e.Calls, Turns: e.Turns, Messages: e.Dropped},
	})
}

// shortened returns how many tokens the newest compression took away that was not taken
// back.
func (a *Agent) shortened() int {
	restored := 0
	for _, b := range slices.Backward(a.Blocks) {
		switch k := b.Compact; {
		case k == nil:
		case k.Restored:
			restored++
		case restored == 0:
			return k.Before - k.After
		default:
			restored--
		}
	}
	return 0
}

func (s *State) turnFinished(a *Agent, e *TurnFinished) {
	a.finishTurn(e)
	if a.Parent == "" && a.Model != s.Model.Name { // it had fallen back to another
		a.Model, a.Context.Max = s.Model.Name, s.Model.ContextMax
	}
}

func (a *Agent) finishTurn(e *TurnFinished) {
	a.dropUncommitted()
	if e.Explain != "" {
		level := LevelWarn
		if e.Outcome == TurnFailed {
			level = LevelError
		}
		a.Blocks = append(a.Blocks, &Block{ID: e.Block, Kind: BlockNotice, Turn: e.Turn, At: e.At, Level: level, Text: NewText(e.Explain)})
	}
	a.Turn, a.Phase, a.Detail, a.Retry, a.Running = "", PhaseIdle, "", nil, nil
	if a.Parent == "" && a.State != AgentPaused && a.State != AgentPausing {
		a.enter(AgentIdle, "", e.At)
	}
}

func (s *State) rewound(a *Agent, e *Rewound) {
	a.rewind(e)
	s.rewindAgents(a, e)
	if e.Elsewhere {
		a.Rewind, a.hidden = nil, hidden{}
	}
}

// rewind hides everything from a turn on, or shows what was hidden last.
func (a *Agent) rewind(e *Rewound) {
	a.Running = nil
	if e.Undo {
		if a.Rewind == nil || a.Rewind.ID != e.ID {
			return
		}
		at, rest := len(a.Blocks), len(a.Blocks) // what was hidden comes in the place of the notice about it
		if i := slices.IndexFunc(a.Blocks, func(b *Block) bool { return string(b.ID) == e.ID }); i >= 0 {
			at, rest = i, i+1
		}
		a.Blocks = slices.Concat(a.Blocks[:at], a.hidden.blocks, a.Blocks[rest:])
		if a.Rewind.From != "" {
			a.putBack(a.hidden.kept)
			a.Context, a.marks = a.hidden.context, append(slices.Clone(a.marks), a.hidden.marks...)
		}
		a.revealed = a.hidden.agents
		below := a.hidden.below
		if a.Rewind, a.hidden = a.hidden.rewind, (hidden{}); below != nil {
			a.hidden = *below
		}
		return
	}
	before := hidden{rewind: a.Rewind}
	if a.Rewind != nil {
		below := a.hidden
		before.below = &below
	}
	if e.From == "" {
		a.Rewind, a.hidden = e, before
		return
	}
	keep := slices.IndexFunc(a.Blocks, func(b *Block) bool { return b.Turn == e.From })
	if keep < 0 {
		return
	}
	before.blocks, before.kept, before.context = slices.Clone(a.Blocks[keep:]), a.kept(), a.Context
	a.Rewind, a.hidden = e, before
	a.Blocks = slices.Clone(a.Blocks[:keep])
	if i := slices.IndexFunc(a.marks, func(m mark) bool { return m.turn == e.From }); i >= 0 {
		a.putBack(a.marks[i].kept)
		a.Context.Used = a.marks[i].used
		a.hidden.marks, a.marks = slices.Clone(a.marks[i:]), slices.Clone(a.marks[:i])
	}
}

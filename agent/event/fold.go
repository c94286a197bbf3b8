package event

import (
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
	if sp, ok := e.(*AgentSpawned); ok {
		s.spawn(sp)
		return
	}
	if s.applyConversation(e) {
		return
	}
	a := s.Agent(h.Agent)
	if a == nil {
		return
	}
	if h.At.After(a.Active) {
		a.Active = h.At
	}
	a.apply(e)
	if _, over := e.(*TurnFinished); over && a.Parent == "" && a.Model != s.Model.Name { // it had fallen back to another
		a.Model, a.Context.Max = s.Model.Name, s.Model.ContextMax
	}
}

// applyConversation folds what concerns the whole conversation.
func (s *State) applyConversation(e Event) bool {
	switch e := e.(type) {
	case *StatusChanged:
		s.status(e)
	case *Requested:
		s.request(e)
	case *RequestResolved:
		s.resolve(e)
	case *TitleChanged:
		s.Title = e.Title
	case *JobsChanged:
		s.Jobs = slices.Clone(e.Jobs)
	default:
		return false
	}
	return true
}

func (s *State) spawn(e *AgentSpawned) {
	if s.Agent(e.Agent) != nil {
		return
	}
	if e.Session != "" && len(s.Agents) == 0 {
		s.Session = e.Session
	}
	st := AgentIdle
	if e.Parent != "" {
		st = AgentQueued
	}
	s.Agents = append(s.Agents, &Agent{
		ID: e.Agent, Parent: e.Parent, Depth: e.Depth, Role: e.Role, Goal: e.Goal, Model: e.Model,
		State: st, Phase: PhaseIdle, Started: e.At, Active: e.At,
	})
}

func (s *State) status(e *StatusChanged) {
	if e.Model != nil {
		s.Model = *e.Model
		if a := s.Root(); a != nil {
			a.Model, a.Context.Max = e.Model.Name, e.Model.ContextMax
		}
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
	a := s.Agent(e.Agent)
	if a == nil || e.Phase == "" {
		return
	}
	a.Phase, a.Detail = e.Phase, e.Detail
	if e.Phase != PhaseRetrying {
		a.Retry = nil
	}
	if e.At.After(a.Active) {
		a.Active = e.At
	}
}

func (s *State) request(e *Requested) {
	s.Requests = append(s.Requests, e.Request)
	a := s.Agent(e.Request.Agent)
	if a == nil {
		return
	}
	if a.Turn != "" {
		a.State, a.On = AgentWaiting, string(e.Request.Kind)
	}
	a.changeCall(e.Request.Call, func(c *Call) { c.Asked = e.Request.ID })
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
	waits := slices.ContainsFunc(s.Requests, func(o Request) bool { return o.Agent == r.Agent })
	if a.State == AgentWaiting && !waits {
		a.State, a.On = AgentRunning, ""
	}
	answer := e.Answer
	a.changeCall(r.Call, func(c *Call) { c.Asked, c.Decision = "", &answer })
}

// apply folds what concerns one agent.
func (a *Agent) apply(e Event) {
	switch e := e.(type) {
	case *TurnStarted:
		a.Turn, a.TurnStarted, a.Budget, a.Calls = e.Turn, e.At, e.Budget, 0
		a.Rewind, a.hidden = nil, hidden{}
		a.marks = append(a.marks, mark{e.Turn, a.Todos, a.Context.Used})
		a.Turns++
		a.State, a.On, a.Phase, a.Detail = AgentRunning, "", PhasePreparing, ""
	case *TurnFinished:
		a.finishTurn(e)
	case *ReasoningDelta:
		a.stream(e.Block, BlockReasoning, e.Text, &e.Meta)
	case *TextDelta:
		a.stream(e.Block, BlockAnswer, e.Text, &e.Meta)
	case *StreamReset:
		a.dropUncommitted()
	case *MessageCommitted:
		a.commit(e)
	case *ToolDrafting:
		a.draft(e)
	case *ToolStarted:
		a.startCall(e)
	case *ToolOutput:
		a.changeCall(e.Call, func(c *Call) { c.output(e) })
	case *ToolFinished:
		a.finishCall(e)
	case *AgentStateChanged:
		a.State, a.On = e.State, e.On
	case *AgentFinished:
		a.State, a.Error, a.Ended, a.On = e.State, e.Error, e.At, ""
		a.Turn, a.Phase = "", PhaseIdle
	case *TodosChanged:
		a.Todos = slices.Clone(e.Items)
	case *UsageUpdated:
		a.Usage, a.Context = e.Usage, e.Context
		if e.Final {
			a.Calls++
		}
	case *RetryScheduled:
		a.Retry, a.Phase, a.Detail = e, PhaseRetrying, e.Reason
	case *FallbackActivated:
		a.Model = e.To
	case *NoticeRaised:
		a.insertNotice(&Block{ID: e.Block, Kind: BlockNotice, Turn: e.Turn, At: e.At, Level: e.Level, Text: NewText(e.Text)})
	case *ContextCompressed:
		a.compact(e)
	case *Rewound:
		a.rewind(e)
	}
}

// compact marks the place from which on the model gets less of what is above.
func (a *Agent) compact(e *ContextCompressed) {
	id := e.Block
	if id == "" { // of an early journal
		id = BlockID("compact-" + strconv.FormatUint(e.Seq, 10))
	}
	a.insertNotice(&Block{
		ID: id, Kind: BlockCompact, Turn: e.Turn, At: e.At, Text: NewText(e.Summary),
		Compact: &Compaction{Before: e.Before, After: e.After, Results: e.Results, Calls: e.Calls, Turns: e.Turns, Messages: e.Dropped},
	})
	a.Context.Used = e.After
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
	if a.Parent == "" {
		a.State, a.On = AgentIdle, ""
	}
}

// rewind hides everything from a turn on, or shows what was hidden last.
func (a *Agent) rewind(e *Rewound) {
	a.Running = nil
	if e.Undo {
		if a.Rewind == nil || a.Rewind.ID != e.ID {
			return
		}
		a.Blocks = slices.DeleteFunc(slices.Clone(a.Blocks), func(b *Block) bool { return string(b.ID) == e.ID })
		if a.Rewind.From != "" {
			a.Blocks = append(a.Blocks, a.hidden.blocks...)
			a.Todos, a.Context, a.marks = a.hidden.todos, a.hidden.context, append(slices.Clone(a.marks), a.hidden.marks...)
		}
		a.Rewind, a.hidden = nil, hidden{}
		return
	}
	if e.From == "" {
		a.Rewind, a.hidden = e, hidden{}
		return
	}
	keep := slices.IndexFunc(a.Blocks, func(b *Block) bool { return b.Turn == e.From })
	if keep < 0 {
		return
	}
	a.Rewind, a.hidden = e, hidden{blocks: slices.Clone(a.Blocks[keep:]), todos: a.Todos, context: a.Context}
	a.Blocks = slices.Clone(a.Blocks[:keep])
	if i := slices.IndexFunc(a.marks, func(m mark) bool { return m.turn == e.From }); i >= 0 {
		a.Todos, a.Context.Used = a.marks[i].todos, a.marks[i].used
		a.hidden.marks, a.marks = slices.Clone(a.marks[i:]), slices.Clone(a.marks[:i])
	}
}

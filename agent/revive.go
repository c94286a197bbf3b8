package agent

import (
	"context"
	"slices"

	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/providers"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
)

// Archive is where a conversation is read from; *sessions.DB is one.
type Archive interface {
	Store
	EachPage(ctx context.Context, conv string, afterSeq uint64, do func([]sessions.Event) error) error
	LastEvents(ctx context.Context, conv string, most int) ([]sessions.Event, error)
	EventsOf(ctx context.Context, conv, kind string) ([]sessions.Event, error)
	Messages(ctx context.Context, session string) ([]sessions.Message, error)
	LastSaid(ctx context.Context, session string) (string, error)
	Outline(ctx context.Context, session string) ([]sessions.Outline, error)
	// Before gives the sessions that one goes on from after compressions.
	Before(ctx context.Context, session string) ([]string, error)
	NewestRow(ctx context.Context) (int64, error)
	MessageCalls(ctx context.Context, message string) ([]sessions.Call, error)
	Partials(ctx context.Context, conv string) ([]sessions.Partial, error)
	Session(ctx context.Context, id string) (sessions.Session, error)
	// ReadOnly says why nothing can be stored, nil if it can.
	ReadOnly() *sessions.Error
}

// Revive reads a conversation back. A turn that was under way when the program
// died is brought to an end first, in one transaction: calls that had ended get
// their results, calls that had started are reported as such and not repeated,
// streamed text is kept, and questions are withdrawn. What other programs have done
// to the messages is recorded in the journal then, so that the screen shows what
// the model gets. Only the holder of the conversation's lease may call it.
func Revive(ctx context.Context, db Archive, ids event.Source, conv event.ConvID, session event.SessionID) (*Past, error) {
	r := &revival{ctx: ctx, db: db, ids: ids, conv: conv, session: session}
	row, err := db.Session(ctx, string(session))
	if err != nil {
		return nil, err
	}
	if r.newest, err = db.NewestRow(ctx); err != nil {
		return nil, err
	}
	p := &Past{System: row.SystemPrompt, State: &event.State{}, Recall: r.recall}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.outlined = make(chan outlined, 1)
	go func() {
		ids, err := r.outline(ctx, session)
		r.outlined <- outlined{ids, err}
	}()
	if err := r.fold(p); err != nil {
		return nil, err
	}
	folded := p.Seq
	if p.State.Root() == nil {
		err = r.begin(p, row)
	} else {
		err = r.endOpen(p)
	}
	if err == nil {
		err = r.reconcile(p, p.Seq == folded)
	}
	if err != nil {
		return nil, err
	}
	p.State.Conv, p.State.Session = conv, session
	return p, nil
}

// revival is one reading back of a conversation.
type revival struct {
	ctx     context.Context
	db      Archive
	ids     event.Source
	conv    event.ConvID
	session event.SessionID
	// newest is the newest message at the beginning: what other programs add later belongs
	// to the next revival.
	newest int64
	// outlined brings what the store held of what is said when the revival began.
	outlined chan outlined
	// history is what the model gets, once it was needed.
	history []providers.Message
}

// outlined are the messages of an outline.
type outlined struct {
	ids []string
	err error
}

// recall reads what the model gets.
func (r *revival) recall(ctx context.Context) ([]providers.Message, error) {
	rows, err := r.db.Context(ctx, string(r.session))
	if err != nil {
		return nil, err
	}
	return restore(slices.DeleteFunc(rows, func(m sessions.Message) bool { return r.later(m.ID, m.Row) }))
}

// agentSession says where events and messages are stored: as an agent's, in its
// session, messages behind its history.
type agentSession struct {
	agent   event.AgentID
	session event.SessionID
	history []providers.Message
}

func (r *revival) root(agent event.AgentID) agentSession {
	return agentSession{agent, r.session, r.history}
}

// begin introduces the root agent of a session that another program wrote: in the first
// of those that it goes on from.
func (r *revival) begin(p *Past, row sessions.Session) error {
	before, err := r.db.Before(r.ctx, string(r.session))
	if err != nil {
		return err
	}
	first := r.root(r.ids.Agent())
	if len(before) > 0 {
		first.session = event.SessionID(before[0])
	}
	begin := []event.Event{&event.AgentSpawned{Role: event.RoleRoot, Model: row.Model}}
	if row.Title != "" {
		begin = append(begin, &event.TitleChanged{Title: row.Title})
	}
	return r.store(p, first, "", begin, nil)
}

// store writes what the revival adds and folds it. Events that name no turn and no
// time get this turn and the present.
func (r *revival) store(p *Past, w agentSession, turn event.TurnID, events []event.Event, messages []providers.Message, effects ...sessions.Effect) error {
	now := r.ids.Now()
	for _, e := range events {
		h := e.Head()
		h.Conv, h.Session, h.Agent = r.conv, w.session, w.agent
		if h.At.IsZero() {
			h.At = now
		}
		if h.Turn == "" {
			h.Turn = turn
		}
		event.Stamp(e)
	}
	t := &turnWriter{agent: w.agent, turn: turn, history: w.history}
	row := sessions.Batch{Conv: string(r.conv), Session: string(w.session), Messages: t.rows(messages...), Effects: effects}
	seq, err := journal.Number(&row, events, p.Seq)
	if err != nil {
		return err
	}
	if r.db.ReadOnly() == nil { // else it is shown, and found again by the next revival
		if err := r.db.Commit(r.ctx, row); err != nil {
			return err
		}
	}
	p.Seq = seq
	for _, e := range events {
		p.State.Apply(e)
	}
	return nil
}

// endOpen ends what was under way when the program died.
func (r *revival) endOpen(p *Past) error {
	for _, a := range slices.Backward(p.State.Live()) { // those below end first
		if err := r.endOpenChild(p, a); err != nil {
			return err
		}
	}
	root := p.State.Root()
	turn := root.Turn
	if turn == "" && len(p.State.Requests) == 0 {
		return r.storeEvents(p, r.root(root.ID), r.settled(p.State))
	}
	var err error
	if r.history, err = r.recall(r.ctx); err != nil {
		return err
	}
	events, messages, err := r.settle(r.history, root)
	if err != nil {
		return err
	}
	partial, said, err := r.partial(root.ID, turn, r.history)
	if err != nil {
		return err
	}
	events, messages = append(events, partial...), append(messages, said...)
	for _, q := range p.State.Requests {
		events = append(events, &event.RequestResolved{
			Request: q.ID, Answer: event.Answer{Choice: refusal(q.Kind)}, By: event.ByShutdown,
		})
	}
	if turn != "" {
		events = append(events, &event.TurnFinished{
			Outcome: event.TurnInterrupted, Reason: "crash", Block: r.ids.Block(),
			Explain: "The program ended during this turn; everything up to here was saved. Send a message to go on.",
		})
	}
	err = r.store(p, r.root(root.ID), turn, events, messages, sessions.ClearPartial{Agent: string(root.ID)})
	if err != nil {
		return err
	}
	return r.storeEvents(p, r.root(root.ID), r.settled(p.State))
}

// storeEvents stores events of no turn, if there are any.
func (r *revival) storeEvents(p *Past, w agentSession, events []event.Event) error {
	if len(events) == 0 {
		return nil
	}
	return r.store(p, w, "", events, nil)
}

// settled are the events that leave a conversation at rest: nothing waits for
// subagents that are gone, nothing is paused, and no command of the user runs.
func (r *revival) settled(s *event.State) (events []event.Event) {
	mine := slices.DeleteFunc(slices.Clone(s.Queue), func(q event.Queued) bool { return q.Agent != "" })
	if len(mine) < len(s.Queue) {
		events = append(events, &event.QueueChanged{Queue: mine})
	}
	if root := s.Root(); root.State != event.AgentIdle {
		events = append(events, &event.AgentStateChanged{State: event.AgentIdle})
	}
	for _, id := range s.Root().Commands {
		if b := s.Root().Call(id); b != nil {
			events = append(events, endUnseen(b))
		}
	}
	return events
}

// endOpenChild ends a subagent that was at work when the program died.
func (r *revival) endOpenChild(p *Past, a *event.Agent) error {
	rows, err := r.db.Context(r.ctx, string(a.Session))
	if err != nil {
		return err
	}
	history, err := restore(rows)
	if err != nil {
		return err
	}
	events, messages, err := r.settle(history, a)
	if err != nil {
		return err
	}
	partial, said, err := r.partial(a.ID, a.Turn, history)
	if err != nil {
		return err
	}
	events, messages = append(events, partial...), append(messages, said...)
	const why = "The program ended while it worked; everything up to here was saved."
	for _, q := range p.State.Requests {
		if q.Agent == a.ID {
			events = append(events, &event.RequestResolved{Request: q.ID, Answer: event.Answer{Choice: refusal(q.Kind)}, By: event.ByShutdown})
		}
	}
	if a.Turn != "" {
		events = append(events, &event.TurnFinished{Outcome: event.TurnInterrupted, Reason: "crash", Block: r.ids.Block(), Explain: why})
	}
	for _, q := range p.State.Queue {
		if q.Agent == a.ID { // it leaves the queue when all have ended
			events = append(events, undelivered(r.ids.Block(), q))
		}
	}
	events = append(events, &event.AgentFinished{State: event.AgentInterrupted, Error: why})
	return r.store(p, agentSession{a.ID, a.Session, history}, a.Turn, events, messages, sessions.ClearPartial{Agent: string(a.ID)})
}

// The results of calls whose end no one saw, for the model.
const (
	mayHaveRun = "The program stopped while this call was running. It may have run, wholly or in part, and was not repeated. " +
		"Check what it did before you do it again."
	neverRan = "The program stopped before this call started. It did not run."
)

// settle gives a result to every call of the newest assistant message that has
// none.
func (r *revival) settle(history []providers.Message, root *event.Agent) (events []event.Event, results []providers.Message, err error) {
	open := openCalls(history)
	defer func() { events = append(events, unseen(root, open)...) }()
	if len(open) == 0 {
		return nil, nil, nil
	}
	recorded, err := r.recorded(history)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range open {
		var content string
		rec, outcome := recorded[c.ID], event.Outcome("")
		switch {
		case !rec.Ended.IsZero():
			content = rec.Result // its end is in the journal already
		case !rec.Started.IsZero():
			content, outcome = failureJSON(mayHaveRun), event.OutcomeUnknown
		default:
			content, outcome = failureJSON(neverRan), event.OutcomeSkipped
		}
		if outcome != "" {
			view := event.CallView{Kind: event.ViewGeneric, Name: c.Name}
			if b := root.Call(event.CallID(c.ID)); b != nil {
				view = b.Call.View
			}
			view.Summary = endedUnseen(outcome)
			events = append(events, &event.ToolFinished{Call: event.CallID(c.ID), Outcome: outcome, View: view})
		}
		results = append(results, providers.Message{
			ID: string(r.ids.Message()), Role: providers.Tool, Parts: providers.TextParts(content),
			CallID: c.ID, CallName: c.Name, At: r.ids.Now(),
		})
	}
	return events, results, nil
}

// unseen are the ends of calls on the screen that are not among those which the
// history leaves open: another program has gone on behind them.
func unseen(a *event.Agent, open []providers.Call) (events []event.Event) {
	for _, b := range a.Blocks {
		left := func(c providers.Call) bool { return c.ID == string(b.Call.ID) }
		if b.Call == nil || b.Call.Stage == event.CallEnded || b.Call.Stage == event.CallDrafting || slices.ContainsFunc(open, left) {
			continue
		}
		events = append(events, endUnseen(b))
	}
	return events
}

// endUnseen is the end of a call of which no one knows more.
func endUnseen(b *event.Block) event.Event {
	view := b.Call.View
	view.Summary = endedUnseen(event.OutcomeUnknown)
	return &event.ToolFinished{Call: b.Call.ID, Outcome: event.OutcomeUnknown, View: view}
}

func failureJSON(message string) string { return tools.JSON(map[string]string{"error": message}) }

// endedUnseen says on the screen what became of a call no one saw the end of.
func endedUnseen(o event.Outcome) string {
	if o == event.OutcomeUnknown {
		return "may have run; the program stopped meanwhile"
	}
	return "did not run; the program stopped before"
}

// recorded are the store's records of the calls of the newest assistant message.
func (r *revival) recorded(history []providers.Message) (map[string]sessions.Call, error) {
	for i := len(history) - 1; i >= 0; i-- {
		if history[i].Role != providers.Assistant {
			continue
		}
		list, err := r.db.MessageCalls(r.ctx, history[i].ID)
		if err != nil {
			return nil, err
		}
		byID := make(map[string]sessions.Call, len(list))
		for _, c := range list {
			byID[c.ID] = c
		}
		return byID, nil
	}
	return nil, nil
}

// partial makes a message of the text that was streaming. It is only shown when
// another program has gone on behind it.
func (r *revival) partial(agent event.AgentID, turn event.TurnID, history []providers.Message) ([]event.Event, []providers.Message, error) {
	list, err := r.db.Partials(r.ctx, string(r.conv))
	if err != nil {
		return nil, nil, err
	}
	for _, p := range list {
		if event.AgentID(p.Agent) != agent || event.TurnID(p.Turn) != turn || p.Text == "" && p.Reasoning == "" {
			continue
		}
		m := providers.Message{
			ID: p.Message, Role: providers.Assistant, Parts: providers.TextParts(p.Text), Reasoning: p.Reasoning,
			Finish: providers.FinishInterrupted, At: p.Updated,
		}
		e := &event.MessageCommitted{
			Message: event.MessageID(m.ID), Role: event.RoleAssistant, Text: p.Text, Finish: string(m.Finish), Partial: true,
		}
		if p.Text != "" {
			e.Block = r.ids.Block()
		}
		if p.Reasoning != "" {
			e.Reasoning = &event.Reasoning{Block: r.ids.Block(), Text: p.Reasoning}
		}
		if n := len(history); p.Text == "" || n > 0 && sessions.Foreign(history[n-1].ID) {
			e.Message = ""
			return []event.Event{e}, nil, nil
		}
		return []event.Event{e}, []providers.Message{m}, nil
	}
	return nil, nil, nil
}

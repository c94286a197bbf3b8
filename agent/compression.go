package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hermes-tui/agent/api"
	"hermes-tui/agent/compress"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/agent/recovery"
	"hermes-tui/providers"
	"hermes-tui/providers/failure"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// endpoint names a model of a service.
type endpoint struct{ provider, host, model string }

func endpointOf(m event.Model) endpoint { return endpoint{m.Provider, m.Host, m.Name} }

// room is what an agent knows of how much fits into a request.
type room struct {
	// gauge measures requests to one endpoint; another one counts differently.
	gauge compress.Gauge
	// of is the endpoint that gauge measures.
	of endpoint
	// windows are the sizes that services stated when they refused a request as
	// too long, in tokens.
	windows map[endpoint]int
	// refused are the newest messages up to which services refused thoughts, by their ids.
	refused map[endpoint]string
	// dear is the size beyond which prompts cost more, as the user was told last.
	dear map[endpoint]int
	// resumed says that it was looked whether the newest compression was taken back
	// before this run of the program.
	resumed bool
}

// asking is the request that a turn is about to make.
type asking struct {
	defs   []providers.ToolDef
	next   nextRequest
	tokens int // of the request that was built last, estimated
	// counted is what the service counted for the last request, shortened that the history
	// was shortened since, and vain how often in a row that has brought nothing.
	counted   int
	shortened bool
	vain      int
	// windows are those of [room], for this turn only.
	windows map[endpoint]int
}

// ContextEngine makes histories fit; [compress.Engine] is one, and says what each
// method guarantees. It is safe for concurrent use.
type ContextEngine interface {
	Due(g *compress.Gauge, used int, w compress.Window, messages int) bool
	Begins(w compress.Window) int
	Budget(g *compress.Gauge, w compress.Window) compress.Budget
	Tighter(g *compress.Gauge, w compress.Window) compress.Budget
	Compress(history []providers.Message, b compress.Budget, open []string) compress.Result
	Summarised(r compress.Result, summary string) compress.Result
	Pieces(history []providers.Message) []api.Piece
	Drop(history []providers.Message, ids []string) compress.Drop
	MessagesOf(history []providers.Message, ids []string) []string
}

// engine makes what compresses histories. It knows the marks around what the
// user says while a tool runs, and the tools whose results it shortens.
func engine(c compress.Config, box Toolbox) ContextEngine {
	c.SaidOpen, c.SaidClose = steerOpen, steerClose
	return compress.New(c, box.Registered)
}

// gauge measures requests to the model that answers.
func (t *turn) gauge() *compress.Gauge {
	if at := endpointOf(t.rt.Model); t.room.of != at {
		t.room.gauge, t.room.of = compress.Gauge{}, at
	}
	return &t.room.gauge
}

// window is the room of the model that answers: what is known of it, or less
// when the service said so.
func (t *turn) window() compress.Window {
	w := compress.Window{Max: t.rt.Model.ContextMax, Reserve: t.rt.MaxOutput}
	at := endpointOf(t.rt.Model)
	for _, n := range []int{t.room.windows[at], t.asking.windows[at]} {
		if n > 0 && (w.Max == 0 || n < w.Max) {
			w.Max = n
		}
	}
	return w
}

// adoptWindow takes over the window that a service stated: for good when it is the
// model's own, otherwise for the rest of the turn.
func (t *turn) adoptWindow(a recovery.Compress) {
	if a.Window <= 0 {
		return
	}
	known := &t.asking.windows
	if a.Persist {
		known = &t.room.windows
		if t.rt.Learnt != nil {
			t.rt.Learnt(a.Window)
		}
	}
	if *known == nil {
		*known = map[endpoint]int{}
	}
	(*known)[endpointOf(t.rt.Model)] = a.Window
}

// fit builds the request that is due, with a shorter history when the present
// one leaves too little room.
func (t *turn) fit(ctx context.Context, defs []providers.ToolDef, next nextRequest) (providers.Request, error) {
	t.asking.defs, t.asking.next = defs, next
	req := t.measured(t.history)
	if !t.room.resumed && t.parent == nil {
		t.room.resumed = true
		if t.takenBack() {
			t.gauge().Kept()
		}
	}
	e := t.tuned.engine
	if !e.Due(t.gauge(), t.asking.tokens, t.window(), len(t.history)) {
		return req, nil
	}
	if t.asking.vain >= mostVain {
		return req, &gaveUp{recovery.Abort{Reason: failure.ContextOverflow, Cause: recovery.CauseTooLong, Sentence: t.tooLong(recovery.Fault{Prompt: t.asking.counted}), Attempts: 1}}
	}
	changed, err := t.compress(ctx, e.Budget(t.gauge(), t.window()), "")
	if changed {
		t.asking.shortened = t.asking.counted > 0
		req = t.measured(t.history)
	}
	if errors.Is(err, errElsewhere) {
		err = t.commit(&event.NoticeRaised{Block: t.conv.ids.Block(), Level: event.LevelInfo, Text: "Another program is shortening this session, so it is sent as it is."})
	}
	return req, err
}

// measured builds the request around a history and notes its size.
func (t *turn) measured(history []providers.Message) providers.Request {
	req := t.build(history, t.asking.defs, t.asking.next)
	if t.rt.Model.Vision == event.No {
		req.Messages = without(req.Messages, blindNote)
	}
	t.asking.tokens = t.gauge().Request(req)
	t.see(req, history, t.gauge().Scale())
	return t.withRoom(req)
}

// withRoom caps the answer at what the request leaves of a total that the service stated. Where
// that is little, the service says how much exactly.
func (t *turn) withRoom(req providers.Request) providers.Request {
	const slack, least = 50, 4096
	s := t.rec.Shape()
	room := s.Total - s.Total/slack - t.asking.tokens
	if room >= least && !s.Has(recovery.SmallerAnswer) && (req.MaxOutput == 0 || room < req.MaxOutput) {
		req.MaxOutput = room
	}
	return req
}

// tooLong says in figures what does not fit.
func (t *turn) tooLong(f recovery.Fault) string {
	w, size := t.window().Max, t.asking.tokens
	if f.Window > 0 && (w == 0 || f.Window < w) {
		w = f.Window
	}
	if f.Prompt > 0 {
		size = f.Prompt
	}
	last := 0
	if n := len(t.history); n > 0 {
		last = compress.Size(&t.history[n-1])
	}
	tool := 0
	for _, d := range t.asking.defs {
		tool += (len(d.Name) + len(d.Description) + len(d.Parameters)) / bytesPerToken
	}
	return recovery.TooLong(t.rt.Model.Name, size, w, len(t.system)/bytesPerToken, tool, last, tools.Grouped)
}

// bytesPerToken is about how many bytes of English and code a token has.
const bytesPerToken = 4

// mostVain is how many shortenings in a row may bring nothing, by what the service counts.
const mostVain = 2

// answered notes what the service counted for the request.
func (t *turn) answered(r *reply) {
	if r.usage == nil {
		return
	}
	now := int(r.usage.Prompt())
	switch {
	case !t.asking.shortened:
	case now*20 >= t.asking.counted*19:
		t.asking.vain++
	default:
		t.asking.vain = 0
	}
	t.asking.counted, t.asking.shortened = now, false
	t.gauge().Counted(now)
	if t.rt.Worked != nil {
		t.rt.Worked(int(r.usage.Prompt()))
	}
}

// compress makes the history fit a budget. It is stored what becomes of it
// before it counts, and the messages themselves stay in the store. It returns
// false when nothing could be changed. What is left out is summed up by a model, which
// is told what to keep above all; when none can, a record of what was asked and done
// takes its place.
func (t *turn) compress(ctx context.Context, b compress.Budget, focus string) (changed bool, err error) {
	before, block := t.asking.tokens, t.conv.ids.Block()
	r := t.tuned.engine.Compress(t.history, b, t.tools.Open())
	if !r.Changed() {
		t.gauge().Compressed(r)
		return false, nil
	}
	if record := compress.Summary(r.History); t.mask.Text(record) != record {
		r = t.tuned.engine.Summarised(r, t.mask.Text(record))
	}
	unlock, err := t.lockCompression(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	if err := t.tellCompress(ctx, focus, before); err != nil {
		return false, err
	}
	r, why, err := t.summarised(ctx, r, block, focus)
	if errors.Is(err, errKept) {
		t.gauge().Kept()
		return false, nil
	}
	if err == nil {
		_, err = t.lockCompression(ctx) // what was written may have taken longer than the lock holds
	}
	if err != nil {
		return false, err
	}
	t.gauge().Compressed(r)
	t.measured(r.History)
	r.Before, r.After = before, t.asking.tokens // of the request, which is what the user sees
	e := &event.ContextCompressed{
		Block: block, Before: r.Before, After: r.After,
		Results: r.Results, Calls: r.Arguments, Turns: r.Turns, Dropped: r.Messages, Summary: r.Summary() + why,
	}
	if r.Messages > 0 {
		e.Record = compress.Summary(r.History)
	}
	err = t.conv.com.Commit(&journal.Batch{Agent: t.Agent.id, Session: t.session, Turn: t.id, Events: []event.Event{e}, Effects: []sessions.Effect{shortened(r), sessions.AddPoint{ID: string(block), Text: pointText(r)}}})
	if err != nil {
		return false, err
	}
	t.history = r.History
	t.forget()
	t.tellCompressed(e)
	return true, nil
}

// errElsewhere says that a compression is under way in another program.
var errElsewhere = errors.New("another program is shortening this session, so it was left as it is here: try again when that is done")

// lockCompression keeps other programs from compressing the session at the same time,
// and gives that back at the end. Where the store has no place for a lock, there is none.
func (t *turn) lockCompression(ctx context.Context) (unlock func(), err error) {
	session, holder := string(t.session), "hermes-tui "+string(t.conv.conv)
	taken, err := t.conv.store.LockCompression(ctx, session, holder)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		t.conv.report(fmt.Errorf("lock the compression: %w", err))
		return func() {}, nil
	case !taken:
		return nil, errElsewhere
	}
	return func() {
		if err := t.conv.store.UnlockCompression(context.WithoutCancel(ctx), session, holder); err != nil {
			t.conv.report(fmt.Errorf("unlock the compression: %w", err))
		}
	}, nil
}

// summarised has a model sum up what a compression leaves out. why says, for the user,
// that none could. The error is the cause of the context.
func (t *turn) summarised(ctx context.Context, r compress.Result, block event.BlockID, focus string) (_ compress.Result, why string, err error) {
	if len(r.Past.Messages) == 0 || t.conv.summarise == nil {
		return r, "", nil
	}
	past := r.Past
	past.Focus, past.Recent = focus, recent(r.History)
	if t.parent == nil {
		past.Notes = t.conv.extensions.Compressing(ctx, past.Messages)
	}
	for err == nil {
		t.enter(event.PhaseCompressing, "")
		show, flush := t.streaming(block)
		past.Draft, err = t.conv.summarise(ctx, past, show)
		if err == nil {
			flush()
			if past.Draft, past.Focus, err = t.reviewed(ctx, past.Draft); err == nil && past.Focus == "" {
				return t.tuned.engine.Summarised(r, t.mask.Text(past.Draft)), "", nil
			}
		}
	}
	t.live(&event.ContextCompressing{Block: block, Ended: true})
	switch {
	case ctx.Err() != nil:
		return r, "", context.Cause(ctx)
	case errors.Is(err, errKept):
		return r, "", err
	}
	t.conv.report(fmt.Errorf("sum up what is left out: %w", err))
	return r, " No model could sum up what was left out, so a list of what was asked and done stands in its place.", nil
}

// streaming shows the pieces of a summary as they come, masked; an empty piece begins it
// again. flush shows what was held back.
func (t *turn) streaming(block event.BlockID) (show func(piece string), flush func()) {
	open := func() MaskWriter {
		return t.mask.Writer(writerFunc(func(p []byte) (int, error) {
			t.live(&event.TextDelta{Block: block, Text: string(p)})
			return len(p), nil
		}))
	}
	w := open()
	show = func(piece string) {
		if piece == "" {
			w = open()
			t.live(&event.ContextCompressing{Block: block})
			return
		}
		_, _ = w.Write([]byte(piece)) // writing to the screen does not fail
	}
	return show, func() { _ = w.Flush() }
}

// errKept says that the user wants everything left as it is.
var errKept = errors.New("nothing is left out")

// The choices about a summary.
const (
	takeSummary = "Use it"
	keepAll     = "Leave everything as it is"
)

// reviewed asks the user about the summary on the screen, where that is wanted. It
// returns the summary as the user leaves it and what should be changed in it by who
// wrote it, empty for nothing, or [errKept].
func (t *turn) reviewed(ctx context.Context, summary string) (left, change string, err error) {
	if !t.conv.reviewSummary || t.parent != nil || t.noOne(event.RequestClarify) {
		return summary, "", nil
	}
	ans, err := t.ask(ctx, t.id, event.Request{Kind: event.RequestClarify, Clarify: &event.Clarify{
		Question: "Shall this summary stand in for what is left out? You can also type what it should say otherwise.",
		Choices:  []string{takeSummary, keepAll}, Draft: summary,
	}}, 0)
	switch {
	case err != nil:
		return "", "", err
	case ans.Choice == event.ChoiceEdit:
		return ans.Text, "", nil
	case ans.Text == takeSummary:
		return summary, "", nil
	case ans.Text == keepAll || ans.Text == "":
		return "", "", errKept
	}
	return summary, ans.Text, nil
}

// The bounds of what a summary is told of the user's newest texts.
const (
	recentTexts = 3
	recentText  = 260 // characters
)

// recent are the newest texts of the user.
func recent(history []providers.Message) []string {
	var list []string
	for _, m := range slices.Backward(history) {
		if m.Role == providers.User && len(list) < recentTexts {
			said, _ := tools.Detach(m.Text())
			list = append(list, shorten.Line(said, recentText))
		}
	}
	slices.Reverse(list)
	return list
}

// pointText says in a line what a compression did, for the tree of sessions.
func pointText(r compress.Result) string {
	text := fmt.Sprintf("%s of %s tokens", tools.Grouped(r.After), tools.Grouped(r.Before))
	if r.Messages > 0 {
		text += ", " + tools.Plural(r.Messages, "message", "messages") + " left out"
	}
	return text
}

// shortened is what the store keeps of a compression.
func shortened(r compress.Result) sessions.ShortenContext {
	e := sessions.ShortenContext{LeftOut: r.LeftOut}
	for _, m := range r.Replaced {
		s := sessions.Shortened{ID: m.ID, Content: m.Text(), Parts: storedParts(m)}
		if len(m.Calls) > 0 {
			s.ToolCalls = encode(storedCalls(m.Calls))
		}
		e.Replaced = append(e.Replaced, s)
	}
	return e
}

// compressFor compresses because a service refused the request as too long.
func (t *turn) compressFor(ctx context.Context, a recovery.Compress, r *reply) error {
	t.adoptWindow(a)
	changed, err := t.compress(ctx, t.tuned.engine.Tighter(t.gauge(), t.window()), "")
	if err != nil && !errors.Is(err, errElsewhere) {
		return err
	}
	if !changed {
		return errImpossible
	}
	t.takeBack(r)
	if a.Pause > 0 {
		return t.pause(ctx, a.Attempt, a.Max, tooLong, a.Pause)
	}
	t.retrying(a.Attempt, a.Max, tooLong, 0)
	return nil
}

// Compress shortens the history between turns, whether or not it is due; focus is what
// a summary of what is left out should keep above all. It returns false when there is
// nothing to shorten, and waits while a turn runs. [Conversation.Interrupt] ends it, and
// nothing is changed then.
func (c *Conversation) Compress(ctx context.Context, focus string) (changed bool, err error) {
	err = c.chore(ctx, func(t *turn) error {
		ctx, end := t.begin(ctx, t.rt)
		defer end()
		defer t.enter(event.PhaseIdle, "")
		t.measure(ctx)
		changed, err = t.compress(ctx, t.tuned.engine.Tighter(t.gauge(), t.window()), focus)
		return err
	})
	return changed, err
}

// measure notes the size of the next request.
func (t *turn) measure(ctx context.Context) {
	t.asking.defs = t.tools.Definitions(ctx)
	t.measured(t.history)
}

package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/providers"
	"hermes-tui/providers/script"
	"hermes-tui/store/sessions"
)

func TestAnswerIsStoredAndShown(t *testing.T) {
	r := newRig(t, say(script.Reasoning{Text: "let me think"}, script.Text{Text: "  Hello there."}))
	r.submit("hi")
	r.idle(1)
	r.wants("user hi", "reasoning let me think", "answer Hello there.")
	if f := r.last(); f.Outcome != event.TurnCompleted || f.Calls != 1 {
		t.Errorf("turn ended %+v", f)
	}
	rows := r.messages()
	if len(rows) != 2 || rows[0].Content != "hi" || rows[1].Content != "Hello there." || rows[1].Reasoning != "let me think" {
		t.Errorf("stored %+v", rows)
	}
	if u := r.state.Usage(); u.Calls != 1 || u.Input == 0 || u.Output == 0 {
		t.Errorf("usage %+v", u)
	}
	r.bodies()
}

// TestNothingIsStoredBeforeTheFirstInput opens and closes a conversation.
func TestNothingIsStoredBeforeTheFirstInput(t *testing.T) {
	r := newRig(t, say(script.Text{Text: "x"}))
	if err := r.conv.SetMode(event.ModePlan); err != nil {
		t.Fatal(err)
	}
	r.until("plan mode", func(s *event.State) bool { return s.Mode == event.ModePlan })
	if s := r.peek(); s.Seq != 0 {
		t.Errorf("journal is at %d", s.Seq)
	}
	r.submit("go")
	r.idle(1)
	past := r.revive()
	if past.State.Mode != event.ModePlan || past.State.Root() == nil {
		t.Errorf("what was set before the first input is lost: %+v", past.State)
	}
}

// revive reads the conversation back from the store.
func (r *rig) revive() *agent.Past {
	r.t.Helper()
	newest, err := r.db.LastEvents(r.t.Context(), string(r.conv.ID()), 1)
	if err != nil {
		r.t.Fatal(err)
	}
	all := 0 // events at most: what asks for more gets the same
	if len(newest) == 1 {
		all = int(newest[0].Seq)
	}
	var glimpses []*event.State
	for most := 1; most < 500; most += 1 + most/3 {
		g, err := agent.Glimpse(r.t.Context(), r.db, r.conv.ID(), r.conv.Session(), most)
		if err != nil {
			r.t.Fatal(err)
		}
		glimpses = append(glimpses, g)
		if most >= all {
			break
		}
	}
	past, err := agent.Revive(r.t.Context(), r.db, r.ids, r.conv.ID(), r.conv.Session())
	if err != nil {
		r.t.Fatal(err)
	}
	for _, g := range glimpses {
		r.glimpsed(g, past.State)
	}
	return past
}

// glimpsed checks that the end of a conversation was shown as it is.
func (r *rig) glimpsed(glimpse, whole *event.State) {
	r.t.Helper()
	if glimpse == nil {
		return
	}
	r.glimpses++
	plain := func(blocks []*event.Block) []event.Block {
		list := make([]event.Block, len(blocks))
		for i, b := range blocks {
			list[i] = *b
			list[i].Rev = 0
		}
		return list
	}
	text := func(blocks []*event.Block) string {
		out, err := json.MarshalIndent(plain(blocks), "", " ")
		if err != nil {
			r.t.Fatal(err)
		}
		return string(out)
	}
	got, all := glimpse.Root().Blocks, whole.Root().Blocks
	if len(got) <= len(all) {
		if last := all[len(all)-len(got):]; reflect.DeepEqual(plain(got), plain(last)) || text(got) == text(last) {
			return
		}
	}
	r.t.Errorf("a first look shows\n%s\nthe whole\n%s", text(got), text(all))
}

// recall reads what the model gets of a past.
func recall(t testing.TB, past *agent.Past) []providers.Message {
	t.Helper()
	history, err := past.Recall(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return history
}

func TestToolLoop(t *testing.T) {
	r := newRig(t, rounds(
		steps(script.Text{Text: "Looking."}, call("read_file", map[string]any{"path": "a.txt"}), call("read_file", map[string]any{"path": "b.txt"})),
		steps(call("terminal", map[string]any{"command": "cat a.txt b.txt | wc -l"})),
		steps(script.Text{Text: "Done: {{last_tool}}"}),
	))
	write(t, r.work, "a.txt", "alpha\n")
	write(t, r.work, "b.txt", "beta\n")
	r.submit("count the lines")
	r.idle(1)
	r.wants("user count", "answer Looking.", "read_file ended ok a.txt", "read_file ended ok b.txt", "terminal ended ok cat a.txt", "answer Done:")
	rows := r.messages()
	var roles []string
	for _, m := range rows {
		roles = append(roles, m.Role)
	}
	if want := []string{"user", "assistant", "tool", "tool", "assistant", "tool", "assistant"}; !slices.Equal(roles, want) {
		t.Fatalf("roles %v, want %v", roles, want)
	}
	if !strings.Contains(rows[2].Content, "alpha") || !strings.Contains(rows[3].Content, "beta") || !strings.Contains(rows[5].Content, "2") {
		t.Errorf("results are not in call order: %q %q %q", rows[2].Content, rows[3].Content, rows[5].Content)
	}
	if b := r.bodies(); len(b) != 3 || len(b[0].Tools) == 0 {
		t.Errorf("%d requests", len(b))
	}
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestLiveEqualsJournal compares the state of a conversation with the state its
// journal folds to, and the same conversation resumed.
func TestLiveEqualsJournal(t *testing.T) {
	r := newRig(t, rounds(
		steps(script.Reasoning{Text: "hm"}, call("todo", map[string]any{"todos": []any{map[string]any{"id": "1", "content": "x", "status": "in_progress"}}})),
		steps(call("terminal", map[string]any{"command": "echo one; exit 3"}), call("nonsense", nil)),
		steps(script.Text{Text: "**done**"}),
		steps(script.Text{Text: "half", Pace: script.Pace{Rate: 20}}, script.Stall{}),
	))
	r.submit("first")
	r.idle(1)
	r.submit("second")
	r.until("text", func(s *event.State) bool { return strings.Contains(transcript(s), "half") })
	r.conv.Interrupt(r.conv.Root(), api.Self)
	r.idle(2)
	past := r.revive()
	if got, want := transcript(past.State), r.dump(); got != want {
		t.Errorf("the journal folds to\n%s\nwant\n%s", got, want)
	}
	if len(past.State.Root().Todos) != 1 || past.State.Root().Usage != r.state.Root().Usage {
		t.Errorf("todos or usage differ: %+v", past.State.Root())
	}
}

func TestApproval(t *testing.T) {
	deletes := func(t *testing.T, choice event.Answer) *rig {
		r := newRig(t, rounds(
			steps(call("terminal", map[string]any{"command": "rm -rf sub"})),
			steps(script.Text{Text: "ok"}),
		))
		if err := os.Mkdir(filepath.Join(r.work, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		r.submit("delete it")
		q := r.request()
		if q.Kind != event.RequestApproval || q.Approval.Text != "rm -rf sub" || len(q.Approval.SHA256) != 64 {
			t.Fatalf("asked %+v", q.Approval)
		}
		if _, err := os.Stat(filepath.Join(r.work, "sub")); err != nil {
			t.Fatal("it ran before it was allowed")
		}
		r.answer(q, choice)
		r.idle(1)
		if err := r.conv.Answer(q.ID, choice); !errors.Is(err, api.ErrStale) {
			t.Errorf("a second answer gives %v", err)
		}
		r.bodies()
		return r
	}
	t.Run("once", func(t *testing.T) {
		r := deletes(t, event.Answer{Choice: event.ChoiceOnce})
		if _, err := os.Stat(filepath.Join(r.work, "sub")); !os.IsNotExist(err) {
			t.Error("it did not run")
		}
		r.wants("terminal ended ok rm -rf sub")
	})
	t.Run("deny with a reason", func(t *testing.T) {
		r := deletes(t, event.Answer{Choice: event.ChoiceDeny, Text: "keep the folder"})
		if _, err := os.Stat(filepath.Join(r.work, "sub")); err != nil {
			t.Error("it ran")
		}
		r.wants("terminal ended denied")
		if rows := r.messages(); !strings.Contains(rows[2].Content, "keep the folder") {
			t.Errorf("the model was told %q", rows[2].Content)
		}
	})
}

func TestUnattendedDeniesAndSaysSo(t *testing.T) {
	r := newRig(t, rounds(
		steps(call("terminal", map[string]any{"command": "rm -rf sub"}), call("clarify", map[string]any{"question": "which?"})),
		steps(script.Text{Text: "ok"}),
	), unattended)
	r.submit("delete it")
	r.idle(1)
	r.wants("terminal ended denied", "clarify ended")
	rows := r.messages()
	if !strings.Contains(rows[2].Content, "no one answered") {
		t.Errorf("the model was told %q", rows[2].Content)
	}
	var by []event.Resolver
	for _, e := range r.log {
		if res, ok := e.(*event.RequestResolved); ok {
			by = append(by, res.By)
		}
	}
	if !slices.Equal(by, []event.Resolver{event.ByPolicy, event.ByPolicy}) {
		t.Errorf("decisions are logged as by %v", by)
	}
}

func TestPlanModeOnlyReads(t *testing.T) {
	r := newRig(t, rounds(
		steps(call("terminal", map[string]any{"command": "touch x"}), call("write_file", map[string]any{"path": "y", "content": "1"}),
			call("search_files", map[string]any{"pattern": "*", "target": "files"})),
		steps(script.Text{Text: "planned"}),
	), withMode(event.ModePlan))
	r.submit("plan it")
	r.idle(1)
	r.wants("terminal ended denied", "write_file ended denied", "search_files ended ok", "planned")
	if list, err := os.ReadDir(r.work); err != nil || len(list) != 0 {
		t.Errorf("plan mode changed the folder: %v, %v", list, err)
	}
}

// TestInterrupt stops a turn in each of its states and checks that control is
// back soon and that the next request is valid.
func TestInterrupt(t *testing.T) {
	for name, c := range map[string]struct {
		first []script.Step
		when  func(*event.State) bool
		want  []string
	}{
		"before the first byte": {steps(script.Stall{}), phase(event.PhaseConnecting), nil},
		"while it reasons": {steps(script.Reasoning{Text: "deep thoughts"}, script.Stall{}), shows("deep thoughts"),
			[]string{"reasoning deep thoughts"}},
		"while it answers": {steps(script.Text{Text: "half an answer"}, script.Stall{}), shows("half an answer"),
			[]string{"answer (partial) half an answer"}},
		"while it drafts a call": {steps(script.Call{Name: "terminal", Args: `{"command": "ec`}, script.Stall{}), phase(event.PhaseDrafting), nil},
		"in a tool": {steps(call("terminal", map[string]any{"command": "sleep 600"}), call("terminal", map[string]any{"command": "echo never"})),
			func(s *event.State) bool { return len(s.Root().Running) > 0 },
			[]string{"terminal ended cancelled sleep 600", "terminal ended skipped echo never"}},
		"while it asks": {steps(call("terminal", map[string]any{"command": "rm -rf x"})),
			func(s *event.State) bool { return len(s.Requests) > 0 }, []string{"terminal ended"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
				{Match: script.Match{User: "go on"}, Steps: steps(script.Text{Text: "on we go"})}, {Steps: c.first},
			}})
			r.submit("start")
			r.until(name, c.when)
			began := time.Now()
			r.conv.Interrupt(r.conv.Root(), api.Self)
			r.idle(1)
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("control was back after %v", took)
			}
			if f := r.last(); f.Outcome != event.TurnInterrupted {
				t.Errorf("turn ended %+v", f)
			}
			if len(r.state.Requests) != 0 {
				t.Error("a question is still open")
			}
			r.wants(c.want...)
			r.submit("go on")
			r.idle(2)
			r.wants("user go on", "on we go")
			r.bodies()
		})
	}
}

func phase(p event.Phase) func(*event.State) bool {
	return func(s *event.State) bool { return s.Root().Phase == p }
}

func shows(text string) func(*event.State) bool {
	return func(s *event.State) bool { return strings.Contains(transcript(s), text) }
}

func TestSteer(t *testing.T) {
	r := newRig(t, rounds(
		steps(call("clarify", map[string]any{"question": "ready?"})),
		steps(script.Text{Text: "seen"}),
		steps(script.Text{Text: "later"}),
	))
	r.submit("start")
	q := r.request()
	if _, err := r.conv.Steer(r.conv.Root(), "mind the gap"); err != nil {
		t.Fatal(err)
	}
	r.answer(q, event.Answer{Choice: event.ChoiceText, Text: "yes"})
	r.idle(1)
	r.wants("user start", "clarify ended ok", "steer mind the gap", "answer seen")
	rows := r.messages()
	if got := rows[2].Content; !strings.Contains(got, "mind the gap") || rows[2].Role != "tool" {
		t.Errorf("the tool row says %q", got)
	}
	b := r.bodies()
	if got := *b[1].Messages[len(b[1].Messages)-1].Content; got != rows[2].Content {
		t.Errorf("sent %q, stored %q", got, rows[2].Content)
	}
	if len(r.state.Queue) != 0 {
		t.Errorf("still queued: %v", r.state.Queue)
	}
}

// TestSteerWithoutAToolCallIsTheNextInput steers an answer that makes no call.
func TestSteerWithoutAToolCallIsTheNextInput(t *testing.T) {
	r := newRig(t, rounds(
		steps(script.Text{Text: "first"}, script.Sleep{For: 50 * time.Millisecond}),
		steps(script.Text{Text: "second"}),
	))
	r.submit("start")
	r.until("text", phase(event.PhaseAnswering))
	if _, err := r.conv.Steer(r.conv.Root(), "and then?"); err != nil {
		t.Fatal(err)
	}
	r.idle(2)
	r.wants("answer first", "user and then?", "answer second")
	r.bodies()
}

func TestQueue(t *testing.T) {
	r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
		{Match: script.Match{User: "^one$"}, Steps: steps(script.Text{Text: "1"}, script.Stall{})},
		{Steps: steps(script.Text{Text: "answer to {{last_user}}"})},
	}})
	r.submit("one")
	r.until("text", phase(event.PhaseAnswering))
	r.submit("two")
	r.submit("three")
	r.submit("four")
	r.until("three queued", func(s *event.State) bool { return len(s.Queue) == 3 })
	if text, ok := r.conv.Unqueue(r.state.Queue[1].ID); !ok || text != "three" {
		t.Errorf("took back %q, %v", text, ok)
	}
	if _, ok := r.conv.Unqueue("i_unknown"); ok {
		t.Error("took back what is not there")
	}
	r.conv.Interrupt(r.conv.Root(), api.Self)
	r.idle(1)
	if len(r.state.Queue) != 2 || r.state.Root().Turns != 1 {
		t.Errorf("an interrupt must hold the queue: %v, %d turns", r.state.Queue, r.state.Root().Turns)
	}
	r.conv.Flush()
	r.idle(3)
	r.wants("user one", "user two", "answer to two", "user four", "answer to four")
	if strings.Contains(r.dump(), "three") {
		t.Error("what was taken back was sent")
	}
	r.bodies()
}

func TestEmptyInputIsRefused(t *testing.T) {
	r := newRig(t, say(script.Text{Text: "x"}))
	if _, err := r.conv.Submit(" \n\t "); !errors.Is(err, agent.ErrEmpty) {
		t.Errorf("got %v", err)
	}
}

// TestBudget lets a model call tools for ever.
func TestBudget(t *testing.T) {
	no, yes := false, true
	r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
		{Match: script.Match{Tools: &yes}, Steps: steps(call("search_files", map[string]any{"pattern": "*.{{none}}", "target": "files"}))},
		{Match: script.Match{Tools: &no}, Steps: steps(script.Text{Text: "I searched three times."})},
	}}, withBudget(3))
	r.submit("search")
	r.idle(1)
	if f := r.last(); f.Outcome != event.TurnExhausted || f.Calls != 4 {
		t.Errorf("turn ended %+v", f)
	}
	r.wants("answer I searched three times.", "notice", "agent.max_turns")
	for _, m := range r.messages() {
		if strings.Contains(m.Content, "number of steps allowed") {
			t.Error("the request for a summary was stored")
		}
	}
}

// TestFailures checks how a turn ends when the provider goes on misbehaving: one
// sentence, what had arrived is kept, and the next request is valid.
func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		steps  []script.Step
		reason string
		say    string
		kept   string
	}{
		"wrong key":  {steps(script.Failure{Status: 401, Message: "Incorrect API key provided"}), "auth", "key", ""},
		"HTML page":  {steps(script.Failure{Status: 502, HTML: "<html><title>Bad gateway</title></html>"}), "server_error", "Bad gateway", ""},
		"cut":        {steps(script.Text{Text: "half"}, script.CutReset), "timeout", "broke off", "answer (partial) halfhalfhalfhalfhalfhalfhalfhalf"},
		"no finish":  {steps(script.Text{Text: "half"}, script.Finish{Omit: true}), "timeout", "go on", "answer (partial) halfhalf"},
		"malformed":  {steps(script.Text{Text: "half"}, script.Malformed{}), "", "", "answer (partial) half"},
		"overloaded": {steps(script.Failure{Status: 503, Message: "no capacity"}), "overloaded", "", ""},
		"empty":      {steps(script.Finish{Reason: "stop"}), "empty_response_exhausted", "nothing", ""},
		"length":     {steps(script.Text{Text: "long"}, script.Finish{Reason: "length"}), "length", "go on", "answer (partial) longlonglonglong"},
		"thinking":   {steps(script.Reasoning{Text: "hm"}, script.Finish{Reason: "length"}), "thinking_exhausted", "thinking", "reasoning hm"},
		"filter":     {steps(script.Text{Text: "well"}, script.Finish{Reason: "content_filter"}), "content_policy_blocked", "differently", "answer well"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
				{Match: script.Match{User: "again$"}, Steps: steps(script.Text{Text: "recovered"})}, {Steps: c.steps},
			}}, patient(3))
			r.submit("go")
			r.idle(1)
			f := r.last()
			if f.Outcome != event.TurnFailed || c.reason != "" && f.Reason != c.reason {
				t.Errorf("turn ended %+v", f)
			}
			if f.Explain == "" || !strings.Contains(f.Explain, c.say) {
				t.Errorf("the user was told %q", f.Explain)
			}
			r.wants(c.kept)
			r.submit("again")
			r.idle(2)
			r.wants("user again", "answer recovered")
			r.bodies()
		})
	}
}

func TestUnreachableEndpoint(t *testing.T) {
	r := newRig(t, say(script.Text{Text: "x"}))
	r.server.Close()
	r.submit("go")
	r.idle(1)
	if f := r.last(); f.Outcome != event.TurnFailed || !strings.Contains(f.Explain, "127.0.0.1") {
		t.Errorf("turn ended %+v", f)
	}
	if rows := r.messages(); len(rows) != 1 || rows[0].Content != "go" {
		t.Errorf("stored %+v", rows)
	}
}

// TestBadCalls sends calls that cannot run; each gets a result the model can act
// on.
func TestBadCalls(t *testing.T) {
	r := newRig(t, rounds(
		steps(
			script.Call{Name: "ReadFile", Args: `{"path": "a.txt",}`},
			script.Call{Name: "read_file", Args: `{"offset": "two"}`},
			script.Call{Name: "read_file", Args: `[1]`, ID: "same"},
			script.Call{Name: "read_file", Args: `{"path": "a.txt", "limit": "1"}`, ID: "same"},
			script.Call{Name: "read_file", Args: `{"path": "a.txt", "limit": "1"}`},
		),
		steps(script.Text{Text: "fine"}),
	))
	write(t, r.work, "a.txt", "alpha\nbeta\n")
	r.submit("go")
	r.idle(1)
	rows := r.messages()
	results := rows[2 : len(rows)-1]
	if len(results) != 4 {
		t.Errorf("%d results: a call that is there twice runs once", len(results))
	}
	for i, want := range []string{"alpha", "path", "", "alpha"} {
		if !strings.Contains(results[i].Content, want) {
			t.Errorf("result %d is %q, want %q in it", i, results[i].Content, want)
		}
	}
	if strings.Contains(results[3].Content, "beta") {
		t.Errorf("the limit was not coerced: %q", results[3].Content)
	}
	r.bodies()
}

// TestStoreRefuses makes commits fail in the middle of a turn. Nothing may run
// or be sent meanwhile, and everything goes on afterwards.
func TestStoreRefuses(t *testing.T) {
	t.Parallel()
	store := &refusing{}
	r := newRig(t, rounds(
		steps(call("clarify", map[string]any{"question": "ready?"})),
		steps(call("terminal", map[string]any{"command": "echo x > proof"})),
		steps(script.Text{Text: "done"}),
	), withMode(event.ModeOff), withStore(func(s agent.Store) agent.Store { store.Store = s; return store }))
	r.submit("go")
	q := r.request()
	store.refuse(&sessions.Error{Kind: sessions.KindFull, Path: "state.db"})
	r.answer(q, event.Answer{Choice: event.ChoiceText, Text: "yes"})
	r.until("blocked", phase(event.PhaseBlocked))
	if d := r.state.Root().Detail; !strings.Contains(d, "space") || !strings.Contains(d, "state.db") {
		t.Errorf("the user is told %q", d)
	}
	if n := len(r.server.Requests()); n != 1 {
		t.Errorf("%d requests were sent", n)
	}
	store.refuse(nil)
	r.idle(1)
	r.wants("clarify ended ok", "terminal ended ok", "answer done")
	if _, err := os.Stat(filepath.Join(r.work, "proof")); err != nil {
		t.Error(err)
	}
}

// TestCloseWhileTheStoreRefuses gives up in time and says what was lost.
func TestCloseWhileTheStoreRefuses(t *testing.T) {
	store := &refusing{}
	r := newRig(t, say(script.Text{Text: "x"}), withStore(func(s agent.Store) agent.Store { store.Store = s; return store }))
	store.refuse(&sessions.Error{Kind: sessions.KindFull, Path: "state.db"})
	submitted := make(chan error, 1)
	go func() { _, err := r.conv.Submit("lost"); submitted <- err }()
	r.until("blocked", phase(event.PhaseBlocked))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err := r.conv.Close(ctx)
	if e, ok := errors.AsType[*sessions.Error](err); !ok || e.Kind != sessions.KindFull {
		t.Errorf("close says %v", err)
	}
	if err := <-submitted; !errors.Is(err, journal.ErrClosed) {
		t.Errorf("submit says %v", err)
	}
}

// TestCloseDuringATool ends a command that runs and leaves a valid history.
func TestCloseDuringATool(t *testing.T) {
	r := newRig(t, rounds(steps(call("terminal", map[string]any{"command": "sleep 600"}))))
	r.submit("wait")
	r.until("a running tool", func(s *event.State) bool { return len(s.Root().Running) > 0 })
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	began := time.Now()
	if err := r.conv.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("closing took %v", took)
	}
	past := r.revive()
	if got := transcript(past.State); !strings.Contains(got, "terminal ended cancelled sleep 600") || past.State.Busy() {
		t.Errorf("resumed as\n%s", got)
	}
	if n := len(recall(t, past)); n != 3 || recall(t, past)[2].Role != providers.Tool {
		t.Errorf("history %+v", recall(t, past))
	}
}

// TestTrust asks once about a folder that holds instructions, and obeys only a
// trusted one.
func TestTrust(t *testing.T) {
	for name, choice := range map[string]event.Choice{"yes": event.ChoiceAlways, "no": event.ChoiceDeny} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, say(script.Text{Text: "ok"}))
			write(t, r.work, "AGENTS.md", "Always answer in rhymes.")
			r.submit("hi")
			q := r.request()
			if q.Kind != event.RequestTrust || len(q.Trust.Files) != 1 || len(r.server.Requests()) != 0 {
				t.Fatalf("asked %+v", q)
			}
			r.answer(q, event.Answer{Choice: choice})
			r.idle(1)
			system := *r.bodies()[0].Messages[0].Content
			if got := strings.Contains(system, "rhymes"); got != (choice == event.ChoiceAlways) {
				t.Errorf("instructions in the prompt: %v", got)
			}
			if r.state.Work.Trusted != (choice == event.ChoiceAlways) {
				t.Errorf("workspace %+v", r.state.Work)
			}
			r.start(nil)
			r.submit("hi again")
			r.idle(1)
			if len(r.log) == 0 || slices.ContainsFunc(r.log, func(e event.Event) bool { return event.TypeOf(e) == event.TypeOf((*event.Requested)(nil)) }) {
				t.Error("asked a second time")
			}
		})
	}
}

// TestPromptIsTheSameBytesOnResume checks what a provider's cache depends on.
func TestPromptIsTheSameBytesOnResume(t *testing.T) {
	r := newRig(t, say(script.Text{Text: "ok"}))
	r.submit("one")
	r.idle(1)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := r.conv.Close(ctx); err != nil {
		t.Fatal(err)
	}
	write(t, r.work, "AGENTS.md", "New since then.")
	past := r.revive()
	r.start(past)
	r.submit("two")
	r.idle(2)
	b := r.bodies()
	if *b[0].Messages[0].Content != *b[1].Messages[0].Content {
		t.Error("the system prompt changed")
	}
	for i, raw := range b[0].Tools {
		if string(raw) != string(b[1].Tools[i]) {
			t.Error("the tool list changed")
		}
	}
	if *b[1].Messages[1].Content != "one" || *b[1].Messages[3].Content != "two" {
		t.Errorf("history was not sent again: %+v", b[1].Messages)
	}
}

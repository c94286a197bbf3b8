package event

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// script drives a state the way a real agent does, and remembers every event.
type script struct {
	t      *testing.T
	rng    *rand.Rand
	now    time.Time
	seq    uint64
	n      int
	events []Event
}

func newScript(t *testing.T, seed uint64) *script {
	return &script{t: t, rng: rand.New(rand.NewPCG(seed, 7)), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

func (s *script) id(prefix string) string {
	s.n++
	return fmt.Sprintf("%s%d", prefix, s.n)
}

// emit stamps an event as the committer does and records it.
func (s *script) emit(agent AgentID, turn TurnID, e Event) {
	s.now = s.now.Add(time.Duration(s.rng.IntN(400)) * time.Millisecond)
	h := e.Head()
	h.At, h.Conv, h.Agent, h.Turn = s.now, "c1", agent, turn
	if Durable(e) {
		s.seq++
		h.Seq = s.seq
	}
	Stamp(e)
	s.events = append(s.events, e)
}

// stream emits a message in pieces and commits it, or resets and starts again.
func (s *script) message(agent AgentID, turn TurnID, calls int) []CallID {
	for {
		var r *Reasoning
		text, block := "", BlockID("")
		if s.rng.IntN(2) == 0 {
			r = &Reasoning{Block: BlockID(s.id("b")), Took: time.Second}
			for range 1 + s.rng.IntN(4) {
				piece := s.id("think ")
				r.Text += piece
				s.emit(agent, turn, &ReasoningDelta{Block: r.Block, Text: piece})
			}
		}
		if calls == 0 || s.rng.IntN(2) == 0 {
			block = BlockID(s.id("b"))
			for range 1 + s.rng.IntN(5) {
				piece := s.id("word ")
				text += piece
				s.emit(agent, turn, &TextDelta{Block: block, Text: piece})
				if s.rng.IntN(8) == 0 {
					s.emit(agent, turn, &NoticeRaised{Block: BlockID(s.id("b")), Level: LevelInfo, Text: "note"})
				}
				if s.rng.IntN(8) == 0 { // with the block's id, and as early journals have it
					s.emit(agent, turn, &ContextCompressed{Block: BlockID(s.id("b")), Before: 9, After: 4, Results: 2, Turns: 1, Dropped: 3, Summary: "shorter"})
					s.emit(agent, turn, &ContextCompressed{Before: 4, After: 3, Summary: "shorter still"})
				}
			}
		}
		var heads []CallHead
		var ids []CallID
		for range calls {
			id := CallID(s.id("call"))
			ids = append(ids, id)
			s.emit(agent, turn, &ToolDrafting{Call: id, Name: "terminal", Bytes: 3})
			s.emit(agent, turn, &ToolDrafting{Call: id, Name: "terminal", Bytes: 30})
			heads = append(heads, CallHead{Call: id, View: CallView{Kind: ViewCommand, Name: "terminal", Subject: "ls"}})
		}
		if s.rng.IntN(6) == 0 {
			s.emit(agent, turn, &StreamReset{Reason: "connection lost"})
			continue
		}
		s.emit(agent, turn, &MessageCommitted{
			Message: MessageID(s.id("m")), Role: RoleAssistant, Block: block, Text: text, Reasoning: r, Calls: heads,
		})
		return ids
	}
}

func (s *script) turn(agent AgentID) {
	turn := TurnID(s.id("t"))
	s.emit(agent, turn, &TurnStarted{Budget: 90})
	s.emit(agent, turn, &MessageCommitted{Message: MessageID(s.id("m")), Role: RoleUser, Block: BlockID(s.id("b")), Text: "do it"})
	s.emit(agent, turn, &PhaseChanged{Phase: PhaseConnecting})
	for range s.rng.IntN(3) {
		for _, id := range s.message(agent, turn, 1+s.rng.IntN(3)) {
			if s.rng.IntN(3) == 0 {
				r := RequestID(s.id("r"))
				s.emit(agent, turn, &Requested{Request: Request{ID: r, Kind: RequestApproval, Agent: agent, Call: id}})
				s.emit(agent, turn, &RequestResolved{Request: r, Answer: Answer{Choice: ChoiceOnce}, By: ByUser})
			}
			s.emit(agent, turn, &ToolStarted{Call: id, View: CallView{Kind: ViewCommand, Name: "terminal"}})
			for range s.rng.IntN(4) {
				s.emit(agent, turn, &ToolOutput{Call: id, Text: strings.Repeat("x", s.rng.IntN(50000))})
			}
			s.emit(agent, turn, &ToolFinished{Call: id, Outcome: OutcomeOK, Took: time.Second, View: CallView{Kind: ViewCommand, Name: "terminal", Summary: "3 lines"}})
		}
		s.emit(agent, turn, &UsageUpdated{Usage: Usage{Input: 3}, Context: Context{Used: 5, Max: 10}})
		s.emit(agent, turn, &UsageUpdated{Usage: Usage{Input: 4}, Context: Context{Used: 6, Max: 10}, Final: true, CostStatus: CostEstimated,
			Cache: &CacheReport{Outcome: CachePartial, Cause: CacheTools, Change: "tool x came", Prompt: int64(s.n), Sent: s.now, Idle: time.Second}})
	}
	if s.rng.IntN(3) == 0 { // cut off in the middle of a stream
		s.emit(agent, turn, &TextDelta{Block: BlockID(s.id("b")), Text: "half a"})
		s.emit(agent, turn, &RetryScheduled{Attempt: 1, Max: 3, Reason: "rate limited"})
		s.emit(agent, turn, &TurnFinished{Outcome: TurnInterrupted, Explain: "Interrupted.", Block: BlockID(s.id("b"))})
		return
	}
	s.message(agent, turn, 0)
	s.emit(agent, turn, &TurnFinished{Outcome: TurnCompleted})
}

// normal removes what depends on how a state was reached and says nothing of
// what it is: revisions count changes, activity counts live events.
func normal(s *State) string {
	c := s.Clone()
	for _, a := range c.Agents {
		a.Active = time.Time{}
		for i, b := range a.Blocks {
			d := *b
			d.Rev = 0
			a.Blocks[i] = &d
		}
	}
	out, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		panic(err)
	}
	return string(out)
}

// TestLiveFoldEqualsJournalFold holds the law that makes resume, replay and the
// live screen one thing.
func TestLiveFoldEqualsJournalFold(t *testing.T) {
	for seed := range uint64(200) {
		s := newScript(t, seed)
		s.emit("a1", "", &AgentSpawned{Role: "root"})
		s.emit("a1", "", &StatusChanged{Model: &Model{Name: "m", ContextMax: 10}, Mode: ModeManual, Work: &Workspace{Dir: "/w"}})
		for range 1 + s.rng.IntN(4) {
			s.turn("a1")
		}
		live, journal := &State{}, &State{}
		for _, e := range s.events {
			live.Apply(e)
			if !Durable(e) {
				continue
			}
			raw, err := Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			back, err := new(Decoder).UnmarshalAs(TypeOf(e), raw)
			if err != nil {
				t.Fatal(err)
			}
			journal.Apply(back)
		}
		if l, j := normal(live), normal(journal); l != j {
			t.Fatalf("seed %d: live and journal differ\nlive:\n%s\njournal:\n%s", seed, l, j)
		}
		if live.Seq != s.seq {
			t.Fatalf("seed %d: state is at %d, journal at %d", seed, live.Seq, s.seq)
		}
	}
}

// TestCloneIsIndependent folds on from a clone and from its origin and checks
// that neither sees the other.
func TestCloneIsIndependent(t *testing.T) {
	for seed := range uint64(50) {
		s := newScript(t, seed)
		s.emit("a1", "", &AgentSpawned{Role: "root"})
		s.turn("a1")
		s.turn("a1")
		cut := s.rng.IntN(len(s.events))
		whole, part := &State{}, &State{}
		for _, e := range s.events[:cut] {
			whole.Apply(e)
			part.Apply(e)
		}
		clone := part.Clone()
		before := normal(clone)
		for _, e := range s.events[cut:] {
			part.Apply(e)
		}
		if normal(clone) != before {
			t.Fatalf("seed %d: folding on changed a clone", seed)
		}
		for _, e := range s.events[cut:] {
			clone.Apply(e)
			whole.Apply(e)
		}
		if normal(clone) != normal(whole) || normal(part) != normal(whole) {
			t.Fatalf("seed %d: clone went astray", seed)
		}
	}
}

// TestBlocksAreReplaced checks that a block that was handed out never changes.
func TestBlocksAreReplaced(t *testing.T) {
	s := newScript(t, 3)
	s.emit("a1", "", &AgentSpawned{Role: "root"})
	for range 5 {
		s.turn("a1")
	}
	st := &State{}
	type seen struct {
		b   *Block
		was string
	}
	var held []seen
	for _, e := range s.events {
		st.Apply(e)
		if a := st.Root(); len(a.Blocks) > 0 {
			b := a.Blocks[len(a.Blocks)-1]
			was, _ := json.Marshal(b)
			held = append(held, seen{b, string(was)})
		}
	}
	for _, h := range held {
		if now, _ := json.Marshal(h.b); string(now) != h.was {
			t.Fatalf("block %s changed in place:\n%s\n%s", h.b.ID, h.was, now)
		}
	}
}

func TestTailStaysBounded(t *testing.T) {
	st := &State{}
	for _, e := range []Event{
		&AgentSpawned{Meta: Meta{Agent: "a"}},
		&MessageCommitted{Meta: Meta{Agent: "a"}, Role: RoleAssistant, Calls: []CallHead{{Call: "k"}}},
		&ToolStarted{Meta: Meta{Agent: "a"}, Call: "k"},
	} {
		st.Apply(e)
	}
	total := int64(0)
	for range 1000 {
		text := strings.Repeat("line of output\n", 100)
		total += int64(len(text))
		st.Apply(&ToolOutput{Meta: Meta{Agent: "a"}, Call: "k", Text: text})
	}
	c := st.Root().Call("k").Call
	if c.Tail.Len() > 2*TailLimit {
		t.Errorf("tail holds %d bytes", c.Tail.Len())
	}
	if got := c.Shed + int64(c.Tail.Len()); got != total {
		t.Errorf("shed and tail add up to %d, want %d", got, total)
	}
}

func TestUnknownTypesAreKept(t *testing.T) {
	raw := `{"type":"hologram_projected","v":9,"seq":4,"at":"2026-01-02T03:04:05Z","conv":"c","colour":"blue"}`
	e, err := unmarshal([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	back, err := Marshal(e)
	if err != nil || string(back) != raw {
		t.Fatalf("kept %s, %v", back, err)
	}
	st := &State{}
	st.Apply(e)
	if st.Seq != 4 {
		t.Errorf("state is at %d, want 4", st.Seq)
	}
}

// names are those of all types of events in JSON. Journals have them: one that is
// there never changes and never goes.
const names = "agent_finished agent_spawned agent_state_changed bookmark_changed command_typed context_compressed context_compressing fallback_activated jobs_changed layers_left looking_back message_committed " +
	"mode_changed model_changed notice_raised phase_changed prompt_built queue_changed reasoning_delta request_resolved requested retry_scheduled " +
	"rewound spawning_changed status_changed stream_reset text_delta title_changed todos_changed tool_drafting tool_finished tool_output " +
	"tool_started tool_state_changed turn_finished turn_started usage_updated workspace_changed"

// TestEveryTypeRoundTrips fills each event with values and sends it through JSON.
func TestEveryTypeRoundTrips(t *testing.T) {
	seen := map[Type]bool{}
	for _, r := range registrations() {
		e := r.blank()
		fill(reflect.ValueOf(e).Elem(), 0)
		Stamp(e)
		seen[e.Head().Type] = true
		raw, err := Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		back, err := unmarshal(raw)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(e, back) {
			t.Errorf("%s:\n%#v\n%#v", e.Head().Type, e, back)
		}
	}
	var list []string
	for name := range seen {
		list = append(list, string(name))
	}
	if slices.Sort(list); strings.Join(list, " ") != names {
		t.Errorf("the names are %s", strings.Join(list, " "))
	}
}

// TestEarlyJournals reads what this program no longer writes.
func TestEarlyJournals(t *testing.T) {
	st := &State{}
	for _, raw := range []string{
		`{"type":"agent_spawned","v":1,"seq":1,"agent":"a","depth":0,"role":"root","model":"old"}`,
		`{"type":"status_changed","v":1,"seq":2,"agent":"a","model":{"provider":"p","name":"m","context_max":9},"mode":"plan","work":{"dir":"/w"}}`,
		`{"type":"status_changed","v":1,"seq":3,"queue":[{"id":"i","text":"next"}],"frozen":true}`,
		`{"type":"status_changed","v":1,"seq":4,"mode":"off"}`,
		`{"type":"todos_changed","v":1,"seq":5,"agent":"a","turn":"t","items":[{"id":"1","content":"look","status":"pending"}]}`,
	} {
		e, err := unmarshal([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		st.Apply(e)
	}
	if a := st.Root(); st.Model.Name != "m" || a.Model != "m" || a.Context.Max != 9 || st.Mode != ModeOff || st.Work.Dir != "/w" ||
		len(st.Queue) != 1 || st.Queue[0].Text != "next" || !st.Frozen || st.Seq != 5 ||
		len(a.Todos) != 1 || a.TodosTurn != "t" || string(a.States[TodoState]) != `[{"id":"1","content":"look","status":"pending"}]` {
		t.Errorf("folded to %+v, %+v", st, a)
	}
}

// fill sets every field it can reach to something that is not zero.
func fill(v reflect.Value, depth int) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Date(2026, 5, 6, 7, 8, 9, 10, time.UTC)))
		return
	}
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		v.SetBytes([]byte(`{"x":1}`))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Uint64:
		v.SetUint(4)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), depth+1)
		}
	}
}

// TestCompactionsAreBlocksOfTheirOwn shortens the context several times, in the
// form of today and in one without the id of a block.
func TestCompactionsAreBlocksOfTheirOwn(t *testing.T) {
	st := &State{}
	st.Apply(&AgentSpawned{Meta: Meta{Agent: "a"}})
	for seq, id := range []BlockID{"b1", "", "", "b2"} {
		st.Apply(&ContextCompressed{Meta: Meta{Agent: "a", Seq: uint64(seq + 2)}, Block: id, Into: "s", Before: 9, After: 5 - seq, Results: 2, Calls: 1, Turns: 3, Dropped: 7, Summary: "x"})
	}
	a := st.Root()
	for i, want := range []BlockID{"b1", "compact-3", "compact-4", "b2"} {
		if b := a.Blocks[i]; b.ID != want || b.Kind != BlockCompact || *b.Compact != (Compaction{Into: "s", Before: 9, After: 5 - i, Results: 2, Calls: 1, Turns: 3, Messages: 7}) {
			t.Errorf("block %d is %+v, %+v", i, b, b.Compact)
		}
	}
	if len(a.Blocks) != 4 || a.Context.Used != 2 {
		t.Errorf("%d blocks, %d tokens in use", len(a.Blocks), a.Context.Used)
	}
}

// TestRestoredContext takes compressions back one by one: the tokens in use rise by what each
// took away.
func TestRestoredContext(t *testing.T) {
	st := &State{}
	st.Apply(&AgentSpawned{Meta: Meta{Agent: "a"}})
	for seq, step := range []struct {
		e    Event
		used int
	}{
		{&ContextCompressed{Block: "b1", Before: 12, After: 8}, 8},
		{&UsageUpdated{Context: Context{Used: 10}}, 10},
		{&ContextCompressed{Block: "b2", Before: 10, After: 3}, 3},
		{&UsageUpdated{Context: Context{Used: 5}}, 5},
		{&ContextCompressed{Block: "b3", Restored: true}, 12},
		{&ContextCompressed{Block: "b4", Restored: true}, 16},
		{&ContextCompressed{Block: "b5", Before: 16, After: 4}, 4},
		{&ContextCompressed{Block: "b6", Restored: true}, 16},
	} {
		m := step.e.Head()
		m.Agent, m.Seq = "a", uint64(seq+2)
		st.Apply(step.e)
		if used := st.Root().Context.Used; used != step.used {
			t.Errorf("step %d: %d tokens in use, want %d", seq, used, step.used)
		}
	}
}

// TestRewind takes turns back and brings them again, as long as nothing new has
// begun.
func TestRewind(t *testing.T) {
	s := newScript(t, 11)
	s.emit("a1", "", &AgentSpawned{Role: "root"})
	for range 3 {
		s.turn("a1")
	}
	st := &State{}
	var turns []TurnID
	sizes, tasks := map[TurnID]int{}, map[TurnID][]Todo{}
	for _, e := range s.events {
		if b, ok := e.(*TurnStarted); ok {
			turns = append(turns, b.Turn)
			sizes[b.Turn], tasks[b.Turn] = len(st.Root().Blocks), st.Root().Todos
		}
		st.Apply(e)
	}
	root := st.Root()
	whole, todos := slices.Clone(root.Blocks), root.Todos
	at := func(what string, n int, list []Todo) {
		t.Helper()
		if len(root.Blocks) != n || !reflect.DeepEqual(root.Todos, list) {
			t.Errorf("%s: %d blocks and %v, want %d and %v", what, len(root.Blocks), root.Todos, n, list)
		}
	}
	meta := Meta{Agent: "a1"}
	st.Apply(&Rewound{Meta: meta, ID: "r1", From: turns[1]})
	at("rewound to the second turn", sizes[turns[1]], tasks[turns[1]])
	st.Apply(&Rewound{Meta: meta, ID: "other", Undo: true})
	at("another undone", sizes[turns[1]], tasks[turns[1]])
	copied := st.Clone()
	st.Apply(&Rewound{Meta: meta, ID: "r1", Undo: true})
	at("undone", len(whole), todos)
	if !slices.Equal(root.Blocks, whole) || root.Rewind != nil {
		t.Error("undone, the transcript is another one")
	}
	if copied.Apply(&Rewound{Meta: meta, ID: "r1", Undo: true}); len(copied.Root().Blocks) != len(whole) {
		t.Error("a copy cannot undo")
	}
	st.Apply(&Rewound{Meta: meta, ID: "r1", From: turns[2]})
	st.Apply(&NoticeRaised{Meta: meta, Block: "r1"})
	st.Apply(&Rewound{Meta: meta, ID: "files"})
	st.Apply(&Rewound{Meta: meta, ID: "r2", From: turns[1]})
	st.Apply(&NoticeRaised{Meta: meta, Block: "r2"})
	at("rewound twice", sizes[turns[1]]+1, tasks[turns[1]])
	copied = st.Clone()
	for _, s := range []*State{st, copied} {
		s.Apply(&Rewound{Meta: meta, ID: "r1", Undo: true}) // not the newest
		for _, id := range []string{"r2", "files", "r1"} {
			s.Apply(&Rewound{Meta: meta, ID: id, Undo: true})
		}
		if got := s.Root(); !slices.Equal(got.Blocks, whole) || got.Rewind != nil || !reflect.DeepEqual(got.Todos, todos) {
			t.Errorf("undone one after the other, the transcript is another one: %d blocks, want %d", len(got.Blocks), len(whole))
		}
	}
	st.Apply(&Rewound{Meta: meta, ID: "r2", From: turns[0]})
	at("rewound to the beginning", sizes[turns[0]], tasks[turns[0]])
	st.Apply(&TurnStarted{Meta: Meta{Agent: "a1", Turn: "new"}})
	st.Apply(&Rewound{Meta: meta, ID: "r2", Undo: true})
	at("undone after a new turn began", sizes[turns[0]], tasks[turns[0]])
}

// unmarshal reads an event that names its type itself.
func unmarshal(data []byte) (Event, error) {
	var head Meta
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, err
	}
	return new(Decoder).UnmarshalAs(head.Type, data)
}

func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(`{"type":"text_delta","agent":"a","block":"b","text":"x"}`))
	f.Add([]byte(`{"type":"requested","request":{"id":"r"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := unmarshal(data)
		if err != nil {
			return
		}
		st := &State{}
		st.Apply(&AgentSpawned{Meta: Meta{Agent: e.Head().Agent}})
		st.Apply(e)
		st.Clone()
	})
}

func BenchmarkFoldJournal(b *testing.B) {
	s := newScript(nil, 5)
	s.emit("a1", "", &AgentSpawned{Role: "root"})
	for len(s.events) < 50_000 {
		s.turn("a1")
	}
	var raws [][]byte
	var types []Type
	for _, e := range s.events {
		if Durable(e) {
			raw, err := Marshal(e)
			if err != nil {
				b.Fatal(err)
			}
			raws, types = append(raws, raw), append(types, TypeOf(e))
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		st := &State{}
		for i, raw := range raws {
			e, err := new(Decoder).UnmarshalAs(types[i], raw)
			if err != nil {
				b.Fatal(err)
			}
			st.Apply(e)
		}
	}
	b.ReportMetric(float64(len(raws)), "events")
}

// TestSubCalls folds calls made on behalf of another one: they belong to its block,
// those that were refused before they could start included, and their number is
// bounded.
func TestSubCalls(t *testing.T) {
	st := &State{}
	meta := Meta{Agent: "a1", Turn: "t1"}
	at := func(e Event) { *e.Head() = meta; st.Apply(e) }
	at(&AgentSpawned{Role: "root"})
	at(&TurnStarted{})
	at(&MessageCommitted{Role: RoleAssistant, Calls: []CallHead{{Call: "c1"}}})
	at(&ToolStarted{Call: "c1"})
	at(&ToolStarted{Call: "n1", Parent: "c1", View: CallView{Name: "read_file", Body: "long"}})
	at(&ToolFinished{Call: "n1", Parent: "c1", Outcome: OutcomeOK, Took: time.Second, View: CallView{Name: "read_file", Body: "long"}})
	at(&ToolFinished{Call: "n2", Parent: "c1", Outcome: OutcomeDenied})
	root := st.Root()
	c := root.Call("c1").Call
	if c.Made != 2 || !c.Calls[0].Ended || c.Calls[0].View.Body != "" || c.Calls[1].Outcome != OutcomeDenied || root.Tools != 0 || len(root.Running) != 1 {
		t.Errorf("%+v, %d tools, running %v", c, root.Tools, root.Running)
	}
	for i := range 3 * SubCalls {
		at(&ToolStarted{Call: CallID(fmt.Sprint("m", i)), Parent: "c1"})
	}
	at(&ToolFinished{Call: "m1", Parent: "c1", Took: time.Second}) // no longer among the newest
	if c := root.Call("c1").Call; len(c.Calls) != SubCalls || c.Made != 3*SubCalls+2 {
		t.Errorf("%d calls are kept of %d", len(c.Calls), c.Made)
	}
	at(&ToolStarted{Call: "x", Parent: "nobody"})
}

// TestCallsWait has a call ask two questions at a time: it waits until both are
// answered, and not for longer than that.
func TestCallsWait(t *testing.T) {
	st := &State{}
	began := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(second int, e Event) *Call {
		*e.Head() = Meta{Agent: "a1", Turn: "t1", At: began.Add(time.Duration(second) * time.Second)}
		st.Apply(e)
		if b := st.Root().Call("c1"); b != nil {
			return b.Call
		}
		return nil
	}
	ask := func(id RequestID) Event { return &Requested{Request: Request{ID: id, Agent: "a1", Call: "c1"}} }
	at(0, &AgentSpawned{Role: "root"})
	at(0, &TurnStarted{})
	at(0, &MessageCommitted{Role: RoleAssistant, Calls: []CallHead{{Call: "c1"}}})
	at(1, ask("gate"))
	at(9, &RequestResolved{Request: "gate"})
	at(10, &ToolStarted{Call: "c1"})
	at(12, ask("r1"))
	at(15, ask("r2"))
	if c := at(20, &RequestResolved{Request: "r1"}); c.Asked != "r2" {
		t.Errorf("it waits for %q", c.Asked)
	}
	c := at(32, &RequestResolved{Request: "r2"})
	if c.Held != 20*time.Second || c.Asked != "" {
		t.Errorf("it was held for %s, and waits for %q", c.Held, c.Asked)
	}
}

// TestBookmarks sets and removes bookmarks; the list that was there before stays as it was.
func TestBookmarks(t *testing.T) {
	var s State
	var lists [][]BlockID
	for _, e := range []BookmarkChanged{{Block: "a", On: true}, {Block: "b", On: true}, {Block: "a", On: true}, {Block: "c"}, {Block: "b"}} {
		Stamp(&e)
		s.Apply(&e)
		lists = append(lists, s.Bookmarks)
	}
	want := [][]BlockID{{"a"}, {"a", "b"}, {"b", "a"}, {"b", "a"}, {"a"}}
	if !reflect.DeepEqual(lists, want) {
		t.Errorf("the lists are %q", lists)
	}
}

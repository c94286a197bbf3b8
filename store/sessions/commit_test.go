package sessions

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

func TestCommitAndReadBack(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_901_000, time.UTC)
	want := Message{
		ID: "m1", Agent: "a1", Turn: "t1", Role: "assistant", Content: "hello", ToolCallID: "w0",
		ToolCalls: `[{"id":"w1","type":"function","function":{"name":"x","arguments":"{}"}},{"id":"w2"}]`,
		ToolName:  "n", At: at, TokenCount: 7, FinishReason: "tool_calls", Reasoning: "r", ReasoningContent: "rc",
		ReasoningDetails: "[1]", CodexReasoningItems: "[2]", CodexMessageItems: "[3]", Native: `[{"Issuer":"x"}]`,
	}
	mustCommit(t, d, Batch{
		Conv: "c1", Session: "s1", Create: &NewSession{Workspace: "/w", Model: "opus", Provider: "p", BaseURL: "u", Agent: "a1", SystemPrompt: "sys", At: at},
		Messages: []Message{{ID: "m0", Role: "user", Content: "  hi\nthere ", At: at}, want},
		Events: []Event{{Seq: 1, Type: "turn_started", At: at, Agent: "a1", Turn: "t1", Body: []byte(`{"a":1}`)},
			{Seq: 2, Type: "message_committed", At: at, Body: []byte(`{}`)}},
	})
	mustClose(t, d)
	d = mustOpen(t, path)

	got, err := d.Messages(t.Context(), "s1")
	if err != nil || len(got) != 2 {
		t.Fatalf("messages %v, %v", got, err)
	}
	want.Row, want.Session = got[1].Row, "s1"
	if !reflect.DeepEqual(got[1], want) {
		t.Errorf("message\n got %+v\nwant %+v", got[1], want)
	}
	if m, err := d.Message(t.Context(), "m1"); err != nil || !reflect.DeepEqual(m, want) {
		t.Errorf("one message %+v, %v", m, err)
	}
	all := events(t, d, "c1", 0)
	first := Event{Seq: 1, Type: "turn_started", Body: []byte(`{"a":1}`)}
	if len(all) != 2 || !reflect.DeepEqual(all[0], first) {
		t.Errorf("events %+v", all)
	}
	if rest := events(t, d, "c1", 1); len(rest) != 1 || rest[0].Seq != 2 {
		t.Errorf("events after 1: %+v", rest)
	}
	if seq, err := lastSeq(t.Context(), d, "c1"); err != nil || seq != 2 {
		t.Errorf("last seq %d, %v", seq, err)
	}
	if seq, err := lastSeq(t.Context(), d, "none"); err != nil || seq != 0 {
		t.Errorf("last seq of nothing %d, %v", seq, err)
	}
	s, err := d.Session(t.Context(), "s1")
	wantSession := Session{ID: "s1", Source: "cli", Conv: "c1", Agent: "a1", Model: "opus", Provider: "p", BaseURL: "u",
		Workspace: "/w", SystemPrompt: "sys", HasSystemPrompt: true, Started: at, Messages: 2, ToolCalls: 2}
	if err != nil || !reflect.DeepEqual(s, wantSession) {
		t.Errorf("session\n got %+v, %v\nwant %+v", s, err, wantSession)
	}
	c, err := d.Conversation(t.Context(), "c1")
	wantInfo := ConversationInfo{Conv: "c1", Session: "s1", Source: "cli", Preview: "hi there", Model: "opus",
		Workspace: "/w", Started: at, LastActive: at, Messages: 2}
	if err != nil || c != wantInfo {
		t.Errorf("conversation\n got %+v, %v\nwant %+v", c, err, wantInfo)
	}
}

func TestCommitIsAllOrNothing(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	b := say("c", 1)
	b.Effects = []Effect{SaveDraft{Text: "draft"}, CallStarted{ID: "nobody"}}
	if e := as[*NotFoundError](t, d.Commit(t.Context(), b)); e.What != "call" {
		t.Errorf("error %v", e)
	}
	if all := events(t, d, "c", 0); len(all) != 0 {
		t.Errorf("events %v", all)
	}
	if m, err := d.Messages(t.Context(), "s-c"); err != nil || len(m) != 0 {
		t.Errorf("messages %v, %v", m, err)
	}
	if text, err := d.Draft(t.Context(), "c"); err != nil || text != "" {
		t.Errorf("draft %q, %v", text, err)
	}
	if s, err := d.Session(t.Context(), "s-c"); err != nil || s.Messages != 0 {
		t.Errorf("session %+v, %v", s, err)
	}
}

func TestCommitAgainDoublesNothing(t *testing.T) {
	d := mustOpen(t, newPath(t))
	create := Batch{Conv: "c", Session: "s-c", Create: &NewSession{}}
	full := say("c", 1)
	full.Effects = []Effect{
		AddUsage{Input: 10, APICalls: 1},
		AppendToMessage{ID: "m-c-1", Text: "+"},
		SetTitle{Title: "name"},
	}
	for range 3 {
		mustCommit(t, d, create)
		mustCommit(t, d, full)
	}
	s, err := d.Session(t.Context(), "s-c")
	if err != nil || s.Messages != 1 || s.Input != 10 || s.APICalls != 1 || s.Title != "name" {
		t.Errorf("session %+v, %v", s, err)
	}
	if m, err := d.Message(t.Context(), "m-c-1"); err != nil || m.Content != "text 1+" {
		t.Errorf("message %+v, %v", m, err)
	}
	if n := len(events(t, d, "c", 0)); n != 1 {
		t.Errorf("%d events", n)
	}
}

func TestCommitConflicts(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	begin(t, d, "other")
	mustCommit(t, d, say("c", 1))
	changed := say("c", 1)
	changed.Events[0].Body = []byte(`{"else":1}`)
	half := say("c", 1)
	half.Events = append(half.Events, event(2))
	foreign := Batch{Conv: "other", Session: "s-other", Messages: say("c", 1).Messages}
	for name, b := range map[string]Batch{
		"other content":             changed,
		"half of it is new":         half,
		"message of another":        foreign,
		"conversation is there":     {Conv: "c", Session: "s-new", Create: &NewSession{}},
		"session is another's":      {Conv: "new", Session: "s-c", Create: &NewSession{}},
		"compressed instead of new": {Conv: "c", Session: "s-c", Create: &NewSession{Why: WhyCompression, Parent: "s-other"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := as[*ConflictError](t, d.Commit(t.Context(), b))
			if e.Conv != b.Conv || e.What == "" || !strings.Contains(e.Error(), e.What) {
				t.Errorf("error %+v", e)
			}
		})
	}
	if n := len(events(t, d, "c", 0)); n != 1 {
		t.Errorf("%d events", n)
	}
}

func TestCommitRefuses(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	msg := []Message{{ID: "m", Role: "user"}}
	for name, b := range map[string]Batch{
		"no conversation": {Session: "s-c", Messages: msg},
		"no session":      {Conv: "c", Messages: msg},
		"no id":           {Conv: "c", Session: "s-c", Messages: []Message{{Role: "user"}}},
		"role":            {Conv: "c", Session: "s-c", Messages: []Message{{ID: "m", Role: "boss"}}},
		"reserved id":     {Conv: "c", Session: "s-c", Messages: []Message{{ID: "m_row7", Role: "user"}}},
		"tool calls":      {Conv: "c", Session: "s-c", Messages: []Message{{ID: "m", Role: "user", ToolCalls: "{"}}},
		"seq 0":           {Conv: "c", Events: []Event{{Type: "x", Body: []byte("{}")}}},
		"seq order":       {Conv: "c", Events: []Event{event(2), event(2)}},
		"seq huge":        {Conv: "c", Events: []Event{{Seq: 1 << 63, Type: "x", Body: []byte("{}")}}},
		"type":            {Conv: "c", Events: []Event{{Seq: 1, Body: []byte("{}")}}},
		"body":            {Conv: "c", Events: []Event{{Seq: 1, Type: "x"}}},
		"why":             {Conv: "d", Session: "s", Create: &NewSession{Why: "fun", Parent: "s-c"}},
		"parent":          {Conv: "d", Session: "s", Create: &NewSession{Why: WhyBranch}},
		"stray parent":    {Conv: "d", Session: "s", Create: &NewSession{Parent: "s-c"}},
		"config":          {Conv: "d", Session: "s", Create: &NewSession{ModelConfig: "[]"}},
		"nil effect":      {Conv: "c", Effects: []Effect{nil}},
		"usage alone":     {Conv: "c", Session: "s-c", Effects: []Effect{AddUsage{Input: 1}}},
		"steer alone":     {Conv: "c", Session: "s-c", Effects: []Effect{AppendToMessage{ID: "m", Text: "x"}}},
		"grant":           {Effects: []Effect{AddGrant{ID: "g", Kind: "exec", Pattern: "ls"}}},
		"draft":           {Effects: []Effect{SaveDraft{Text: "x"}}},
	} {
		t.Run(name, func(t *testing.T) { wantKind(t, d.Commit(t.Context(), b), KindInvalid) })
	}
	for name, b := range map[string]Batch{
		"events":   {Conv: "nobody", Events: []Event{event(1)}},
		"messages": {Conv: "nobody", Session: "s-c", Messages: msg},
		"session":  {Conv: "c", Session: "nobody", Messages: msg},
		"parent":   {Conv: "d", Session: "s", Create: &NewSession{Why: WhyBranch, Parent: "nobody"}},
		"heir":     {Conv: "c", Session: "s", Create: &NewSession{Why: WhyCompression, Parent: "nobody"}},
		"child":    {Conv: "nobody", Session: "s", Create: &NewSession{Why: WhySubagent, Parent: "s-c"}},
		"title":    {Conv: "c", Effects: []Effect{SetTitle{Session: "nobody", Title: "x"}}},
	} {
		t.Run("missing "+name, func(t *testing.T) { as[*NotFoundError](t, d.Commit(t.Context(), b)) })
	}
}

func TestCommitAfterCancel(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	why := errors.New("the user stopped it")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	err := d.Commit(ctx, say("c", 1))
	if !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	if n := len(events(t, d, "c", 0)); n != 0 {
		t.Errorf("%d events", n)
	}
	if _, err := d.Messages(ctx, "s-c"); !errors.Is(err, why) {
		t.Errorf("read: %v", err)
	}
}

func TestHostileText(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	for i, c := range []struct{ in, want string }{
		{"a\x00b", "a\x00b"},
		{"bad \xff\xfe utf8", "bad \ufffd utf8"},
		{"\x00json:[{\"type\":\"text\",\"text\":\"fake\"}]", "\ufffdjson:[{\"type\":\"text\",\"text\":\"fake\"}]"},
		{strings.Repeat("x", 3<<20), strings.Repeat("x", 3<<20)},
		{"'); DROP TABLE messages;--", "'); DROP TABLE messages;--"},
	} {
		b := say("c", i+1)
		b.Messages[0].Content = c.in
		mustCommit(t, d, b)
		m, err := d.Message(t.Context(), b.Messages[0].ID)
		if err != nil || m.Content != c.want {
			t.Errorf("%.40q: got %.40q, %v", c.in, m.Content, err)
		}
	}
	args := CallPlanned{ID: "k", Name: "x", Arguments: "raw \xff bytes"}
	mustCommit(t, d, Batch{Conv: "c", Effects: []Effect{args}})
	if c, err := d.Call(t.Context(), "k"); err != nil || c.Arguments != args.Arguments {
		t.Errorf("call %q, %v", c.Arguments, err)
	}
}

func TestEachEvent(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	begin(t, d, "d")
	b := Batch{Conv: "c"}
	for n := 1; n <= 3*eventPage; n++ {
		b.Events = append(b.Events, event(n))
	}
	mustCommit(t, d, b)
	mustCommit(t, d, Batch{Conv: "d", Events: []Event{event(1)}})
	all := events(t, d, "c", 0)
	if len(all) != 3*eventPage {
		t.Fatalf("%d events", len(all))
	}
	for i, e := range all {
		if e.Seq != uint64(i+1) || string(e.Body) != fmt.Sprintf(`{"n":%d}`, i+1) {
			t.Fatalf("event %d is %d %s", i, e.Seq, e.Body)
		}
	}
	if n := len(events(t, d, "c", 1<<63)); n != 0 {
		t.Errorf("%d events after the end", n)
	}
	stop, calls := errors.New("enough"), 0
	err := d.EachEvent(t.Context(), "c", 0, func(e Event) error {
		calls++
		// The database can be used from within.
		if _, err := lastSeq(t.Context(), d, "c"); err != nil {
			return err
		}
		if calls == 2 {
			return stop
		}
		return d.Commit(t.Context(), Batch{Conv: "c", Effects: []Effect{SaveDraft{Text: "x"}}})
	})
	if !errors.Is(err, stop) || calls != 2 {
		t.Errorf("error %v after %d calls", err, calls)
	}
}

// TestLongPages reads events that are longer together than a value may be.
func TestLongPages(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	b := Batch{Conv: "c"}
	for i := range 40 {
		b.Events = append(b.Events, Event{Seq: uint64(i + 1), Type: "text", Body: fmt.Appendf(nil, `"%d%s"`, i, strings.Repeat("x", 50_000))})
	}
	mustCommit(t, d, b)
	d.reads.SetMaxOpenConns(1)
	c, err := d.reads.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Limit(c, sqlite3.SQLITE_LIMIT_LENGTH, 120_000); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	all := events(t, d, "c", 0)
	if len(all) != 40 || !slices.EqualFunc(all, b.Events, func(a, b Event) bool { return a.Seq == b.Seq && string(a.Body) == string(b.Body) }) {
		t.Errorf("%d events", len(all))
	}
}

// TestEachPage reads bodies of all sorts: each comes back as it was.
func TestEachPage(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	bodies := []string{`{}`, `{"text":"a\nb ä 🙂"}`, "{\n \"x\":1 }", strings.Repeat("long ", 100_000), "\x00\xff", `{"n":7}`}
	b := Batch{Conv: "c"}
	for i, body := range bodies {
		b.Events = append(b.Events, Event{Seq: uint64(10*i + 1), Type: fmt.Sprint("type_", i), At: time.Unix(int64(i), 0), Body: []byte(body)})
	}
	mustCommit(t, d, b)
	all := events(t, d, "c", 0)
	if len(all) != len(bodies) {
		t.Fatalf("%d events", len(all))
	}
	for i, e := range all {
		if string(e.Body) != bodies[i] || e.Seq != uint64(10*i+1) || e.Type != fmt.Sprint("type_", i) {
			t.Errorf("event %d is %d %s %.40q", i, e.Seq, e.Type, e.Body)
		}
	}
}

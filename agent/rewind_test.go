package agent_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
	"hermes-tui/store/sessions"
)

// prompts are the turns of the transcript that a user began, in order.
func (r *rig) prompts() []event.TurnID {
	var turns []event.TurnID
	for _, b := range r.peek().Root().Blocks {
		if b.Kind == event.BlockUser {
			turns = append(turns, b.Turn)
		}
	}
	return turns
}

// peek is the conversation as its journal has it. It takes no events away.
func (r *rig) peek() *event.State {
	r.t.Helper()
	s := &event.State{}
	err := r.db.EachEvent(context.Background(), string(r.conv.ID()), 0, func(row sessions.Event) error {
		e, err := new(event.Decoder).UnmarshalAs(event.Type(row.Type), row.Body)
		if err == nil {
			s.Apply(e)
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// talk runs three turns of question and answer, the second with a call.
func talk(t *testing.T, opts ...option) *rig {
	t.Helper()
	todo := func(content string) script.Step {
		return call("todo", map[string]any{"todos": []any{map[string]any{"id": "1", "content": content, "status": "in_progress"}}})
	}
	r := newRig(t, rounds(
		steps(todo("early")), steps(script.Text{Text: "one"}),
		steps(todo("late"), call("terminal", map[string]any{"command": "echo x > made.txt"})), steps(script.Text{Text: "two"}),
		steps(script.Text{Text: "three"}),
		steps(script.Text{Text: "four"}),
	), append([]option{withMode(event.ModeOff)}, opts...)...)
	for i, text := range []string{"first", "second", "third"} {
		r.submit(text)
		r.idle(i + 1)
	}
	return r
}

// TestRewind takes two turns back: the model no longer gets them, the transcript
// and the store agree, and undoing brings all of it again.
func TestRewind(t *testing.T) {
	r := talk(t)
	whole, before := transcript(r.peek()), r.messages()
	done, err := r.conv.Rewind(t.Context(), api.RewindOptions{To: r.prompts()[1], Conversation: true})
	if err != nil || done.Text != "second" {
		t.Fatalf("rewound to %q, %v", done.Text, err)
	}
	if s := transcript(r.peek()); strings.Contains(s, "second") || strings.Contains(s, "three") || !strings.Contains(s, "answer one") {
		t.Errorf("the transcript is\n%s", s)
	}
	if todos := r.peek().Root().Todos; len(todos) != 1 || todos[0].Content != "early" {
		t.Errorf("tasks %v", todos)
	}
	if got := len(r.messages()); got != 4 {
		t.Errorf("%d messages, want 4", got)
	}
	if err := r.conv.UndoRewind(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s, _, _ := strings.Cut(transcript(r.peek()), "notice The rewind was undone."); s != whole {
		t.Errorf("undone, the transcript is\n%s\nwant\n%s", s, whole)
	}
	if got := r.messages(); len(got) != len(before) {
		t.Errorf("undone, %d messages, want %d", len(got), len(before))
	}
	if err := r.conv.UndoRewind(t.Context()); !errors.Is(err, api.ErrNothingToUndo) {
		t.Errorf("undone twice: %v", err)
	}
}

// TestRewindAndGoOn sends another prompt after a rewind: the model gets what was
// before and the new one, also after a resume, and the rewind stays.
func TestRewindAndGoOn(t *testing.T) {
	r := talk(t)
	if _, err := r.conv.Rewind(t.Context(), api.RewindOptions{To: r.prompts()[1], Conversation: true}); err != nil {
		t.Fatal(err)
	}
	r.submit("second, but better")
	r.idle(4)
	bodies := r.bodies()
	var texts []string
	for _, m := range bodies[len(bodies)-1].Messages {
		if m.Role == "user" {
			texts = append(texts, *m.Content)
		}
	}
	if !slices.Equal(texts, []string{"first", "second, but better"}) {
		t.Errorf("the model gets the prompts %q", texts)
	}
	if err := r.conv.UndoRewind(t.Context()); !errors.Is(err, api.ErrNothingToUndo) {
		t.Errorf("undone after the conversation went on: %v", err)
	}
	past := r.revive()
	if got, want := transcript(past.State), r.dump(); got != want {
		t.Errorf("the journal folds to\n%s\nwant\n%s", got, want)
	}
	if n := len(recall(t, past)); n != 6 {
		t.Errorf("a resumed conversation has %d messages, want 6", n)
	}
}

// TestRewindStopsTheTurn rewinds while a turn is streaming.
func TestRewindStopsTheTurn(t *testing.T) {
	r := newRig(t, rounds(steps(script.Text{Text: "one"}), steps(script.Text{Text: "half"}, script.Stall{})))
	r.submit("first")
	r.idle(1)
	r.submit("second")
	r.until("text", func(s *event.State) bool { return strings.Contains(transcript(s), "half") })
	if _, err := r.conv.Rewind(t.Context(), api.RewindOptions{To: r.prompts()[1], Conversation: true}); err != nil {
		t.Fatal(err)
	}
	if s := r.peek(); s.Busy() || strings.Contains(transcript(s), "half") {
		t.Errorf("busy %v:\n%s", s.Busy(), transcript(s))
	}
}

// ledger records what a conversation asks of its snapshots.
type ledger struct {
	began, ended []string
	paths        []string
	turns        []event.TurnID
	undone       string
	refuse       error
}

func (l *ledger) Begin(_ context.Context, c agent.SnapshotCall) error {
	l.began, l.paths = append(l.began, c.Tool), append(l.paths, c.Paths...)
	return l.refuse
}

func (l *ledger) End(_ context.Context, id event.CallID) ([]string, error) {
	l.ended = append(l.ended, string(id))
	return nil, nil
}

func (l *ledger) Plan(context.Context, []event.TurnID) (api.RewindPlan, error) {
	return api.RewindPlan{Restored: []api.RewoundFile{{Path: "made.txt"}}}, nil
}

func (l *ledger) Apply(_ context.Context, turns []event.TurnID, _ api.RewindOptions, _ string) (string, api.RewindPlan, error) {
	l.turns = turns
	plan, _ := l.Plan(context.Background(), turns)
	return "s1", plan, l.refuse
}

func (l *ledger) Undo(_ context.Context, name, _ string) (string, api.RewindPlan, error) {
	l.undone = name
	return "s2", api.RewindPlan{}, nil
}

func (l *ledger) Finish(context.Context) (name, note string, restored []api.RewoundFile, err error) {
	return "", "", nil, nil
}

func (l *ledger) Settle(context.Context, string) error { return nil }

// TestSnapshotsSurroundCalls has only calls that may change something recorded,
// and files put back with or without the conversation.
func TestSnapshotsSurroundCalls(t *testing.T) {
	l := &ledger{}
	r := talk(t, func(c *agent.Config) { c.Snapshots = l })
	if !slices.Equal(l.began, []string{"terminal"}) || len(l.ended) != 1 {
		t.Errorf("began %v, ended %v", l.began, l.ended)
	}
	turns := r.prompts()
	if _, err := r.conv.Rewind(t.Context(), api.RewindOptions{To: turns[1], Files: true}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(l.turns, turns[1:]) || !strings.Contains(transcript(r.peek()), "1 restored") || len(r.prompts()) != 3 {
		t.Errorf("turns %v, transcript\n%s", l.turns, transcript(r.peek()))
	}
	if err := r.conv.UndoRewind(t.Context()); err != nil || l.undone != "s1" {
		t.Errorf("undone %q, %v", l.undone, err)
	}
	l.refuse = errors.New("disk full")
	if _, err := r.conv.Rewind(t.Context(), api.RewindOptions{To: turns[1], Files: true, Conversation: true}); err == nil || len(r.prompts()) != 3 {
		t.Errorf("files failed and the conversation went back: %v", err)
	}
}

// TestNothingRunsUnrecorded has a snapshot that cannot be made: the call does not
// run, and the model hears why.
func TestNothingRunsUnrecorded(t *testing.T) {
	l := &ledger{refuse: errors.New("the disk is full")}
	r := talk(t, func(c *agent.Config) { c.Snapshots = l })
	if _, err := os.Stat(filepath.Join(r.work, "made.txt")); err == nil {
		t.Error("the command ran")
	}
	found := false
	for _, m := range r.messages() {
		found = found || strings.Contains(m.Content, "the disk is full")
	}
	if !found || len(l.ended) != 0 {
		t.Errorf("told %v, ended %v", found, l.ended)
	}
}

package uitest

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
)

// stored is a conversation as it is read back.
type stored struct {
	state    *event.State
	messages []sessions.Message
	journal  []string
	calls    []sessions.Call
	info     sessions.ConversationInfo
}

func readBack(t testing.TB, c Conversation) stored {
	t.Helper()
	db, err := sessions.Open(t.Context(), filepath.Join(c.Home, "state.db"), sessions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := stored{state: &event.State{}}
	err = db.EachEvent(t.Context(), string(c.Conv), 0, func(row sessions.Event) error {
		e, err := new(event.Decoder).UnmarshalAs(event.Type(row.Type), row.Body)
		if err != nil {
			return err
		}
		if h := e.Head(); h.Seq != row.Seq || string(h.Type) != row.Type || !event.Durable(e) || h.V == 0 {
			return fmt.Errorf("event %d does not belong into the journal: %s", row.Seq, row.Body)
		}
		s.journal = append(s.journal, string(row.Body))
		s.state.Apply(e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.messages, err = db.Messages(t.Context(), string(c.Session)); err != nil {
		t.Fatal(err)
	}
	if s.calls, err = db.Calls(t.Context(), string(c.Conv), false); err != nil {
		t.Fatal(err)
	}
	if s.info, err = db.Latest(t.Context(), c.Dir); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFixtureIsAWholeConversation(t *testing.T) {
	sizes := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 50}
	if !raced {
		sizes = append(sizes, 999, 2300) // more than one batch
	}
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			c := Fixture(t, n, FixtureOptions{Seed: uint64(n)})
			s := readBack(t, c)
			if len(s.messages) != n || c.Messages != n || len(s.journal) != c.Events || len(s.calls) != c.Calls {
				t.Errorf("there are %d messages, %d events and %d calls of %+v", len(s.messages), len(s.journal), len(s.calls), c)
			}
			if s.info.Conv != string(c.Conv) || s.info.Title != c.Title || s.info.Session != string(c.Session) || s.info.Messages != n {
				t.Errorf("the conversation is listed as %+v", s.info)
			}
			root := s.state.Root()
			if s.state.Busy() || root.Turns != c.Turns || root.Tools != c.Calls || len(root.Running) != 0 || s.state.Title != c.Title {
				t.Errorf("the journal adds up to %d turns, %d calls, title %q", root.Turns, root.Tools, s.state.Title)
			}
			wantBlocks(t, c, s)
			wantAnswered(t, s.messages)
		})
	}
}

// wantBlocks holds the screen's view of a conversation to the model's.
func wantBlocks(t *testing.T, c Conversation, s stored) {
	t.Helper()
	kinds := map[event.BlockKind]int{}
	blocks := s.state.Root().Blocks
	for _, b := range blocks {
		kinds[b.Kind]++
		if b.Open || b.Kind == event.BlockTool && b.Call.Stage != event.CallEnded {
			t.Errorf("the block %+v is not final", b)
		}
	}
	said := 0
	for _, m := range s.messages {
		if m.Role == "assistant" && m.Content != "" {
			said++
		}
	}
	if kinds[event.BlockUser] != c.Turns || kinds[event.BlockTool] != c.Calls || kinds[event.BlockAnswer] != said {
		t.Errorf("there are %v blocks for %d turns, %d calls and %d answers", kinds, c.Turns, c.Calls, said)
	}
	if first := blocks[0].Text.String(); !strings.HasPrefix(first, c.First) {
		t.Errorf("the conversation begins with %q, not with %q", first, c.First)
	}
	if last := blocks[len(blocks)-1].Text.String(); !strings.HasSuffix(last, c.Last) || c.Messages > 3 && c.Last == "" {
		t.Errorf("the conversation ends with %q, not with %q", last, c.Last)
	}
}

// wantAnswered checks that every call has its result, in order, as providers
// demand.
func wantAnswered(t *testing.T, all []sessions.Message) {
	t.Helper()
	var open []string
	for i, m := range all {
		switch m.Role {
		case "tool":
			if len(open) == 0 || open[0] != m.ToolCallID {
				t.Fatalf("message %d answers %q, open are %q", i, m.ToolCallID, open)
			}
			open = open[1:]
			continue
		case "assistant":
			for part := range strings.SplitSeq(m.ToolCalls, `{"id":"`) {
				if id, _, ok := strings.Cut(part, `"`); ok && strings.HasPrefix(id, "fixture_") {
					open = append(open, id)
				}
			}
			continue
		}
		if len(open) > 0 {
			t.Fatalf("before message %d the calls %q have no result", i, open)
		}
	}
}

func TestFixtureDependsOnItsSeedAlone(t *testing.T) {
	home := filepath.Join(realTemp(t), ".hermes")
	make := func(o FixtureOptions) (Conversation, string) {
		o.Dir = "/tmp" // a folder that is there, so that it is the same in both
		c, err := WriteFixture(context.Background(), filepath.Join(home, fmt.Sprint(o.Seed), t.TempDir()), 60, o)
		if err != nil {
			t.Fatal(err)
		}
		s := readBack(t, c)
		text := strings.Join(s.journal[2:], "\n")
		for _, m := range s.messages {
			text += fmt.Sprintf("%+v\n", m)
		}
		return c, text
	}
	a, textA := make(FixtureOptions{Seed: 7, Title: "one"})
	b, textB := make(FixtureOptions{Seed: 7, Title: "one"})
	if a.Conv != b.Conv || textA != textB {
		t.Error("the same seed gives another conversation")
	}
	c, textC := make(FixtureOptions{Seed: 8, Title: "one"})
	if c.Conv == a.Conv || textC == textA {
		t.Error("another seed gives the same conversation")
	}
}

func TestFixturesShareAHome(t *testing.T) {
	home := filepath.Join(realTemp(t), ".hermes")
	for i := range 3 {
		c, err := WriteFixture(t.Context(), home, 10, FixtureOptions{Seed: uint64(i), Title: fmt.Sprintf("number %d", i)})
		if err != nil {
			t.Fatal(err)
		}
		if s := readBack(t, c); len(s.messages) != 10 {
			t.Errorf("there are %d messages", len(s.messages))
		}
	}
	if _, err := WriteFixture(t.Context(), home, 0, FixtureOptions{}); err == nil {
		t.Error("a conversation without messages was written")
	}
	c, err := WriteFixture(t.Context(), home, 10, FixtureOptions{Seed: 1, Title: "number 1"})
	if err != nil {
		t.Fatal(err)
	}
	if s := readBack(t, c); len(s.messages) != 10 || len(s.journal) != c.Events {
		t.Errorf("written twice there are %d messages and %d events", len(s.messages), len(s.journal))
	}
}

func BenchmarkFixture(b *testing.B) {
	const messages = 5000
	for b.Loop() {
		if _, err := WriteFixture(b.Context(), b.TempDir(), messages, FixtureOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(messages*b.N)/b.Elapsed().Seconds(), "messages/s")
}

func TestFixtureIsFast(t *testing.T) {
	if testing.Short() || raced {
		t.Skip("SKIPPED: measures the speed of 10,000 messages")
	}
	began := time.Now()
	Fixture(t, 10_000, FixtureOptions{})
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("10,000 messages took %v", took)
	}
}

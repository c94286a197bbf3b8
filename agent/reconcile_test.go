package agent_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/script"
)

// reference changes a store as the reference's code does: with its statements, on a
// connection of its own.
type reference struct {
	t       testing.TB
	c       *sql.Conn
	session string
	n       int
}

func (f *reference) run(query string, args ...any) {
	f.t.Helper()
	run(f.t, f.c, query, args...)
}

// add appends a message.
func (f *reference) add(role, content, calls, callID string) {
	f.t.Helper()
	f.n++
	null := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	f.run(`INSERT INTO messages (session_id, role, content, tool_calls, tool_call_id, tool_name, timestamp)
		VALUES (?, ?, ?, ?, ?, ?, 2000000000 + ?)`, f.session, role, null(content), null(calls), null(callID), null(strings.Repeat("terminal", len(callID)/max(len(callID), 1))), f.n)
	f.run("UPDATE sessions SET message_count = message_count + 1 WHERE id = ?", f.session)
}

// turn appends a question, sometimes a call with its result, and an answer.
func (f *reference) turn(r *rand.Rand) {
	f.add("user", fmt.Sprintf("their question %d", f.n), "", "")
	if r.IntN(2) == 0 {
		id := fmt.Sprintf("w%d", f.n)
		f.add("assistant", "", `[{"id":"`+id+`","type":"function","function":{"name":"terminal","arguments":"{\"command\":\"ls\"}"}}]`, "")
		if r.IntN(4) > 0 {
			f.add("tool", `{"output":"a.txt","exit_code":0,"error":null}`, "", id)
		}
	}
	if r.IntN(4) > 0 {
		f.add("assistant", fmt.Sprintf("their answer %d", f.n), "", "")
	}
}

// replace writes all messages again, after a summary.
func (f *reference) replace(r *rand.Rand) {
	f.run("DELETE FROM messages WHERE session_id = ?", f.session)
	f.run("UPDATE sessions SET message_count = 0, tool_call_count = 0 WHERE id = ?", f.session)
	if r.IntN(3) > 0 {
		f.add("assistant", fmt.Sprintf("a summary %d", f.n), "", "")
	}
	for range r.IntN(3) {
		f.turn(r)
	}
}

// prompts are the messages of the user.
func (f *reference) prompts() (ids []int64) {
	rows, err := f.c.QueryContext(context.Background(), "SELECT id FROM messages WHERE session_id = ? AND role = 'user' AND active = 1", f.session)
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			f.t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		f.t.Fatal(err)
	}
	return ids
}

// rewind takes back what is behind some message of the user.
func (f *reference) rewind(r *rand.Rand) {
	ids := f.prompts()
	if len(ids) == 0 {
		return
	}
	f.run("UPDATE messages SET active = 0 WHERE session_id = ? AND id >= ? AND active = 1", f.session, ids[r.IntN(len(ids))])
	f.run("UPDATE sessions SET rewind_count = rewind_count + 1 WHERE id = ?", f.session)
}

func (f *reference) restore() {
	f.run("UPDATE messages SET active = 1 WHERE session_id = ? AND active = 0", f.session)
}

// compress ends the session and goes on in another.
func (f *reference) compress(r *rand.Rand) {
	child := fmt.Sprintf("%s_%d", f.session, f.n)
	f.run("UPDATE sessions SET ended_at = 2000000000 + ?, end_reason = 'compression' WHERE id = ? AND ended_at IS NULL", f.n, f.session)
	f.run("INSERT INTO sessions (id, source, started_at, parent_session_id) VALUES (?, 'cli', 2000000000 + ?, ?)", child, f.n, f.session)
	f.session = child
	f.add("user", fmt.Sprintf("a summary of all that %d", f.n), "", "")
	for range r.IntN(2) {
		f.turn(r)
	}
}

// onScreen lists what the screen shows as sent: what stands behind the last place
// where the session was shortened elsewhere.
func onScreen(s *event.State) (list []string) {
	for _, b := range s.Root().Blocks {
		switch {
		case b.Compact != nil && b.Compact.Into != "":
			list = nil
		case b.Kind == event.BlockUser:
			list = append(list, "user "+b.Text.String())
		case b.Kind == event.BlockAnswer:
			list = append(list, "assistant "+b.Text.String())
		case b.Kind == event.BlockTool:
			list = append(list, "call "+string(b.Call.ID)+" "+b.Call.View.Name)
		}
	}
	return list
}

// modelGets lists what the model gets.
func modelGets(history []providers.Message) (list []string) {
	for _, m := range history {
		if m.Role != providers.Tool && m.Text() != "" {
			list = append(list, string(m.Role)+" "+m.Text())
		}
		for _, c := range m.Calls {
			list = append(list, "call "+c.ID+" "+c.Name)
		}
	}
	return list
}

// agree revives a conversation, twice, and checks that screen and model see the same,
// that nothing is under way on the screen, and that the second time changes nothing.
func agree(t *testing.T, r *rig, conv, ref string) *agent.Past {
	t.Helper()
	info, err := r.db.Resolve(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.db.Adopt(t.Context(), info.Session, conv); err != nil {
		t.Fatal(err)
	}
	past := reviveSession(r, conv, info.Session)
	if screen, model := onScreen(past.State), modelGets(recall(t, past)); !slices.Equal(screen, model) {
		t.Errorf("the screen shows\n  %s\nand the model gets\n  %s", strings.Join(screen, "\n  "), strings.Join(model, "\n  "))
	}
	for _, b := range past.State.Root().Blocks {
		if b.Open {
			t.Errorf("block %s is open", b.ID)
		}
	}
	if past.State.Busy() || past.State.Root().Rewind != nil && past.State.Root().Rewind.Elsewhere {
		t.Error("busy, or with a rewind that cannot be undone")
	}
	again := reviveSession(r, conv, info.Session)
	if again.Seq != past.Seq || transcript(again.State) != transcript(past.State) {
		t.Errorf("revived differently the second time, at %d and %d:\n%s\n%s", past.Seq, again.Seq, transcript(past.State), transcript(again.State))
	}
	return again
}

// TestScreenAndModelAgree lets the reference and this program work on one session in
// turn, each in its ways.
func TestScreenAndModelAgree(t *testing.T) {
	t.Parallel()
	seeds := uint64(12)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			r := newRig(t, rounds(
				steps(script.Text{Text: "Looking."}, call("read_file", map[string]any{"path": "a"})),
				steps(script.Text{Text: "Our answer."}),
			))
			r.submit("our first question")
			r.idle(1)
			conv, first := string(r.conv.ID()), string(r.conv.Session())
			theirs := &reference{t: t, c: other(t, r), session: first}
			var done []string
			for range 12 {
				step := []string{"turn", "turn", "replace", "rewind", "restore", "compress", "ours", "ours", "back"}[random.IntN(9)]
				done = append(done, step)
				switch step {
				case "turn":
					theirs.turn(random)
				case "replace":
					theirs.replace(random)
				case "rewind":
					theirs.rewind(random)
				case "restore":
					theirs.restore()
				case "compress":
					theirs.compress(random)
				default:
					r.ours(agree(t, r, conv, first), step)
				}
				agree(t, r, conv, first)
				if t.Failed() {
					t.Fatalf("after %s", done)
				}
			}
			r.ours(agree(t, r, conv, first), "ours")
			agree(t, r, conv, first)
			r.bodies()
		})
	}
}

// ours goes on with a conversation: a question, or a rewind to the newest.
func (r *rig) ours(past *agent.Past, step string) {
	r.t.Helper()
	if err := r.conv.Close(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	r.start(past)
	if step == "ours" {
		turns := r.state.Root().Turns
		r.submit("our question")
		r.idle(turns + 1)
	} else if i := lastPrompt(r.state); i != nil {
		if _, err := r.conv.Rewind(r.t.Context(), api.RewindOptions{To: i.Turn, Conversation: true}); err != nil && !strings.Contains(err.Error(), "shortened") {
			r.t.Fatal(err)
		}
	}
	if err := r.conv.Close(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

func lastPrompt(s *event.State) *event.Block {
	for _, b := range slices.Backward(s.Root().Blocks) {
		if b.Kind == event.BlockUser && b.Message != "" {
			return b
		}
	}
	return nil
}

// TestSeenFromTheReference shows what became of a session: that another program has
// written to it, replaced its messages, and shortened it.
func TestSeenFromTheReference(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	r := newRig(t, say(script.Text{Text: "Our answer."}))
	r.submit("our question")
	r.idle(1)
	conv, session := string(r.conv.ID()), string(r.conv.Session())
	theirs := &reference{t: t, c: other(t, r), session: session}
	shows := func(wanted ...string) {
		t.Helper()
		rest := transcript(agree(t, r, conv, session).State)
		for _, w := range wanted {
			_, after, found := strings.Cut(rest, w)
			if !found {
				t.Fatalf("no %q in\n%s", w, rest)
			}
			rest = after
		}
	}
	theirs.add("user", "their question", "", "")
	theirs.add("assistant", "", `[{"id":"w1","type":"function","function":{"name":"terminal","arguments":"{\"command\":\"make test\"}"}}]`, "")
	theirs.add("tool", `{"output":"FAIL","exit_code":2,"error":null}`, "", "w1")
	shows("our question", "Our answer.", "their question", "terminal ended failed make test")
	theirs.compress(random)
	shows("our question", "compact", "a summary of all that")
	theirs.replace(random)
	shows("our question", "compact", "notice", "Another program has changed this session")
}

// TestReferenceGoesOnAfterACrash has another program go on where this one was killed
// while it answered: the turn is ended, what was streaming is shown, and the model
// gets what was added last.
func TestReferenceGoesOnAfterACrash(t *testing.T) {
	r, past := killAnd(t, rounds(steps(script.Text{Text: "The first half."}, script.Stall{})), "text_delta", halfStored, func(r *rig, session string) {
		theirs := &reference{t: t, c: other(t, r), session: session}
		theirs.add("user", "go on elsewhere", "", "")
		theirs.add("assistant", "done elsewhere", "", "")
	})
	r.wants("user go", "answer (partial) The first half.", "user go on elsewhere", "answer done elsewhere")
	if got := modelGets(recall(t, past)); got[len(got)-1] != "assistant done elsewhere" {
		t.Errorf("the model gets %q", got)
	}
	if again := r.revive(); again.Seq != past.Seq {
		t.Errorf("revived differently the second time, at %d and %d", past.Seq, again.Seq)
	}
}

package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/compress"
	"hermes-tui/agent/event"
	"hermes-tui/agent/recovery"
	"hermes-tui/internal/scripttest"
	"hermes-tui/providers"
	"hermes-tui/providers/chat"
	"hermes-tui/providers/script"
	"hermes-tui/providers/transport"
	"hermes-tui/store/sessions"
)

// tight is a model with room for little: the history is compressed from about
// 17,000 tokens on.
const tight = 20_000

// usualCompression is what the settings say when no one has changed them.
func usualCompression() compress.Config {
	return compress.Config{Enabled: true, Threshold: 0.50, TargetRatio: 0.20, ProtectFirst: 3, ProtectLast: 20}
}

// compressing switches compression on, for a model with a window.
func compressing(window int) option {
	return func(c *agent.Config) {
		c.Compression = usualCompression()
		c.Runtime.Model.ContextMax = window
	}
}

// newSeeded starts a conversation that has n messages already.
func newSeeded(t *testing.T, s *script.Scenario, n int, opts ...option) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), work: t.TempDir(), ids: event.SystemSource()}
	r.serve(s)
	r.openStore()
	r.start(r.seed(n), opts...)
	return r
}

// compressions are the compressions that were published.
func (r *rig) compressions() []*event.ContextCompressed {
	var all []*event.ContextCompressed
	for _, e := range r.log {
		if c, ok := e.(*event.ContextCompressed); ok {
			all = append(all, c)
		}
	}
	return all
}

// sent are the messages of a request, byte for byte. -1 is the newest.
func (r *rig) sent(i int) []string {
	r.t.Helper()
	r.bodies() // checks that they are valid
	all := r.server.Requests()
	if i < 0 {
		i += len(all)
	}
	var b struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(all[i].Body, &b); err != nil {
		r.t.Fatal(err)
	}
	out := make([]string, len(b.Messages))
	for k, m := range b.Messages {
		out[k] = string(m)
	}
	return out
}

// continues checks that a request begins with the messages of an earlier one.
func (r *rig) continues(later, earlier []string) {
	r.t.Helper()
	if len(later) < len(earlier) {
		r.t.Fatalf("%d messages were sent after %d", len(later), len(earlier))
	}
	for i, m := range earlier {
		if later[i] != m {
			r.t.Fatalf("message %d was sent as\n%.2000s\nand then as\n%.2000s", i, m, later[i])
		}
	}
}

func weight(messages []string) int {
	n := 0
	for _, m := range messages {
		n += len(m)
	}
	return n
}

// keeps checks that the stored messages are what they were, with others behind
// them.
func (r *rig) keeps(before []sessions.Message) {
	r.t.Helper()
	after := r.messages()
	for i, m := range before {
		if !reflect.DeepEqual(after[i], m) {
			r.t.Fatalf("the stored message %d was %+v and is %+v", i, m, after[i])
		}
	}
}

// resume closes the conversation and goes on with it as the store has it.
func (r *rig) resume(opts ...option) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	if err := r.conv.Close(ctx); err != nil {
		r.t.Fatal(err)
	}
	r.start(r.revive(), opts...)
}

// TestCompressesBeforeARequest lets a history grow beyond the room of the model.
func TestCompressesBeforeARequest(t *testing.T) {
	r := newSeeded(t, say(script.Text{Text: "Here I am."}), 200, compressing(tight))
	before := r.messages()
	r.submit("go")
	r.idle(1)
	if f := r.last(); f.Outcome != event.TurnCompleted || f.Calls != 1 {
		t.Errorf("turn ended %+v", f)
	}
	r.wants("user go", "compact The model now gets about", "answer Here I am.")
	all := r.compressions()
	if len(all) != 1 || all[0].Before < 17_000 || all[0].After > all[0].Before*2/3 || all[0].Results == 0 || all[0].Turns == 0 {
		t.Fatalf("compressions %+v", all)
	}
	sent := r.sent(0)
	if n := weight(sent); n > 4*all[0].After+10_000 {
		t.Errorf("%d bytes were sent, estimated at %d tokens", n, all[0].After)
	}
	if b := r.state.Root().Block(all[0].Block); b == nil || b.Compact == nil || b.Compact.After != all[0].After || b.Compact.Turns != all[0].Turns {
		t.Errorf("on the screen it is %+v", b)
	}
	r.keeps(before)
	// The next request goes on from there: nothing is compressed again.
	r.submit("and on")
	r.idle(2)
	r.continues(r.sent(1), sent)
	if n := len(r.compressions()); n != 1 {
		t.Errorf("%d compressions", n)
	}
	if past := r.revive(); transcript(past.State) != r.dump() {
		t.Errorf("the journal folds to\n%s\nwant\n%s", transcript(past.State), r.dump())
	}
}

// TestCompressionOff sends what there is.
func TestCompressionOff(t *testing.T) {
	r := newSeeded(t, say(script.Text{Text: "Here I am."}), 200, compressing(tight), func(c *agent.Config) { c.Compression.Enabled = false })
	r.submit("go")
	r.idle(1)
	if n := len(r.sent(0)); n != 202 || len(r.compressions()) != 0 {
		t.Errorf("%d messages were sent", n)
	}
}

// TestCompressesBeforeTheSummary fills the context with the last call that is
// allowed.
func TestCompressesBeforeTheSummary(t *testing.T) {
	r := newSeeded(t, rounds(
		steps(call("terminal", map[string]any{"command": "seq 9000"})),
		steps(script.Text{Text: "It counted."}),
	), 60, compressing(tight), withBudget(1))
	r.submit("count")
	r.idle(1)
	if f := r.last(); f.Outcome != event.TurnExhausted {
		t.Errorf("turn ended %+v", f)
	}
	r.wants("terminal ended ok", "compact", "answer It counted.")
	if b := r.bodies(); len(b[1].Tools) != 0 || weight(r.sent(1)) > 60_000 {
		t.Errorf("the last request has %d tools and %d bytes", len(b[1].Tools), weight(r.sent(1)))
	}
}

// TestLearnsHowAServiceCounts compresses by what the service counted where that
// is more than the estimate.
func TestLearnsHowAServiceCounts(t *testing.T) {
	usage := script.Usage{Usage: providers.Usage{Input: 9_000, CacheRead: 81_000, Output: 5}}
	r := newSeeded(t, say(script.Text{Text: "Yes."}, usage), 200, compressing(100_000))
	r.submit("go")
	r.idle(1)
	if n := len(r.compressions()); n != 0 {
		t.Fatalf("%d compressions although it fits by all that is known", n)
	}
	// Another model counts in its own way, which is not known yet.
	rt := r.conv.Runtime()
	rt.Model.Name = "other"
	if err := r.conv.SetRuntime(rt); err != nil {
		t.Fatal(err)
	}
	r.submit("and you?")
	r.idle(2)
	if all := r.compressions(); len(all) != 0 {
		t.Errorf("compressions %+v", all)
	}
	r.submit("go on")
	r.idle(3)
	if all := r.compressions(); len(all) != 1 || all[0].Before < 90_000 {
		t.Errorf("compressions %+v", all)
	}
}

// slept records the waits of a conversation and skips them.
func slept(waits *[]time.Duration) option {
	return func(c *agent.Config) {
		c.Policy = recovery.Policy{Retries: 3, Resends: 2}
		c.After = func(d time.Duration) <-chan time.Time {
			*waits = append(*waits, d)
			now := make(chan time.Time, 1)
			now <- time.Time{}
			return now
		}
	}
}

// TestCompressesWhenRefused shortens the history because a service says that the
// request is too long.
func TestCompressesWhenRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refusal script.Failure
		window  int
		waits   int
		// learnt says that the next turn knows the window that was stated.
		learnt bool
	}{
		"the window is stated": {script.Failure{Status: 400, Code: "context_length_exceeded",
			Message: "This model's maximum context length is 20000 tokens. However, your messages resulted in 28123 tokens."}, 0, 1, true},
		"smaller than assumed": {script.Failure{Status: 400, Code: "context_length_exceeded",
			Message: "This model's maximum context length is 20000 tokens. However, your messages resulted in 28123 tokens."}, 200_000, 1, true},
		"no figure":         {script.Failure{Status: 400, Code: "context_length_exceeded", Message: "The prompt is too long for this model."}, 0, 1, false},
		"payload too large": {script.Failure{Status: 413, Message: "Payload too large"}, 100_000, 0, false},
		"long context tier": {script.Failure{Status: 429, Message: "Extra usage is required for long context requests."}, 1_000_000, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			var waits []time.Duration
			counting := make([]script.Step, 0, 3)
			for n := range 3 {
				counting = append(counting, call("terminal", map[string]any{"command": fmt.Sprintf("seq %d 1%04d", n, n)}))
			}
			none := 0
			r := newSeeded(t, &script.Scenario{Name: "test", Rules: []script.Rule{
				{Times: 1, Steps: steps(c.refusal)},
				{Match: script.Match{User: "count", Results: &none}, Steps: counting},
				{Steps: steps(script.Text{Text: "Now it fits."})},
			}}, 200, compressing(c.window), slept(&waits))
			before := r.messages()
			r.submit("go")
			r.idle(1)
			if f := r.last(); f.Outcome != event.TurnCompleted {
				t.Fatalf("turn ended %+v", f)
			}
			r.wants("user go", "compact", "answer Now it fits.")
			if first, second := weight(r.sent(0)), weight(r.sent(1)); second > first*3/4 || len(r.server.Requests()) != 2 {
				t.Errorf("%d bytes, then %d in %d requests", first, second, len(r.server.Requests()))
			}
			if len(waits) != c.waits || c.waits == 1 && waits[0] != 2*time.Second {
				t.Errorf("waited %v", waits)
			}
			r.keeps(before)
			if got := r.state.Root().Context.Max; c.learnt && got != tight {
				t.Errorf("the screen shows a window of %d", got)
			}
			r.submit("count to ten thousand")
			r.idle(2)
			if n := len(r.compressions()); (n > 1) != c.learnt {
				t.Errorf("%d compressions after some 30,000 tokens more", n)
			}
		})
	}
}

// TestCompressionIsShown says why a turn waits after a compression. The user
// can cut the wait short.
func TestCompressionIsShown(t *testing.T) {
	r := newSeeded(t, &script.Scenario{Name: "test", Rules: []script.Rule{
		{Times: 1, Steps: steps(script.Failure{Status: 400, Code: "context_length_exceeded", Message: "The prompt is too long for this model."})},
		{Steps: steps(script.Text{Text: "Now it fits."})},
	}}, 200, compressing(0), func(c *agent.Config) {
		c.Policy = recovery.Policy{Retries: 3}
		c.After = func(time.Duration) <-chan time.Time { return nil } // for ever
	})
	r.submit("go")
	r.until("a retry", phase(event.PhaseRetrying))
	w := r.state.Root().Retry
	if w == nil || w.Attempt != 1 || w.Max != 3 || w.Reason != "too long, compressing" || w.Until.Sub(w.At).Round(time.Second) != 2*time.Second {
		t.Errorf("retry is %+v", w)
	}
	r.wants("user go", "compact")
	r.conv.Hurry(r.conv.Root())
	r.idle(1)
	r.wants("answer Now it fits.")
}

// TestTooLong ends turns that no compression helps.
func TestTooLong(t *testing.T) {
	refusal := steps(script.Failure{Status: 400, Code: "context_length_exceeded", Message: "The prompt is too long for this model."})
	for name, c := range map[string]struct {
		messages, requests int
		off                bool
		say                string
	}{
		"switched off":        {200, 1, true, "automatic compression is switched off"},
		"for ever":            {200, 4, false, "tokens (instructions "},
		"nothing to compress": {0, 1, false, "says that it takes less: load the model with a larger context"},
	} {
		t.Run(name, func(t *testing.T) {
			var waits []time.Duration
			s := &script.Scenario{Name: "test", Rules: []script.Rule{
				{Match: script.Match{User: "again"}, Steps: steps(script.Text{Text: "It works."})}, {Steps: refusal},
			}}
			opts := []option{compressing(0), slept(&waits), func(cfg *agent.Config) { cfg.Compression.Enabled = !c.off }}
			var r *rig
			if c.messages > 0 {
				r = newSeeded(t, s, c.messages, opts...)
			} else {
				r = newRig(t, s, opts...)
			}
			r.submit("go")
			r.idle(1)
			if f := r.last(); f.Outcome != event.TurnFailed || !strings.Contains(f.Explain, c.say) {
				t.Errorf("turn ended %+v", f)
			}
			if n := len(r.server.Requests()); n != c.requests || len(r.compressions()) != c.requests-1 {
				t.Errorf("%d requests and %d compressions", n, len(r.compressions()))
			}
			r.submit("again")
			r.idle(2)
			r.wants("answer It works.")
			r.bodies()
		})
	}
}

// TestCompressesForAFallback goes from a service with much room to one with
// little.
func TestCompressesForAFallback(t *testing.T) {
	other, err := scripttest.Serve(say(script.Text{Text: "from the other"}), scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	tr := transport.New(transport.Options{Version: "test"})
	t.Cleanup(tr.CloseIdle)
	client, err := chat.New(chat.Config{Service: transport.Service{Endpoint: providers.Endpoint{Provider: "other", BaseURL: other.URL()}, Transport: tr}})
	if err != nil {
		t.Fatal(err)
	}
	r := newSeeded(t, say(script.Failure{Status: 401, Message: "no"}), 200, compressing(100_000), patient(2), func(c *agent.Config) {
		c.Fallbacks = []agent.Fallback{{Name: "other", Open: func(context.Context) (agent.Runtime, error) {
			return agent.Runtime{Client: client, Model: event.Model{Provider: "other", Name: "spare", ContextMax: tight}}, nil
		}}}
	})
	r.submit("go")
	r.idle(1)
	r.wants("user go", "spare of other answers", "compact", "answer from the other")
	if all := other.Requests(); len(all) != 1 || len(all[0].Body) > 80_000 {
		t.Errorf("the other service got %d requests", len(all))
	}
}

// small gives the conversation a model with little room, from the next turn on.
func (r *rig) small() {
	r.t.Helper()
	rt := r.conv.Runtime()
	rt.Model.ContextMax = tight
	if err := r.conv.SetRuntime(rt); err != nil {
		r.t.Fatal(err)
	}
}

// TestOpenTasksAreListed checks what the model is told of its tasks when turns
// are left out, in the same run and after a resume.
func TestOpenTasksAreListed(t *testing.T) {
	for _, resumed := range []bool{false, true} {
		t.Run(fmt.Sprint("resumed ", resumed), func(t *testing.T) {
			r := newSeeded(t, rounds(
				steps(call("todo", map[string]any{"todos": []any{
					map[string]any{"id": "1", "content": "read the sources", "status": "completed"},
					map[string]any{"id": "2", "content": "mend the roof", "status": "in_progress"},
				}})),
				steps(script.Text{Text: "Planned."}), steps(script.Text{Text: "On it."}),
			), 300, compressing(200_000))
			r.submit("plan")
			r.idle(1)
			turns := 1
			if resumed {
				r.resume(compressing(tight))
				turns = r.state.Root().Turns - r.seeded
			} else {
				r.small()
			}
			r.submit("go")
			r.idle(turns + 1)
			if first := r.sent(-1)[1]; !strings.Contains(first, "[in_progress] mend the roof") || strings.Contains(first, "read the sources") {
				t.Errorf("the first message is\n%s", first)
			}
		})
	}
}

// TestToolsForget reads a file again after the first reading was shortened.
func TestToolsForget(t *testing.T) {
	read := call("read_file", map[string]any{"path": "a.txt"})
	r := newSeeded(t, rounds(
		steps(read), steps(script.Text{Text: "Read."}), steps(read), steps(script.Text{Text: "Read again."}),
	), 300, compressing(200_000))
	write(t, r.work, "a.txt", strings.Repeat("alpha beta gamma\n", 30))
	r.submit("read")
	r.idle(1)
	r.small()
	r.submit("read again")
	r.idle(2)
	rows := r.messages()
	if last := rows[len(rows)-2]; last.Role != "tool" || !strings.Contains(last.Content, "alpha beta gamma") {
		t.Errorf("the second reading gave %q", last.Content)
	}
	if n := len(r.compressions()); n != 1 {
		t.Errorf("%d compressions", n)
	}
}

// TestWhatTheUserSaidStays shortens a result that the user's words stand in.
func TestWhatTheUserSaidStays(t *testing.T) {
	r := newSeeded(t, rounds(
		steps(call("clarify", map[string]any{"question": "ready?"}), call("terminal", map[string]any{"command": "seq 3000"})),
		steps(script.Text{Text: "seen"}), steps(script.Text{Text: "yes"}), steps(script.Text{Text: "and on"}),
	), 200, compressing(200_000), func(c *agent.Config) { c.Compression.ProtectLast, c.Compression.TargetRatio = 3, 0.1 })
	r.submit("start")
	q := r.request()
	if _, err := r.conv.Steer(r.conv.Root(), "mind the gap"); err != nil {
		t.Fatal(err)
	}
	r.answer(q, event.Answer{Choice: event.ChoiceText, Text: "yes"})
	r.idle(1)
	r.submit("still there?")
	r.idle(2)
	r.small()
	r.submit("go on")
	r.idle(3)
	sent := r.sent(-1)
	var result string
	for _, m := range sent {
		if strings.Contains(m, "mind the gap") {
			result = m
		}
	}
	if result == "" || len(result) > 600 || !strings.Contains(result, "[terminal]") {
		t.Errorf("the result travels as %q", result)
	}
}

// TestSteerAfterACompression resumes a conversation in which the user said
// something while a tool ran, after a compression.
func TestSteerAfterACompression(t *testing.T) {
	r := newSeeded(t, rounds(
		steps(call("clarify", map[string]any{"question": "ready?"})), steps(script.Text{Text: "seen"}), steps(script.Text{Text: "later"}),
	), 200, compressing(tight))
	r.submit("start")
	q := r.request()
	if _, err := r.conv.Steer(r.conv.Root(), "mind the gap"); err != nil {
		t.Fatal(err)
	}
	r.answer(q, event.Answer{Choice: event.ChoiceText, Text: "yes"})
	r.idle(1)
	sent := r.sent(-1)
	if len(r.compressions()) != 1 || !strings.Contains(sent[len(sent)-1], "mind the gap") {
		t.Fatalf("%d compressions, and the newest result is %s", len(r.compressions()), sent[len(sent)-1])
	}
	r.resume(compressing(tight))
	r.goOn()
	r.continues(r.sent(-1), sent)
	r.wants("steer mind the gap", "answer seen", "answer later")
	if n := len(r.compressions()); n != 0 {
		t.Errorf("%d compressions more", n)
	}
}

// TestKillAfterACompression kills the program while it waits for the answer to a
// request with a shortened history. The same history is sent afterwards.
func TestKillAfterACompression(t *testing.T) {
	t.Setenv(victimWindowEnv, fmt.Sprint(tight))
	var plot [][]script.Step
	for n := range 12 {
		plot = append(plot, steps(call("terminal", map[string]any{"command": fmt.Sprintf("seq %d 2000 # %s", n, strings.Repeat("long ", 150))})))
	}
	plot = append(plot, steps(script.Text{Text: "So far so "}, script.Stall{}), steps(script.Text{Text: "good."}))
	r, _ := kill(t, rounds(plot...), "context_compressed", func(r *rig) bool { return len(r.server.Requests()) == 13 })
	r.wants("user go", "compact", "notice The program ended")
	sent := r.sent(12)
	if weight(sent) > weight(r.sent(11))*3/4 {
		t.Fatalf("%d bytes, then %d", weight(r.sent(11)), weight(sent))
	}
	rows := r.messages()
	for i := 2; i < 26; i += 2 {
		if !strings.Contains(rows[i].Content, "1000") || !strings.Contains(rows[i].Content, "1999") {
			t.Errorf("the stored result %d is %.300q", i, rows[i].Content)
		}
	}
	r.goOn()
	r.continues(r.sent(-1), sent)
	if n := len(r.compressions()); n != 0 {
		t.Errorf("%d compressions more", n)
	}
}

// TestCompressionIsStoredOnce commits the batch of a compression again, as after
// an error that left open whether it was stored.
func TestCompressionIsStoredOnce(t *testing.T) {
	var batches []sessions.Batch
	r := newSeeded(t, say(script.Text{Text: "Here I am."}), 200, compressing(tight), withStore(func(s agent.Store) agent.Store {
		return recording{s, &batches}
	}))
	r.submit("go")
	r.idle(1)
	r.resume(compressing(tight)) // nothing writes any more
	read := func() string {
		rows, err := r.db.Context(t.Context(), string(r.conv.Session()))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(rows)
	}
	was, again := read(), 0
	for _, b := range batches {
		for _, e := range b.Events {
			if bytes.Contains(e.Body, []byte(event.TypeOf((*event.ContextCompressed)(nil)))) {
				again++
				if err := r.db.Commit(t.Context(), b); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if again != 1 || read() != was {
		t.Errorf("committed %d times again, and the history changed: %v", again, read() != was)
	}
}

// recording is a store that remembers what was written.
type recording struct {
	agent.Store
	batches *[]sessions.Batch
}

func (s recording) Commit(ctx context.Context, b sessions.Batch) error {
	*s.batches = append(*s.batches, b)
	return s.Store.Commit(ctx, b)
}

// TestCompressOnRequest shortens a conversation that would not need it, between
// turns.
func TestCompressOnRequest(t *testing.T) {
	r := newSeeded(t, say(script.Text{Text: "yes"}), 120, compressing(1_000_000))
	changed, err := r.conv.Compress(t.Context(), "")
	if err != nil || !changed {
		t.Fatalf("compressed %v, %v", changed, err)
	}
	before := len(r.messages())
	r.submit("go on")
	r.idle(1)
	if n := len(r.compressions()); n != 1 {
		t.Errorf("%d compressions", n)
	}
	if sent := r.sent(-1); len(sent) >= before {
		t.Errorf("%d messages sent, %d are stored", len(sent), before)
	}
	if n := len(r.messages()); n != before+2 {
		t.Errorf("%d messages stored, %d before", n, before)
	}
}

// TestUncompressSendsTheSameBytes takes one compression back after the other, also after
// a restart: the model gets what it got before, byte for byte, and what came since.
func TestUncompressSendsTheSameBytes(t *testing.T) {
	for _, n := range []int{60, 120, 300} {
		r := newSeeded(t, say(script.Text{Text: "yes"}), n, compressing(1_000_000))
		before := r.messages()
		r.submit("first")
		r.idle(1)
		whole := r.sent(-1)
		compressed := 0
		for _, restart := range []bool{false, true} {
			if changed, err := r.conv.Compress(t.Context(), "the parser"); err != nil {
				t.Fatal(err)
			} else if changed {
				compressed++
			}
			if restart {
				r.resume(compressing(1_000_000))
			}
			turns := len(r.messages())
			r.submit("and then")
			r.until("the answer", func(s *event.State) bool { return s.Root().State == event.AgentIdle && len(r.messages()) >= turns+2 })
			if short := r.sent(-1); weight(short) >= weight(whole) {
				t.Errorf("%d: compressed to %d bytes from %d", n, weight(short), weight(whole))
			}
		}
		if compressed == 0 {
			t.Fatalf("%d: nothing was compressed", n)
		}
		r.resume(compressing(1_000_000))
		for range compressed {
			if _, err := r.conv.Uncompress(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.conv.Uncompress(t.Context()); !errors.Is(err, agent.ErrNotShortened) {
			t.Errorf("%d: once more: %v", n, err)
		}
		stored := len(r.messages())
		r.submit("last")
		r.until("the answer", func(s *event.State) bool { return s.Root().State == event.AgentIdle && len(r.messages()) >= stored+2 })
		again := r.sent(-1)
		r.continues(again, whole)
		if len(again) != len(whole)+6 {
			t.Errorf("%d: %d messages, %d before", n, len(again), len(whole))
		}
		r.keeps(before)
	}
}

// TestNothingToCompress leaves a conversation alone that has just begun.
func TestNothingToCompress(t *testing.T) {
	r := newRig(t, say(script.Text{Text: "yes"}), compressing(1_000_000))
	if changed, err := r.conv.Compress(t.Context(), ""); changed || err != nil {
		t.Errorf("compressed %v, %v", changed, err)
	}
}

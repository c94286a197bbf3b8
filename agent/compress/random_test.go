package compress

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hermes-tui/providers"
	"hermes-tui/providers/repair"
	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// text is random text of at most n characters, some of them wide, quoted or of
// several lines.
func text(rnd *rand.Rand, n int) string {
	alphabet := []rune("abcdefghij   \n\t\"\\{}[]:,.日本é🙂\u2028")
	piece := make([]rune, 1+rnd.IntN(50))
	for i := range piece {
		piece[i] = alphabet[rnd.IntN(len(alphabet))]
	}
	n = rnd.IntN(n + 1)
	return shorten.Runes(strings.Repeat(string(piece), n/len(piece)+1), n)
}

// randomSize is mostly small and sometimes large.
func randomSize(rnd *rand.Rand) int {
	return []int{20, 40, 60, 200, 230, 230, 600, 600, 3_000, 12_000}[rnd.IntN(10)]
}

// randomCall is a call of a known tool or another, with its result.
func randomCall(rnd *rand.Rand, shared []string) made {
	name := []string{"terminal", "read_file", "write_file", "search_files", "patch", "todo", "clarify", "mcp_thing"}[rnd.IntN(8)]
	args := map[string]any{"path": text(rnd, 30), "content": text(rnd, randomSize(rnd)), "command": text(rnd, 300), "offset": rnd.IntN(9), "n": []any{1.5, nil, true, text(rnd, 900)}}
	for _, key := range []string{"content", "command", "n"} {
		if rnd.IntN(2) == 0 {
			delete(args, key)
		}
	}
	c := made{name, encode(args), encode(map[string]any{
		"output": text(rnd, randomSize(rnd)), "exit_code": rnd.IntN(3), "error": nil, "content": text(rnd, randomSize(rnd)), "total_count": rnd.IntN(99),
	})}
	switch rnd.IntN(8) {
	case 0:
		c.args = text(rnd, 900) // not JSON
	case 1:
		c.result = text(rnd, randomSize(rnd))
	case 2, 3:
		c.result = shared[rnd.IntN(len(shared))]
	case 4:
		c.result += "\n\n" + saidOpen + "\n" + text(rnd, 400) + "\n" + saidClose
	}
	return c
}

// randomHistory is a valid history of at most n turns.
func randomHistory(rnd *rand.Rand, n int) []providers.Message {
	s := &script{}
	shared := []string{text(rnd, 300), strings.Repeat("same ", 100), text(rnd, 5_000)}
	for range 1 + rnd.IntN(n) {
		s.user("u " + text(rnd, randomSize(rnd)/4))
		groups := rnd.IntN(8)
		for range groups {
			var calls []made
			for range 1 + rnd.IntN(4) {
				calls = append(calls, randomCall(rnd, shared))
			}
			s.calls(calls...)
			if m := &s.list[len(s.list)-len(calls)-1]; rnd.IntN(3) == 0 {
				m.Parts = providers.TextParts(text(rnd, 300))
				m.Native = []providers.Item{{Kind: "reasoning", Raw: json.RawMessage(encode(text(rnd, 500)))}}
			}
		}
		if groups == 0 || rnd.IntN(4) > 0 {
			s.says("a " + text(rnd, randomSize(rnd)/2))
		}
	}
	if rnd.IntN(2) == 0 && s.list[len(s.list)-1].Role != providers.User { // a new turn begins
		s.user("next " + text(rnd, 100))
	}
	return s.list
}

// fault is the first reason why a history is not valid for a provider.
func fault(history []providers.Message) string {
	if _, n := repair.Messages(history); n > 0 {
		return fmt.Sprintf("%d repairs are needed", n)
	}
	var open []string
	for _, m := range history {
		if m.Role == providers.Tool {
			i := slices.Index(open, m.CallID)
			if i < 0 {
				return "result " + m.ID + " answers no call"
			}
			open = slices.Delete(open, i, i+1)
			continue
		}
		if len(open) > 0 {
			return fmt.Sprintf("calls %v have no result before %s", open, m.ID)
		}
		for _, c := range m.Calls {
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("calls %v have no result", open)
	}
	return ""
}

// deepCopy shares nothing with a history.
func deepCopy(history []providers.Message) []providers.Message {
	out := slices.Clone(history)
	for i := range out {
		out[i].Parts, out[i].Calls, out[i].Native = slices.Clone(out[i].Parts), slices.Clone(out[i].Calls), slices.Clone(out[i].Native)
	}
	return out
}

// check holds a result to what is always true of one.
func check(t *testing.T, e *Engine, in []providers.Message, b Budget, todos []string, r Result) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%s\nbudget %+v, %d of %d tokens\nbefore:\n%s\nafter:\n%s", fmt.Sprintf(format, args...), b, r.After, r.Before, texts(in), texts(r.History))
	}
	if r.Before != sum(in) || r.After != sum(r.History) {
		fail("sizes are %d and %d", sum(in), sum(r.History))
	}
	if r.After > r.Before || r.Fits != (r.After <= b.History) {
		fail("it grew, or fits is %v", r.Fits)
	}
	if was := fault(in); was == "" && fault(r.History) != "" {
		fail("%s", fault(r.History))
	}
	if got := restored(in, r); !reflect.DeepEqual(got, r.History) {
		fail("what is to be stored does not give the history again:\n%s", texts(got))
	}
	if len(r.LeftOut) != r.Messages || r.Turns > r.Messages {
		fail("%d turns, %d messages, %d ids", r.Turns, r.Messages, len(r.LeftOut))
	}
	if !r.Changed() && len(in) > 0 && &in[0] != &r.History[0] {
		fail("nothing changed, but the history is another")
	}
	checkMessages(fail, e, in, r)
	if again := e.Compress(r.History, b, todos); again.Changed() || !reflect.DeepEqual(again.History, r.History) {
		fail("compressing again changes %v %v:\n%s", texts(again.Replaced), again.LeftOut, texts(again.History))
	}
}

// checkMessages holds every message that stays to what may become of it.
func checkMessages(fail func(string, ...any), e *Engine, in []providers.Message, r Result) {
	was := map[string]providers.Message{}
	anchor, newest := "", ""
	for _, m := range in {
		was[m.ID] = m
		if m.Role == providers.User {
			if newest = m.ID; anchor == "" {
				anchor = m.ID
			}
		}
	}
	said := marks{e.c.SaidOpen, e.c.SaidClose}
	for _, m := range in {
		at := slices.IndexFunc(r.History, func(o providers.Message) bool { return o.ID == m.ID })
		if m.Pinned && (at < 0 || m.ID != anchor && m.ID != newest && !reflect.DeepEqual(r.History[at], m)) {
			fail("%s was pinned and changed", m.ID)
		}
	}
	for _, m := range r.History {
		old := was[m.ID]
		same := old
		same.Parts, same.Calls = m.Parts, m.Calls
		if !reflect.DeepEqual(m, same) {
			fail("%s: more than content and arguments changed", m.ID)
		}
		switch _, passage := said.split(old.Text()); {
		case m.Role == providers.Tool && (!strings.HasSuffix(m.Text(), passage) || !reflect.DeepEqual(m.Calls, old.Calls)):
			fail("%s: the user's words are gone", m.ID)
		case m.Role == providers.User && m.ID != anchor && !reflect.DeepEqual(own(m), own(old)), m.ID == newest && m.ID != anchor && !reflect.DeepEqual(own(m), own(old)):
			fail("%s: a user message changed", m.ID)
		case m.ID == anchor && !strings.HasPrefix(m.Text(), own(old).Text()):
			fail("%s: the first user message changed", m.ID)
		case m.Role == providers.Assistant && !reflect.DeepEqual(m.Parts, old.Parts):
			fail("%s: an answer changed", m.ID)
		}
		checkCalls(fail, old.Calls, m.Calls)
	}
	checkEnd(fail, e, in, newest, r)
}

// own is a message of the user without what the program has attached to it.
func own(m providers.Message) providers.Message {
	if said, attached := tools.Detach(m.Text()); len(attached) > 0 {
		m.Parts = providers.TextParts(said)
	}
	return m
}

// checkEnd: the newest user message, the last answer with what it answers, and the
// newest few messages stay, and results the model has not seen are not reduced to a
// line.
func checkEnd(fail func(string, ...any), e *Engine, in []providers.Message, newest string, r Result) {
	asked, must := "", []string{newest}
	for i := range in {
		m := &in[i]
		if fromUser(*m) {
			asked = m.ID
		}
		if m.Role == providers.Assistant && len(m.Calls) == 0 && strings.TrimSpace(m.Text()) != "" {
			must = []string{newest, m.ID, asked}
		}
	}
	for _, m := range in[max(len(in)-e.few(), 0):] {
		if at := slices.IndexFunc(in, func(o providers.Message) bool { return o.ID == newest }); at >= 0 && slices.ContainsFunc(in[at:], func(o providers.Message) bool { return o.ID == m.ID }) {
			must = append(must, m.ID)
		}
	}
	for _, id := range must {
		if slices.Contains(r.LeftOut, id) {
			fail("%s is gone", id)
		}
	}
	for k := len(in) - 1; k >= 0 && in[k].Role == providers.Tool; k-- {
		old, m := in[k].Text(), r.History[len(r.History)-len(in)+k].Text()
		if old != m && (!longer(old, 2_000) || !strings.Contains(m, previewOpen)) {
			fail("%s was not seen yet and was shortened", in[k].ID)
		}
	}
}

// checkCalls: calls keep everything but long texts in their arguments.
func checkCalls(fail func(string, ...any), was, are []providers.Call) {
	if len(was) != len(are) {
		fail("calls went")
	}
	for i := range was {
		same := are[i]
		same.Arguments = was[i].Arguments
		if !reflect.DeepEqual(same, was[i]) {
			fail("call %s changed in more than its arguments", was[i].ID)
		}
		if a := are[i].Arguments; a != was[i].Arguments && (!json.Valid([]byte(a)) || len(a) > len(was[i].Arguments)) {
			fail("the arguments of %s became %q", was[i].ID, a)
		}
	}
}

// restored is the history as a store gives it again that keeps every message
// as it was, and beside it what a compression changed.
func restored(in []providers.Message, r Result) []providers.Message {
	var out []providers.Message
	for _, m := range in {
		if slices.Contains(r.LeftOut, m.ID) {
			continue
		}
		if i := slices.IndexFunc(r.Replaced, func(n providers.Message) bool { return n.ID == m.ID }); i >= 0 {
			m = r.Replaced[i]
		}
		out = append(out, m)
	}
	return out
}

// randomCase compresses a random history and checks the result.
func randomCase(t *testing.T, seed uint64) Result {
	rnd := rand.New(rand.NewPCG(seed, 7))
	history := randomHistory(rnd, 1+rnd.IntN(12))
	for range 2 * (seed % 3) {
		history[rnd.IntN(len(history))].Pinned = true
	}
	e := engine(func(c *Config) {
		c.ProtectFirst, c.ProtectLast = rnd.IntN(6), rnd.IntN(25)
	})
	b := Budget{History: int(float64(sum(history)) * rnd.Float64())}
	b.Tail = int(float64(b.History) * rnd.Float64())
	if rnd.IntN(2) == 0 {
		b.Summary = rnd.IntN(b.History/3 + 1)
	}
	var todos []string
	for range rnd.IntN(4) {
		todos = append(todos, text(rnd, 300))
	}
	before := deepCopy(history)
	r := e.Compress(history, b, todos)
	check(t, e, history, b, todos, r)
	if !reflect.DeepEqual(history, before) {
		t.Fatalf("seed %d: the input was changed", seed)
	}
	if again := e.Compress(before, b, todos); !reflect.DeepEqual(again, r) {
		t.Fatalf("seed %d: another result for the same input", seed)
	}
	return r
}

// TestRandomHistories: whatever the history and the budget, the result is valid,
// smaller, and says the same when it is compressed again.
func TestRandomHistories(t *testing.T) {
	var seen struct{ fits, unfit, dropped, late, results, arguments, previews int }
	for seed := range uint64(400) {
		r := randomCase(t, seed)
		count := func(n *int, yes bool) {
			if yes {
				*n++
			}
		}
		count(&seen.fits, r.Fits)
		count(&seen.unfit, !r.Fits)
		count(&seen.dropped, r.Turns > 0)
		count(&seen.late, strings.Contains(r.History[0].Text(), lateMark))
		count(&seen.results, r.Results > 0)
		count(&seen.arguments, r.Arguments > 0)
		count(&seen.previews, slices.ContainsFunc(r.Replaced, func(m providers.Message) bool { return strings.Contains(m.Text(), previewOpen) }))
	}
	if seen.fits < 40 || seen.unfit < 40 || seen.dropped < 40 || seen.late < 20 || seen.results < 40 || seen.arguments < 40 || seen.previews < 20 {
		t.Errorf("the histories are too much alike: %+v", seen)
	}
}

// TestGrowing: a conversation that grows and is compressed again and again stays
// valid and within its budget, and counts everything that was left out.
func TestGrowing(t *testing.T) {
	for seed := range uint64(10) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		e, b := engine(), Budget{History: 12_000, Tail: 4_000, Summary: int(seed%3) * 900}
		var history []providers.Message
		turns, messages := 0, 0
		for round := range 12 {
			more := randomHistory(rnd, 6)
			for i := range more { // ids must differ between rounds
				m := &more[i]
				m.ID, m.CallID = fmt.Sprint(round, m.ID), fmt.Sprint(round, m.CallID)
				for k := range m.Calls {
					m.Calls[k].ID = fmt.Sprint(round, m.Calls[k].ID)
				}
			}
			if n := len(history); n > 0 && history[n-1].Role == providers.User {
				more = more[1:] // two user messages in a row are no valid history
			}
			history = append(slices.Clip(history), more...)
			r := e.Compress(history, b, nil)
			if why := fault(r.History); why != "" {
				t.Fatalf("seed %d: %s", seed, why)
			}
			turns, messages, history = turns+r.Turns, messages+r.Messages, r.History
		}
		_, o := splitNotice(history[0].Text())
		if o.omission != (omission{turns: turns, messages: messages}) || turns == 0 {
			t.Fatalf("seed %d: the notice says %+v, left out were %d turns and %d messages", seed, o, turns, messages)
		}
		if n := strings.Count(history[0].Text(), noticeOpen); n != 1 {
			t.Fatalf("seed %d: %d notices", seed, n)
		}
	}
}

// TestInvalidHistories: in what another program left behind, calls and results
// that belong together stay so.
func TestInvalidHistories(t *testing.T) {
	for seed := range uint64(120) {
		rnd := rand.New(rand.NewPCG(seed, 11))
		history := randomHistory(rnd, 8)
		for n := range 1 + rnd.IntN(6) {
			i := rnd.IntN(len(history) + 1)
			switch {
			case rnd.IntN(3) == 0:
				history = slices.Insert(history, i, providers.Message{ID: fmt.Sprint("x", n), Role: providers.User, Parts: providers.TextParts("again")})
			case rnd.IntN(2) == 0:
				history = slices.Insert(history, i, providers.Message{ID: fmt.Sprint("y", n), Role: providers.Tool, CallID: "no such call", Parts: providers.TextParts(text(rnd, 900))})
			case i < len(history) && len(history) > 1:
				history = slices.Delete(history, i, i+1)
			}
		}
		r := engine().Compress(history, Budget{History: sum(history) / 3, Tail: sum(history) / 9}, nil)
		if r.After > r.Before || r.After != sum(r.History) {
			t.Fatalf("seed %d: %d tokens became %d", seed, r.Before, r.After)
		}
		if !reflect.DeepEqual(restored(history, r), r.History) {
			t.Fatalf("seed %d: what is to be stored does not give the history again", seed)
		}
		before, after := answers(history), answers(r.History)
		for _, m := range r.History {
			if before[m.ID] != after[m.ID] {
				t.Fatalf("seed %d: %s had %q and has %q\n%s\n%s", seed, m.ID, before[m.ID], after[m.ID], texts(history), texts(r.History))
			}
		}
	}
}

// answers tells which calls of each assistant message are answered, and which
// message each result answers.
func answers(history []providers.Message) map[string]string {
	of := map[string]string{}
	asked := providers.Message{}
	for _, m := range history {
		if m.Role != providers.Tool {
			asked = m
			continue
		}
		if slices.ContainsFunc(asked.Calls, func(c providers.Call) bool { return c.ID == m.CallID }) {
			of[m.ID] = asked.ID
			of[asked.ID] += m.ID + " "
		}
	}
	return of
}

// FuzzCompress looks for a history for which something does not hold.
func FuzzCompress(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { randomCase(t, seed) })
}

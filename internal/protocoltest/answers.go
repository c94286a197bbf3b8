package protocoltest

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"hermes-tui/providers"
)

// Steps, in short.
func text(s string) Step                { return Step{Kind: Text, Text: s} }
func reason(s string) Step              { return Step{Kind: Reasoning, Text: s} }
func call(i int, id, name string) Step  { return Step{Kind: Call, Index: i, ID: id, Name: name} }
func args(i int, s string) Step         { return Step{Kind: Arguments, Index: i, Text: s} }
func finish(f providers.Finish) Step    { return Step{Kind: Finish, Finish: f} }
func count(u providers.Usage) Step      { return Step{Kind: Usage, Usage: u} }
func plain(k Kind) Step                 { return Step{Kind: k} }
func opaque(s, signature string) Step   { return Step{Kind: Reasoning, Text: s, Opaque: signature} }
func refusal(s string) Step             { return Step{Kind: Refusal, Text: s} }
func failure(kind, message string) Step { return Step{Kind: Failure, Type: kind, Text: message} }

// figures use every count.
var figures = providers.Usage{Input: 40, Output: 20, CacheRead: 60, CacheWrite: 7, Reasoning: 5}

// counted is what a protocol can say of some figures.
func (s suite) counted(u providers.Usage) providers.Usage {
	if s.p.Counts == nil {
		return u
	}
	return s.p.Counts(u)
}

// streams answers every request with a body.
func (s suite) streams(t *testing.T, body []byte) *server {
	t.Helper()
	return serve(t, func(c *conn) { c.begin(s.p.ContentType); c.send(body); c.end() })
}

// get reads the answer that some steps are.
func (s suite) get(t *testing.T, steps ...Step) (*answer, error) {
	t.Helper()
	return ask(t, s.p.New(t, s.streams(t, s.body(steps...)).url), hello())
}

// good reads an answer that must be complete.
func (s suite) good(t *testing.T, w want, steps ...Step) {
	t.Helper()
	a, err := s.get(t, steps...)
	if err != nil {
		t.Fatal(err)
	}
	a.check(t, w)
}

// twoCalls are parallel calls with arguments in pieces.
func twoCalls() ([]Step, []providers.Call) {
	return []Step{
			call(0, "call_1", "read_file"), args(0, `{"pa`), args(0, `th":"ä\n\`), args(0, `"`), args(0, `x"}`),
			call(1, "call_2", "terminal"), args(1, `{"command":`), args(1, `"ls -l"}`),
		}, []providers.Call{
			{WireID: "call_1", Name: "read_file", Arguments: `{"path":"ä\n\"x"}`},
			{WireID: "call_2", Name: "terminal", Arguments: `{"command":"ls -l"}`},
		}
}

func (s suite) answers(t *testing.T) {
	steps, calls := twoCalls()
	stop, tools := finish(providers.FinishStop), finish(providers.FinishToolCalls)
	const odd = "grüße 😀 \n\t\"quoted\" \\ </s> \u2028 data: {\"x\"}\r\n\r\n"
	for _, c := range []struct {
		name  string
		steps []Step
		want  want
	}{
		{"text", []Step{text("Hel"), text("lo"), stop}, want{text: "Hello", finish: providers.FinishStop, order: "text"}},
		{"odd text", []Step{text(odd), text(" "), text("\n"), stop}, want{text: odd + " \n", finish: providers.FinishStop}},
		{"text that is blank", []Step{text("\n\n"), text("a"), stop}, want{text: "\n\na", finish: providers.FinishStop}},
		{"nothing at all", []Step{stop}, want{finish: providers.FinishStop}},
		{"reasoning and text", []Step{reason("I "), reason("think"), text("so"), stop},
			want{reasoning: "I think", text: "so", finish: providers.FinishStop, order: "reasoning, text"}},
		{"usage", []Step{text("a"), count(figures), stop},
			want{text: "a", usage: s.counted(figures), finish: providers.FinishStop}},
		{"calls", append(append([]Step{reason("hm"), text("I look")}, steps...), count(figures), tools),
			want{reasoning: "hm", text: "I look", calls: calls, usage: s.counted(figures), finish: providers.FinishToolCalls,
				order: "reasoning, text, call 0, arguments 0, call 1, arguments 1"}},
		{"a call without arguments", []Step{call(0, "call_1", "now"), tools},
			want{calls: []providers.Call{{WireID: "call_1", Name: "now"}}, finish: providers.FinishToolCalls}},
		{"a call that is cut off", []Step{call(0, "call_1", "now"), args(0, `{"a":"b`), finish(providers.FinishLength)},
			want{calls: []providers.Call{{WireID: "call_1", Name: "now", Arguments: `{"a":"b`}}, finish: providers.FinishLength}},
		{"a refusal", []Step{refusal("I will"), refusal(" not."), finish(providers.FinishFilter)},
			want{text: "I will not.", finish: providers.FinishFilter}},
		{"unknown events", []Step{plain(Unknown), text("a"), plain(Unknown), text("b"), plain(Unknown), stop},
			want{text: "ab", finish: providers.FinishStop}},
		{"keep-alives", []Step{plain(KeepAlive), text("a"), plain(KeepAlive), plain(KeepAlive), text("b"), plain(KeepAlive), stop},
			want{text: "ab", finish: providers.FinishStop}},
	} {
		t.Run(c.name, func(t *testing.T) { s.good(t, c.want, c.steps...) })
	}
	if s.p.Interleaves {
		t.Run("calls mixed", func(t *testing.T) {
			s.good(t, want{calls: []providers.Call{
				{WireID: "call_1", Name: "f", Arguments: `{"a":1}`}, {WireID: "call_2", Name: "g", Arguments: `{"b":2}`},
			}, finish: providers.FinishToolCalls},
				call(0, "call_1", "f"), call(1, "call_2", "g"), args(0, `{"a"`), args(1, `{"b"`), args(0, `:1}`), args(1, `:2}`), tools)
		})
	}
}

func (s suite) reasons(t *testing.T) {
	for _, f := range []providers.Finish{providers.FinishStop, providers.FinishLength, providers.FinishFilter} {
		t.Run(string(f), func(t *testing.T) { s.good(t, want{text: "a", finish: f}, text("a"), finish(f)) })
	}
	for wire, f := range s.p.Reasons {
		t.Run(wire, func(t *testing.T) {
			steps, w := []Step{text("a")}, want{text: "a", finish: f}
			if f == providers.FinishToolCalls {
				steps = append(steps, call(0, "call_1", "now"), args(0, "{}"))
				w.calls = []providers.Call{{WireID: "call_1", Name: "now", Arguments: "{}"}}
			}
			s.good(t, w, append(steps, Step{Kind: Finish, Reason: wire})...)
		})
	}
}

// live checks that every piece is handed on before the next one is sent.
func (s suite) live(t *testing.T) {
	parts := s.p.Encode([]Step{
		reason("r"), text("a"), text("b"), call(0, "call_1", "f"), args(0, `{"x"`), args(0, `:1}`), finish(providers.FinishToolCalls),
	})
	next := make(chan struct{})
	srv := serve(t, func(c *conn) {
		c.begin(s.p.ContentType)
		for _, part := range parts {
			if _, ok := <-next; !ok {
				return
			}
			c.send(part)
		}
		c.end()
	})
	st, err := s.p.New(t, srv.url).Stream(t.Context(), hello())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	defer close(next)
	a := &answer{}
	take := func() {
		d, err := st.Next()
		if err != nil {
			t.Fatal(err)
		}
		a.add(t, d)
	}
	take() // the opening comes with the headers alone
	for _, until := range []func() bool{
		func() bool { return a.reasoning == "r" }, func() bool { return a.text == "a" }, func() bool { return a.text == "ab" },
		func() bool { return true }, // a call may be announced with its first arguments
		func() bool { return len(a.calls) == 1 && a.calls[0].Arguments == `{"x"` },
		func() bool { return a.calls[0].Arguments == `{"x":1}` },
		func() bool { return a.finish == providers.FinishToolCalls },
	} {
		next <- struct{}{}
		for !until() {
			take()
		}
	}
}

// slow sends every byte by itself.
func (s suite) slow(t *testing.T) {
	steps, calls := twoCalls()
	body := s.body(append(append([]Step{reason("ö"), plain(KeepAlive), text("grüße 😀")}, steps...), count(figures), finish(providers.FinishToolCalls))...)
	srv := serve(t, func(c *conn) {
		c.begin(s.p.ContentType)
		for i := range body {
			c.send(body[i : i+1])
		}
		c.end()
	})
	a, err := ask(t, s.p.New(t, srv.url), hello())
	if err != nil {
		t.Fatal(err)
	}
	a.check(t, want{reasoning: "ö", text: "grüße 😀", calls: calls, usage: s.counted(figures), finish: providers.FinishToolCalls})
}

// large has one huge event and many small ones.
func (s suite) large(t *testing.T) {
	long := strings.Repeat("ä", 1<<19)
	steps := []Step{text(long)}
	for range 3000 {
		steps = append(steps, text("x"))
	}
	s.good(t, want{text: long + strings.Repeat("x", 3000), finish: providers.FinishStop}, append(steps, finish(providers.FinishStop))...)
}

// sideBySide has one client read several answers at once.
func (s suite) sideBySide(t *testing.T) {
	srv := serve(t, func(c *conn) {
		c.begin(s.p.ContentType)
		for i := range 8 {
			if word := fmt.Sprintf("word-%d", i); strings.Contains(c.asked.body, word) {
				c.send(s.body(text(word), text("!"), finish(providers.FinishStop)))
			}
		}
		c.end()
	})
	client := s.p.New(t, srv.url)
	var busy sync.WaitGroup
	for i := range 8 {
		busy.Go(func() {
			r := hello()
			word := fmt.Sprintf("word-%d", i)
			r.Messages[0].Parts = providers.TextParts(word)
			if a, err := ask(t, client, r); err != nil || a.text != word+"!" {
				t.Errorf("%s: got %q, %v", word, a.text, err)
			}
		})
	}
	busy.Wait()
}

// silenceBehindTheEnd is a server that is done and does not hang up.
func (s suite) silenceBehindTheEnd(t *testing.T) {
	body := s.body(text("a"), count(figures), finish(providers.FinishStop))
	gone := make(chan struct{}, 8) // more than once only if the client asks again
	srv := serve(t, func(c *conn) { c.begin(s.p.ContentType); c.send(body); c.hang(); gone <- struct{}{} })
	a, err := ask(t, s.p.New(t, srv.url), hello())
	if err != nil {
		t.Fatal(err)
	}
	a.check(t, want{text: "a", usage: s.counted(figures), finish: providers.FinishStop})
	wait(t, gone, "the connection stayed open")
}

package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"hermes-tui/providers"
)

// scenario parses rules, or, when the text is an array, the steps of one rule.
func scenario(t testing.TB, text string) *Scenario {
	t.Helper()
	if strings.HasPrefix(text, "[") {
		text = `{"name": "test", "rules": [{"steps": ` + text + `}]}`
	}
	s, err := Parse("test.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func client(t testing.TB, text string) *Client {
	t.Helper()
	c, err := New(scenario(t, text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func user(text string) providers.Message {
	return providers.Message{Role: providers.User, Parts: providers.TextParts(text)}
}

func says(text string) providers.Request {
	return providers.Request{Model: "m", System: "You are.", Messages: []providers.Message{user(text)}}
}

// transcript writes down an answer with everything a caller sees of it; pieces
// of text that follow each other are separated by bars.
func transcript(s providers.Stream, err error) string {
	if err != nil {
		return describeError(err)
	}
	defer s.Close()
	var b strings.Builder
	last := providers.DeltaKind(-1)
	for {
		d, err := s.Next()
		if err != nil {
			return b.String() + " " + describeError(err)
		}
		if d.Kind == last {
			b.WriteString("|")
		} else if last >= 0 {
			b.WriteString(" ")
		}
		last = d.Kind
		b.WriteString(describeDelta(d))
	}
}

func describeDelta(d providers.Delta) string {
	switch d.Kind {
	case providers.DeltaOpen:
		return "open"
	case providers.DeltaText:
		return fmt.Sprintf("%q", d.Text)
	case providers.DeltaReasoning:
		return fmt.Sprintf("think %q", d.Text)
	case providers.DeltaCall:
		return fmt.Sprintf("call %d %s %s", d.Index, d.CallID, d.Name)
	case providers.DeltaArguments:
		return fmt.Sprintf("args %d %s", d.Index, d.Text)
	case providers.DeltaUsage:
		return fmt.Sprintf("usage %d/%d/%d/%d/%d", d.Usage.Input, d.Usage.Output, d.Usage.CacheRead, d.Usage.CacheWrite, d.Usage.Reasoning)
	case providers.DeltaFinish:
		return "finish " + string(d.Finish)
	}
	return fmt.Sprintf("delta %d", d.Kind)
}

func describeError(err error) string {
	if errors.Is(err, io.EOF) {
		return "EOF"
	}
	var e *providers.Error
	if !errors.As(err, &e) {
		return "error " + err.Error()
	}
	out := fmt.Sprintf("%s error", e.Kind)
	if e.Status != 0 {
		out += fmt.Sprintf(" %d", e.Status)
	}
	for _, s := range []string{e.Message, e.Type, e.Code} {
		if s != "" {
			out += " (" + s + ")"
		}
	}
	if e.RetryAfter != 0 {
		out += " after " + e.RetryAfter.String()
	}
	return out
}

// plays are steps and what a client sees of them, in this process and over
// HTTP. The counted usage of the prompt is 3 tokens: "You are." and "hi".
func plays() []struct{ name, steps, want string } {
	const cut = "broken error (the connection was reset)"
	const ended = "broken error (the answer ended before it was complete)"
	return []struct{ name, steps, want string }{
		{"text", `[{"text": "hello big world"}]`, `open "hello"|" big"|" world" finish stop usage 3/4/0/0/0 EOF`},
		{"empty", `[]`, `open finish stop usage 3/0/0/0/0 EOF`},
		{"split", `[{"text": "hällo", "split": 2}]`, `open "hä"|"ll"|"o" finish stop usage 3/2/0/0/0 EOF`},
		{"template", `[{"text": "{{last_user}}{{last_tool}}{{other}}"}]`, `open "hi{{other}}" finish stop usage 3/3/0/0/0 EOF`},
		{"reasoning", `[{"reasoning": "so so"}, {"text": "yes"}]`, `open think "so"|think " so" "yes" finish stop usage 3/2/0/0/2 EOF`},
		{"escapes", `[{"text": "\"\\\n\u0001é😀"}]`, `open "\"\\"|"\n"|"\x01é😀" finish stop usage 3/2/0/0/0 EOF`},
		{"tokens", `[{"tokens": {"n": 3, "kind": "prose"}}]`, `open "morning"|" window"|" carries" finish stop usage 3/6/0/0/0 EOF`},
		{"call", `[{"text": "ok"}, {"call": {"name": "ls", "args": {"a": 1}}, "split": 4}]`,
			`open "ok" call 0 call_1_0 ls args 0 {"a"|args 0 :1} finish tool_calls usage 3/3/0/0/0 EOF`},
		{"two calls", `[{"call": {"name": "a", "id": "x"}}, {"call": {"name": "b", "raw_args": "{\"c"}}]`,
			`open call 0 x a args 0 {} call 1 call_1_1 b args 1 {"c finish tool_calls usage 3/2/0/0/0 EOF`},
		{"no arguments", `[{"call": {"name": "a", "raw_args": ""}}]`, `open call 0 call_1_0 a finish tool_calls usage 3/1/0/0/0 EOF`},
		{"usage", `[{"usage": {"input": 9, "output": 8, "cache_read": 7, "cache_write": 6, "reasoning": 5}}]`, `open usage 9/8/7/6/5 finish stop EOF`},
		{"no usage", `[{"usage": "none"}]`, `open finish stop EOF`},
		{"finish", `[{"text": "a"}, {"finish": "length"}]`, `open "a" finish length usage 3/1/0/0/0 EOF`},
		{"filter", `[{"finish": "content_filter"}]`, `open finish content_filter usage 3/0/0/0/0 EOF`},
		{"unknown finish", `[{"finish": "eos"}]`, `open finish stop usage 3/0/0/0/0 EOF`},
		{"failed finish", `[{"finish": "error"}]`, `open stream error (the model broke off with the reason error)`},
		{"no finish", `[{"text": "a"}, {"finish": "none"}, {"usage": "none"}]`, `open "a" ` + ended},
		{"sleep", `[{"sleep_ms": 5}, {"open": true}, {"sleep_ms": 5}, {"text": "a"}, {"stall": 5}]`, `open "a" finish stop usage 3/1/0/0/0 EOF`},
		{"status", `[{"error": {"status": 429, "message": "slow", "type": "rl", "code": "c", "retry_after": 1.2}}]`, `status error 429 (slow) (rl) (c) after 2s`},
		{"late status", `[{"sleep_ms": 5}, {"error": {}}]`, `status error 500 (The scenario fails here.) (server_error)`},
		{"body", `[{"error": {"status": 400, "body": {"detail": "bad"}}}]`, `status error 400 (bad)`},
		{"plain body", `[{"error": {"status": 503, "body": "busy"}}]`, `status error 503`},
		{"text error", `[{"error": {"status": 403, "body": {"error": "no"}}}]`, `status error 403 (no)`},
		{"message error", `[{"error": {"status": 403, "body": {"message": "no"}}}]`, `status error 403 (no)`},
		{"html", `[{"error": {"status": 502, "html": "<html><title> Bad gateway </title>"}}]`, `status error 502 (Bad gateway)`},
		{"header", `[{"error": {"status": 429, "message": "m", "type": "t", "headers": {"retry-after": "7"}}}]`, `status error 429 (m) (t) after 7s`},
		{"success page", `[{"error": {"status": 200, "html": "<title>Welcome</title>"}}]`,
			`open protocol error (the endpoint does not answer in the chat protocol; it says: Welcome)`},
		{"event error", `[{"text": "a"}, {"error": {"message": "boom", "type": "t", "code": "c"}}]`, `open "a" stream error (boom) (t) (c)`},
		{"numbered error", `[{"open": true}, {"error": {"body": {"error": {"message": "boom", "code": 502}}}}]`, `open stream error 502 (boom) (502)`},
		{"gateway error", `[{"text": "a"}, {"error": {"message": "boom", "with_id": true}}]`, `open "a" stream error (boom) (server_error)`},
		{"reset", `[{"text": "a"}, {"cut": true}]`, `open "a" ` + cut},
		{"early reset", `[{"cut": "reset"}]`, cut},
		{"half", `[{"text": "a"}, {"cut": "half"}]`, `open "a" ` + cut},
		{"early half", `[{"cut": "half"}]`, `open ` + cut},
		{"clean", `[{"text": "a"}, {"cut": "clean"}]`, `open "a" ` + ended},
		{"malformed", `[{"text": "a"}, {"malformed": true}, {"text": "b"}]`, `open "a" protocol error (an event of the answer is not valid JSON)`},
		{"keepalive", `[{"keepalive": 400}, {"text": "a"}]`, `open "a" finish stop usage 3/1/0/0/0 EOF`},
		{"raw", `[{"raw": "data: {\"choices\":[{\"delta\":{\"content\":\"r\"}}]}\n\nevent: x\nretry: 1\n"}, {"text": "a"}]`, `open "r"|"a" finish stop usage 3/1/0/0/0 EOF`},
		{"raw end", `[{"raw": "data:{\"choices\":[{\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]\n\n"}, {"text": "a"}]`, `open finish stop EOF`},
		{"raw half", `[{"raw": "data: {\"cho"}, {"text": "a"}]`, `open protocol error (an event of the answer is not valid JSON)`},
		{"raw bytes", `[{"raw_base64": "ZGF0YTogeyJjaG9pY2VzIjpbeyJkZWx0YSI6eyJjb250ZW50Ijoiww=="}, {"raw_base64": "qSJ9fV19Cgo="}]`,
			`open "é" finish stop usage 3/0/0/0/0 EOF`},
		{"same index", `[{"raw": "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"p\",\"function\":{\"name\":\"a\",\"arguments\":\"{}\"}},` +
			`{\"index\":0,\"id\":\"q\",\"function\":{\"name\":\"b\",\"arguments\":\"1\"}},{\"index\":0,\"function\":{\"arguments\":\"2\"}}]}}]}\n\n"}]`,
			`open call 0 p a args 0 {} call 1 q b args 1 1|args 1 2 finish stop usage 3/0/0/0/0 EOF`},
	}
}

func TestPlayInProcess(t *testing.T) {
	for _, c := range plays() {
		t.Run(c.name, func(t *testing.T) {
			got := transcript(client(t, c.steps).Stream(t.Context(), says("hi")))
			if got != c.want {
				t.Errorf("\n got  %s\n want %s", got, c.want)
			}
		})
	}
}

func TestStatusErrorIsComplete(t *testing.T) {
	c := client(t, `[{"error": {"status": 418, "message": "tea", "headers": {"X-Kind": "pot"}}}]`)
	_, err := c.Stream(t.Context(), says("hi"))
	var e *providers.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	if e.Endpoint != "script:test" || e.Header.Get("X-Kind") != "pot" || !json.Valid(e.Body) || !strings.Contains(string(e.Body), "tea") {
		t.Errorf("error %+v", e)
	}
}

func tool(name, text string) providers.Message {
	return providers.Message{Role: providers.Tool, CallName: name, Parts: providers.TextParts(text)}
}

func TestMatching(t *testing.T) {
	with := func(r providers.Request, more ...providers.Message) providers.Request {
		r.Messages = append(r.Messages, more...)
		return r
	}
	offering := says("x")
	offering.Tools = []providers.ToolDef{{Name: "t"}}
	for _, c := range []struct {
		name, match string
		request     providers.Request
		want        bool
	}{
		{"anything", `{}`, providers.Request{}, true},
		{"user", `{"user": "^ab"}`, says("abc"), true},
		{"user not", `{"user": "^b"}`, says("abc"), false},
		{"newest user", `{"user": "old"}`, with(says("old"), user("new")), false},
		{"system", `{"system": "are"}`, says(""), true},
		{"system not", `{"system": "is"}`, says(""), false},
		{"tools", `{"tools": true}`, offering, true},
		{"tools not", `{"tools": false}`, offering, false},
		{"no tools", `{"tools": false}`, says(""), true},
		{"results", `{"results": 2}`, with(says("a"), tool("x", "1"), tool("y", "2")), true},
		{"results since user", `{"results": 0}`, with(says("a"), tool("x", "1"), user("b")), true},
		{"results not", `{"results": 0}`, with(says("a"), tool("x", "1")), false},
		{"tool", `{"tool": "y", "tool_result": "2"}`, with(says("a"), tool("x", "1"), tool("y", "2")), true},
		{"older tool", `{"tool": "x"}`, with(says("a"), tool("x", "1"), tool("y", "2")), false},
		{"tool before user", `{"tool": "x"}`, with(says("a"), tool("x", "1"), user("b")), false},
		{"empty result", `{"tool_result": "^$"}`, with(says("a"), tool("x", "")), true},
		{"no result", `{"tool_result": ""}`, says("a"), true},
		{"both", `{"user": "a", "system": "nope"}`, says("a"), false},
	} {
		text := `{"rules": [{"match": ` + c.match + `, "steps": [{"text": "yes"}]}]}`
		got := transcript(client(t, text).Stream(t.Context(), c.request))
		if strings.Contains(got, `"yes"`) != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
		if !c.want && !strings.Contains(got, "status error 400 (No rule of scenario test answers request 1") {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

func TestTimesAndNth(t *testing.T) {
	c := client(t, `{"rules": [
		{"match": {"nth": 3}, "steps": [{"text": "third"}]},
		{"times": 1, "match": {"user": "a"}, "steps": [{"text": "once"}]},
		{"times": 2, "steps": [{"text": "twice"}]},
		{"steps": [{"text": "always"}]}
	]}`)
	var got []string
	for _, prompt := range []string{"b", "a", "a", "a", "a", "a"} {
		s, err := c.Stream(t.Context(), says(prompt))
		if err != nil {
			t.Fatal(err)
		}
		m, err := collect(s)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m.Text())
	}
	if want := "twice once third twice always always"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
}

func TestDeterminism(t *testing.T) {
	text := `{"rate": 0, "rules": [{"steps": [{"tokens": {"n": 500, "seed": 3}}, {"call": {"name": "a"}}]}]}`
	one := transcript(client(t, text).Stream(t.Context(), says("hi")))
	two := transcript(client(t, text).Stream(t.Context(), says("hi")))
	if one != two {
		t.Error("two runs differ")
	}
	other := transcript(client(t, strings.Replace(text, `"seed": 3`, `"seed": 4`, 1)).Stream(t.Context(), says("hi")))
	if one == other {
		t.Error("another seed gives the same text")
	}
}

func TestConcurrentStreams(t *testing.T) {
	c := client(t, `{"rules": [{"times": 20, "steps": [{"text": "first {{last_user}}"}]}, {"steps": [{"text": "then {{last_user}}"}]}]}`)
	var wg sync.WaitGroup
	var mu sync.Mutex
	first := 0
	for i := range 40 {
		wg.Go(func() {
			s, err := c.Stream(t.Context(), says(fmt.Sprint("number ", i)))
			if err != nil {
				t.Error(err)
				return
			}
			m, err := collect(s)
			if err != nil || !strings.HasSuffix(m.Text(), fmt.Sprint("number ", i)) {
				t.Errorf("%d: %q %v", i, m.Text(), err)
			}
			mu.Lock()
			defer mu.Unlock()
			if strings.HasPrefix(m.Text(), "first") {
				first++
			}
		})
	}
	wg.Wait()
	if first != 20 {
		t.Errorf("the first rule fired %d times, want 20", first)
	}
}

func TestGenerated(t *testing.T) {
	for _, kind := range []Kind{Markdown, Prose} {
		for n := range 700 {
			pieces := generate(Tokens{N: n, Kind: kind, Seed: 5})
			text := strings.Join(pieces, "")
			if len(pieces) != n {
				t.Fatalf("%s: %d pieces, want %d", kind, len(pieces), n)
			}
			if strings.Count(text, "```")%2 != 0 {
				t.Fatalf("%s: %d pieces leave a code block open: …%q", kind, n, text[max(0, len(text)-60):])
			}
		}
	}
}

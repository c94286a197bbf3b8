//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

func says(user string, steps ...script.Step) script.Rule {
	none := 0
	return script.Rule{Match: script.Match{User: user, Results: &none}, Steps: steps}
}

func saysAfter(user string, results int, steps ...script.Step) script.Rule {
	return script.Rule{Match: script.Match{User: user, Results: &results}, Steps: steps}
}

func text(s string) script.Step { return script.Text{Text: s} }

func calls(name string, args map[string]any) script.Step {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return script.Call{Name: name, Args: string(raw)}
}

// sessionsToRecord are the sessions of testdata/recordings.
func sessionsToRecord() []recorded {
	has := uitest.Contains
	hello := []script.Rule{says("", text("Hello. This is an *answer* with `code`:\n\n```go\nfunc main() {}\n```\n"))}
	send := func(what, until string) func(*uitest.Driver) {
		return func(d *uitest.Driver) { d.Type(what).Press("enter").WaitFor(has(until)).WaitIdle() }
	}
	command := []script.Rule{says("", calls("terminal", map[string]any{"command": "mkdir made && echo it is made"})), saysAfter("", 1, text("Finis."))}
	long := []script.Rule{says("", script.Tokens{N: 900, Seed: 7}, text("\n\nFinis."))}
	asks := func(d *uitest.Driver) *uitest.Driver {
		return d.Type("go").Press("enter").WaitFor(has("wants to")).WaitFor(has("▸ 1 Deny"))
	}
	list := []recorded{
		{name: "chat", rules: hello, act: send("hello", "func main")},
		{name: "light", rules: hello, options: uitest.Options{Config: "display:\n  theme: light\n"}, act: send("hello", "func main")},
		{name: "narrow", rules: hello, options: uitest.Options{Cols: 44, Rows: 16}, act: send("hello there", "func main")},
		{name: "reasoning", rules: []script.Rule{says("", script.Reasoning{Text: "First I look, then I say it."}, text("Finis."))}, act: send("think", "Finis.")},
		{name: "approval", rules: command, act: func(d *uitest.Driver) {
			asks(d).Press("right", "enter").WaitFor(has("Finis.")).WaitIdle()
		}},
		{name: "denied", rules: command, act: func(d *uitest.Driver) {
			asks(d).Press("enter").WaitFor(has("Finis.")).WaitIdle()
		}},
		{name: "write", rules: []script.Rule{says("", calls("write_file", map[string]any{"path": "notes.txt", "content": "one\ntwo\n"})), saysAfter("", 1, text("Finis."))}, act: func(d *uitest.Driver) {
			asks(d).Press("right", "enter").WaitFor(has("undecided")).Press("a", "enter").WaitFor(has("Finis.")).WaitIdle()
		}},
		{name: "clarify", rules: []script.Rule{says("", calls("clarify", map[string]any{"question": "Which colour?", "choices": []string{"red", "green"}})), saysAfter("", 1, text("Finis."))}, act: func(d *uitest.Driver) {
			d.Type("go").Press("enter").WaitFor(uitest.LineMatches(`▸ 1 red`)).Press("2").WaitFor(has("Finis.")).WaitIdle()
		}},
		{name: "tasks", rules: []script.Rule{says("", calls("todo", map[string]any{"todos": []map[string]any{{"id": "1", "content": "look", "status": "completed"}, {"id": "2", "content": "say it", "status": "pending"}}})), saysAfter("", 1, text("Finis."))}, act: send("go", "Finis.")},
		{name: "subagents", options: uitest.Options{Cols: 160, Rows: 40}, rules: []script.Rule{
			says("Your task:\nfind the one", text("The one is found.")), says("Your task:\nfind the other", text("The other is found.")),
			says("go", calls("delegate_task", map[string]any{"tasks": []map[string]any{{"goal": "find the one"}, {"goal": "find the other"}}})), saysAfter("go", 1, text("Finis.")),
		}, act: send("go", "Finis.")},
		{name: "failing", rules: []script.Rule{{Times: 1, Steps: []script.Step{script.Failure{Status: 429, Message: "slow down", RetryAfter: time.Minute}}}, {Steps: []script.Step{text("Finis.")}}}, act: func(d *uitest.Driver) {
			d.Type("go").Press("enter").WaitFor(has("retrying in")).Press("esc").WaitFor(has("Finis.")).WaitIdle()
		}},
		{name: "refused", rules: []script.Rule{{Steps: []script.Step{script.Failure{Status: 401, Message: "no such key"}}}}, act: send("go", "does not accept the API key")},
		{name: "resize", rules: hello, act: func(d *uitest.Driver) {
			send("hello", "func main")(d)
			for _, size := range [][2]int{{70, 20}, {150, 40}, {100, 30}} {
				d.Resize(size[0], size[1]).WaitIdle()
			}
		}},
		{name: "long", rules: long, act: func(d *uitest.Driver) {
			send("go", "Finis.")(d)
			d.Press("pgup").WaitIdle().Press("pgup").WaitIdle().Wheel(10, 10, uitest.Down, 3).WaitIdle()
		}},
		{name: "find", rules: long, act: func(d *uitest.Driver) {
			send("go", "Finis.")(d)
			d.Press("ctrl+f").Type("the").WaitIdle().Press("up").WaitIdle().Press("enter").WaitIdle().Press("esc").WaitIdle()
		}},
		{name: "palette", rules: hello, act: func(d *uitest.Driver) {
			d.Press("ctrl+p").WaitIdle().Type("theme").WaitIdle().Press("down").WaitIdle().Press("esc").WaitIdle()
		}},
		{name: "help", rules: hello, act: func(d *uitest.Driver) {
			d.Press("?").WaitIdle().Press("pgdown").WaitIdle().Press("esc").WaitIdle()
		}},
		{name: "paste", rules: hello, act: func(d *uitest.Driver) {
			d.Paste(strings.Repeat("a pasted line with key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789\n", 9)).WaitIdle().Press("backspace").WaitIdle()
			send("hello", "func main")(d)
		}},
		{name: "typed", rules: hello, act: func(d *uitest.Driver) {
			d.Type("!echo typed").Press("enter").WaitFor(uitest.LineMatches(`● you .*✓`)).WaitIdle()
			send("hello", "func main")(d)
		}},
		{name: "interrupt", rules: []script.Rule{says("", text("It begins. "), script.Stall{})}, act: func(d *uitest.Driver) {
			d.Type("go").Press("enter").WaitFor(has("It begins.")).Press("esc").WaitFor(has("ready")).WaitIdle()
		}},
		{name: "queue", rules: []script.Rule{says("first", text("One. "), script.Stall{}), says("second", text("Two."))}, act: func(d *uitest.Driver) {
			d.Type("first").Press("enter").WaitFor(has("One.")).Type("second").Press("enter").WaitFor(has("second")).WaitSync().Press("esc").WaitIdle()
		}},
		{name: "compress", options: uitest.Options{Config: "agent: {auto_title: false}\n"}, rules: []script.Rule{
			{Match: script.Match{System: "You keep the record"}, Steps: []script.Step{text("## Goal\nKeep the lighthouse.")}}, says("", script.Tokens{N: 700, Seed: 3}, text("\n\nFinis.")),
		}, act: func(d *uitest.Driver) {
			for _, word := range []string{"one", "two", "three", "four", "five", "six"} {
				d.Type(word).Press("enter").WaitFor(has("Finis.")).WaitIdle()
			}
			d.Type("/compress").Press("enter").WaitFor(uitest.Any(has("context shortened"), has("nothing"), has("Nothing"))).WaitIdle()
		}},
	}
	for name, in := range dialects {
		list = append(list, recorded{name: name, act: send("hello", "Finis."), serve: func(t *testing.T) (string, []string) {
			return fmt.Sprintf("model: {provider: mine, default: a-model}\nproviders:\n  mine: {base_url: %s, api_key: a-key-of-the-user, protocol: %s}\n", in.serve(t), name), []string{"AWS_REGION=eu-west-1"}
		}})
	}
	return list
}

// dialect is how a protocol writes an answer.
type dialect struct {
	media string
	frame func(kind, body string) []byte
	text  [][2]string
}

// serve answers every request with the text.
func (in dialect) serve(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil || r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", in.media)
		for _, e := range in.text {
			_, _ = w.Write(in.frame(e[0], e[1])) // fails when the program has left
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// events writes events as text.
func events(kind, body string) []byte { return []byte("event: " + kind + "\ndata: " + body + "\n\n") }

// frames writes events as Amazon does.
func frames(kind, body string) []byte {
	var out bytes.Buffer
	m := eventstream.Message{Payload: []byte(body)}
	for name, value := range map[string]string{":message-type": "event", ":event-type": kind, ":content-type": "application/json"} {
		m.Headers.Set(name, eventstream.StringValue(value))
	}
	if err := eventstream.NewEncoder().Encode(&out, m); err != nil {
		panic(err)
	}
	return out.Bytes()
}

var dialects = map[string]dialect{
	"anthropic": {"text/event-stream", events, [][2]string{
		{"message_start", `{"type":"message_start","message":{"id":"m2","type":"message","role":"assistant","content":[],"model":"x","usage":{"input_tokens":20,"cache_read_input_tokens":80,"output_tokens":1}}}`},
		{"content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`},
		{"content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Finis."}}`},
		{"content_block_stop", `{"type":"content_block_stop","index":0}`},
		{"message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}`},
		{"message_stop", `{"type":"message_stop"}`},
	}},
	"responses": {"text/event-stream", events, [][2]string{
		{"response.created", `{"type":"response.created","response":{"id":"r2","status":"in_progress"}}`},
		{"response.output_item.added", `{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"i1","role":"assistant","content":[]}}`},
		{"response.output_text.delta", `{"type":"response.output_text.delta","item_id":"i1","output_index":0,"content_index":0,"delta":"Finis."}`},
		{"response.output_item.done", `{"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"i1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Finis."}]}}`},
		{"response.completed", `{"type":"response.completed","response":{"id":"r2","status":"completed","usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":80},"output_tokens":7}}}`},
	}},
	"bedrock": {"application/vnd.amazon.eventstream", frames, [][2]string{
		{"messageStart", `{"role":"assistant"}`},
		{"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"Finis."}}`},
		{"contentBlockStop", `{"contentBlockIndex":0}`},
		{"messageStop", `{"stopReason":"end_turn"}`},
		{"metadata", `{"usage":{"inputTokens":20,"outputTokens":7,"totalTokens":107,"cacheReadInputTokens":80}}`},
	}},
}

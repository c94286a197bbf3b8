package export

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"hermes-tui/store/sessions"
	"hermes-tui/tools"
)

const calls = `[{"id":"c1","type":"function","function":{"name":"terminal","arguments":"{\"command\":\"ls </script>\"}"}}]`

// session is one with everything in it, some of it hostile.
func session(t *testing.T) Session {
	t.Helper()
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	s, err := Of(sessions.Session{ID: "s1", Title: "A <title>", Model: "m", Workspace: "/work/`x`", Started: at}, []sessions.Message{
		{Role: "system", Content: "hidden"},
		{Role: "user", Content: "look at <b>this</b>" + tools.Attach([]tools.Attached{{Name: "skill", Text: "attached text"}}), At: at},
		{Role: "user", Parts: []sessions.Part{{Text: "and this"}, {MediaType: "image/png", Data: []byte("png")}, {MediaType: "text/html", Data: []byte("<script>")}}, At: at},
		{Role: "assistant", Content: "**Fine**, <script>alert(1)</script> [x](javascript:alert(1))\n\n```go\nfunc main() {}\n```", Reasoning: "hm <i>", ToolCalls: calls, At: at},
		{Role: "tool", ToolCallID: "c1", ToolName: "terminal", Content: "a ``` b\n</pre><script>x</script>", At: at},
		{Role: "user", Content: "[Notice of the program, not typed] make has ended", At: at},
		{Role: "user", Content: "again\n\n[note from the program, not from the user: news]\n- hidden\n[end of the note]", At: at},
		{Role: "assistant", ToolCalls: `[{"id":"c2","type":"function","function":{"name":"patch","arguments":"{}"}}]`, At: at},
		{Role: "tool", ToolCallID: "c2", ToolName: "patch", Content: `{"error":"no such <line>","diff":"-a\n+b\n"}`, At: at},
		{Role: "assistant", Content: "Done.", At: at},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func written(t *testing.T, s Session, f Format) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestJSONGoesRoundTrip writes a session, reads it and makes the same messages of it.
func TestJSONGoesRoundTrip(t *testing.T) {
	s := session(t)
	got, err := Read(strings.NewReader(written(t, s, JSON)))
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Fatalf("%v\n%+v\n%+v", err, got, s)
	}
	rows, err := Rows(got.Messages, func() string { return "id" })
	if err != nil || len(rows) != 9 || len(rows[1].Parts) != 2 || string(rows[1].Parts[1].Data) != "png" || rows[3].ToolCallID != "c1" {
		t.Fatalf("%v %+v", err, rows)
	}
	var was, is any
	if json.Unmarshal([]byte(calls), &was) != nil || json.Unmarshal([]byte(rows[2].ToolCalls), &is) != nil || !reflect.DeepEqual(was, is) {
		t.Errorf("calls became %s", rows[2].ToolCalls)
	}
}

// TestHTML holds what was said and nothing that runs.
func TestHTML(t *testing.T) {
	page := written(t, session(t).Painted(func(lang, code string, piece func(class, text string)) {
		if first, rest, ok := strings.Cut(code, " "); ok && lang == "go" {
			piece("keyword", first)
			code = " " + rest
		} else if lang == "diff" {
			piece("deleted", code)
			return
		}
		piece("", code)
	}), HTML)
	for _, want := range []string{
		"<title>A &lt;title&gt;</title>", "❯ look at &lt;b&gt;this&lt;/b&gt;", "<strong>Fine</strong>", `<code class="language-go"><span class="keyword">func</span> main`,
		`<b>patch</b>`, ` <i>4 lines</i> <span class="failed">✗</span>`, `<span class="deleted">no such &lt;line&gt;`, "Content-Security-Policy",
		`<img alt="picture" src="data:image/png;base64,cG5n">`, "<b>terminal</b>", "<i>2 lines</i>", "<summary>Thought</summary>", "prefers-color-scheme:light", "[picture]", "❯ again</pre>",
		"<summary>Notice of the program</summary><pre>[Notice of the program, not typed] make has ended</pre>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, bad := range []string{"<script", "javascript:", "<i>hm", "attached text", "hidden", "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("%s is there", bad)
		}
	}
}

func TestMarkdown(t *testing.T) {
	text := written(t, session(t), Markdown)
	for _, want := range []string{
		"# A <title>\n", "m · `/work/'x'` · 2026-11-23 09:00", "## You\n\nlook at <b>this</b>\n", "## The agent\n\n**Fine**", "**terminal** `ls </script>`",
		"## You\n\nagain\n\n**patch**", "<details><summary>notice of the program</summary>\n\n```\n[Notice", "<details><summary>result of terminal</summary>\n\n````\na ``` b\n", "````\n\n</details>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "attached text") {
		t.Error("what the program attached is there")
	}
}

func TestShareGPT(t *testing.T) {
	var line struct {
		Conversations []turn
		Model         string
		Completed     bool
	}
	if err := json.Unmarshal([]byte(written(t, session(t), ShareGPT)), &line); err != nil {
		t.Fatal(err)
	}
	var from []string
	for _, x := range line.Conversations {
		from = append(from, x.From)
	}
	if got := strings.Join(from, " "); got != "human human gpt tool human human gpt tool gpt" || !line.Completed || line.Model != "m" {
		t.Errorf("%s %+v", got, line)
	}
	for i, want := range map[int]string{1: "[screenshot]", 2: "<think>\nhm <i>\n</think>", 3: `"tool_call_id":"c1"`, 8: "<think>\n\n</think>\nDone."} {
		if !strings.Contains(line.Conversations[i].Value, want) {
			t.Errorf("turn %d is %s", i, line.Conversations[i].Value)
		}
	}
}

func TestMasked(t *testing.T) {
	s := session(t)
	text := written(t, s.Masked(func(s string) string {
		return strings.NewReplacer("ls", "***", "Done", "***", "hm", "***", "title", "***").Replace(s)
	}), JSON)
	for _, bad := range []string{`\"ls `, "Done", "hm", "A <title"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s is there", bad)
		}
	}
	if s.Messages[8].Text != "Done." {
		t.Error("the session itself was changed")
	}
}

// TestRefused: files that are no sessions are refused with a reason.
func TestRefused(t *testing.T) {
	head := `{"format":"hermes-tui/session/1","messages":[`
	for text, want := range map[string]string{
		"":                                     "no exported session",
		"[]":                                   "no exported session",
		`{"format":"other/1","messages":[{}]}`: `its format is "other/1"`,
		head + `]}`:                            "no messages",
		head + `{"role":"boss"}]}`:             `message 1: "boss" is no role`,
		head + `{"role":"user"},{"role":"tool"}]}`:                                    "message 2: a tool's result names no call",
		head + `{"role":"assistant","calls":[{}]}]}`:                                  "no id or no name",
		head + `{"role":"user","images":[{"media_type":"image/svg+xml"}]}]}`:          "no type of picture",
		head + `{"role":"user","images":[{"media_type":"image/png","data":"%%%"}]}]}`: "a picture",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// FuzzRead takes nothing that it does not write again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"format":"hermes-tui/session/1","messages":[{"role":"user","text":"x"},{"role":"assistant","calls":[{"id":"1","name":"n","arguments":"{}"}]},{"role":"tool","call_id":"1"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, format := range Formats() {
			var b bytes.Buffer
			if err := s.Write(&b, format); err != nil {
				t.Errorf("%s: %v", format, err)
			}
			if format == JSON {
				if again, err := Read(&b); err != nil || len(again.Messages) != len(s.Messages) {
					t.Errorf("not read again: %v", err)
				}
			}
		}
		if _, err := Rows(s.Messages, func() string { return "x" }); err != nil {
			t.Error(err)
		}
	})
}

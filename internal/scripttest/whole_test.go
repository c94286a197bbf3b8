package scripttest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestWholeAnswers(t *testing.T) {
	const ask = `{"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]}`
	c := httpClient(t)
	for _, p := range []struct{ steps, want string }{
		{`[{"sleep_ms": 1}, {"reasoning": "hm"}, {"text": "you said {{last_user}}"}]`,
			`200 {"message":{"role":"assistant","content":"you said hi","reasoning_content":"hm"},"finish_reason":"stop"} 1/4`},
		{`[{"call": {"name": "a", "args": {"b": 1}, "id": "c"}}]`,
			`200 {"message":{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"a","arguments":"{\"b\":1}"}}]},"finish_reason":"tool_calls"} 1/2`},
		{`[{"text": "a"}, {"finish": "none"}, {"usage": "none"}]`, `200 {"message":{"role":"assistant","content":"a"},"finish_reason":null} 0/0`},
		{`[{"open": true}, {"keepalive": 3}, {"text": "a"}, {"usage": {"input": 7, "output": 8}}]`,
			`200 {"message":{"role":"assistant","content":"a"},"finish_reason":"stop"} 7/8`},
		{`[{"text": "a"}, {"error": {"status": 503}}]`, `503`},
		{`[{"text": "a"}, {"malformed": true}]`, `200 broken`},
		{`[{"raw": "oops"}, {"text": "a"}]`, `200 broken`},
		{`[{"text": "a"}, {"cut": "clean"}]`, `200 broken`},
		{`[{"text": "a"}, {"cut": "half"}]`, `200 lost`},
		{`[{"text": "a"}, {"cut": true}]`, `lost`},
	} {
		resp, body, err := post(t, c, serve(t, p.steps), ask)
		if got := describeWhole(resp, body, err); !sameWhole(got, p.want) {
			t.Errorf("%s:\n got  %s\n want %s", p.steps, got, p.want)
		}
	}
}

func describeWhole(resp *http.Response, body []byte, err error) string {
	if resp == nil {
		return "lost"
	}
	out := fmt.Sprint(resp.StatusCode)
	if err != nil {
		return out + " lost"
	}
	var in struct {
		Object  string
		Choices []struct {
			Message json.RawMessage
			Finish  json.RawMessage `json:"finish_reason"`
		}
		Usage struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
		}
	}
	if resp.StatusCode != http.StatusOK {
		return out
	}
	if json.Unmarshal(body, &in) != nil || in.Object != "chat.completion" || len(in.Choices) != 1 {
		return out + " broken"
	}
	return fmt.Sprintf(`%s {"message":%s,"finish_reason":%s} %d/%d`, out, in.Choices[0].Message, in.Choices[0].Finish, in.Usage.Prompt, in.Usage.Completion)
}

// sameWhole compares descriptions, of which the JSON may have any order.
func sameWhole(a, b string) bool {
	parse := func(s string) (out []string) {
		for _, word := range strings.SplitAfter(s, "} ") {
			status, doc, found := strings.Cut(word, "{")
			var v any
			if found && json.Unmarshal([]byte("{"+strings.TrimSpace(doc)), &v) == nil {
				word = status + string(encode(v))
			}
			out = append(out, strings.TrimSpace(word))
		}
		return out
	}
	return slices.Equal(parse(a), parse(b))
}

//go:build unix

package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hermes-tui/tools"
	"hermes-tui/tools/mcp"
)

// asks has the server good put a form to a user, and gives what came of it.
func asks(t *testing.T, b *bench, schema string, list ...tools.Answer) (string, *answers) {
	t.Helper()
	args, err := json.Marshal(map[string]any{"schema": schema})
	if err != nil {
		t.Fatal(err)
	}
	user := &answers{list: list}
	r, err := b.call(t.Context(), "ask", string(args), user, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return r.Content, user
}

// TestAsks has a server ask the user: values go back in the form that it wants, and what is
// not in that form is asked for again.
func TestAsks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.begin(entry("good"))
	deny, none := tools.Answer{Choice: tools.ChoiceDeny}, tools.Answer{Choice: tools.ChoiceNone}
	const three = `{"type":"object","properties":{"age":{"type":"integer","minimum":1,"maximum":150},"colour":{"type":"string","enum":["r","g"],"enumNames":["red","green"]},"sure":{"type":"boolean"}},"required":["age"]}`
	one := func(what string) string { return `{"type":"object","properties":{"a":{` + what + `}}}` }
	for _, c := range []struct {
		schema, want string
		answers      []tools.Answer
		asked        string // in the last question
	}{
		{three, `accept {"age":42,"colour":"g","sure":true}`, []tools.Answer{fills([]string{"42"}, []string{"green"}, []string{"Yes"})}, "The MCP server good asks: who are you?\nage (a whole number, at least 1, at most 150)"},
		{three, `accept {"age":7}`, []tools.Answer{fills([]string{" 7 "}, nil, nil)}, ""},
		{three, `accept {"age":7,"colour":"r"}`, []tools.Answer{fills([]string{"old"}, []string{"red"}, nil), fills([]string{"7"})}, "A whole number is wanted.\nage"},
		{three, `accept {"age":7,"colour":"r"}`, []tools.Answer{fills([]string{"700"}, []string{"red"}, nil), chooses("7")}, "Wanted is: a whole number, at least 1, at most 150."},
		{three, `cancel null`, []tools.Answer{fills(nil, []string{"red"}, nil)}, "It may not stay open."},
		{three, `cancel null`, []tools.Answer{fills([]string{"7"}, []string{"blue"}, nil), none}, "Only what is listed can be taken."},
		{three, `decline null`, []tools.Answer{deny}, ""}, {three, `cancel null`, []tools.Answer{none}, ""},
		{`{"type":"object","properties":{}}`, `accept null`, []tools.Answer{chooses("Yes")}, ""}, {`{"type":"object","properties":{}}`, `decline null`, []tools.Answer{chooses("No")}, ""},
		{one(`"type":"string","default":"blue"`), `accept {"a":"blue"}`, []tools.Answer{chooses("")}, "left open it is blue"},
		{one(`"type":"integer","default":7`), `accept {"a":8}`, []tools.Answer{chooses("8")}, "left open it is 7"},
		{one(`"type":"boolean","default":true`), `accept {"a":true}`, []tools.Answer{chooses("")}, "left open it is Yes"},
		{one(`"type":"string","format":"email"`), `accept {"a":"anna@example.com"}`, []tools.Answer{chooses("anna"), chooses("Anna <anna@example.com>"), chooses("anna@example.com")}, "Wanted is"},
		{one(`"type":"string","format":"uri"`), `accept {"a":"https://a.example/x"}`, []tools.Answer{chooses("a.example"), chooses("https://a.example/x")}, "an address like https"},
		{one(`"type":"string","format":"date"`), `accept {"a":"2026-02-28"}`, []tools.Answer{chooses("2026-02-31"), chooses("2026-02-28")}, "a date like"},
		{one(`"type":"string","format":"date-time"`), `accept {"a":"2026-02-28T10:00:00+01:00"}`, []tools.Answer{chooses("2026-02-28"), chooses("2026-02-28T10:00:00+01:00")}, "a time like"},
		{one(`"type":"string","minLength":2,"maxLength":3`), `accept {"a":"öäü"}`, []tools.Answer{chooses("ö"), chooses("öäüß"), chooses("öäü")}, "at least 2 characters, at most 3 characters"},
		{one(`"type":"number","minimum":0.5`), `accept {"a":0.75}`, []tools.Answer{chooses("0.25"), chooses("0.75")}, "a number, at least 0.5"},
		{one(`"type":"number"`), `cancel null`, []tools.Answer{chooses("NaN")}, "A number is wanted."},
		{one(`"type":"string","oneOf":[{"const":"x","title":"The X"},{"const":"y","title":"The Y"}],"default":"y"`), `accept {"a":"x"}`, []tools.Answer{chooses("The X")}, "left open it is The Y"},
		{one(`"type":"array","items":{"type":"string","enum":["x","y","z"]},"minItems":1,"maxItems":2`), `accept {"a":["x","z"]}`, []tools.Answer{fills([]string{"x", "y", "z"}), fills([]string{"x", "z"})}, "at least 1 of them, at most 2 of them"},
		{one(`"type":"array","items":{"anyOf":[{"const":"x","title":"The X"}]},"default":["x"]`), `accept {"a":["x"]}`, []tools.Answer{fills(nil)}, "left open it is The X"},
		{one(`"type":"string","title":"Your API key"`), `accept {"a":"k"}`, []tools.Answer{chooses("k")}, "give it no password or key"},
	} {
		got, user := asks(t, b, c.schema, c.answers...)
		if len(user.asked) == 0 {
			t.Errorf("%s was not asked: %s", c.schema, got)
			continue
		}
		last := user.asked[len(user.asked)-1]
		if got != c.want || !strings.Contains(last.Question, c.asked) {
			t.Errorf("%s with %+v: %q, asked %q", c.schema, c.answers, got, last.Question)
		}
	}
	c := entry("good")
	c.NoElicitation = true
	b.begin(c)
	b.wants("ask", `{}`, "does not support", tools.StatusFailed)
}

// TestLongForm fills in a form of several pages, which is shown whole before it is sent.
func TestLongForm(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.begin(entry("good"))
	form := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`"f%02d":{"type":"integer"}`, i))
		}
		return `{"type":"object","required":["f11"],"properties":{` + strings.Join(list, ",") + `}}`
	}
	page := fills([]string{"1"}, []string{"2"}, []string{"3"}, nil, []string{"5"})
	got, user := asks(t, b, form(12), page, page, fills([]string{"6"}, []string{"7"}), chooses("Send it"))
	if want := `accept {"f00":2,"f01":3,"f03":5,"f04":1,"f05":2,"f06":3,"f08":5,"f09":6,"f10":7,"f11":1}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if len(user.asked) != 4 || !strings.Contains(user.asked[0].Question, "(page 1 of 3)\nf11") || !strings.Contains(user.asked[3].Question, "f11: 1\n") || !slices.Equal(user.asked[3].Choices, []string{"Send it", "No"}) {
		t.Errorf("asked %+v", user.asked)
	}
	if got, _ := asks(t, b, form(12), page, page, fills([]string{"6"}), chooses("No")); got != "decline null" {
		t.Error(got)
	}
	if got, _ := asks(t, b, form(101), page); !strings.Contains(got, "at most 100 things") {
		t.Error(got)
	}
}

// member is one of several agents that call a tool at the same time. Its user answers with
// its name.
type member struct {
	tools.Host
	name string

	mu    sync.Mutex
	asked []string
}

func (m *member) Ask(_ context.Context, q tools.Question) (tools.Answer, error) {
	m.mu.Lock()
	m.asked = append(m.asked, q.Clarify.Question)
	m.mu.Unlock()
	return chooses(m.name), nil
}

// together has agents call ask at the same time, and gives what each of them got.
func together(t *testing.T, b *bench, args string, members ...*member) []string {
	t.Helper()
	list := b.tools()
	i := slices.IndexFunc(list, func(t tools.Tool) bool { return strings.HasSuffix(t.Name, "__ask") })
	got := make([]string, len(members))
	var calls sync.WaitGroup
	for k, m := range members {
		calls.Go(func() {
			r, err := list[i].Run(t.Context(), tools.Call{Name: "ask", Args: json.RawMessage(args), By: m.name}, m, io.Discard)
			got[k] = fmt.Sprint(r.Content, err)
		})
	}
	calls.Wait()
	return got
}

const oneText = `"schema":"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"]}"`

// TestWhose: what a server asks goes to the agent whose call it is for where that can be
// known, and otherwise names all that wait.
func TestWhose(t *testing.T) {
	t.Parallel()
	three := func() []*member {
		return []*member{{name: "one"}, {name: "two"}, {name: "three"}}
	}
	right := func(how string, members []*member, got []string) {
		t.Helper()
		for i, m := range members {
			if got[i] != `accept {"a":"`+m.name+`"}<nil>` || len(m.asked) != 1 || strings.Contains(m.asked[0], "does not say") {
				t.Errorf("%s: %s got %s, asked %q", how, m.name, got[i], m.asked)
			}
		}
	}
	b := newBench(t)
	b.begin(entry("good"))
	for range 5 {
		members := three()
		right("marked", members, together(t, b, `{"mark":true,`+oneText+`}`, members...))
	}

	b = newBench(t)
	modern := entry("good")
	modern.Era = mcp.Stateless
	b.begin(modern)
	for range 5 {
		members := three()
		right("by what comes back", members, together(t, b, `{"back":true,`+oneText+`}`, members...))
	}

	var gate sync.Mutex // the server waits until all have called
	var waiting int
	all := sync.NewCond(&gate)
	far := sdk.NewServer(&sdk.Implementation{Name: "far", Version: "1"}, nil)
	sdk.AddTool(far, &sdk.Tool{Name: "ask"}, func(ctx context.Context, r *sdk.CallToolRequest, in struct {
		Schema string `json:"schema"`
	}) (*sdk.CallToolResult, any, error) {
		gate.Lock()
		for waiting++; waiting < 3; {
			all.Wait()
		}
		all.Broadcast()
		gate.Unlock()
		answer, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "who?", RequestedSchema: json.RawMessage(in.Schema)})
		if err != nil {
			return nil, nil, err
		}
		said, err := json.Marshal(answer.Content)
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: answer.Action + " " + string(said)}}}, nil, err
	})
	server := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return far }, nil))
	t.Cleanup(server.Close)
	b = newBench(t)
	b.begin(mcp.Config{Name: "far", Origin: "test", URL: server.URL, Trusted: true, ConnectTimeout: 10 * time.Second, Timeout: 20 * time.Second})
	members := three()
	right("over HTTP", members, together(t, b, `{`+oneText+`}`, members...))
	b.Close()

	b = newBench(t)
	b.begin(entry("good"))
	members = three()[:2]
	got := together(t, b, `{"together":2,`+oneText+`}`, members...)
	asked := slices.Concat(members[0].asked, members[1].asked)
	if len(asked) != 2 {
		t.Errorf("asked %q, got %q", asked, got)
	}
	doubts := 0
	for _, q := range asked { // when one has its answer it can only be the other
		if strings.Contains(q, "The MCP server good asks") && strings.Contains(q, "does not say whose call this is for") && strings.Contains(q, "one") && strings.Contains(q, "two") {
			doubts++
		}
	}
	if doubts == 0 {
		t.Errorf("asked %q", asked)
	}
}

// TestAsksForAPage has a server ask the user to open a page: the question names the server, the
// host and the whole address, and nothing opens it. What is no page of the web is not asked
// about. A call that was refused for a page is made once more when that was opened.
func TestAsksForAPage(t *testing.T) {
	t.Parallel()
	far := sdk.NewServer(&sdk.Implementation{Name: "far", Version: "1"}, nil)
	sdk.AddTool(far, &sdk.Tool{Name: "open"}, func(ctx context.Context, r *sdk.CallToolRequest, in struct {
		At string `json:"at"`
	}) (*sdk.CallToolResult, any, error) {
		answer, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Mode: "url", Message: "log in\x1b[2J", URL: in.At, ElicitationID: "1"})
		if err != nil {
			return nil, nil, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: answer.Action}}}, nil, nil
	})
	made := 0
	sdk.AddTool(far, &sdk.Tool{Name: "first"}, func(_ context.Context, _ *sdk.CallToolRequest, in struct {
		At string `json:"at"`
	}) (*sdk.CallToolResult, any, error) {
		if made++; made%2 == 1 || in.At == "https://never.example/" {
			return nil, nil, sdk.URLElicitationRequiredError([]*sdk.ElicitParams{{Mode: "url", Message: "log in first", URL: in.At, ElicitationID: "2"}})
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil, nil
	})
	server := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return far }, nil))
	t.Cleanup(server.Close)
	b := newBench(t)
	b.begin(mcp.Config{Name: "far", Origin: "test", URL: server.URL, Trusted: true, ConnectTimeout: 10 * time.Second, Timeout: 20 * time.Second})
	for _, c := range []struct {
		at     string
		answer tools.Answer
		want   string
		asked  int
	}{
		{"https://login.example/x?a=b", chooses("I have opened it"), "accept", 1}, {"https://login.example/x?a=b", chooses("No"), "decline", 1},
		{"https://login.example/x", tools.Answer{Choice: tools.ChoiceNone}, "cancel", 1},
		{"javascript:alert(1)", chooses("I have opened it"), "no page is opened", 0}, {"file:///etc/passwd", chooses("I have opened it"), "no page is opened", 0},
		{"https://", chooses("I have opened it"), "no page is opened", 0}, {"https://a b/%zz", chooses("I have opened it"), "no page is opened", 0},
	} {
		args, err := json.Marshal(map[string]string{"at": c.at})
		if err != nil {
			t.Fatal(err)
		}
		user := &answers{list: []tools.Answer{c.answer}}
		r, err := b.call(t.Context(), "open", string(args), user, io.Discard)
		if err != nil || !strings.Contains(r.Content, c.want) || len(user.asked) != c.asked {
			t.Errorf("%s: %q, %v, asked %+v", c.at, r.Content, err, user.asked)
			continue
		}
		if c.asked > 0 {
			if q := user.asked[0].Question; !strings.Contains(q, "The MCP server far asks you to open a page of login.example in a browser: log in") || !strings.Contains(q, c.at) || strings.Contains(q, "\x1b") {
				t.Errorf("%s: asked %q", c.at, q)
			}
		}
	}
	for _, c := range []struct {
		at, answer, want string
		asked, made      int
	}{
		{"https://login.example/x", "I have opened it", "done", 1, 2}, {"https://login.example/x", "No", "refused the call", 1, 1},
		{"https://never.example/", "I have opened it", "refused the call", 1, 2}, {"javascript:x", "I have opened it", "refused the call", 0, 1},
	} {
		made = 0
		user := &answers{list: []tools.Answer{chooses(c.answer), chooses(c.answer)}}
		r, err := b.call(t.Context(), "first", `{"at":"`+c.at+`"}`, user, io.Discard)
		if err != nil || !strings.Contains(r.Content, c.want) || len(user.asked) != c.asked || made != c.made {
			t.Errorf("%s, %s: %q, %v, asked %d times, made %d times", c.at, c.answer, r.Content, err, len(user.asked), made)
		}
	}
	b.Close()
}

// silent is a user who answers nothing, and tells when a question is there.
type silent struct {
	tools.Host
	file string
	told chan error
}

func (w silent) Ask(ctx context.Context, _ tools.Question) (tools.Answer, error) {
	if err := os.WriteFile(w.file, nil, 0o600); err != nil {
		return tools.Answer{}, err
	}
	select {
	case <-ctx.Done():
		w.told <- nil
		return tools.Answer{}, context.Cause(ctx)
	case <-time.After(20 * time.Second):
		w.told <- errors.New("the question still stands")
		return tools.Answer{Choice: tools.ChoiceNone}, nil
	}
}

// TestServerGivesUp has a server take a question back while its call goes on: the question
// does not stay before the user.
func TestServerGivesUp(t *testing.T) {
	t.Parallel()
	for tool, args := range map[string]string{"ask": `{"until":%q}`, "sample": `{"until":%q,"text":"hello"}`} {
		b := newBench(t)
		good := entry("good")
		good.SamplesPerMinute = 1
		b.begin(good)
		user := silent{file: filepath.Join(t.TempDir(), "there"), told: make(chan error, 1)}
		r, err := b.call(t.Context(), tool, fmt.Sprintf(args, user.file), user, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case err = <-user.told:
		case <-time.After(30 * time.Second):
			err = errors.New("it was not asked")
		}
		if err != nil {
			t.Errorf("%s: %v: %s", tool, err, r.Content)
		}
	}
}

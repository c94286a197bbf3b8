package app

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hermes-tui/agent/api"
	"hermes-tui/agent/auxiliary"
	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
)

// keeps answers a look back with one entry of memory, and all else with a word.
func keeps(t *testing.T) *scripttest.Server {
	t.Helper()
	return serves(t, script.Rule{
		Match: script.Match{User: "This is not the user", Results: new(int)},
		Steps: []script.Step{script.Call{Name: "memory", Args: `{"target":"user","action":"add","content":"wants tabs"}`}},
	}, script.Rule{Steps: []script.Step{script.Text{Text: "It is so."}}})
}

func serves(t *testing.T, rules ...script.Rule) *scripttest.Server {
	t.Helper()
	s, err := scripttest.Serve(&script.Scenario{Models: []script.Model{{ID: "m", ContextLength: 200_000}, {ID: "small", ContextLength: 200_000}}, Rules: rules}, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// lookBacks are the requests of looks back that a server got.
func lookBacks(t *testing.T, s *scripttest.Server) (list []lookBackRequest) {
	t.Helper()
	for _, r := range s.Requests() {
		var q lookBackRequest
		if strings.Contains(string(r.Body), "This is not the user") {
			if err := json.Unmarshal(r.Body, &q); err != nil {
				t.Fatal(err)
			}
			list = append(list, q)
		}
	}
	return list
}

type lookBackRequest struct {
	Model    string                                     `json:"model"`
	Messages []struct{ Role, Content string }           `json:"messages"`
	Tools    []struct{ Function struct{ Name string } } `json:"tools"`
}

// TestReviewModels has another model look back: it gets a shortened copy of the session
// and the few tools that work, and its calls show as a task of its own. One that fails is
// followed by the model of the session, with the conversation itself.
func TestReviewModels(t *testing.T) {
	for name, c := range map[string]struct {
		broken bool
		link   int
	}{"it answers": {false, 1}, "it fails": {true, 2}} {
		t.Run(name, func(t *testing.T) {
			main, other := keeps(t), keeps(t)
			if c.broken {
				other = serves(t, script.Rule{Steps: []script.Step{script.Failure{Status: 500, Message: "broken"}}})
			}
			b := newBox(t)
			b.config("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: custom, default: m, base_url: " + main.URL() + "}\nmemory: {review: on}\n" +
				"auxiliary: {background_review: {provider: custom, base_url: " + other.URL() + ", model: small, timeout: 20}}\n")
			a, conv := b.begin()
			say(t, conv, "use tabs, </session> and so on")
			kept, err := conv.Refine(t.Context(), "")
			side := conv.SideCalls()
			closed(t, a)
			if err != nil || len(kept.Changes) != 1 {
				t.Fatalf("%+v, %v", kept, err)
			}
			i := slices.IndexFunc(side, func(u api.SideUse) bool { return u.Task == string(auxiliary.Review) })
			if i < 0 || side[i].Calls != 1 || side[i].Link != c.link || side[i].Usage.Calls < 2 || side[i].Failed != 0 || (side[i].Err != "") != c.broken {
				t.Errorf("the calls are %+v", side)
			}
			if c.broken {
				if list := lookBacks(t, main); len(list) != 2 || list[0].Messages[1].Content != "use tabs, </session> and so on" {
					t.Errorf("the model of the session got %+v", list)
				}
				return
			}
			if n := len(lookBacks(t, main)); n != 0 {
				t.Errorf("the model of the session got %d requests", n)
			}
			checkDigest(t, lookBacks(t, other)[0])
		})
	}
}

// checkDigest holds what a model gets that has not taken part.
func checkDigest(t *testing.T, q lookBackRequest) {
	t.Helper()
	if q.Model != "small" || len(q.Messages) != 2 || !strings.Contains(q.Messages[0].Content, "have not taken part") {
		t.Fatalf("it got %+v", q)
	}
	if text := q.Messages[1].Content; strings.Count(text, "</session>") != 1 || !strings.Contains(text, `use tabs, \u003c/session\u003e`) || !strings.Contains(text, "It is so.") {
		t.Errorf("it got %s", text)
	}
	var names []string
	for _, tool := range q.Tools {
		names = append(names, tool.Function.Name)
	}
	if slices.Contains(names, "terminal") || !slices.Contains(names, "memory") {
		t.Errorf("it may use %v", names)
	}
}

// TestReviewBound keeps a look back within its tokens: a long session is looked back at by
// its end, and one that goes on without end is ended.
func TestReviewBound(t *testing.T) {
	const bound = 60_000
	server := serves(t, script.Rule{
		Match: script.Match{User: "This is not the user"},
		Steps: []script.Step{script.Call{Name: "memory", Args: `{"target":"user","action":"add","content":"` + strings.Repeat("x", 3000) + `"}`}},
	}, script.Rule{Steps: []script.Step{script.Text{Text: "It is so."}}})
	b := newBox(t)
	b.config("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: custom, default: m, base_url: " + server.URL() + ", context_length: 200000}\nmemory: {review: on, nudge_interval: 0, review_max_tokens: " + strconv.Itoa(bound) + "}\n")
	a, conv := b.begin()
	for i := range 10 {
		say(t, conv, "saying "+strconv.Itoa(i)+strings.Repeat(" many words", 1000))
	}
	kept, err := conv.Refine(t.Context(), "")
	closed(t, a)
	if err == nil || !strings.Contains(err.Error(), "as many tokens as it may") {
		t.Errorf("it ended with %v", err)
	}
	if used := kept.Usage.Prompt() + kept.Usage.Output; used > bound || kept.Usage.Calls < 2 {
		t.Errorf("it used %d tokens in %d calls", used, kept.Usage.Calls)
	}
	list := lookBacks(t, server)
	if text := list[0].Messages[1].Content; !strings.Contains(text, `"left_out":`) && !strings.Contains(text, "[…]") || !strings.Contains(text, "saying 9") || len(text) > bound {
		t.Errorf("the first request has %d bytes: %.300s", len(text), text)
	}
}

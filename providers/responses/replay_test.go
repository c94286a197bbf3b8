package responses

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"hermes-tui/providers"
)

// input shows what a history becomes, one word for each item.
func input(t *testing.T, c *Client, model string, m providers.Message) string {
	t.Helper()
	body, err := c.body(providers.Request{Model: model, Messages: []providers.Message{m}})
	if err != nil {
		t.Fatal(err)
	}
	var w struct{ Input []map[string]json.RawMessage }
	if err := json.Unmarshal(body, &w); err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, item := range w.Input {
		word := string(item["id"])
		if word == "" {
			word = string(item["call_id"])
		}
		if word == "" {
			word = string(item["content"])
		}
		words = append(words, strings.Trim(word, `"`))
	}
	return strings.Join(words, " ")
}

func TestReplay(t *testing.T) {
	rs := func(n string) providers.Item {
		return providers.Item{Issuer: "acme", Model: "m", Kind: itemReasoning, Raw: json.RawMessage(`{"id":"rs_` + n + `","type":"reasoning","encrypted_content":"x"}`)}
	}
	msg := func(n, text string) providers.Item {
		return providers.Item{Issuer: "acme", Model: "m", Kind: itemMessage, Raw: json.RawMessage(`{"id":"msg_` + n + `","type":"message","content":[{"type":"output_text","text":` + quote(text) + `}]}`)}
	}
	mark := func(id string) providers.Item {
		return providers.Item{Issuer: "acme", Model: "m", Kind: itemCall, Raw: json.RawMessage(`{"call_id":` + quote(id) + `}`)}
	}
	calls := []providers.Call{{ID: "k1", WireID: "c1", Name: "f"}, {ID: "k2", WireID: "c2", Name: "g"}}
	const said = "a"
	for _, c := range []struct {
		name   string
		text   string
		calls  []providers.Call
		native []providers.Item
		model  string
		want   string
	}{
		{"in place", "a", calls, []providers.Item{rs("1"), msg("1", "a"), mark("c1"), rs("2"), mark("c2")}, "m", "rs_1 msg_1 c1 rs_2 c2"},
		{"calls before the text", "a", calls, []providers.Item{mark("c2"), rs("1"), msg("1", "a"), mark("c1")}, "m", "c2 rs_1 msg_1 c1"},
		{"for another model", "a", calls, []providers.Item{rs("1"), msg("1", "a"), mark("c1"), rs("2"), mark("c2")}, "other", said + " c1 c2"},
		{"nothing native", "a", calls, nil, "m", said + " c1 c2"},
		{"reasoning that led to nothing", "a", nil, []providers.Item{msg("1", "a"), rs("1")}, "m", "msg_1"},
		{"reasoning only", "", nil, []providers.Item{rs("1")}, "m", ""},
		{"reasoning without the marks", "a", calls, []providers.Item{rs("1")}, "m", "rs_1 " + said + " c1 c2"},
		{"text that was changed", "a", calls[:1], []providers.Item{rs("1"), msg("1", "b"), mark("c1")}, "m", "rs_1 " + said + " c1"},
		{"text that was changed, of two messages", "a", calls[:1], []providers.Item{rs("1"), msg("1", "b"), rs("2"), msg("2", "c"), mark("c1")}, "m", "rs_1 " + said + " rs_2 c1"},
		{"text that was trimmed", "a", nil, []providers.Item{msg("1", "\n a \n")}, "m", "msg_1"},
		{"text that was taken out", "", calls[:1], []providers.Item{rs("1"), msg("1", "b"), mark("c1")}, "m", "rs_1 c1"},
		{"two messages", "b\n\nc", nil, []providers.Item{msg("1", "b"), msg("2", ""), rs("1"), msg("3", "c")}, "m", "msg_1 rs_1 msg_3"},
		{"a call that was dropped", "", calls[:1], []providers.Item{rs("1"), mark("c1"), rs("2"), mark("c2")}, "m", "rs_1 c1"},
		{"a call with another id now", "", []providers.Call{{ID: "k9", Name: "f"}}, []providers.Item{rs("1"), mark("c1")}, "m", "rs_1 k9"},
		{"blank text", " \n", nil, nil, "m", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := input(t, newClient(t, "http://host.test"), c.model, providers.Message{
				Role: providers.Assistant, Parts: providers.TextParts(c.text), Calls: c.calls, Native: c.native,
			})
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	t.Run("without an id", func(t *testing.T) {
		c := newClient(t, "http://host.test", func(c *Config) { c.Provider = provider(ChatGPT) })
		m := providers.Message{Role: providers.Assistant, Parts: providers.TextParts("a"), Native: []providers.Item{rs("1"), msg("1", "a")}}
		m = from(provider(ChatGPT), []providers.Message{m})[0]
		body, err := c.body(providers.Request{Model: "m", Messages: []providers.Message{m}})
		if err != nil || strings.Contains(string(body), "rs_1") || !strings.Contains(string(body), `{"encrypted_content":"x","type":"reasoning"},{"id":"msg_1"`) {
			t.Errorf("got %s, %v", body, err)
		}
		m.Native[0].Raw = json.RawMessage(`7`)
		if _, err = c.body(providers.Request{Model: "m", Messages: []providers.Message{m}}); err == nil {
			t.Error("stored reasoning that is none was sent")
		}
	})
}

// TestRoundTrip sends an answer back as history. Every item of it comes back as it
// was, in its place, whatever it passed through on the way.
func TestRoundTrip(t *testing.T) {
	items := []string{
		`{"id":"rs_1","type":"reasoning","encrypted_content":"gA/+==","summary":[{"type":"summary_text","text":"one <1>"}],"new":{"n":12345678901234567890}}`,
		`{"id":"msg_1","type":"message","role":"assistant","phase":"commentary","status":"completed","content":[{"type":"output_text","annotations":[{"x":1}],"text":"I \u00e4 look"}]}`,
		`{"id":"fc_1","type":"function_call","call_id":"call_1","name":"f","arguments":"{\"a\":1}","status":"completed"}`,
		`{"id":"rs_2","type":"reasoning","encrypted_content":"gB","summary":[]}`,
		`{"id":"fc_2","type":"function_call","call_id":"call_2","name":"g","arguments":"{}","status":"completed"}`,
		`{"id":"rs_3","type":"reasoning","encrypted_content":"gC","summary":[]}`,
		`{"id":"msg_2","type":"message","role":"assistant","phase":"final_answer","status":"completed","content":[{"type":"output_text","text":"x"},{"type":"output_text","text":"y"}]}`,
	}
	var events []string
	for i, raw := range items {
		events = append(events, `{"type":"response.output_item.done","output_index":`+string('0'+rune(i))+`,"item":`+raw+`}`)
	}
	s := serve(t, streams(sse(append(events, completed)...)))
	c := newClient(t, s.url)
	r := hello()
	deltas, err := ask(t, c, r)
	if err != nil {
		t.Fatal(err)
	}
	m := providers.Message{ID: "a1", Role: providers.Assistant}
	text := ""
	for _, d := range deltas {
		switch d.Kind {
		case providers.DeltaText:
			text += d.Text
		case providers.DeltaReasoning:
			m.Reasoning += d.Text
		case providers.DeltaCall:
			m.Calls = append(m.Calls, providers.Call{ID: "k" + d.CallID, WireID: d.CallID, Name: d.Name})
		case providers.DeltaArguments:
			m.Calls[d.Index].Arguments += d.Text
		case providers.DeltaItem:
			m.Native = append(m.Native, *d.Item)
		}
	}
	if m.Parts = providers.TextParts(text); text != "I ä look\n\nxy" || m.Reasoning != "one <1>" {
		t.Errorf("text %q, reasoning %q", text, m.Reasoning)
	}
	stored, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back providers.Message
	if err := json.Unmarshal(stored, &back); err != nil {
		t.Fatal(err)
	}
	r.Messages = append(r.Messages, back)
	if _, err := ask(t, c, r); err != nil {
		t.Fatal(err)
	}
	_, body := s.asked()
	var w struct{ Input []json.RawMessage }
	if err := json.Unmarshal([]byte(body), &w); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, item := range w.Input[1:] {
		got = append(got, canonical(t, item))
	}
	var want []string
	for _, item := range items {
		want = append(want, canonical(t, json.RawMessage(item)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// canonical writes an item so that equal ones are equal: calls without what only the
// service had to say about them, the others with sorted keys.
func canonical(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var fields map[string]any
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	if err := dec.Decode(&fields); err != nil {
		t.Fatal(err)
	}
	if fields["type"] == itemCall {
		delete(fields, "id")
		delete(fields, "status")
	}
	out, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

// grown is a conversation that grows by a message from request to request.
func grown(t *testing.T, g goldenCase) []providers.Request {
	t.Helper()
	r := goldenRequest(t, g)
	var out []providers.Request
	for n := 1; n <= len(r.Messages); n++ {
		if n < len(r.Messages) && r.Messages[n].Role == providers.Tool {
			continue // results of one turn are sent together
		}
		next := r
		next.Messages = r.Messages[:n]
		out = append(out, next)
	}
	return out
}

// wireMessages is each message of a request as it is sent.
func wireMessages(t *testing.T, c *Client, r providers.Request) [][]byte {
	t.Helper()
	var out [][]byte
	for _, m := range c.messages(r, c.needs(r.Model)) {
		b, err := marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

// Earlier messages are the same bytes in every later request.
func TestEarlierMessagesStayAsTheyAre(t *testing.T) {
	for _, g := range goldenCases() {
		g.CacheFor = 0
		c := at(t, g.Provider, "https://host.test/v1")
		var before [][]byte
		for i, r := range grown(t, g) {
			now := wireMessages(t, c, r)
			for k := range before {
				if !bytes.Equal(before[k], now[k]) {
					t.Fatalf("%s: message %d of request %d was\n%s\nand is\n%s", g.Name, k, i, before[k], now[k])
				}
			}
			before = now
		}
	}
}

// With marks, the marks move and nothing else changes.
func TestOnlyMarksMove(t *testing.T) {
	g := goldenCase{Provider: "openrouter", Model: "anthropic/claude-sonnet-4.6", CacheFor: time.Hour}
	c := at(t, g.Provider, "https://host.test/v1")
	for _, r := range grown(t, g) {
		marked := c.messages(r, c.needs(r.Model))
		r.CacheFor = 0
		bare := c.messages(r, c.needs(r.Model))
		marks := 0
		for i := range marked {
			parts, list := marked[i].Content.([]part)
			var flat strings.Builder
			for k := range parts {
				if parts[k].Cache == nil {
					continue
				}
				marks++
				if k != lastText(parts) || parts[k].Cache.Type != "ephemeral" || parts[k].Cache.TTL != "1h" {
					t.Errorf("mark %+v on part %d of %s", parts[k].Cache, k, marked[i].Role)
				}
				parts[k].Cache = nil
			}
			if text, was := bare[i].Content.(string); was && list {
				for _, p := range parts {
					flat.WriteString(*p.Text)
				}
				marked[i].Content = flat.String()
				if text != flat.String() {
					t.Errorf("text %q became %q", text, flat.String())
				}
			}
			a, errA := marshal(marked[i])
			b, errB := marshal(bare[i])
			if errA != nil || errB != nil || !bytes.Equal(a, b) {
				t.Errorf("message %d: %s, unmarked %s", i, a, b)
			}
		}
		if marks < 1 || marks > 4 {
			t.Errorf("%d marks in a request of %d messages", marks, len(marked))
		}
	}
}

func lastText(parts []part) int {
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i].Text != nil {
			return i
		}
	}
	return -1
}

func TestImages(t *testing.T) {
	picture := providers.Part{Image: &providers.Image{MediaType: "image/webp", Data: []byte("RIFF")}}
	words := func(s string) providers.Part { return providers.Part{Text: s} }
	const url = `"image_url":{"url":"data:image/webp;base64,UklGRg=="}`
	for _, c := range []struct {
		name, provider string
		messages       []providers.Message
		want           string
	}{
		{"alone", "acme", []providers.Message{{Role: providers.User, Parts: []providers.Part{picture}}},
			`[{"role":"user","content":[{"type":"image_url",` + url + `}]}]`},
		{"without text around", "acme", []providers.Message{{Role: providers.User, Parts: []providers.Part{words(""), picture, words("a")}}},
			`[{"role":"user","content":[{"type":"image_url",` + url + `},{"type":"text","text":"a"}]}]`},
		{"texts only", "acme", []providers.Message{{Role: providers.User, Parts: []providers.Part{words("a"), words("b")}}},
			`[{"role":"user","content":"ab"}]`},
		{"of the model", "acme", []providers.Message{{Role: providers.Assistant, Parts: []providers.Part{words("see"), picture}}},
			`[{"role":"assistant","content":"see\n[an image (image/webp, 1 KB) that cannot be shown here]"}]`},
		{"two in a result, last of the request", "acme", []providers.Message{{Role: providers.Tool, CallID: "k", CallName: "look", Parts: []providers.Part{picture, picture}}},
			`[{"role":"tool","content":"[image 1 of this result (image/webp) is shown below]\n[image 2 of this result (image/webp) is shown below]","tool_call_id":"k"},
			{"role":"user","content":[{"type":"text","text":"Image 1 of the result of look (k):"},{"type":"image_url",` + url + `},{"type":"text","text":"Image 2 of the result of look (k):"},{"type":"image_url",` + url + `}]}]`},
		{"in a result, with a message behind", "acme", []providers.Message{
			{Role: providers.Tool, CallID: "k", CallName: "look", Parts: []providers.Part{words("a"), picture, words("b")}}, {Role: providers.User, Parts: []providers.Part{words("go on")}},
		}, `[{"role":"tool","content":"a\n[image 1 of this result (image/webp) is shown below]\nb","tool_call_id":"k"},
			{"role":"user","content":[{"type":"text","text":"Image 1 of the result of look (k):"},{"type":"image_url",` + url + `}]},{"role":"user","content":"go on"}]`},
		{"where nothing may follow a result", "mistral", []providers.Message{{Role: providers.Tool, CallID: "k", CallName: "look", Parts: []providers.Part{picture}}},
			`[{"role":"tool","content":"[image 1 of this result (image/webp) is shown below]","tool_call_id":"8254c329a"},{"role":"assistant","content":"(no answer)"},
			{"role":"user","content":[{"type":"text","text":"Image 1 of the result of look (8254c329a):"},{"type":"image_url",` + url + `}]}]`},
		{"where roles take turns, with a message behind", "mistral", []providers.Message{
			{Role: providers.Tool, CallID: "k12345678", CallName: "look", Parts: []providers.Part{picture}}, {Role: providers.User, Parts: []providers.Part{words("go on")}},
		}, `[{"role":"tool","content":"[image 1 of this result (image/webp) is shown below]","tool_call_id":"k12345678"},{"role":"assistant","content":"(no answer)"},
			{"role":"user","content":[{"type":"text","text":"Image 1 of the result of look (k12345678):"},{"type":"image_url",` + url + `},{"type":"text","text":"go on"}]}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := at(t, c.provider, "https://host.test/v1")
			got, err := marshal(client.messages(providers.Request{Model: "m", Messages: c.messages}, client.needs("m")))
			if err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			if err := json.Compact(&want, []byte(c.want)); err != nil {
				t.Fatal(err)
			}
			same(t, []string{strings.TrimSpace(string(got))}, want.String())
		})
	}
}

// message collects an answer as a message of the history.
func (s *server) message(t *testing.T, c *Client, r providers.Request) providers.Message {
	t.Helper()
	st, err := c.Stream(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	m := providers.Message{ID: "a", Role: providers.Assistant}
	for {
		d, err := st.Next()
		if errors.Is(err, io.EOF) {
			return m
		}
		if err != nil {
			t.Fatal(err)
		}
		switch d.Kind {
		case providers.DeltaText:
			m.Parts = append(m.Parts, providers.Part{Text: d.Text})
		case providers.DeltaReasoning:
			m.Reasoning += d.Text
		case providers.DeltaCall:
			m.Calls = append(m.Calls, providers.Call{ID: "k" + hex(d.Index), WireID: d.CallID, Name: d.Name, Extra: d.Extra})
		case providers.DeltaArguments:
			m.Calls[d.Index].Arguments += d.Text
		case providers.DeltaItem:
			m.Native = append(m.Native, *d.Item)
		}
	}
}

// What a family of models wants to see again comes back as it was said.
func TestRoundTrips(t *testing.T) {
	for _, c := range []struct {
		name, provider, model string
		events                []string
		want                  string // the message in the next request
		reasoning             string
	}{
		{
			"Claude behind OpenRouter", "openrouter", "anthropic/claude-sonnet-4.5",
			[]string{
				delta(`"reasoning":"I ","reasoning_details":[{"type":"reasoning.text","text":"I ","format":"anthropic-claude-v1","index":0}]`),
				delta(`"reasoning":"look","reasoning_details":[{"type":"reasoning.text","text":"look","format":"anthropic-claude-v1","index":0}]`),
				delta(`"reasoning_details":[{"type":"reasoning.text","signature":"c2ln","format":"anthropic-claude-v1","index":0}]`),
				delta(`"reasoning_details":[{"type":"reasoning.encrypted","data":"eA==","index":1}]`),
				delta(`"content":"Wait."`),
				piecesOf(`{"index":0,"id":"toolu_1","function":{"name":"f","arguments":"{\"a\":1}"}}`), finish("tool_calls"),
			},
			`{"role":"assistant","content":"Wait.","tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}],
			"reasoning_details":[{"format":"anthropic-claude-v1","index":0,"signature":"c2ln","text":"I look","type":"reasoning.text"},{"data":"eA==","index":1,"type":"reasoning.encrypted"}]}`,
			"I look",
		},
		{
			"Gemini", "gemini", "gemini-3-pro-preview",
			[]string{
				`{"choices":[{"delta":{"content":"<thought>Hm","extra_content":{"google":{"thought":true}},"role":"assistant"},"index":0}]}`,
				`{"choices":[{"delta":{"content":", so","extra_content":{"google":{"thought":true}},"role":"assistant"},"index":0}]}`,
				delta(`"content":"</thought>I look"`), delta(`"content":"."`),
				piecesOf(`{"index":0,"id":"c1","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln"}}},{"index":1,"id":"c2","function":{"name":"g","arguments":"{}"}}`),
				finish("tool_calls"),
			},
			`{"role":"assistant","content":"I look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln"}}},
			{"id":"c2","type":"function","function":{"name":"g","arguments":"{}"}}]}`,
			"Hm, so",
		},
		{
			"DeepSeek", "deepseek", "deepseek-v4-pro",
			[]string{delta(`"reasoning_content":"Hm"`), delta(`"reasoning_content":"."`), piecesOf(`{"index":0,"id":"c1","function":{"name":"f","arguments":"{}"}}`), finish("tool_calls")},
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}],"reasoning_content":"Hm."}`,
			"Hm.",
		},
		{
			"MiniMax", "minimax", "MiniMax-M3",
			[]string{delta(`"reasoning_details":[{"type":"reasoning.text","id":"r1","format":"MiniMax-response-v1","index":0,"text":"Hm"}]`), delta(`"content":"Yes"`), finish("stop")},
			`{"role":"assistant","content":"Yes","reasoning_details":[{"format":"MiniMax-response-v1","id":"r1","index":0,"text":"Hm","type":"reasoning.text"}]}`,
			"Hm",
		},
		{
			"Kimi without reasoning", "moonshot", "kimi-k2.6",
			[]string{piecesOf(`{"index":0,"id":"f:0","function":{"name":"f","arguments":"{}"}}`), finish("tool_calls")},
			`{"role":"assistant","content":null,"tool_calls":[{"id":"f:0","type":"function","function":{"name":"f","arguments":"{}"}}],"reasoning_content":" "}`,
			"",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, func(conn net.Conn) { write(conn, sseHead, sse(append(c.events, "[DONE]")...)) })
			client := newClient(t, s.url, func(o *Config) { o.Provider = c.provider })
			r := hello()
			r.Model = c.model
			m := s.message(t, client, r)
			if m.Reasoning != c.reasoning {
				t.Errorf("shows %q, want %q", m.Reasoning, c.reasoning)
			}
			r.Messages = append(r.Messages, m)
			s.message(t, client, r)
			var body struct{ Messages []json.RawMessage }
			if err := json.Unmarshal([]byte(s.asked().body), &body); err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			if err := json.Compact(&want, []byte(c.want)); err != nil {
				t.Fatal(err)
			}
			same(t, []string{string(body.Messages[1])}, want.String())
		})
	}
}

func TestReportedCosts(t *testing.T) {
	s := serve(t, func(c net.Conn) {
		write(c, sseHead, sse(delta(`"content":"a"`), finish("stop"),
			`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":4,"cost":0.0001230,"completion_tokens_details":{"reasoning_tokens":3}}}`, "[DONE]"))
	})
	st, err := newClient(t, s.url).Stream(t.Context(), hello())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var got providers.Usage
	for {
		d, err := st.Next()
		if err != nil {
			break
		}
		if d.Kind == providers.DeltaUsage {
			got = *d.Usage
		}
	}
	if want := (providers.Usage{Input: 10, Output: 4, Reasoning: 3, Charged: "0.0001230"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

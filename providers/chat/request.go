package chat

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sashabaranov/go-openai"

	"hermes-tui/providers"
	"hermes-tui/providers/models"
	"hermes-tui/providers/schemas"
	"hermes-tui/providers/transport"
	"hermes-tui/tools/lazyregexp"
)

// request makes the part of a request that go-openai can express. The model's
// name is not in it, because the library judges requests by names it knows.
func (c *Client) request(r providers.Request) openai.ChatCompletionRequest {
	req := openai.ChatCompletionRequest{
		Stream:        true,
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	}
	dialect := schemas.Of(c.config.Provider, c.base.Hostname(), r.Model, schemas.None)
	for _, t := range r.Tools {
		req.Tools = append(req.Tools, openai.Tool{
			Type:     openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: dialect.For(t.Parameters)},
		})
	}
	return req
}

// extra makes the part of a request that go-openai cannot express. What is more
// particular wins: what the rows say over the protocol, what the user sets over
// everything.
func (c *Client) extra(r providers.Request, n needs) map[string]any {
	q := query{config: &c.config, model: r.Model, session: r.Session}
	extra := map[string]any{"model": r.Model, "messages": c.messages(r, n)}
	put := func(fields map[string]any) {
		for k, v := range fields {
			extra[k] = v
		}
	}
	if most := c.limit(r, n); most > 0 {
		extra[tokensKey(c.base.Hostname(), r.Model)] = most
	}
	asked, _ := c.thinking(r, n)
	put(asked)
	put(n.fields(q))
	put(c.overrides)
	if r.Whole {
		extra["stream"], extra["stream_options"] = false, nil
	}
	return extra
}

// limit is the most tokens of the answer, 0 for whatever the provider takes.
func (c *Client) limit(r providers.Request, n needs) int {
	if r.MaxOutput <= 0 && n.wants.limit != nil {
		return n.wants.limit(r.Model)
	}
	return r.MaxOutput
}

// thinking returns the fields that ask for reasoning, and the level that they ask for.
func (c *Client) thinking(r providers.Request, n needs) (fields map[string]any, level string) {
	w := wish{effort: n.effort(r), ask: models.Of(r.Model), listed: c.listed(r.Model)}
	switch {
	case w.effort == "":
		return nil, ""
	case n.think == nil:
		return thinkPlain(w)
	}
	return n.think(w)
}

// Effort implements [providers.Reasoner].
func (c *Client) Effort(model, wanted string) string {
	_, level := c.thinking(providers.Request{Model: model, Effort: wanted}, c.needs(model))
	return level
}

// message is a message on the wire. Content is a text, a list of parts, or nothing,
// which the protocol tells from an empty text.
type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
	Calls   []call `json:"tool_calls,omitempty"`
	CallID  string `json:"tool_call_id,omitempty"`

	ReasoningContent json.RawMessage `json:"reasoning_content,omitempty"`
	Reasoning        json.RawMessage `json:"reasoning,omitempty"`
	ReasoningDetails json.RawMessage `json:"reasoning_details,omitempty"`
}

// call is a tool call on the wire.
type call struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Function function        `json:"function"`
	Extra    json.RawMessage `json:"extra_content,omitempty"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// messages converts a history. What becomes of a message depends on nothing behind
// it, so that requests which continue one another begin with the same bytes; only
// marks for the cache move.
func (c *Client) messages(r providers.Request, n needs) []message {
	out := make([]message, 0, len(r.Messages)+1)
	if r.System != "" {
		out = append(out, message{Role: systemRole(c.base.Hostname(), r.Model), Content: r.System})
	}
	wire := map[string]string{} // our call ids to those on the wire
	images := gallery{apart: n.strict}
	for _, m := range r.Messages {
		if m.Role != providers.Tool {
			out = images.flush(out)
		}
		switch m.Role {
		case providers.User:
			out = addUser(out, userContent(m), n.strict)
		case providers.Assistant:
			out = append(out, c.assistant(m, r, n, wire))
		case providers.Tool:
			out = append(out, result(m, n, wire, &images))
		}
	}
	out = images.flush(out)
	if n.lists {
		listContents(out, n.flatTools)
	}
	if last := n.marked(r.CacheFor); last > 0 {
		setMarks(out, last, n.markSystem)
	}
	return out
}

// listContents makes lists of all contents.
func listContents(out []message, flatTools bool) {
	for i := range out {
		if out[i].Role != "tool" || !flatTools {
			out[i].Content = asList(out[i].Content)
		}
	}
}

// result converts the result of a call. Images follow behind the results, where a
// message may.
func result(m providers.Message, n needs, wire map[string]string, images *gallery) message {
	id, ok := wire[m.CallID]
	if !ok {
		id = n.callID(m.CallID)
	}
	images.add(m, id)
	return message{Role: "tool", Content: wordsOnly(m, shownBelow), CallID: id}
}

// addUser adds a message of the user; where roles must take turns, to the one before it.
func addUser(out []message, content any, strict bool) []message {
	if last := len(out) - 1; strict && last >= 0 && out[last].Role == "user" {
		one, _ := asList(out[last].Content).([]part)
		two, _ := asList(content).([]part)
		out[last].Content = slices.Concat(one, two)
		return out
	}
	return append(behindResults(out), message{Role: "user", Content: content})
}

// behindResults puts a word of the model behind results, where a message of the user
// follows: templates of some models refuse it right there, and others do not mind.
func behindResults(out []message) []message {
	if n := len(out); n > 0 && out[n-1].Role == "tool" {
		return append(out, message{Role: "assistant", Content: unanswered})
	}
	return out
}

// unanswered stands for an answer that was not given.
const unanswered = "(no answer)"

// ownID is an id of a call as Kimi writes it.
var ownID = lazyregexp.New(`^[\w.-]{1,80}:\d+$`)

// callID is an id as every service takes it: most take 40 letters, digits, hyphens and
// underscores, some nine letters and digits. One that fits stays, and so does one of Kimi in
// its own form for its own models.
func (n *needs) callID(id string) string {
	plain := func(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' }
	odd := func(r rune) bool { return !plain(r) && (n.nineID || r != '-' && r != '_') }
	const short, long = 9, 40
	fits := id != "" && !strings.ContainsFunc(id, odd)
	sum := sha256.Sum256([]byte(id))
	text := fmt.Sprintf("%x", sum)
	switch {
	case n.ownIDs && ownID.MatchString(id), fits && n.nineID && len(id) == short, fits && !n.nineID && len(id) <= long:
		return id
	case n.nineID:
		return text[:short]
	}
	return "call_" + text[:24]
}

// assistant converts a message of the model and notes its call ids.
func (c *Client) assistant(m providers.Message, r providers.Request, n needs, wire map[string]string) message {
	out := message{Role: "assistant"}
	if text := wordsOnly(m, notSent); text != "" || len(m.Calls) == 0 {
		out.Content = text
	}
	taken := map[string]bool{}
	extras := n.extras || r.SignCalls || c.attached(m.Native, r.Model)
	for i, k := range m.Calls {
		id := n.callID(k.WireID)
		if k.WireID == "" || taken[id] {
			id = n.callID(k.ID)
		}
		taken[id], wire[k.ID] = true, id
		w := call{ID: id, Type: "function", Function: function{Name: k.Name, Arguments: k.Arguments}}
		if w.Function.Arguments == "" {
			w.Function.Arguments = "{}"
		}
		if extras {
			w.Extra = k.Extra
		}
		if r.SignCalls && i == 0 && !bytes.Contains(w.Extra, []byte("thought_signature")) {
			w.Extra = json.RawMessage(anySignature)
		}
		out.Calls = append(out.Calls, w)
	}
	c.replay(&out, m.Native, r.Model)
	if (n.echo || r.EchoReasoning) && len(out.Calls) > 0 {
		echo(&out)
	}
	return out
}

// anySignature is what Gemini takes for the signature of a call that it has not made.
const anySignature = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`

// attached reports whether the model has attached something to the calls of a message that
// it wants back.
func (c *Client) attached(items []providers.Item, model string) bool {
	return slices.ContainsFunc(items, func(i providers.Item) bool {
		return i.Kind == itemExtras && i.Issuer == c.config.Provider && i.Model == model
	})
}

// replay sends native items back to where they came from. Signed details are
// valid for the model that made them only.
func (c *Client) replay(out *message, items []providers.Item, model string) {
	for _, item := range items {
		if item.Issuer != c.config.Provider {
			continue
		}
		switch item.Kind {
		case itemReasoningContent:
			out.ReasoningContent = item.Raw
		case itemReasoning:
			out.Reasoning = item.Raw
		case itemDetails:
			if item.Model == model {
				out.ReasoningDetails = item.Raw
			}
		case itemTagged:
			c.tagged(out, item, model)
		}
	}
}

// tagged puts reasoning back between its tags, where it stood in the text.
func (c *Client) tagged(out *message, item providers.Item, model string) {
	var text string
	shown, _ := out.Content.(string)
	if item.Model == model && json.Unmarshal(item.Raw, &text) == nil && strings.HasSuffix(strings.TrimSpace(text), strings.TrimSpace(shown)) {
		out.Content = text
	}
}

// echo makes sure that a message with calls has reasoning_content where requests are
// refused without. Reasoning under another name is reasoning; where there is none, or
// only that of another provider, a blank will do.
func echo(out *message) {
	if !transport.Given(out.ReasoningContent) && out.Reasoning == nil && out.ReasoningDetails == nil {
		out.ReasoningContent = json.RawMessage(`" "`)
	}
}

package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"hermes-tui/providers"
)

// reader understands the bytes of an answer the way a client does, so that an
// answer played in this process means what it means over HTTP.
type reader struct {
	endpoint string
	line     []byte // begun but not ended
	slots    []slot // calls, in the order in which they appeared
	finished bool   // a finish reason came
	done     bool   // the end marker came; nothing after it counts
}

// slot is a call as the wire names it.
type slot struct {
	index int
	id    string
}

// maxLine bounds one line of an answer, in bytes.
const maxLine = 16 << 20

// read takes bytes and adds the deltas they complete.
func (r *reader) read(out []providers.Delta, p []byte) ([]providers.Delta, error) {
	for len(p) > 0 && !r.done {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			if len(r.line)+len(p) > maxLine {
				return out, r.fault(providers.ErrorProtocol, "a line of the answer is longer than 16 MB", nil)
			}
			r.line = append(r.line, p...)
			break
		}
		line := p[:end]
		if len(r.line) > 0 {
			line = append(r.line, line...)
			r.line = r.line[:0]
		}
		p = p[end+1:]
		var err error
		if out, err = r.event(out, bytes.TrimRight(line, "\r")); err != nil {
			return out, err
		}
	}
	return out, nil
}

// event takes one line. Only data lines mean something.
func (r *reader) event(out []providers.Delta, line []byte) ([]providers.Delta, error) {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		return out, nil
	}
	data = bytes.TrimSpace(data)
	if string(data) == "[DONE]" {
		r.done = true
		return out, nil
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		e := r.fault(providers.ErrorProtocol, "an event of the answer is not valid JSON", data)
		e.Cause = err
		return out, e
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		e := r.fault(providers.ErrorStream, "", data)
		e.Message, e.Type, e.Code = describe(data)
		if n, err := strconv.Atoi(e.Code); err == nil && n >= 400 && n <= 599 {
			e.Status = n // of whoever failed behind the server
		}
		return out, e
	}
	return r.deltas(out, &c)
}

func (r *reader) fault(kind providers.ErrorKind, message string, body []byte) *providers.Error {
	return &providers.Error{
		Kind: kind, Endpoint: r.endpoint, Message: message, Body: bytes.Clone(body[:min(len(body), maxErrorBody)]),
	}
}

// chunk is an event of the protocol as far as it is understood here.
type chunk struct {
	Choices []struct {
		Delta struct {
			Content   string      `json:"content"`
			Reasoning string      `json:"reasoning"`
			Thinking  string      `json:"reasoning_content"`
			ToolCalls []chunkCall `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *chunkUsage     `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type chunkCall struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Extra json.RawMessage `json:"extra_content"`
}

type chunkUsage struct {
	Prompt        int64 `json:"prompt_tokens"`
	Completion    int64 `json:"completion_tokens"`
	PromptDetails struct {
		Cached  int64 `json:"cached_tokens"`
		Written int64 `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func (r *reader) deltas(out []providers.Delta, c *chunk) ([]providers.Delta, error) {
	if len(c.Choices) > 0 {
		choice := c.Choices[0]
		if t := choice.Delta.Thinking + choice.Delta.Reasoning; t != "" {
			out = append(out, providers.Delta{Kind: providers.DeltaReasoning, Text: t})
		}
		if t := choice.Delta.Content; t != "" {
			out = append(out, providers.Delta{Kind: providers.DeltaText, Text: t})
		}
		for _, call := range choice.Delta.ToolCalls {
			out = r.call(out, call)
		}
		if reason := choice.FinishReason; reason != "" {
			f := finishOf(reason)
			if f == providers.FinishNone {
				return out, r.fault(providers.ErrorStream, "the model broke off with the reason "+reason, nil)
			}
			r.finished = true
			out = append(out, providers.Delta{Kind: providers.DeltaFinish, Finish: f})
		}
	}
	if u := c.Usage; u != nil {
		out = append(out, providers.Delta{Kind: providers.DeltaUsage, Usage: &providers.Usage{
			Input:     max(0, u.Prompt-u.PromptDetails.Cached-u.PromptDetails.Written),
			Output:    u.Completion,
			CacheRead: u.PromptDetails.Cached, CacheWrite: u.PromptDetails.Written,
			Reasoning: u.CompletionDetails.Reasoning,
		}})
	}
	return out, nil
}

// finishOf understands a finish reason: one that is not known is an ordinary
// end, FinishNone is a failure.
func finishOf(reason string) providers.Finish {
	switch reason {
	case "tool_calls", "function_call", "tool_use":
		return providers.FinishToolCalls
	case "length", "max_tokens":
		return providers.FinishLength
	case "content_filter", "refusal", "safety":
		return providers.FinishFilter
	case "error", "network_error", "abort":
		return providers.FinishNone
	}
	return providers.FinishStop
}

// call takes a piece of a tool call. A new id opens a new call, even where the
// index was used before.
func (r *reader) call(out []providers.Delta, c chunkCall) []providers.Delta {
	at := -1
	for i, s := range r.slots {
		if s.index == c.Index {
			at = i
		}
	}
	if at < 0 || c.ID != "" && c.ID != r.slots[at].id {
		at = len(r.slots)
		id := c.ID
		if id == "" {
			id = fmt.Sprintf("call_%d", at)
		}
		r.slots = append(r.slots, slot{index: c.Index, id: id})
		out = append(out, providers.Delta{Kind: providers.DeltaCall, Index: at, CallID: id, Name: c.Function.Name, Extra: c.Extra})
	}
	if c.Function.Arguments != "" {
		out = append(out, providers.Delta{Kind: providers.DeltaArguments, Index: at, Text: c.Function.Arguments})
	}
	return out
}

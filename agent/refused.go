package agent

import (
	"encoding/json"
	"fmt"
	"time"

	"hermes-tui/agent/compress"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/agent/recovery"
	"hermes-tui/providers"
	"hermes-tui/providers/failure"
	"hermes-tui/store/sessions"
)

// refusedRequest is what is kept of a request that a service did not take, for those who
// want to know why: what was asked for, with secrets masked, and what the service said.
type refusedRequest struct {
	At       time.Time     `json:"at"`
	Session  string        `json:"session"`
	Provider string        `json:"provider"`
	Status   int           `json:"status"`
	Reason   string        `json:"reason"`
	Said     string        `json:"said"`
	Request  refusedAsking `json:"request"`
}

type refusedAsking struct {
	Model     string              `json:"model"`
	Effort    string              `json:"effort,omitempty"`
	MaxOutput int                 `json:"max_output,omitempty"`
	System    string              `json:"system"`
	Messages  []refusedMessage    `json:"messages"`
	Tools     []providers.ToolDef `json:"tools,omitempty"`
}

type refusedMessage struct {
	Role      providers.Role   `json:"role"`
	Parts     []string         `json:"parts,omitempty"`
	Reasoning string           `json:"reasoning,omitempty"`
	Calls     []providers.Call `json:"calls,omitempty"`
	CallID    string           `json:"call_id,omitempty"`
	Items     []string         `json:"provider_items,omitempty"` // their kinds
}

// The size from which a request that was refused is not made again with the same message:
// it would be refused for its size, or for what is somewhere in it, until the session
// could not be used any more.
const (
	refusedTokens   = 50_000
	refusedMessages = 80
)

// refused keeps a request that the service did not take for what is in it, and leaves the
// message out from now on that began the turn, when sending it again would spoil every
// request that follows. One that part of an answer stands below stays: answers do not follow
// each other.
func (t *turn) refused(f recovery.Fault, req providers.Request, g *gaveUp, r *reply) {
	malformed := g.Cause == recovery.CauseRefused && (f.Reason == failure.FormatError || f.Reason == failure.ContentPolicyBlocked)
	if malformed {
		path, err := t.keepRefused(f, req)
		if err == nil && path != "" {
			err = t.commit(&event.NoticeRaised{Block: t.conv.ids.Block(), Level: event.LevelInfo, Text: "What was asked is kept in " + path + ", with secrets masked."})
		}
		if err != nil {
			t.conv.report(fmt.Errorf("keep a refused request: %w", err))
		}
	}
	last, answered := len(t.history)-1, r.text.Len() > 0 || r.reasoning.Len() > 0
	if answered || t.parent != nil || last < 0 || t.history[last].Role != providers.User {
		return
	}
	m := &t.history[last]
	room := t.window().Max // 0 where no one knows
	switch large := t.asking.tokens > refusedTokens || len(req.Messages) > refusedMessages; {
	case malformed && (large || f.Reason == failure.ContentPolicyBlocked):
	case g.Cause == recovery.CauseTooLong && room > 0 && compress.Size(m) > room/2:
	default:
		return
	}
	err := t.conv.com.Commit(&journal.Batch{
		Agent: t.Agent.id, Session: t.session, Turn: t.id,
		Effects: []sessions.Effect{sessions.ChooseContext{Dropped: []string{m.ID}}},
		Events: []event.Event{&event.NoticeRaised{Block: t.conv.ids.Block(), Level: event.LevelWarn,
			Text: "Your message is not sent again, since it was refused: write it in other words, or shorter. /context brings it back as it is."}},
	})
	if err != nil {
		t.conv.report(err)
		return
	}
	t.history = t.history[:last]
}

// keepRefused writes a request and says where. It writes nothing where no place is given.
func (t *turn) keepRefused(f recovery.Fault, req providers.Request) (path string, err error) {
	if t.conv.keepRefused == nil {
		return "", nil
	}
	req = rewrite(req, t.mask.Text)
	r := refusedRequest{
		At: t.conv.ids.Now(), Session: string(t.session), Provider: t.rt.Model.Provider, Status: f.Status, Reason: string(f.Reason), Said: f.Message,
		Request: refusedAsking{Model: req.Model, Effort: req.Effort, MaxOutput: req.MaxOutput, System: req.System, Tools: req.Tools},
	}
	for _, m := range req.Messages {
		kept := refusedMessage{Role: m.Role, Reasoning: m.Reasoning, Calls: m.Calls, CallID: m.CallID}
		for _, p := range m.Parts {
			text := p.Text
			if p.Image != nil {
				text = fmt.Sprintf("[%s, %d bytes]", p.Image.MediaType, len(p.Image.Data))
			}
			kept.Parts = append(kept.Parts, text)
		}
		for _, n := range m.Native {
			kept.Items = append(kept.Items, n.Kind)
		}
		r.Request.Messages = append(r.Request.Messages, kept)
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return "", err
	}
	return t.conv.keepRefused(data)
}

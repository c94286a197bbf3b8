package agent

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/providers"
)

// transcriber makes the events of one turn out of messages.
type transcriber struct {
	ids   event.Source
	turn  event.TurnID
	at    time.Time
	order []string                       // calls in their order
	open  map[string]event.CallView      // those without a result so far
	ends  map[string]*event.ToolFinished // of calls whose end is known, see [revival.copied]
}

// put gives an event the turn and the time of its message.
func (s *transcriber) put(m providers.Message, e event.Event) event.Event {
	if !m.At.IsZero() {
		s.at = m.At
	}
	h := e.Head()
	h.Turn, h.At = s.turn, s.at
	return e
}

// finish ends the turn, if there is one, and its calls without a result.
func (s *transcriber) finish() (events []event.Event) {
	if s.turn == "" {
		return nil
	}
	for _, id := range s.order {
		if v, open := s.open[id]; open {
			v.Summary = "its result is missing"
			events = append(events, &event.ToolFinished{Call: event.CallID(id), Outcome: event.OutcomeUnknown, View: v})
		}
	}
	events = append(events, &event.TurnFinished{Outcome: event.TurnCompleted})
	for _, e := range events {
		s.put(providers.Message{}, e)
	}
	return events
}

// shown are the events that put a message on the screen.
func (s *transcriber) shown(m providers.Message) []event.Event {
	switch m.Role {
	case providers.Tool:
		v, open := s.open[m.CallID]
		if !open {
			return nil
		}
		delete(s.open, m.CallID)
		if end := s.ends[m.CallID]; end != nil {
			return []event.Event{&event.ToolFinished{Call: event.CallID(m.CallID), Outcome: end.Outcome, Took: end.Took, View: end.View}}
		}
		outcome := resultOf(&v, m.Text())
		return []event.Event{&event.ToolFinished{Call: event.CallID(m.CallID), Outcome: outcome, View: v}}
	case providers.User:
		return []event.Event{&event.MessageCommitted{
			Message: event.MessageID(m.ID), Role: event.RoleUser, Block: s.ids.Block(), Text: m.Text(), Images: imagesOf(m),
		}}
	}
	e := &event.MessageCommitted{Message: event.MessageID(m.ID), Role: event.RoleAssistant, Text: m.Text(), Finish: string(m.Finish)}
	if e.Text != "" {
		e.Block = s.ids.Block()
	}
	if m.Reasoning != "" {
		e.Reasoning = &event.Reasoning{Block: s.ids.Block(), Text: m.Reasoning}
	}
	for _, c := range m.Calls {
		v := announced(c)
		if end := s.ends[c.ID]; end != nil {
			v = event.CallView{Kind: end.View.Kind, Name: end.View.Name, Subject: end.View.Subject}
		}
		s.open[c.ID], s.order = v, append(s.order, c.ID)
		e.Calls = append(e.Calls, event.CallHead{Call: event.CallID(c.ID), View: v})
	}
	return []event.Event{e}
}

// tellingArguments are the names of arguments that say what a call is about, the
// most telling first.
var tellingArguments = []string{"command", "path", "file_path", "pattern", "query", "url", "goal", "question", "code", "name", "action"}

// announced is the view of a call of which only name and arguments are known.
func announced(c providers.Call) event.CallView {
	v := event.CallView{Kind: event.ViewGeneric, Name: c.Name}
	var args map[string]json.RawMessage
	if json.Unmarshal([]byte(c.Arguments), &args) != nil {
		return v
	}
	i := slices.IndexFunc(tellingArguments, func(name string) bool {
		return json.Unmarshal(args[name], &v.Subject) == nil && v.Subject != ""
	})
	if i == 0 {
		v.Kind = event.ViewCommand
	}
	v.Subject, _ = cut(v.Subject, false)
	return v
}

// resultOf fills the view of a call in from its result and says how it ended, as far as
// the result tells: in the usual form it is an object with output, error and exit
// code.
func resultOf(v *event.CallView, result string) event.Outcome {
	var said struct {
		Output, Content *string
		Error           json.RawMessage
		Exit            *int `json:"exit_code"`
	}
	body, outcome := result, event.OutcomeOK
	if json.Unmarshal([]byte(result), &said) == nil {
		var failure string
		if json.Unmarshal(said.Error, &failure) == nil && failure != "" {
			v.Summary, _, _ = strings.Cut(failure, "\n")
			body, outcome = failure, event.OutcomeFailed
		}
		for _, text := range []*string{said.Content, said.Output} {
			if text != nil && *text != "" {
				body = *text
			}
		}
		if v.Exit = said.Exit; v.Exit != nil && *v.Exit != 0 {
			outcome = event.OutcomeFailed
		}
	}
	v.Body, v.Cut = cut(body, v.Kind == event.ViewCommand)
	return outcome
}

package event

import (
	"reflect"
	"slices"
)

// registration is all there is to know of a type of event.
type registration struct {
	name    Type
	version int // of its JSON form, as this program writes it
	blank   func() Event
	// fold applies one to the state.
	fold func(*State, Event)
	// journaled reports whether one belongs into the journal.
	journaled func(Event) bool
}

// registrations is the one list of the types of events. To add an event, declare its
// struct and add it here; its name in JSON never changes again.
func registrations() []registration {
	return []registration{
		ofAgent("turn_started", (*Agent).turnStarted),
		ofState("turn_finished", (*State).turnFinished),
		ofAgent("phase_changed", (*Agent).phaseChanged).live(),
		ofAgent("reasoning_delta", (*Agent).reasoned).live(),
		ofAgent("text_delta", (*Agent).answered).live(),
		ofAgent("stream_reset", func(a *Agent, _ *StreamReset) { a.dropUncommitted() }).live(),
		ofAgent("message_committed", (*Agent).commit),
		ofAgent("tool_drafting", (*Agent).draft).live(),
		ofAgent("tool_started", (*Agent).startCall),
		ofAgent("tool_output", (*Agent).output).live(),
		ofAgent("tool_finished", (*Agent).finishCall),
		ofAgent("command_typed", (*Agent).typedCommand),
		ofAgent("tool_state_changed", func(a *Agent, e *ToolStateChanged) { a.keep(e.Name, e.State, e.Turn) }),
		storedIf(ofAgent("usage_updated", (*Agent).usageUpdated), func(e *UsageUpdated) bool { return e.Final }),
		ofAgent("retry_scheduled", func(a *Agent, e *RetryScheduled) { a.Retry, a.Phase, a.Detail = e, PhaseRetrying, e.Reason }).live(),
		ofAgent("fallback_activated", func(a *Agent, e *FallbackActivated) { a.Model = e.To }),
		storedIf(ofAgent("notice_raised", (*Agent).notice), func(e *NoticeRaised) bool { return !e.Passing }),
		ofState("context_compressed", (*State).compressed),
		ofAgent("context_compressing", (*Agent).compacting).live(),
		ofState("rewound", (*State).rewound),
		ofAgent("prompt_built", func(a *Agent, e *PromptBuilt) { a.Prompt = e.Parts }),
		ofAgent("agent_finished", (*Agent).finished),
		ofConversation("agent_spawned", (*State).spawn),
		ofConversation("agent_state_changed", (*State).change),
		ofConversation("requested", (*State).request),
		ofConversation("request_resolved", (*State).resolve),
		ofConversation("model_changed", func(s *State, e *ModelChanged) { s.setModel(e.Model) }),
		ofConversation("mode_changed", func(s *State, e *ModeChanged) { s.Mode = e.Mode }),
		ofConversation("workspace_changed", func(s *State, e *WorkspaceChanged) { s.Work = e.Work }),
		ofConversation("queue_changed", func(s *State, e *QueueChanged) { s.Queue = slices.Clone(e.Queue) }),
		ofConversation("spawning_changed", func(s *State, e *SpawningChanged) { s.Frozen = e.Frozen }),
		ofConversation("title_changed", func(s *State, e *TitleChanged) { s.Title = e.Title }),
		ofConversation("bookmark_changed", (*State).bookmark),
		ofConversation("layers_left", func(s *State, e *LayersLeft) { s.Left = slices.Clone(e.Left) }),
		ofConversation("looking_back", (*State).lookingBack).live(),
		ofConversation("jobs_changed", func(s *State, e *JobsChanged) { s.Jobs = slices.Clone(e.Jobs) }),

		// Of early journals.
		ofConversation("status_changed", (*State).status),
		ofAgent("todos_changed", (*Agent).todos),
	}
}

// pointer is an event's type: a pointer to its struct.
type pointer[E any] interface {
	*E
	Event
}

// ofConversation registers an event about the conversation as a whole.
func ofConversation[E any, P pointer[E]](name Type, fold func(*State, P)) registration {
	return registration{
		name: name, version: 1, blank: func() Event { return P(new(E)) }, journaled: func(Event) bool { return true },
		fold: func(s *State, e Event) {
			if e, ok := e.(P); ok {
				fold(s, e)
			}
		},
	}
}

// ofState registers an event about one agent that changes more than the agent.
// Events of agents that were never spawned are skipped.
func ofState[E any, P pointer[E]](name Type, fold func(*State, *Agent, P)) registration {
	return ofConversation(name, func(s *State, e P) {
		h := e.Head()
		a := s.Agent(h.Agent)
		if a == nil {
			return
		}
		if h.At.After(a.Active) {
			a.Active = h.At
		}
		fold(s, a, e)
		if a.Parent != "" {
			s.brief(a, e)
		}
	})
}

// ofAgent registers an event about one agent.
func ofAgent[E any, P pointer[E]](name Type, fold func(*Agent, P)) registration {
	return ofState(name, func(_ *State, a *Agent, e P) { fold(a, e) })
}

// live marks an event that is shown and never stored.
func (r registration) live() registration {
	r.journaled = func(Event) bool { return false }
	return r
}

// storedIf marks an event that is stored if it says so, and only shown otherwise.
func storedIf[E any, P pointer[E]](r registration, stored func(P) bool) registration {
	r.journaled = func(e Event) bool {
		p, ok := e.(P)
		return ok && stored(p)
	}
	return r
}

// byType and byName find registrations by the type of the struct and by the name in
// JSON.
var byType, byName = func() (map[reflect.Type]*registration, map[Type]*registration) {
	types, names := map[reflect.Type]*registration{}, map[Type]*registration{}
	for _, r := range registrations() {
		types[reflect.TypeOf(r.blank())], names[r.name] = &r, &r
	}
	return types, names
}()

// TypeOf is the name in JSON of an event's type, which may be a nil pointer; empty
// for an [Unknown].
func TypeOf(e Event) Type {
	if r := byType[reflect.TypeOf(e)]; r != nil {
		return r.name
	}
	return ""
}

// Durable reports whether an event belongs into the journal.
func Durable(e Event) bool {
	r := byType[reflect.TypeOf(e)]
	return r == nil || r.journaled(e)
}

// Stamp fills the type and the version of an event. It is called once, before
// the event is published.
func Stamp(e Event) {
	if r := byType[reflect.TypeOf(e)]; r != nil {
		h := e.Head()
		h.Type, h.V = r.name, r.version
	}
}

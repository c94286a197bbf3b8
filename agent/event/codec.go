package event

import (
	"encoding/json"
	"fmt"
)

// Marshal gives the JSON form of an event. Type and version must have been
// stamped, see [Stamp].
func Marshal(e Event) ([]byte, error) {
	if u, ok := e.(*Unknown); ok && u.Raw != nil {
		return u.Raw, nil
	}
	b, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode %s event: %w", e.Kind(), err)
	}
	return b, nil
}

// Stamp fills the type and the version of an event. It is called once, before
// the event is published.
func Stamp(e Event) {
	h := e.Head()
	h.Type, h.V = e.Kind(), Version
}

// UnmarshalAs reads the JSON form of an event of a type. A type that is not known
// gives an [Unknown] and no error; malformed JSON gives an error.
func UnmarshalAs(t Type, data []byte) (Event, error) {
	e := blank(t)
	if err := json.Unmarshal(data, e); err != nil {
		return nil, fmt.Errorf("decode %s event: %w", t, err)
	}
	if u, ok := e.(*Unknown); ok {
		u.Type, u.Raw = t, append([]byte(nil), data...)
	}
	return e, nil
}

// blank returns an empty event of a type.
func blank(t Type) Event {
	switch t {
	case TypeTurnStarted:
		return &TurnStarted{}
	case TypeStatusChanged:
		return &StatusChanged{}
	case TypeReasoningDelta:
		return &ReasoningDelta{}
	case TypeTextDelta:
		return &TextDelta{}
	case TypeStreamReset:
		return &StreamReset{}
	case TypeMessageCommitted:
		return &MessageCommitted{}
	case TypeToolDrafting:
		return &ToolDrafting{}
	case TypeToolStarted:
		return &ToolStarted{}
	case TypeToolOutput:
		return &ToolOutput{}
	case TypeToolFinished:
		return &ToolFinished{}
	case TypeRequested:
		return &Requested{}
	case TypeRequestResolved:
		return &RequestResolved{}
	case TypeAgentSpawned:
		return &AgentSpawned{}
	case TypeAgentStateChanged:
		return &AgentStateChanged{}
	case TypeAgentFinished:
		return &AgentFinished{}
	case TypeTodosChanged:
		return &TodosChanged{}
	case TypeUsageUpdated:
		return &UsageUpdated{}
	case TypeContextCompressed:
		return &ContextCompressed{}
	case TypeRetryScheduled:
		return &RetryScheduled{}
	case TypeFallbackActivated:
		return &FallbackActivated{}
	case TypeNoticeRaised:
		return &NoticeRaised{}
	case TypeTitleChanged:
		return &TitleChanged{}
	case TypeRewound:
		return &Rewound{}
	case TypeJobsChanged:
		return &JobsChanged{}
	case TypeTurnFinished:
		return &TurnFinished{}
	}
	return &Unknown{}
}

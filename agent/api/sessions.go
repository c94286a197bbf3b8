package api

import (
	"time"

	"hermes-tui/agent/event"
)

// Match is a session in which something was said that was looked for.
type Match struct {
	SessionInfo
	// Hits are the first messages that were found in it, Total counts all of them.
	Hits  []Hit `json:"hits"`
	Total int   `json:"total"`
	// More says that not all were counted.
	More bool `json:"more,omitempty"`
}

// Hit is a message that was found.
type Hit struct {
	// Message is its id, as in [event.Block]; of a tool's result that of the message
	// which called the tool.
	Message string `json:"message"`
	Session string `json:"session"` // of those that the conversation went through
	// Way is set for what was taken back: [Sessions] makes a session of it.
	Way  string    `json:"way,omitempty"`
	Role string    `json:"role"`
	At   time.Time `json:"at"`
	// Text is what was said around what was found; Marks are the offsets in bytes
	// of the characters in it that were looked for.
	Text  string `json:"text"`
	Marks []int  `json:"-"`
}

// Head is the end of what is recorded of a session, without anything that was said.
type Head struct {
	Session    string      `json:"session"`
	Messages   int         `json:"messages"`
	Bytes      int64       `json:"bytes"`
	LastActive time.Time   `json:"last_active"`
	Events     []HeadEvent `json:"events"`
}

// HeadEvent is one of the newest events of a session.
type HeadEvent struct {
	Seq  uint64 `json:"seq"`
	Type string `json:"type"`
}

// Said is a message of a user or an agent in a session.
type Said struct {
	Role string    `json:"role"`
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// Prompt is what the user wrote in a session, some time.
type Prompt struct {
	Row  int64 // later ones have larger rows
	At   time.Time
	Text string
}

// Saying is what was said in a session, by the user or the agent, on one line.
type Saying struct {
	User bool
	Text string
}

// Imported says what came of another home.
type Imported struct {
	// Sessions were added, Present were there already, and Empty hold no message.
	Sessions, Present, Empty int
	Messages                 int
	// Failed says of each session that could not be read why.
	Failed []string
}

// PruneOptions say which sessions are to go.
type PruneOptions struct {
	// OlderThan is an age such as 90d, or a day; empty for none. ToSize is the size of
	// the database to come down to, in bytes, the oldest first; 0 for none.
	OlderThan string
	ToSize    int64
	// Archived ones go, too.
	Archived bool
}

// Doomed is a session that is to go, with about how much of the database it takes.
type Doomed struct {
	SessionInfo
	Bytes int64
}

// Pruned says what became of a plan.
type Pruned struct {
	Deleted, Open int // those that are open in a program stay
	Before, After int64
}

// Walk says what becomes of files on the way from one session to another that begins like
// it.
type Walk struct {
	// To is the turn before which files go back: where the sessions part. Plan says what
	// that does. Both are empty where nothing is known of changes since.
	To   event.TurnID
	Plan RewindPlan
}

// Known reports whether anything could go back.
func (w Walk) Known() bool {
	return len(w.Plan.Restored)+len(w.Plan.Doubtful)+len(w.Plan.Conflicts) > 0
}

// SessionInfo describes a conversation in a list.
type SessionInfo struct {
	Session    string    `json:"session"`
	Title      string    `json:"title,omitempty"`
	Preview    string    `json:"preview,omitempty"`
	Model      string    `json:"model,omitempty"`
	Dir        string    `json:"folder,omitempty"`
	LastActive time.Time `json:"last_active"`
	Messages   int       `json:"messages"`
	// Archived ones are listed on request only; a Branch began with what another session
	// holds. Deleted ones go when the program ends.
	Archived bool `json:"archived,omitempty"`
	Branch   bool `json:"branch,omitempty"`
	Deleted  bool `json:"-"`
	// Depth counts those that it began with in a lineage. A Shortened one goes on in
	// another session since a compression, a Delegated one is a subagent's. A Left one is
	// how a session went on before something was taken back, a Point a place in one.
	Depth                             int  `json:"-"`
	Shortened, Delegated, Left, Point bool `json:"-"`
}

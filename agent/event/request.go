package event

import (
	"time"

	"hermes-tui/tools/hunks"
)

// RequestKind says what is asked of the user.
type RequestKind string

// The kinds of requests.
const (
	RequestApproval RequestKind = "approval"
	RequestClarify  RequestKind = "clarify"
	RequestTrust    RequestKind = "trust"
	RequestSecret   RequestKind = "secret"
)

// Request is a question to the user. It waits until it is answered, or until
// its agent is interrupted.
type Request struct {
	ID   RequestID   `json:"id"`
	Kind RequestKind `json:"kind"`
	// Agent is the id of the agent that asks.
	Agent AgentID `json:"agent"`
	// Path are the names from the root down to it.
	Path []string  `json:"path"`
	Call CallID    `json:"call,omitempty"`
	At   time.Time `json:"at"`
	// Until is when it counts as not answered; zero waits for ever.
	Until time.Time `json:"until,omitzero"`

	Approval *Approval `json:"approval,omitempty"`
	Clarify  *Clarify  `json:"clarify,omitempty"`
	Trust    *Trust    `json:"trust,omitempty"`
	Secret   *Secret   `json:"secret,omitempty"`
}

// Approval asks whether an action may run. Exactly the bytes whose hash is
// SHA256 run when it is allowed.
type Approval struct {
	// Action says in a few words what the agent wants: "run", "write".
	Action string `json:"action"`
	// Text is the whole command or path. Characters that would hide something
	// are spelled out; nothing is cut.
	Text string `json:"text"`
	// SHA256 is the hex digest of what runs.
	SHA256 string `json:"sha256"`
	// Reason says why it is asked.
	Reason string `json:"reason"`
	// Category is the reason in one word.
	Category string `json:"category"`
	// Words caused it.
	Words []string `json:"words,omitempty"`
	// Reasons are all reasons, the worst first: Reason, Category and Words are
	// those of the first. Empty in events of older programs.
	Reasons []Reason `json:"reasons,omitempty"`
	Dir     string   `json:"dir,omitempty"`
	// Rule is what "for this session" and "always" would allow from now on;
	// empty when neither is offered.
	Rule string `json:"rule,omitempty"`
	// Editable says that the text may be changed before it runs.
	Editable bool `json:"editable,omitempty"`
	// Confinement says in one line what confinement means for the action.
	Confinement string `json:"confinement,omitempty"`
	// Scopes are what "session" and "always" can allow, the narrowest first; Rule is
	// the first. The answer's Text names the Rule of the one that is taken.
	Scopes []Scope `json:"scopes,omitempty"`
	// Bound names the files that lasting permissions are bound to, as they are now.
	Bound string `json:"bound,omitempty"`
	// Confinable says that ChoiceConfined may be taken.
	Confinable bool `json:"confinable,omitempty"`
	// Again says that it ran confined already, so that this choice leaves it as it
	// ended.
	Again bool `json:"again,omitempty"`
	// Edit is what would be done to the texts of files, where that is shown: the parts can
	// be decided about (ChoiceReview).
	Edit *Edit `json:"edit,omitempty"`
}

// Edit is what is done to the texts of files.
type Edit struct {
	Files []EditFile `json:"files"`
}

// EditFile is what is done to one file.
type EditFile struct {
	// Name is the file, as the user knows it, To where it is moved.
	Name string   `json:"name"`
	To   string   `json:"to,omitempty"`
	Op   hunks.Op `json:"op"`
	// Pieces is how many parts can be decided about: one for a file that is made, deleted or
	// cannot be shown; otherwise one for a move, and then one for each run of lines that
	// differ.
	Pieces int `json:"pieces"`
	// Diff is a unified difference, empty where Opaque says why it is not shown.
	Diff   string `json:"diff,omitempty"`
	Opaque string `json:"opaque,omitempty"`
	// Masked says that secrets are masked in Diff, so that none of it can be written
	// otherwise.
	Masked bool `json:"masked,omitempty"`
	// Added and Removed count lines.
	Added   int `json:"added,omitempty"`
	Removed int `json:"removed,omitempty"`
}

// Scope is what a lasting permission would cover.
type Scope struct {
	Label string `json:"label"`
	Rule  string `json:"rule"`
	// Also are examples of what else it would allow.
	Also []string `json:"also,omitempty"`
}

// Reason is why an action is asked about.
type Reason struct {
	Category string `json:"category"`
	// Text completes "it …".
	Text string `json:"text"`
	// Words are those of the action that caused it; empty: all of it.
	Words []string `json:"words,omitempty"`
	// Held says why confinement keeps this from doing harm: it is named, but not what is
	// asked about.
	Held string `json:"held,omitempty"`
}

// Secret asks for a password. Its answer is in no event.
type Secret struct {
	// Label names what is asked for.
	Label string `json:"label"`
	// Reason is what needs it.
	Reason string `json:"reason,omitempty"`
}

// Clarify is a question of the model, or a batch of them.
type Clarify struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices,omitempty"` // empty: free text only
	// Multi says that several choices may be taken.
	Multi bool `json:"multi,omitempty"`
	// Draft is a text that is asked about and that the user may change, empty for none.
	Draft string `json:"draft,omitempty"`
	// More are the further questions of a batch.
	More []ClarifyMore `json:"more,omitempty"`
}

// ClarifyMore is a further question of a batch; see [Clarify].
type ClarifyMore struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices,omitempty"`
	Multi    bool     `json:"multi,omitempty"`
}

// Plain reports whether a clarify request is one question with one answer, which
// [Answer.Text] is.
func (c *Clarify) Plain() bool { return !c.Multi && len(c.More) == 0 }

// Trust asks whether a folder's instructions may be obeyed.
type Trust struct {
	Root string `json:"root"`
	// Files are the instruction files that would be obeyed.
	Files []string `json:"files"`
}

// Choice is the button a user pressed.
type Choice string

// The choices of an answer. An approval knows all but ChoiceText and ChoiceNone;
// a clarify request and one for a secret know ChoiceText and ChoiceNone, one with a
// draft ChoiceEdit as well; trust knows ChoiceAlways and ChoiceDeny.
const (
	ChoiceOnce    Choice = "once"
	ChoiceSession Choice = "session"
	ChoiceAlways  Choice = "always"
	ChoiceDeny    Choice = "deny"
	ChoiceEdit    Choice = "edit" // Text is what is to run instead, or the draft as it was changed
	// ChoiceConfined leaves an action confined, or its confined run as it ended.
	ChoiceConfined Choice = "confined"
	ChoiceReview   Choice = "review" // Review says what is left of an edit
	ChoiceText     Choice = "text"   // Text holds the answer
	ChoiceNone     Choice = "none"   // closed without an answer
)

// Answer is a user's answer to a request.
type Answer struct {
	Choice Choice `json:"choice"`
	// Text is a clarify answer, what is to run instead, or the reason given with a
	// denial. The text of a secret is never in an event.
	Text string `json:"text,omitempty"`
	// Parts answer a clarify request that is not plain: one entry for each question,
	// each with all that was taken or written. An entry without anything is a
	// question that was left open.
	Parts [][]string `json:"parts,omitempty"`
	// Review is what was decided about the parts of an edit. Its texts are as they were
	// typed: with line feeds, the last one without.
	Review *hunks.Review `json:"review,omitempty"`
}

// Resolver says who ended a request.
type Resolver string

// Who can end a request.
const (
	ByUser      Resolver = "person"
	ByPolicy    Resolver = "policy"    // no one is there to ask
	ByInterrupt Resolver = "interrupt" // its turn was stopped
	ByShutdown  Resolver = "shutdown"  // the program ended
	ByTimeout   Resolver = "timeout"   // no one answered in time
	ByAsker     Resolver = "asker"     // what asked has ended, or needs no answer any more
)

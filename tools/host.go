package tools

import (
	"context"
	"slices"
	"strings"
	"time"

	"hermes-tui/tools/hunks"
)

// Host is all that a tool may ask of its surroundings. The agent implements it.
type Host interface {
	// Ask puts a question to the user and blocks until it is answered. It
	// returns the context's cause when the call is cancelled meanwhile, and an
	// answer with Choice [ChoiceNone] when no one is there to ask.
	Ask(ctx context.Context, q Question) (Answer, error)
	// Invoke makes another call on behalf of the running one, as a script does
	// that uses tools. It takes the same way as any call: arguments are checked,
	// the gate decides, the call is recorded and bounded. Its result does not enter
	// the history. Name and Args are read of c; the result of a call that could
	// not run says why. It is safe for concurrent use.
	Invoke(ctx context.Context, c Call) Result
}

// Question is what a user is asked. Exactly one field is set.
type Question struct {
	Approval *Approval
	Clarify  *Clarify
	Secret   *Secret
	// Within is how long the question waits for an answer; 0 is for ever. Then the
	// answer is [ChoiceNone].
	Within time.Duration
}

// Approval asks whether an action may run.
type Approval struct {
	Verb   string // "run", "write"
	Text   string // whole and canonical, what hides is spelled out
	SHA256 string // hex digest of what will run
	// Reasons are why it is asked, the worst first; there is at least one.
	Reasons []Reason
	Dir     string
	Rule    string // what "session" and "always" allow; empty: not offered
	// Editable says that the user may change the text before it runs.
	Editable bool
	// Confinement says in one line what confinement means for this action: that it
	// would run outside, and why, or that it runs confined; empty where there is none.
	Confinement string
	// Scopes are what "always" can allow, the narrowest first: this command, this
	// program, this host. Rule is the first of them.
	Scopes []Scope
	// Bound names the files that Scopes are bound to: they hold while these are as they
	// are now; empty: to none.
	Bound string
	// Confinable says that [ChoiceConfined] may be taken.
	Confinable bool
	// Again says that it ran confined already, so that this choice leaves it as it
	// ended.
	Again bool
	// Edit is what would be done to the texts of files, nil where that is not shown. With
	// it [ChoiceReview] may be taken.
	Edit []hunks.File
}

// Scope is what a lasting permission would cover.
type Scope struct {
	Label string // "this command", "this program", "this host"
	Rule  string // as it is stored and shown
	// Also are examples of what else it would allow; empty where none can be given.
	Also []string
}

// Reason is why an action is asked about.
type Reason struct {
	Category string   // in one word
	Text     string   // completes "it …"
	Words    []string // of the action, what caused it; empty: all of it
	// Held says why confinement keeps this from doing harm: it is named, but not what is
	// asked about. Empty for a reason to ask.
	Held string
}

// Because joins the reasons to ask: "it " and what this returns.
func (a *Approval) Because() string {
	var list []string
	for _, r := range a.Reasons {
		if r.Held == "" && !slices.Contains(list, r.Text) {
			list = append(list, r.Text)
		}
	}
	return strings.Join(list, "; it ")
}

// Secret asks for a password. The answer is never stored, logged or shown.
type Secret struct {
	// Label names what is asked for: "sudo password of anna".
	Label string
	// Reason says what needs it: the command.
	Reason string
}

// Clarify asks for information: one question, or a batch of them.
type Clarify struct {
	Question string
	Choices  []string // empty: free text only
	Multi    bool     // several choices may be taken
	More     []ClarifyMore
}

// ClarifyMore is a further question of a batch.
type ClarifyMore struct {
	Question string
	Choices  []string
	Multi    bool
}

// Choice is how a user decided.
type Choice string

// The choices.
const (
	ChoiceOnce    Choice = "once"
	ChoiceSession Choice = "session"
	ChoiceAlways  Choice = "always"
	ChoiceDeny    Choice = "deny"
	ChoiceEdit    Choice = "edit" // run Text instead, which the user has written
	// ChoiceConfined leaves an action confined, or its confined run as it ended.
	ChoiceConfined Choice = "confined"
	ChoiceReview   Choice = "review" // do what Review leaves of an edit
	ChoiceText     Choice = "text"
	ChoiceNone     Choice = "none" // no one answered
)

// Answer is the user's answer. Text is a clarify answer, a secret, the reason
// of a denial, what to run instead, or, with session and always, the Rule of one of
// the scopes (empty: the first). A clarify question with Multi or More is
// answered by Parts: one entry per question, each with all that was taken or
// written; an entry without anything is a question left open.
type Answer struct {
	Choice Choice
	Text   string
	Parts  [][]string
	Review *hunks.Review
}

package sessions

import (
	"errors"
	"time"
)

// AddDecision records who decided about an action, and how. Recording the same
// id again changes nothing. Decisions are never changed; old ones go with
// [PruneDecisions].
type AddDecision struct {
	ID    string
	Agent string
	Call  string
	Tool  string
	Verb  string
	// Digest is the hex SHA-256 of what was decided about. Its text is elsewhere:
	// with the call.
	Digest   string
	Outcome  string // "allow", "deny", "blocked", "edit"
	By       string // "judge", "rule", "grant", "person" …
	Rule     string // the rule or permission that decided, if one did
	Category string
	Reason   string    // why, where a model decided
	At       time.Time // zero means now
	// Ran is how it ran: "confined", "outside", "plain" or "not"; empty for what does
	// not run.
	Ran string
}

func (e AddDecision) check(b *Batch) error {
	if e.Tool == "" || e.Digest == "" || e.Outcome == "" || e.By == "" {
		return errors.New("no tool, digest, outcome or decider")
	}
	if err := inConversation(b); err != nil {
		return err
	}
	return needID(e.ID)
}

func (e AddDecision) apply(w *writer, b *Batch, now time.Time) error {
	_, err := w.exec(`INSERT INTO tui_decisions (id, conv, agent, call, tool, verb, digest, outcome, decided_by, rule, category, reason, at, ran)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
		e.ID, b.Conv, null(e.Agent), null(e.Call), e.Tool, null(e.Verb), e.Digest, e.Outcome, e.By,
		null(e.Rule), null(e.Category), null(e.Reason), seconds(or(e.At, now)), null(e.Ran))
	return err
}

// PruneDecisions deletes the decisions from before a moment, and permissions that
// were taken back before it.
type PruneDecisions struct{ Before time.Time }

func (e PruneDecisions) check(*Batch) error {
	if e.Before.IsZero() {
		return errors.New("no moment")
	}
	return nil
}

func (e PruneDecisions) apply(w *writer, _ *Batch, _ time.Time) error {
	_, err := w.exec("DELETE FROM tui_decisions WHERE at < ?", seconds(e.Before))
	if err == nil {
		_, err = w.exec("DELETE FROM tui_grants WHERE revoked_at < ?", seconds(e.Before))
	}
	return err
}

package sessions

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// AddDecision records who decided about an action, and how. Recording the same
// id again changes nothing. Decisions are never changed or deleted.
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
	_, err := w.exec(`INSERT INTO tui_decisions (id, conv, agent, call, tool, verb, digest, outcome, decided_by, rule, category, reason, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
		e.ID, b.Conv, null(e.Agent), null(e.Call), e.Tool, null(e.Verb), e.Digest, e.Outcome, e.By,
		null(e.Rule), null(e.Category), null(e.Reason), seconds(or(e.At, now)))
	return err
}

// Decision is a line of the log of decisions, as [AddDecision] wrote it.
type Decision struct {
	ID, Conv, Agent, Call, Tool, Verb   string
	Digest, Outcome, By, Rule, Category string
	Reason                              string
	At                                  time.Time
}

// maxDecisions is how many decisions are read when no limit is given.
const maxDecisions = 1000

// Decisions are the newest decisions of a conversation, of all conversations if
// conv is empty, the newest first, limit at most; a limit of 0 means 1,000.
func (d *DB) Decisions(ctx context.Context, conv string, limit int) ([]Decision, error) {
	if limit <= 0 {
		limit = maxDecisions
	}
	var all []Decision
	err := d.query(ctx, "read decisions", `SELECT id, conv, agent, call, tool, verb, digest, outcome, decided_by, rule, category, reason, at
		FROM tui_decisions WHERE ?1 = '' OR conv = ?1 ORDER BY at DESC, rowid DESC LIMIT ?2`, []any{conv, limit}, func(scan scanFunc) error {
		var e Decision
		var at sql.NullFloat64
		err := scan(&e.ID, &e.Conv, orEmpty{&e.Agent}, orEmpty{&e.Call}, &e.Tool, orEmpty{&e.Verb}, &e.Digest, &e.Outcome, &e.By,
			orEmpty{&e.Rule}, orEmpty{&e.Category}, orEmpty{&e.Reason}, &at)
		e.At = moment(at)
		all = append(all, e)
		return err
	})
	return all, err
}

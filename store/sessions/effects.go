package sessions

import (
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Effect is a change that goes with a batch. Only the types of this package
// implement it.
type Effect interface {
	// check refuses an effect that can't be carried out in the batch.
	check(b *Batch) error
	// apply carries it out within the transaction of the batch.
	apply(w *writer, b *Batch, now time.Time) error
}

var errNoConversation = errors.New("no conversation is named")

// inConversation refuses a batch without a conversation.
func inConversation(b *Batch) error {
	if b.Conv == "" {
		return errNoConversation
	}
	return nil
}

// CallPlanned records a tool call of a committed message before it starts.
// Recording the same id again changes nothing.
type CallPlanned struct {
	ID      string
	Agent   string
	Turn    string
	Message string // the assistant message the call stands in
	Ordinal int    // its place in the message, from 0
	WireID  string
	Name    string
	// Arguments are the bytes the model wrote.
	Arguments string
	At        time.Time // zero means now
}

func (e CallPlanned) check(b *Batch) error {
	if e.ID == "" || e.Name == "" {
		return errors.New("no id or no name")
	}
	return inConversation(b)
}

func (e CallPlanned) apply(w *writer, b *Batch, now time.Time) error {
	_, err := w.exec(`INSERT INTO tui_calls (id, conv, session, agent, turn, message, ordinal, wire_id, name, arguments, planned_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
		e.ID, b.Conv, null(b.Session), null(e.Agent), null(e.Turn), null(e.Message), e.Ordinal, null(e.WireID),
		e.Name, null(e.Arguments), seconds(or(e.At, now)))
	return err
}

// CallStarted records that a planned call is about to run. The first start stays.
type CallStarted struct {
	ID string
	At time.Time // zero means now
}

func (e CallStarted) check(*Batch) error { return needID(e.ID) }

func (e CallStarted) apply(w *writer, _ *Batch, now time.Time) error {
	n, err := w.affect("UPDATE tui_calls SET started_at = COALESCE(started_at, ?) WHERE id = ?", seconds(or(e.At, now)), e.ID)
	return changed(n, err, "call", e.ID)
}

// CallEnded records the result of a call, started or not. The first end stays.
type CallEnded struct {
	ID      string
	Outcome string
	Result  string
	At      time.Time // zero means now
}

func (e CallEnded) check(*Batch) error { return needID(e.ID) }

func (e CallEnded) apply(w *writer, _ *Batch, now time.Time) error {
	n, err := w.affect(`UPDATE tui_calls SET outcome = CASE WHEN ended_at IS NULL THEN ? ELSE outcome END,
		result = CASE WHEN ended_at IS NULL THEN ? ELSE result END, ended_at = COALESCE(ended_at, ?) WHERE id = ?`,
		null(e.Outcome), null(e.Result), seconds(or(e.At, now)), e.ID)
	return changed(n, err, "call", e.ID)
}

// AppendToMessage adds text to the end of the content of a committed message,
// which is the only way to change one, and of what [ShortenContext] put in its
// place. The batch must hold an event or a message, by which a repeated commit
// is recognised. Structured content of the reference can't be added to.
type AppendToMessage struct {
	ID   string
	Text string
}

func (e AppendToMessage) check(b *Batch) error {
	if !b.repeatable() {
		return errors.New("needs an event or message to go with it")
	}
	return needID(e.ID)
}

func (e AppendToMessage) apply(w *writer, _ *Batch, _ time.Time) error {
	row, err := w.rowOf(e.ID)
	if err != nil {
		return err
	}
	text := clean(e.Text)
	// unicode() is NULL for empty text and for text that begins with NUL.
	n, err := w.affect(`UPDATE messages SET content = COALESCE(content, '') || ?
		WHERE id = ? AND (COALESCE(content, '') = '' OR unicode(content) IS NOT NULL)`, text, row)
	if err := changed(n, err, "message with plain content", e.ID); err != nil {
		return err
	}
	for _, table := range []string{"tui_context", "tui_context_before", "tui_choices"} {
		if _, err = w.exec("UPDATE "+table+" SET content = content || ? WHERE row = ? AND content IS NOT NULL", text, row); err != nil {
			return err
		}
	}
	return nil
}

// rowOf finds the row of a message by its id. An id of the reference's is taken
// as it is: the row need not be there.
func (w *writer) rowOf(id string) (int64, error) {
	row, theirs := foreignRow(id)
	if theirs {
		return row, nil
	}
	err := w.first("SELECT row FROM tui_messages WHERE id = ?", []any{id}, &row)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, &NotFoundError{What: "message", Ref: id}
	}
	return row, err
}

// SavePartial keeps what an agent has streamed and not committed, in place of
// what was kept for it before.
type SavePartial struct {
	Agent     string
	Turn      string
	Message   string
	Reasoning string
	Text      string
	At        time.Time // zero means now
}

func (e SavePartial) check(b *Batch) error { return inConversation(b) }

func (e SavePartial) apply(w *writer, b *Batch, now time.Time) error {
	_, err := w.exec(`INSERT INTO tui_partials (conv, agent, turn, message, reasoning, text, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (conv, agent) DO UPDATE SET turn = excluded.turn, message = excluded.message,
		reasoning = excluded.reasoning, text = excluded.text, updated_at = excluded.updated_at`,
		b.Conv, e.Agent, null(e.Turn), null(e.Message), null(e.Reasoning), null(e.Text), seconds(or(e.At, now)))
	return err
}

// ClearPartial forgets what was kept for an agent.
type ClearPartial struct{ Agent string }

func (e ClearPartial) check(b *Batch) error { return inConversation(b) }

func (e ClearPartial) apply(w *writer, b *Batch, _ time.Time) error {
	_, err := w.exec("DELETE FROM tui_partials WHERE conv = ? AND agent = ?", b.Conv, e.Agent)
	return err
}

// SaveDraft keeps the text in the composer; empty text forgets it.
type SaveDraft struct {
	Text string
	At   time.Time // zero means now
}

func (e SaveDraft) check(b *Batch) error { return inConversation(b) }

func (e SaveDraft) apply(w *writer, b *Batch, now time.Time) error {
	if e.Text == "" {
		_, err := w.exec("DELETE FROM tui_drafts WHERE conv = ?", b.Conv)
		return err
	}
	_, err := w.exec(`INSERT INTO tui_drafts (conv, text, updated_at) VALUES (?, ?, ?)
		ON CONFLICT (conv) DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at`,
		b.Conv, e.Text, seconds(or(e.At, now)))
	return err
}

// AddGrant records a permission. Recording the same id again changes nothing.
type AddGrant struct {
	ID string
	// Always makes it hold in every conversation, not only in the batch's.
	Always  bool
	Kind    string // what is permitted: "exec", "write", "trust"
	Pattern string
	// Example is what the user saw when they agreed.
	Example string
	At      time.Time // zero means now
	MAC     string    // see [Grant]
	Pins    string    // see [Grant]
}

func (e AddGrant) check(b *Batch) error {
	if e.Kind == "" || e.Pattern == "" {
		return errors.New("no kind or no pattern")
	}
	if !e.Always && b.Conv == "" {
		return errNoConversation
	}
	return needID(e.ID)
}

func (e AddGrant) apply(w *writer, b *Batch, now time.Time) error {
	conv := any(b.Conv)
	if e.Always {
		conv = nil
	}
	_, err := w.exec(`INSERT INTO tui_grants (id, conv, kind, pattern, example, created_at, mac, pins) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING`, e.ID, conv, e.Kind, e.Pattern, null(e.Example), seconds(or(e.At, now)), null(e.MAC), null(e.Pins))
	return err
}

// RevokeGrant takes a permission back, or gives it again when Undo is set. One that
// is not there is a [NotFoundError].
type RevokeGrant struct {
	ID   string
	Undo bool
	MAC  string // the one that it has from now on
}

func (e RevokeGrant) check(*Batch) error { return needID(e.ID) }

func (e RevokeGrant) apply(w *writer, _ *Batch, now time.Time) error {
	var at any
	if !e.Undo {
		at = seconds(now)
	}
	rows, err := w.affect("UPDATE tui_grants SET revoked_at = ?, mac = ? WHERE id = ?", at, null(e.MAC), e.ID)
	return changed(rows, err, "permission", e.ID)
}

func needID(id string) error {
	if id == "" {
		return errors.New("no id")
	}
	return nil
}

// changed turns an update that met no row into a [NotFoundError].
func changed(rows int64, err error, what, ref string) error {
	if err == nil && rows == 0 {
		return &NotFoundError{What: what, Ref: ref}
	}
	if err != nil {
		return fmt.Errorf("update %s: %w", what, err)
	}
	return nil
}

package sessions

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Commit stores a batch in one transaction, or nothing of it. When it returns
// nil the batch is durable against the death of the process.
//
// After any error but a [*ConflictError] and one of kind [KindInvalid] the same
// batch may be committed again: if the first attempt was stored after all, that
// is noticed and nothing is stored twice.
//
// The context ends only the wait for other writers.
func (d *DB) Commit(ctx context.Context, b Batch) error {
	if err := b.check(); err != nil {
		return &Error{Kind: KindInvalid, Path: d.path, Err: err}
	}
	now := d.clock()
	var duplicate error
	err := d.write(ctx, "commit", func(w *writer) error {
		err := w.apply(&b, now)
		if isDuplicate(err) {
			duplicate = err
		}
		return err
	})
	if err == nil || duplicate == nil {
		return err
	}
	return d.write(ctx, "compare with what is stored", func(w *writer) error { return w.recognise(&b, duplicate) })
}

// apply writes a batch within a transaction.
func (w *writer) apply(b *Batch, now time.Time) error {
	if b.Create != nil {
		if err := w.create(b, now); err != nil {
			return err
		}
	} else if err := w.mayChange(b.Session); err != nil {
		return err
	}
	if err := w.append(b, now); err != nil {
		return err
	}
	if err := w.journal(b, now); err != nil {
		return err
	}
	for _, e := range b.Effects {
		if err := e.apply(w, b, now); err != nil {
			return fmt.Errorf("effect %T: %w", e, err)
		}
	}
	return nil
}

const (
	insertSession = `INSERT INTO sessions (id, source, model, model_config, parent_session_id,
		started_at, cwd, billing_provider, billing_base_url) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertConversation = `INSERT INTO tui_conversations (id, session, workspace, created_at, updated_at) VALUES (?, ?, ?, ?, ?)`
	insertLink         = `INSERT INTO tui_links (session, conv, agent, parent_session, why) VALUES (?, ?, ?, ?, ?)`
	// A compressed root session hands the conversation on; a compressed subagent
	// does not.
	moveConversation = `UPDATE tui_conversations SET session = ?, updated_at = ? WHERE id = ? AND session = ?`
	// By this end readers know that the session goes on in another, so it takes
	// the place of an earlier one.
	endCompressed = `UPDATE sessions SET ended_at = ?, end_reason = 'compression' WHERE id = ? AND COALESCE(end_reason, '') <> 'compression'`
)

// create makes the session of a batch, and its conversation if that is new.
func (w *writer) create(b *Batch, now time.Time) error {
	n := b.Create
	if n.Why == WhyCompression {
		if err := w.mayChange(n.Parent); err != nil {
			return err
		}
	}
	at := seconds(or(n.At, now))
	source, err := w.source(n)
	if err != nil {
		return err
	}
	_, err = w.exec(insertSession, b.Session, source, shared(n.Model), marked(n), null(n.Parent),
		at, shared(n.Workspace), shared(n.Provider), shared(n.BaseURL))
	if isDangling(err) {
		return &NotFoundError{What: "session", Ref: n.Parent}
	}
	if err != nil {
		return fmt.Errorf("create session: %w", err)
	}
	switch n.Why {
	case WhyNew, WhyBranch:
		_, err = w.exec(insertConversation, b.Conv, b.Session, n.Workspace, at, at)
	case WhyCompression:
		if _, err = w.exec(endCompressed, at, n.Parent); err == nil {
			_, err = w.exec(moveConversation, b.Session, at, b.Conv, n.Parent)
		}
	}
	if err != nil {
		return fmt.Errorf("create conversation: %w", err)
	}
	if err := w.mustExist(b.Conv); err != nil {
		return err
	}
	if _, err := w.exec(insertLink, b.Session, b.Conv, null(n.Agent), null(n.Parent), null(string(n.Why))); err != nil {
		return fmt.Errorf("link session: %w", err)
	}
	if n.SystemPrompt != "" {
		if err := w.prompt(b.Session, n.SystemPrompt); err != nil {
			return err
		}
	}
	if n.Title == "" {
		return nil
	}
	return SetTitle{Title: n.Title, Number: true}.apply(w, b, now)
}

// source is where a new session says it comes from.
func (w *writer) source(n *NewSession) (string, error) {
	switch {
	case n.Source != "":
		return clean(n.Source), nil
	case n.Why == WhySubagent:
		return "subagent", nil
	case n.Why != WhyCompression:
		return "cli", nil
	}
	var source string
	err := w.first("SELECT source FROM sessions WHERE id = ?", []any{n.Parent}, &source)
	if errors.Is(err, sql.ErrNoRows) {
		return "", &NotFoundError{What: "session", Ref: n.Parent}
	}
	return source, err
}

// marked is the model configuration of a new session, with the marks by which
// the reference lists branches and hides subagents.
func marked(n *NewSession) any {
	mark := map[Why]string{WhyBranch: "_branched_from", WhySubagent: "_delegate_from"}[n.Why]
	if mark == "" {
		return shared(n.ModelConfig)
	}
	config := map[string]any{}
	if n.ModelConfig != "" {
		var given map[string]json.RawMessage
		if json.Unmarshal([]byte(n.ModelConfig), &given) == nil {
			for k, v := range given {
				config[k] = v
			}
		}
	}
	config[mark] = n.Parent
	raw, err := json.Marshal(config)
	if err != nil {
		return shared(n.ModelConfig)
	}
	return shared(string(raw))
}

// mustExist refuses a conversation that was never created.
func (w *writer) mustExist(conv string) error {
	var one int
	err := w.first("SELECT 1 FROM tui_conversations WHERE id = ?", []any{conv}, &one)
	if errors.Is(err, sql.ErrNoRows) {
		return &NotFoundError{What: "session", Ref: conv}
	}
	return err
}

const (
	insertMessage = `INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp,
		token_count, finish_reason, reasoning, reasoning_content, reasoning_details, codex_reasoning_items,
		codex_message_items, display_kind) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertOwn   = `INSERT INTO tui_messages (row, id, conv, agent, turn, native, calls) VALUES (?, ?, ?, ?, ?, ?, ?)`
	bumpSession = `UPDATE sessions SET message_count = COALESCE(message_count, 0) + ?,
		tool_call_count = COALESCE(tool_call_count, 0) + ? WHERE id = ?`
	touchConversation = `UPDATE tui_conversations SET updated_at = MAX(updated_at, ?) WHERE id = ?`
)

// append adds the messages of a batch and counts them.
func (w *writer) append(b *Batch, now time.Time) error {
	if len(b.Messages) == 0 {
		return nil
	}
	calls := 0
	for i := range b.Messages {
		m := &b.Messages[i]
		n, err := m.calls()
		if err != nil {
			return err
		}
		calls += n
		one := func() error { return w.appendOne(b, m, now) }
		if m.Parts != nil {
			one = func() error { return w.unindexed(m.ID, func() error { return w.appendOne(b, m, now) }) }
		}
		if err := one(); err != nil {
			return fmt.Errorf("append message: %w", err)
		}
	}
	if _, err := w.exec(bumpSession, len(b.Messages), calls, b.Session); err != nil {
		return fmt.Errorf("count messages: %w", err)
	}
	n, err := w.affect(touchConversation, seconds(now), b.Conv)
	if err == nil && n == 0 {
		err = &NotFoundError{What: "session", Ref: b.Conv}
	}
	return err
}

func (w *writer) appendOne(b *Batch, m *Message, now time.Time) error {
	var tokens, kind any
	if m.TokenCount > 0 {
		tokens = m.TokenCount
	}
	if m.Hidden {
		kind = "hidden"
	}
	r, err := w.exec(insertMessage, b.Session, m.Role, m.content(), shared(m.ToolCallID), shared(m.ToolCalls),
		shared(m.ToolName), seconds(or(m.At, now)), tokens, shared(m.FinishReason), shared(m.Reasoning),
		shared(m.ReasoningContent), shared(m.ReasoningDetails), shared(m.CodexReasoningItems), shared(m.CodexMessageItems), kind)
	if isDangling(err) {
		return &NotFoundError{What: "session", Ref: b.Session}
	}
	if err != nil {
		return err
	}
	row, err := r.LastInsertId()
	if err != nil {
		return err
	}
	_, err = w.exec(insertOwn, row, m.ID, b.Conv, null(m.Agent), null(m.Turn), null(m.Native), null(strings.Join(m.CallIDs, " ")))
	return err
}

const insertEvent = `INSERT INTO tui_journal (conv, seq, session, agent, turn, type, at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

// journal appends the events of a batch.
func (w *writer) journal(b *Batch, now time.Time) error {
	if len(b.Events) == 0 {
		return nil
	}
	if b.Create == nil && len(b.Messages) == 0 {
		if err := w.mustExist(b.Conv); err != nil {
			return err
		}
	}
	for i := range b.Events {
		e := &b.Events[i]
		_, err := w.exec(insertEvent, b.Conv, int64(e.Seq), null(b.Session), null(e.Agent), null(e.Turn), e.Type,
			seconds(or(e.At, now)), string(e.Body))
		if err != nil {
			return fmt.Errorf("append event %d: %w", e.Seq, err)
		}
	}
	return nil
}

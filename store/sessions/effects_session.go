package sessions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// target is the session an effect is about: its own, or that of the batch.
func target(own string, b *Batch) string {
	if own != "" {
		return own
	}
	return b.Session
}

func needSession(own string, b *Batch) error {
	if target(own, b) == "" {
		return errors.New("no session is named")
	}
	return nil
}

// updateSession runs an update whose last parameter is the session.
func (w *writer) updateSession(session, query string, args ...any) error {
	if err := w.mayChange(session); err != nil {
		return err
	}
	n, err := w.affect(query, append(args, session)...)
	return changed(n, err, "session", session)
}

// SetTitle names a session; a title that is empty after [CleanTitle] takes the
// name away. Two sessions can't have the same title: without Number that is a
// [*TitleTakenError], with it the next free "title #2", "title #3" is used, cut
// to the limit. The title itself is used when it is free.
type SetTitle struct {
	Session string // empty means the batch's
	Title   string
	Number  bool
}

func (e SetTitle) check(b *Batch) error { return needSession(e.Session, b) }

func (e SetTitle) apply(w *writer, b *Batch, _ time.Time) error {
	session := target(e.Session, b)
	title, err := CleanTitle(e.Title)
	if err != nil {
		return err
	}
	if title != "" {
		holder, err := w.holder(title, session)
		if err != nil {
			return err
		}
		if holder != "" && !e.Number {
			return &TitleTakenError{Title: title, Session: holder}
		}
		if holder != "" {
			if title, err = w.numbered(title); err != nil {
				return err
			}
		}
	}
	return w.updateSession(session, "UPDATE sessions SET title = ? WHERE id = ?", null(title))
}

const titleHolder = "SELECT id FROM sessions WHERE title = ? AND id <> ?"

// holder is another session with the title, empty if there is none.
func (w *writer) holder(title, except string) (string, error) {
	var id string
	err := w.first(titleHolder, []any{title, except}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// TitleFree says whether [SetTitle] would be refused for a session, which need not be
// there yet: the error is a [*TitleTakenError] or a [*TitleTooLongError].
func (d *DB) TitleFree(ctx context.Context, title, session string) error {
	title, err := CleanTitle(title)
	if err != nil || title == "" {
		return err
	}
	var holder string
	taken, err := d.one(ctx, "look up title", titleHolder, []any{title, session}, &holder)
	if err == nil && taken {
		err = &TitleTakenError{Title: title, Session: holder}
	}
	return err
}

// numbered finds the next free continuation of a title.
func (w *writer) numbered(title string) (string, error) {
	base, _ := splitTitle(title)
	var highest int64
	err := w.first(`SELECT COALESCE(MAX(CAST(substr(title, length(?1) + 3) AS INTEGER)), 1) FROM sessions
		WHERE substr(title, 1, length(?1) + 2) = ?1 || ' #'
		AND substr(title, length(?1) + 3) NOT GLOB '*[^0-9]*' AND length(title) BETWEEN length(?1) + 3 AND length(?1) + 9`,
		[]any{base}, &highest)
	if err != nil {
		return "", fmt.Errorf("number title: %w", err)
	}
	for n := max(highest, 1) + 1; ; n++ {
		suffix := " #" + strconv.FormatInt(n, 10)
		next := cut(base, maxTitle-len(suffix)) + suffix
		holder, err := w.holder(next, "")
		if err != nil {
			return "", err
		}
		if holder == "" {
			return next, nil
		}
	}
}

// splitTitle takes the number from a continued title; a title without one is
// number 1.
func splitTitle(title string) (base string, number int64) {
	i := strings.LastIndex(title, " #")
	if i <= 0 {
		return title, 1
	}
	n, err := strconv.ParseUint(title[i+2:], 10, 24)
	if err != nil || n < 2 || title[i+2] == '0' {
		return title, 1
	}
	return title[:i], int64(n)
}

// SetSystemPrompt stores the prompt a session is continued with, byte for byte.
// The empty prompt is stored as such, not as a missing one. The column of the reference
// stays as it is: what that finds there it sends, and this prompt is about other tools.
type SetSystemPrompt struct {
	Session string // empty means the batch's
	Text    string
}

func (e SetSystemPrompt) check(b *Batch) error { return needSession(e.Session, b) }

func (e SetSystemPrompt) apply(w *writer, b *Batch, _ time.Time) error {
	return w.prompt(target(e.Session, b), e.Text)
}

func (w *writer) prompt(session, text string) error {
	if err := w.mayChange(session); err != nil {
		return err
	}
	n, err := w.affect(`INSERT INTO tui_prompts (session, prompt) SELECT id, ? FROM sessions WHERE id = ?
		ON CONFLICT (session) DO UPDATE SET prompt = excluded.prompt`, clean(text), session)
	return changed(n, err, "session", session)
}

// SetModel stores which model a session uses. An empty Config leaves the stored
// one as it is.
type SetModel struct {
	Session  string // empty means the batch's
	Model    string
	Provider string
	BaseURL  string
	Config   string // a JSON object, or empty
}

func (e SetModel) check(b *Batch) error {
	if err := checkObject(e.Config); err != nil {
		return err
	}
	return needSession(e.Session, b)
}

func (e SetModel) apply(w *writer, b *Batch, _ time.Time) error {
	return w.updateSession(target(e.Session, b), `UPDATE sessions SET model = ?, billing_provider = ?, billing_base_url = ?,
		model_config = COALESCE(?, model_config) WHERE id = ?`,
		shared(e.Model), shared(e.Provider), shared(e.BaseURL), shared(e.Config))
}

// AddUsage adds to the counters of a session. The batch must hold an event or a
// message, by which a repeated commit is recognised.
type AddUsage struct {
	Session string // empty means the batch's
	// Tokens, each bucket without the others.
	Input, Output, CacheRead, CacheWrite, Reasoning int64
	APICalls                                        int64
	// EstimatedCostUSD is added to the estimate; 0 leaves a missing one missing.
	EstimatedCostUSD float64
	// ActualCostUSD is added to what the service itself has said, in the same way.
	ActualCostUSD float64
	// CostStatus and CostSource say how the cost of the session is known, in the words of the
	// reference; empty leaves them as they are.
	CostStatus, CostSource string
}

func (e AddUsage) check(b *Batch) error {
	if !b.repeatable() {
		return errors.New("needs an event or message to go with it")
	}
	return needSession(e.Session, b)
}

func (e AddUsage) apply(w *writer, b *Batch, _ time.Time) error {
	amount := func(f float64) any {
		if f == 0 {
			return nil
		}
		return f
	}
	return w.updateSession(target(e.Session, b), `UPDATE sessions SET
		input_tokens = COALESCE(input_tokens, 0) + ?, output_tokens = COALESCE(output_tokens, 0) + ?,
		cache_read_tokens = COALESCE(cache_read_tokens, 0) + ?, cache_write_tokens = COALESCE(cache_write_tokens, 0) + ?,
		reasoning_tokens = COALESCE(reasoning_tokens, 0) + ?, api_call_count = COALESCE(api_call_count, 0) + ?,
		estimated_cost_usd = CASE WHEN ?7 IS NULL THEN estimated_cost_usd ELSE COALESCE(estimated_cost_usd, 0) + ?7 END,
		actual_cost_usd = CASE WHEN ?8 IS NULL THEN actual_cost_usd ELSE COALESCE(actual_cost_usd, 0) + ?8 END,
		cost_status = COALESCE(NULLIF(?9, ''), cost_status), cost_source = COALESCE(NULLIF(?10, ''), cost_source)
		WHERE id = ?11`,
		e.Input, e.Output, e.CacheRead, e.CacheWrite, e.Reasoning, e.APICalls, amount(e.EstimatedCostUSD), amount(e.ActualCostUSD), e.CostStatus, e.CostSource)
}

// ReopenSession takes the end of a session back, which another program has given it.
type ReopenSession struct {
	Session string // empty means the batch's
}

func (e ReopenSession) check(b *Batch) error { return needSession(e.Session, b) }

func (e ReopenSession) apply(w *writer, b *Batch, _ time.Time) error {
	return w.updateSession(target(e.Session, b), "UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?")
}

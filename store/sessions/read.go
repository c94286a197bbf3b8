package sessions

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// query reads rows. Nothing else is held while do runs but one of the few
// reading connections, so do must not read from the database itself.
func (d *DB) query(ctx context.Context, doing, query string, args []any, do func(scanFunc) error) error {
	if ctx.Err() != nil {
		return d.fail(doing, ended(ctx))
	}
	rows, err := d.read(ctx, query, args)
	if err == nil {
		err = eachRow(rows, do)
	}
	if err != nil && ctx.Err() != nil {
		err = ended(ctx)
	}
	return d.fail(doing, err)
}

// maxPrepared is how many statements are kept: more than there are constant texts. A
// search writes its own.
const maxPrepared = 128

// read runs a query whose text is parsed once per connection, which takes as long as
// most reads do.
func (d *DB) read(ctx context.Context, query string, args []any) (*sql.Rows, error) {
	kept, ok := d.prepared.Load(query)
	if !ok {
		if d.texts.Add(1) > maxPrepared {
			return d.reads.QueryContext(ctx, query, args...)
		}
		s, err := d.reads.PrepareContext(ctx, query)
		if err != nil {
			return nil, err
		}
		kept = s
		d.prepared.Store(query, s) // the same of someone else meanwhile is closed with the pool
	}
	return kept.(*sql.Stmt).QueryContext(ctx, args...)
}

// one reads the first row of a query and says whether there is one.
func (d *DB) one(ctx context.Context, doing, query string, args []any, dest ...any) (bool, error) {
	found := false
	err := d.query(ctx, doing, query, args, func(scan scanFunc) error {
		if found {
			return nil
		}
		found = true
		return scan(dest...)
	})
	return found && err == nil, err
}

// What [messageReader] reads of a message. The content and the calls stand
// between the two parts.
const (
	beforeContent = `SELECT m.id, m.session_id, o.id, o.agent, o.turn, o.calls, m.role, `
	behindContent = `, m.tool_name, CAST(m.timestamp AS REAL), CAST(m.token_count AS INTEGER), m.finish_reason, m.reasoning,
		m.reasoning_content, m.reasoning_details, m.codex_reasoning_items, m.codex_message_items, o.native, m.display_kind IS 'hidden'
		FROM messages m LEFT JOIN tui_messages o ON o.row = m.id `

	selectMessages = beforeContent + "m.content, m.tool_call_id, m.tool_calls, 0" + behindContent
	selectContext  = beforeContent + "COALESCE(CASE WHEN u.step = 0 THEN u.content END, x.content, m.content), m.tool_call_id, COALESCE(x.tool_calls, m.tool_calls), COALESCE(u.pinned, 0)" +
		behindContent + joinChosen

	selectOutline = `SELECT m.id AS row, COALESCE(o.id, '') AS id FROM messages m LEFT JOIN tui_messages o ON o.row = m.id ` + shownOf + `
		AND (m.role = 'user' OR m.role = 'assistant' AND (COALESCE(m.content, '') <> '' OR COALESCE(m.tool_calls, '') <> ''))`

	activeOf = "WHERE m.session_id = ? AND m.active = 1 "
	keptOf   = "WHERE m.session_id = ? AND " + seen + " "
	shownOf  = keptOf + "AND " + notHidden + " "

	// seen holds for a message m that was not taken back. What the reference has summarised
	// in its place is not active, and marked; of what it copied behind the summary only the
	// newest counts.
	seen = `(m.active = 1 OR m.compacted = 1 AND NOT EXISTS (SELECT 1 FROM messages k WHERE k.session_id = m.session_id AND k.timestamp = m.timestamp
		AND k.role = m.role AND k.content IS m.content AND k.tool_call_id IS m.tool_call_id AND k.tool_calls IS m.tool_calls
		AND k.tool_name IS m.tool_name AND (k.active = 1 OR k.compacted = 1 AND k.id > m.id)))`
	// travels holds for a message m of a part that is, or was, active.
	travels = `(m.active = 1 OR m.compacted = 0 AND NOT EXISTS (SELECT 1 FROM tui_rewound z WHERE z.row = m.id AND z.compacted = 1))`
	// notHidden holds for a message m that is not only for the model.
	notHidden = `m.display_kind IS NOT 'hidden'`
	inOrder   = "ORDER BY m.timestamp, m.id"
)

// Messages are the messages of a session that a user sees, in the order they were
// appended: without those that were taken back, with those that the reference has
// summarised in place. After a compression into another session that holds the summary and
// what was kept, not what was before it.
func (d *DB) Messages(ctx context.Context, session string) ([]Message, error) {
	return d.messages(ctx, "read messages", selectMessages, visible(session), inOrder)
}

// Tail is the end of [DB.Messages], at most n of them.
func (d *DB) Tail(ctx context.Context, session string, n int) ([]Message, error) {
	return d.messages(ctx, "read messages", selectMessages, visible(session), "ORDER BY m.id DESC LIMIT "+strconv.Itoa(n))
}

func (d *DB) contextOf(ctx context.Context, of part) ([]Message, error) {
	return d.messages(ctx, "read what the model gets", selectContext, of, "AND "+travelling+inOrder)
}

// Outline names what is said in a session, in the order of [DB.Messages]: the texts
// of users, and what assistants have said or called.
func (d *DB) Outline(ctx context.Context, session string) ([]Outline, error) {
	var list string // in one row, see [DB.rows]
	_, err := d.one(ctx, "read what is said", "SELECT COALESCE(group_concat(said.row || ' ' || said.id, x'0a'), '') FROM ("+selectOutline+" ORDER BY m.id LIMIT -1) said", []any{session}, &list)
	if err != nil || list == "" {
		return nil, err
	}
	all := make([]Outline, 0, strings.Count(list, "\n")+1)
	for line := range strings.SplitSeq(list, "\n") {
		number, id, _ := strings.Cut(line, " ")
		row, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, d.fail("read what is said", fmt.Errorf("session %s: a message reads %q", session, line))
		}
		if id == "" {
			id = foreignID(row)
		}
		all = append(all, Outline{row, id})
	}
	return all, nil
}

// LastSaid is the id of the newest message of [DB.Outline] by its time, empty if there
// is none.
func (d *DB) LastSaid(ctx context.Context, session string) (string, error) {
	var row int64
	var id string
	found, err := d.one(ctx, "read what is said", selectOutline+" ORDER BY m.timestamp DESC, m.id DESC LIMIT 1", []any{session}, &row, orEmpty{&id})
	if found && id == "" {
		id = foreignID(row)
	}
	return id, err
}

// NewestRow is the row of the newest message of all sessions, 0 if there is none.
func (d *DB) NewestRow(ctx context.Context) (row int64, err error) {
	_, err = d.one(ctx, "read messages", "SELECT COALESCE(MAX(id), 0) FROM messages", nil, &row)
	return row, err
}

// Outline is a message by its row and its id.
type Outline struct {
	Row int64
	ID  string
}

func (d *DB) messages(ctx context.Context, doing, query string, of part, rest string) ([]Message, error) {
	var all []Message
	reader := newMessageReader()
	err := d.query(ctx, doing, query+of.where+rest, of.what, func(scan scanFunc) error {
		m, err := reader.read(scan)
		all = append(all, m)
		return err
	})
	if err != nil {
		return nil, err
	}
	// Clocks are set back now and then; the row numbers never are.
	byRow := func(a, b Message) int { return cmp.Compare(a.Row, b.Row) }
	if !slices.IsSortedFunc(all, byRow) {
		slices.SortFunc(all, byRow)
	}
	return all, nil
}

// Message is one message by its id, taken back or not; a [*NotFoundError] says
// that there is none.
func (d *DB) Message(ctx context.Context, id string) (Message, error) {
	where, arg := "WHERE o.id = ?", any(id)
	if row, ok := foreignRow(id); ok {
		where, arg = "WHERE m.id = ? AND o.id IS NULL", row
	}
	var m Message
	found := false
	err := d.query(ctx, "read message", selectMessages+where, []any{arg}, func(scan scanFunc) (err error) {
		found = true
		m, err = newMessageReader().read(scan)
		return err
	})
	if err == nil && !found {
		err = &NotFoundError{What: "message", Ref: id}
	}
	return m, err
}

// messageReader reads rows of messages, all of them into the same places:
// a long session has a million columns.
type messageReader struct {
	m      Message
	calls  string
	at     sql.NullFloat64
	tokens sql.NullInt64
	places []any
}

func newMessageReader() *messageReader {
	r := &messageReader{}
	m := &r.m
	r.places = []any{&m.Row, &m.Session, orEmpty{&m.ID}, orEmpty{&m.Agent}, orEmpty{&m.Turn}, orEmpty{&r.calls}, orEmpty{&m.Role},
		orEmpty{&m.Content}, orEmpty{&m.ToolCallID}, orEmpty{&m.ToolCalls}, &m.Pinned, orEmpty{&m.ToolName}, &r.at, &r.tokens,
		orEmpty{&m.FinishReason}, orEmpty{&m.Reasoning}, orEmpty{&m.ReasoningContent}, orEmpty{&m.ReasoningDetails},
		orEmpty{&m.CodexReasoningItems}, orEmpty{&m.CodexMessageItems}, orEmpty{&m.Native}, &m.Hidden}
	return r
}

// read returns the current row.
func (r *messageReader) read(scan scanFunc) (Message, error) {
	if err := scan(r.places...); err != nil {
		return Message{}, err
	}
	m := r.m
	if m.ID == "" {
		m.ID = foreignID(m.Row)
	}
	if r.calls != "" {
		m.CallIDs = strings.Fields(r.calls)
	}
	m.Parts = imageParts(m.Content)
	m.Content, m.At, m.TokenCount = flatten(m.Content), moment(r.at), r.tokens.Int64
	return m, nil
}

// Session is a row of the session table.
type Session struct {
	ID     string
	Source string
	Title  string
	Parent string
	// Conv, Agent and Why are empty for a session this program does not know.
	Conv  string
	Agent string
	Why   Why

	Model       string
	ModelConfig string
	Provider    string
	BaseURL     string
	Workspace   string
	// SystemPrompt is what the session is continued with.
	SystemPrompt string
	// HasSystemPrompt tells an empty prompt from one that was never stored.
	HasSystemPrompt bool

	Started   time.Time
	Ended     time.Time // zero while it is open
	EndReason string

	Messages, ToolCalls                             int64
	Input, Output, CacheRead, CacheWrite, Reasoning int64 // tokens
	APICalls                                        int64
	// EstimatedCostUSD is 0 when nothing is known.
	EstimatedCostUSD float64
}

// Session is one session by its id; a [*NotFoundError] says that there is none.
func (d *DB) Session(ctx context.Context, id string) (Session, error) {
	var (
		s              Session
		prompt         sql.NullString
		started, ended sql.NullFloat64
		cost           sql.NullFloat64
	)
	found, err := d.one(ctx, "read session", `SELECT s.id, s.source, s.title, s.parent_session_id, l.conv, l.agent, l.why,
		s.model, s.model_config, s.billing_provider, s.billing_base_url, s.cwd, COALESCE((SELECT p.prompt FROM tui_prompts p WHERE p.session = s.id), s.system_prompt),
		CAST(s.started_at AS REAL), CAST(s.ended_at AS REAL), s.end_reason,
		CAST(COALESCE(s.message_count, 0) AS INTEGER), CAST(COALESCE(s.tool_call_count, 0) AS INTEGER),
		CAST(COALESCE(s.input_tokens, 0) AS INTEGER), CAST(COALESCE(s.output_tokens, 0) AS INTEGER),
		CAST(COALESCE(s.cache_read_tokens, 0) AS INTEGER), CAST(COALESCE(s.cache_write_tokens, 0) AS INTEGER),
		CAST(COALESCE(s.reasoning_tokens, 0) AS INTEGER), CAST(COALESCE(s.api_call_count, 0) AS INTEGER),
		CAST(s.estimated_cost_usd AS REAL)
		FROM sessions s LEFT JOIN tui_links l ON l.session = s.id WHERE s.id = ?`, []any{id},
		&s.ID, orEmpty{&s.Source}, orEmpty{&s.Title}, orEmpty{&s.Parent}, orEmpty{&s.Conv}, orEmpty{&s.Agent},
		orEmpty{(*string)(&s.Why)}, orEmpty{&s.Model}, orEmpty{&s.ModelConfig}, orEmpty{&s.Provider}, orEmpty{&s.BaseURL},
		orEmpty{&s.Workspace}, &prompt, &started, &ended, orEmpty{&s.EndReason}, &s.Messages, &s.ToolCalls,
		&s.Input, &s.Output, &s.CacheRead, &s.CacheWrite, &s.Reasoning, &s.APICalls, &cost)
	if err != nil {
		return Session{}, err
	}
	if !found {
		return Session{}, &NotFoundError{What: "session", Ref: id}
	}
	s.SystemPrompt, s.HasSystemPrompt = prompt.String, prompt.Valid
	s.Started, s.Ended, s.EstimatedCostUSD = moment(started), moment(ended), cost.Float64
	return s, nil
}

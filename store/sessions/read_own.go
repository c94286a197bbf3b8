package sessions

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unsafe"
)

// eventPage is how many events are read at a time. Between pages nothing is held,
// so that a slow reader does not keep the log from being cut.
const eventPage = 256

// EachPage calls do with the events of a conversation after a sequence number, some
// hundred at a time and in order, and stops at the first error of do, which it returns
// as it is. Of an event it reads number, type and body, which must not be changed; do
// may use the database. Events that are appended meanwhile are given too.
func (d *DB) EachPage(ctx context.Context, conv string, afterSeq uint64, do func([]Event) error) error {
	most := eventPage
	for {
		page, err := d.page(ctx, conv, afterSeq, most)
		if tooBig(err) && most > 1 { // together they are longer than a value may be
			most /= 16
			continue
		}
		if err != nil {
			return err
		}
		if len(page) > 0 {
			if err := do(page); err != nil {
				return err
			}
			afterSeq = page[len(page)-1].Seq
		}
		if len(page) < most {
			return nil
		}
	}
}

// page reads the next events.
func (d *DB) page(ctx context.Context, conv string, afterSeq uint64, most int) ([]Event, error) {
	return d.rows(ctx, "SELECT seq, type, body FROM tui_journal WHERE conv = ? AND seq > ? ORDER BY seq LIMIT ?", conv, clampSeq(afterSeq), most)
}

// LastEvents are the newest events of a conversation, at most so many, in their order
// and as [DB.EachPage] gives them.
func (d *DB) LastEvents(ctx context.Context, conv string, most int) ([]Event, error) {
	return d.rows(ctx, `SELECT seq, type, body FROM
		(SELECT seq, type, body FROM tui_journal WHERE conv = ? ORDER BY seq DESC LIMIT ?) ORDER BY seq`, conv, most)
}

// rows reads events as one row: a row for each takes three times as long.
func (d *DB) rows(ctx context.Context, query string, args ...any) ([]Event, error) {
	var heads, bodies string
	_, err := d.one(ctx, "read journal", "SELECT COALESCE(group_concat(seq || ' ' || octet_length(body) || ' ' || type, x'0a'), ''), COALESCE(group_concat(body, ''), '') FROM ("+query+")",
		args, &heads, &bodies)
	if err != nil || heads == "" {
		return nil, err
	}
	all, newest := make([]Event, 0, eventPage), uint64(0)
	for len(heads) > 0 {
		var head string
		head, heads, _ = strings.Cut(heads, "\n")
		seq, rest, _ := strings.Cut(head, " ")
		size, kind, _ := strings.Cut(rest, " ")
		number, err := strconv.ParseUint(seq, 10, 64)
		n, sizeErr := strconv.Atoi(size)
		if err != nil || sizeErr != nil || n > len(bodies) || number <= newest {
			return nil, d.fail("read journal", fmt.Errorf("the event behind %d reads %q", newest, head))
		}
		all = append(all, Event{Seq: number, Type: kind, Body: unsafe.Slice(unsafe.StringData(bodies), n)})
		newest, bodies = number, bodies[n:]
	}
	return all, nil
}

// EachEvent is [DB.EachPage] for single events.
func (d *DB) EachEvent(ctx context.Context, conv string, afterSeq uint64, do func(Event) error) error {
	return d.EachPage(ctx, conv, afterSeq, func(page []Event) error {
		for _, e := range page {
			if err := do(e); err != nil {
				return err
			}
		}
		return nil
	})
}

// FindEvent is the newest event of a type in a conversation whose body holds a text;
// a [*NotFoundError] says that there is none. It looks at one event after the other.
func (d *DB) FindEvent(ctx context.Context, conv, kind, part string) (Event, error) {
	var e Event
	var at sql.NullFloat64
	found, err := d.one(ctx, "look up event", `SELECT seq, type, at, session, agent, turn, body FROM tui_journal
		WHERE conv = ? AND type = ? AND instr(body, ?) > 0 ORDER BY seq DESC LIMIT 1`, []any{conv, kind, part},
		&e.Seq, &e.Type, &at, orEmpty{&e.Session}, orEmpty{&e.Agent}, orEmpty{&e.Turn}, &e.Body)
	if err == nil && !found {
		err = &NotFoundError{What: "event", Ref: part}
	}
	e.At = moment(at)
	return e, err
}

// clampSeq makes a sequence number one that can be stored.
func clampSeq(seq uint64) int64 { return int64(min(seq, 1<<63-1)) }

// Call is a tool call as it was recorded.
type Call struct {
	ID      string
	Conv    string
	Session string
	Agent   string
	Turn    string
	Message string
	Ordinal int
	WireID  string
	Name    string
	// Arguments are the bytes the model wrote.
	Arguments string

	Planned time.Time
	// Started is zero for a call that did not start. One that started and did not
	// end may have run.
	Started time.Time
	Ended   time.Time
	Outcome string
	Result  string
}

const selectCalls = `SELECT id, conv, session, agent, turn, message, ordinal, wire_id, name, arguments,
	planned_at, started_at, ended_at, outcome, result FROM tui_calls `

// Calls are the calls of a conversation in the order they were planned; only
// those without an end if unfinished is set.
func (d *DB) Calls(ctx context.Context, conv string, unfinished bool) ([]Call, error) {
	where := "WHERE conv = ?"
	if unfinished {
		where += " AND ended_at IS NULL"
	}
	return d.calls(ctx, where+" ORDER BY planned_at, rowid", conv)
}

// MessageCalls are the calls of one assistant message in their order.
func (d *DB) MessageCalls(ctx context.Context, message string) ([]Call, error) {
	return d.calls(ctx, "WHERE message = ? ORDER BY ordinal, rowid", message)
}

// Call is one call by its id; a [*NotFoundError] says that there is none.
func (d *DB) Call(ctx context.Context, id string) (Call, error) {
	all, err := d.calls(ctx, "WHERE id = ?", id)
	if err != nil {
		return Call{}, err
	}
	if len(all) == 0 {
		return Call{}, &NotFoundError{What: "call", Ref: id}
	}
	return all[0], nil
}

func (d *DB) calls(ctx context.Context, where string, arg any) ([]Call, error) {
	var all []Call
	err := d.query(ctx, "read calls", selectCalls+where, []any{arg}, func(scan scanFunc) error {
		var c Call
		var planned, started, ended sql.NullFloat64
		err := scan(&c.ID, &c.Conv, orEmpty{&c.Session}, orEmpty{&c.Agent}, orEmpty{&c.Turn}, orEmpty{&c.Message},
			&c.Ordinal, orEmpty{&c.WireID}, &c.Name, orEmpty{&c.Arguments}, &planned, &started, &ended,
			orEmpty{&c.Outcome}, orEmpty{&c.Result})
		c.Planned, c.Started, c.Ended = moment(planned), moment(started), moment(ended)
		all = append(all, c)
		return err
	})
	return all, err
}

// Partial is what an agent had streamed and not committed.
type Partial struct {
	Conv      string
	Agent     string
	Turn      string
	Message   string
	Reasoning string
	Text      string
	Updated   time.Time
}

// Partials are what the agents of a conversation left behind, by agent.
func (d *DB) Partials(ctx context.Context, conv string) ([]Partial, error) {
	var all []Partial
	err := d.query(ctx, "read partial answers", `SELECT conv, agent, turn, message, reasoning, text, updated_at
		FROM tui_partials WHERE conv = ? ORDER BY agent`, []any{conv}, func(scan scanFunc) error {
		var p Partial
		var at sql.NullFloat64
		err := scan(&p.Conv, orEmpty{&p.Agent}, orEmpty{&p.Turn}, orEmpty{&p.Message}, orEmpty{&p.Reasoning}, orEmpty{&p.Text}, &at)
		p.Updated = moment(at)
		all = append(all, p)
		return err
	})
	return all, err
}

// Draft is the text that was left in the composer, empty if there is none.
func (d *DB) Draft(ctx context.Context, conv string) (string, error) {
	var text string
	_, err := d.one(ctx, "read draft", "SELECT text FROM tui_drafts WHERE conv = ?", []any{conv}, orEmpty{&text})
	return text, err
}

// Grant is a permission a user gave.
type Grant struct {
	ID string
	// Conv is empty for a permission that holds in every conversation.
	Conv    string
	Kind    string
	Pattern string
	Example string
	Created time.Time
	// MAC is what whoever stored it has given to know it again; empty in rows of older
	// programs.
	MAC string
	// Pins are the files that it is bound to, as whoever stored it wrote them; empty in
	// rows of older programs.
	Pins string
}

// Grants are the permissions of a conversation and those that hold in every
// one, oldest first, without those that were taken back.
func (d *DB) Grants(ctx context.Context, conv string) ([]Grant, error) {
	var all []Grant
	err := d.query(ctx, "read permissions", `SELECT id, conv, kind, pattern, example, created_at, mac, pins FROM tui_grants
		WHERE (conv = ? OR conv IS NULL) AND revoked_at IS NULL ORDER BY created_at, rowid`, []any{conv}, func(scan scanFunc) error {
		var g Grant
		var at sql.NullFloat64
		err := scan(&g.ID, orEmpty{&g.Conv}, &g.Kind, &g.Pattern, orEmpty{&g.Example}, &at, orEmpty{&g.MAC}, orEmpty{&g.Pins})
		g.Created = moment(at)
		all = append(all, g)
		return err
	})
	return all, err
}

// Decisions are the newest decisions, the newest first: of a conversation, or of
// all of them when conv is empty.
func (d *DB) Decisions(ctx context.Context, conv string, limit int) ([]Decision, error) {
	var all []Decision
	err := d.query(ctx, "read decisions", `SELECT d.id, d.conv, d.agent, d.tool, d.verb, d.outcome, d.decided_by, d.rule, d.category, d.reason, d.at, d.ran, c.arguments, s.id, s.title
		FROM tui_decisions d LEFT JOIN tui_calls c ON c.id = d.call
		LEFT JOIN tui_conversations k ON k.id = d.conv LEFT JOIN sessions s ON s.id = k.session
		WHERE ? IN ('', d.conv) ORDER BY d.at DESC, d.id LIMIT ?`, []any{conv, limit}, func(scan scanFunc) error {
		var x Decision
		var at sql.NullFloat64
		err := scan(&x.ID, &x.Conv, orEmpty{&x.Agent}, &x.Tool, orEmpty{&x.Verb}, &x.Outcome, &x.By,
			orEmpty{&x.Rule}, orEmpty{&x.Category}, orEmpty{&x.Reason}, &at, orEmpty{&x.Ran}, orEmpty{&x.Arguments}, orEmpty{&x.Session}, orEmpty{&x.Title})
		x.At = moment(at)
		all = append(all, x)
		return err
	})
	return all, err
}

// Decision is a line of the log of decisions.
type Decision struct {
	ID, Conv, Agent, Tool, Verb         string
	Outcome, By, Rule, Category, Reason string
	Ran                                 string // see [AddDecision]; empty in rows of older programs
	// Arguments are those of the call that it was about, as JSON; empty when the call
	// is not kept.
	Arguments string
	// Session is the one that the conversation goes on in, and Title its title; empty when
	// it is not kept.
	Session, Title string
	At             time.Time
}

// LastUses says when each rule and permission decided last, by its text.
func (d *DB) LastUses(ctx context.Context) (map[string]time.Time, error) {
	used := map[string]time.Time{}
	err := d.query(ctx, "read decisions", `SELECT rule, MAX(at) FROM tui_decisions
		WHERE rule IS NOT NULL AND decided_by IN ('grant', 'rule') GROUP BY rule`, nil, func(scan scanFunc) error {
		var rule string
		var at sql.NullFloat64
		err := scan(&rule, &at)
		used[rule] = moment(at)
		return err
	})
	return used, err
}

package sessions

import (
	"context"
	"database/sql"
	"strings"
	"time"
)

// Said is a message of a user or an assistant.
type Said struct {
	Row     int64
	ID      string // as in [Message]
	Session string
	Role    string
	Text    string
	At      time.Time
}

const saidBy = `SELECT m.id, o.id, m.session_id, m.role, m.content, CAST(m.timestamp AS REAL) FROM messages m JOIN sessions s ON s.id = m.session_id
	LEFT JOIN tui_messages o ON o.row = m.id LEFT JOIN tui_links l ON l.session = s.id
	WHERE ` + seen + ` AND ` + notHidden + ` AND m.role IN ('user', 'assistant') AND COALESCE(m.content, '') <> '' AND COALESCE(s.archived, 0) = 0 AND NOT ` + delegated

// Newest gives the row of the newest message, 0 for none.
func (d *DB) Newest(ctx context.Context) (int64, error) {
	var row sql.NullInt64
	_, err := d.one(ctx, "look for the newest message", "SELECT MAX(id) FROM messages", nil, &row)
	return row.Int64, err
}

// SaidAfter gives messages behind a row, in their order, at most so many: those that
// [DB.Search] would find.
func (d *DB) SaidAfter(ctx context.Context, row int64, limit int) ([]Said, error) {
	return d.spoken(ctx, " AND m.id > ? ORDER BY m.id LIMIT ?", row, limit)
}

// SaidBefore gives messages before a row, the newest first, at most so many.
func (d *DB) SaidBefore(ctx context.Context, row int64, limit int) ([]Said, error) {
	return d.spoken(ctx, " AND m.id < ? ORDER BY m.id DESC LIMIT ?", row, limit)
}

// Rare are those of some words that at least one message holds, and no more than so many.
func (d *DB) Rare(ctx context.Context, words []string, most int) ([]string, error) {
	var rare []string
	for _, w := range words {
		n := 0
		_, err := d.one(ctx, "count messages", "SELECT COUNT(*) FROM (SELECT 1 FROM messages_fts WHERE messages_fts MATCH ? LIMIT ?)",
			[]any{`"` + strings.ReplaceAll(w, `"`, "") + `"`, most + 1}, &n)
		if err != nil {
			return nil, err
		}
		if n > 0 && n <= most {
			rare = append(rare, w)
		}
	}
	return rare, nil
}

// SaidIn gives the messages of some rows, of which those are left out that
// [DB.Search] would not find any more.
func (d *DB) SaidIn(ctx context.Context, rows []int64) ([]Said, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	args := make([]any, len(rows))
	for i, r := range rows {
		args[i] = r
	}
	return d.spoken(ctx, " AND m.id IN (?"+strings.Repeat(", ?", len(rows)-1)+")", args...)
}

func (d *DB) spoken(ctx context.Context, where string, args ...any) ([]Said, error) {
	var list []Said
	err := d.query(ctx, "read messages", saidBy+where, args, func(scan scanFunc) error {
		var s Said
		var at sql.NullFloat64
		err := scan(&s.Row, orEmpty{&s.ID}, &s.Session, &s.Role, &s.Text, &at)
		if s.Text, s.At = flatten(s.Text), moment(at); s.ID == "" {
			s.ID = foreignID(s.Row)
		}
		list = append(list, s)
		return err
	})
	return list, err
}

package sessions

import (
	"context"
	"database/sql"
	"maps"
	"sync"
)

// places remembers in which rows the messages of each session lie, from the first to the
// last. Rows are never used again, so what is deleted only leaves it too wide. It grows
// with the number of sessions.
type places struct {
	mu   sync.Mutex
	of   map[string][2]int64
	upTo int64 // the row up to which it is known
}

// located gives the first and the last row of each session that has messages. Where
// times went back within a session, rows at its ends may lie outside.
func (d *DB) located(ctx context.Context) (map[string][2]int64, error) {
	p := &d.places
	p.mu.Lock()
	defer p.mu.Unlock()
	newest, err := d.NewestRow(ctx)
	if err != nil || newest == p.upTo {
		return p.of, err
	}
	// All of them are found by the ends of each session, which is quicker than a look at
	// all messages; those behind a row are few.
	query := `SELECT id, (SELECT e.id FROM messages e WHERE e.session_id = s.id ORDER BY e.timestamp LIMIT 1),
		(SELECT e.id FROM messages e WHERE e.session_id = s.id ORDER BY e.timestamp DESC LIMIT 1) FROM sessions s WHERE ? = 0`
	if p.upTo > 0 {
		query = "SELECT session_id, MIN(id), MAX(id) FROM messages NOT INDEXED WHERE id > ? GROUP BY session_id"
	}
	of := maps.Clone(p.of)
	if of == nil {
		of = map[string][2]int64{}
	}
	err = d.query(ctx, "look where messages lie", query, []any{p.upTo}, func(scan scanFunc) error {
		var id string
		var from, to sql.NullInt64
		if err := scan(&id, &from, &to); err != nil || !from.Valid {
			return err
		}
		low, high := min(from.Int64, to.Int64), max(from.Int64, to.Int64)
		if had, ok := of[id]; ok {
			low, high = min(low, had[0]), max(high, had[1])
		}
		of[id] = [2]int64{low, high}
		return nil
	})
	if err == nil {
		p.of, p.upTo = of, newest
	}
	return of, err
}

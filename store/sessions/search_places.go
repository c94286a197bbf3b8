package sessions

import (
	"context"
	"maps"
	"strconv"
	"strings"
	"sync"
)

// places remembers in which rows the messages of each session lie, from the first to the
// last, and of which time they are. Rows are never used again, so what is deleted only leaves
// it too wide. It grows with the number of sessions.
type places struct {
	mu   sync.Mutex
	of   map[string]place
	upTo int64 // the row up to which it is known
}

// place is where the messages of a session lie, and from when to when, in seconds.
type place struct {
	from, to    int64
	first, last float64
}

// join is a place that holds two.
func (p place) join(o place) place {
	return place{min(p.from, o.from), max(p.to, o.to), min(p.first, o.first), max(p.last, o.last)}
}

// placeAt is that of a single message, written as its row and its time.
func placeAt(text string) place {
	row, at, _ := strings.Cut(text, " ")
	n, _ := strconv.ParseInt(row, 10, 64) // the database has written it
	seconds, _ := strconv.ParseFloat(at, 64)
	return place{n, n, seconds, seconds}
}

// meets reports whether messages of it can be of the time that a search asks for.
func (p place) meets(s Search) bool {
	const fuzzy = 1e-3 // seconds, which the database writes with 15 digits
	return (s.From.IsZero() || p.last+fuzzy >= float64(s.From.UnixMicro())/1e6) && (s.To.IsZero() || p.first-fuzzy < float64(s.To.UnixMicro())/1e6)
}

// located gives the places of all sessions that have messages. Where times went back within a
// session, rows at its ends may lie outside.
func (d *DB) located(ctx context.Context) (map[string]place, error) {
	p := &d.places
	p.mu.Lock()
	defer p.mu.Unlock()
	newest, err := d.NewestRow(ctx)
	if err != nil || newest == p.upTo {
		return p.of, err
	}
	// All of them are found by the ends of each session, which is quicker than a look at
	// all messages; those behind a row are few.
	const end = "(SELECT e.id || ' ' || CAST(e.timestamp AS REAL) FROM messages e WHERE e.session_id = s.id ORDER BY e.timestamp"
	query := "SELECT s.id, " + end + " LIMIT 1), " + end + " DESC LIMIT 1) FROM sessions s WHERE ? = 0"
	if p.upTo > 0 {
		query = `SELECT session_id, MIN(id) || ' ' || MIN(CAST(timestamp AS REAL)), MAX(id) || ' ' || MAX(CAST(timestamp AS REAL))
			FROM messages NOT INDEXED WHERE id > ? GROUP BY session_id`
	}
	of := maps.Clone(p.of)
	if of == nil {
		of = map[string]place{}
	}
	err = d.query(ctx, "look where messages lie", query, []any{p.upTo}, func(scan scanFunc) error {
		var id, first, last string
		if err := scan(&id, orEmpty{&first}, orEmpty{&last}); err != nil || first == "" {
			return err
		}
		at := placeAt(first).join(placeAt(last))
		if had, ok := of[id]; ok {
			at = at.join(had)
		}
		of[id] = at
		return nil
	})
	if err == nil {
		p.of, p.upTo = of, newest
	}
	return of, err
}

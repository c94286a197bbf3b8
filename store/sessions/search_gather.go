package sessions

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"strconv"
	"strings"
)

// gathering collects the messages that fit a search.
//
// Few are all looked at. Of very many, those of sessions that have enough of them are
// passed over by their rows, without a look at the message, and where no other session
// has rows in between the index goes on behind them: a word that is in each of a million
// messages finds as many conversations as are asked for.
type gathering struct {
	d *DB
	s Search
	m matcher

	hits     []Hit
	lineages map[string]string // of sessions
	found    map[string]int    // matches by lineage
	except   string            // lineage that is not looked at
	read     int               // messages
	more     bool              // not all matches were looked at
	spans    []span            // the sessions that can have some, nil before they are needed
}

// span is where the messages of a session lie among the others. Rows of a search for
// the oldest are counted backwards, so that it goes down as well.
type span struct {
	session  string
	from, to int64
	enough   bool
}

func (g *gathering) run(ctx context.Context) ([]Hit, error) {
	if g.s.Except != "" {
		var err error
		if g.except, err = g.lineage(ctx, Hit{Session: g.s.Except}); err != nil {
			return nil, err
		}
	}
	rows, err := g.matches(ctx, math.MinInt64, math.MaxInt64, g.m.first())
	if err != nil {
		return nil, err
	}
	g.more = len(rows) == g.m.first()
	narrow := g.more && (g.s.Folder != "" || !g.s.From.IsZero() || !g.s.To.IsZero()) // most may lie elsewhere
	if narrow {
		if err = g.locate(ctx); err == nil {
			err = g.sift(ctx, rows)
		}
	} else {
		err = g.take(ctx, rows)
	}
	if err != nil || !g.more || g.done() {
		return g.hits, err
	}
	last := rows[len(rows)-1]
	if !narrow {
		if err := g.locate(ctx); err != nil {
			return nil, err
		}
	}
	for size := g.m.first(); !g.done(); {
		low, high, ok := g.next(last)
		if !ok {
			break
		}
		size = min(4*size, mostScanned)
		if rows, err = g.matches(ctx, low, high, size); err != nil {
			return nil, err
		}
		if err := g.sift(ctx, rows); err != nil {
			return nil, err
		}
		if last = low; len(rows) == size {
			last = rows[len(rows)-1]
		}
	}
	return g.hits, nil
}

// done reports whether no more matches are needed.
func (g *gathering) done() bool {
	return len(g.found) >= g.s.Limit || g.read >= mostRead
}

// backwards reports whether the oldest come first.
func (g *gathering) backwards() bool { return g.s.Sort == Oldest }

// matches are rows between two that fit, at most so many, from the higher one on. They
// are read as one text: a row for each takes three times as long.
func (g *gathering) matches(ctx context.Context, low, high int64, most int) ([]int64, error) {
	order, sign := " DESC", int64(1)
	if g.backwards() {
		order, sign = "", -1
		low, high = -max(high, math.MinInt64+1), -max(low, math.MinInt64+1)
	}
	query := "SELECT COALESCE(group_concat(row), '') FROM (SELECT " + g.m.row + " AS row FROM " + g.m.table + " WHERE " + g.m.where +
		" AND " + g.m.row + " BETWEEN ? AND ? ORDER BY " + g.m.row + order + " LIMIT ?)"
	var list string
	if _, err := g.d.one(ctx, "search", query, append(slices.Clone(g.m.args), low, high, most), &list); err != nil || list == "" {
		return nil, err
	}
	rows := make([]int64, 0, strings.Count(list, ",")+1)
	for number := range strings.SplitSeq(list, ",") {
		row, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, g.d.fail("search", err)
		}
		rows = append(rows, sign*row)
	}
	return rows, nil
}

// seenBy holds for a message m of a session s that a search may find; w is the way that
// it was left on.
const seenBy = `(` + seen + ` OR w.id IS NOT NULL) AND ` + notHidden + ` AND COALESCE(s.archived, 0) = 0 AND NOT ` + delegated

// narrowed are the conditions of a search on sessions s with their conversations c, and
// on messages m.
func (s Search) narrowed() (session, message string, ofSession, ofMessage []any) {
	if s.Folder != "" {
		const at = `COALESCE(NULLIF(c.workspace, ''), s.cwd, '')`
		folder := strings.TrimSuffix(s.Folder, "/")
		session = ` AND (` + at + ` = ? OR substr(` + at + `, 1, ?) = ?)`
		ofSession = []any{folder, len([]rune(folder)) + 1, folder + "/"}
	}
	if !s.From.IsZero() {
		message, ofMessage = message+` AND m.timestamp >= ?`, append(ofMessage, seconds(s.From))
	}
	if !s.To.IsZero() {
		message, ofMessage = message+` AND m.timestamp < ?`, append(ofMessage, seconds(s.To))
	}
	return session, message, ofSession, ofMessage
}

// take reads some rows and keeps the messages that the search may find.
func (g *gathering) take(ctx context.Context, rows []int64) error {
	if len(rows) == 0 {
		return nil
	}
	g.read += len(rows)
	session, message, ofSession, ofMessage := g.s.narrowed()
	query := `SELECT m.id, o.id, m.session_id, m.role, CAST(m.timestamp AS REAL),
		COALESCE(octet_length(m.content), 0) + COALESCE(octet_length(m.tool_calls), 0),
		COALESCE(l.conv, CASE WHEN s.parent_session_id IS NULL AND COALESCE(s.end_reason, '') <> 'compression' THEN s.id END), w.id
		FROM json_each(?) f JOIN messages m ON m.id = f.value JOIN sessions s ON s.id = m.session_id
		LEFT JOIN tui_messages o ON o.row = m.id LEFT JOIN tui_links l ON l.session = s.id
		LEFT JOIN tui_conversations c ON c.id = l.conv
		LEFT JOIN tui_rewound r ON r.row = m.id AND ? LEFT JOIN tui_ways w ON w.id = r.rewind
		WHERE m.role IN (?` + strings.Repeat(", ?", len(g.s.Roles)-1) + `) AND ` + seenBy + session + message
	args := []any{list(rows), g.s.Left}
	for _, r := range g.s.Roles {
		args = append(args, r)
	}
	args = append(append(args, ofSession...), ofMessage...)
	from := len(g.hits)
	err := g.d.query(ctx, "search", query, args, func(scan scanFunc) error {
		var h Hit
		var at sql.NullFloat64
		err := scan(&h.Row, orEmpty{&h.ID}, &h.Session, &h.Role, &at, &h.size, orEmpty{&h.lineage}, orEmpty{&h.Way})
		if h.At = moment(at); h.ID == "" {
			h.ID = foreignID(h.Row)
		}
		g.hits = append(g.hits, h)
		return err
	})
	if err != nil {
		return err
	}
	kept := g.hits[:from]
	for _, h := range g.hits[from:] {
		if h.lineage, err = g.lineage(ctx, h); err != nil {
			return err
		}
		if h.lineage != g.except {
			g.found[h.lineage]++
			kept = append(kept, h)
		}
	}
	g.hits = kept
	return nil
}

// list is numbers as JSON; those of a search for the oldest are turned back.
func list(rows []int64) string {
	out := []byte{'['}
	for i, r := range rows {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(out, max(r, -r), 10)
	}
	return string(append(out, ']'))
}

// lineage names the conversation of a hit.
func (g *gathering) lineage(ctx context.Context, h Hit) (string, error) {
	if h.lineage != "" {
		return h.lineage, nil
	}
	if known, ok := g.lineages[h.Session]; ok {
		return known, nil
	}
	info, _, err := g.d.conversationOf(ctx, h.Session)
	if err != nil && !isNotFound(err) {
		return "", err
	}
	g.lineages[h.Session] = cmp.Or(info.Conv, info.Session, h.Session)
	return g.lineages[h.Session], nil
}

// locate finds out where the sessions lie that the search may find something in.
func (g *gathering) locate(ctx context.Context) error {
	has := map[string]int{}
	for _, h := range g.hits {
		has[h.Session]++
	}
	known, err := g.d.located(ctx)
	if err != nil {
		return err
	}
	add := func(session string) {
		if at, ok := known[session]; ok && at.meets(g.s) {
			s := span{session, at.from, at.to, has[session] >= eachFound}
			if g.backwards() {
				s.from, s.to = -s.to, -s.from
			}
			g.spans = append(g.spans, s)
		}
	}
	session, _, ofSession, _ := g.s.narrowed()
	if session == "" { // a few that it may not find anything in cost less than a look at all
		for session := range known {
			add(session)
		}
		return nil
	}
	query := `SELECT s.id FROM sessions s LEFT JOIN tui_links l ON l.session = s.id LEFT JOIN tui_conversations c ON c.id = l.conv
		WHERE COALESCE(s.archived, 0) = 0 AND NOT ` + delegated + session
	return g.d.query(ctx, "search", query, ofSession, func(scan scanFunc) error {
		var id string
		err := scan(&id)
		add(id)
		return err
	})
}

// next is the range of rows below one in which there may be more: sessions that need
// some, with the gaps between them that are not worth a jump.
func (g *gathering) next(below int64) (low, high int64, ok bool) {
	const worth = 1_500 // a jump takes as long as about so many matches
	g.spans = slices.DeleteFunc(g.spans, func(s span) bool { return s.enough || s.from >= below })
	slices.SortFunc(g.spans, func(a, b span) int { return cmp.Compare(b.to, a.to) })
	for _, s := range g.spans {
		switch {
		case !ok:
			low, high, ok = s.from, min(s.to, below-1), true
		case s.to < low-worth:
			return low, high, true
		default:
			low = min(low, s.from)
		}
	}
	return low, high, ok
}

// sift takes rows, a few of each session first, until each of them has enough.
func (g *gathering) sift(ctx context.Context, rows []int64) error {
	groups := g.group(rows)
	for quota := 2 * eachFound; len(groups) > 0 && g.read < mostRead; quota *= 4 {
		var batch []int64
		from := len(g.hits)
		for i := range groups {
			n := min(quota, len(groups[i].rows))
			batch = append(batch, groups[i].rows[:n]...)
			groups[i].rows = groups[i].rows[n:]
		}
		if err := g.take(ctx, batch); err != nil {
			return err
		}
		has := map[string]int{}
		for _, h := range g.hits[from:] {
			has[h.Session]++
		}
		for i := range g.spans {
			g.spans[i].enough = g.spans[i].enough || has[g.spans[i].session] >= eachFound
		}
		groups = slices.DeleteFunc(groups, func(r rowGroup) bool {
			return len(r.rows) == 0 || !slices.ContainsFunc(r.of, func(i int) bool { return !g.spans[i].enough })
		})
	}
	return nil
}

// rowGroup is rows that lie in the same sessions, by their place in spans.
type rowGroup struct {
	of   []int
	rows []int64
}

// group tells rows apart by the sessions in whose spans they lie. What lies in none is
// left out.
func (g *gathering) group(rows []int64) []rowGroup {
	var groups []rowGroup
	var in []int // spans around the row
	next := 0    // of g.spans, which begin with the highest
	for _, row := range rows {
		changed := false
		for next < len(g.spans) && g.spans[next].to >= row {
			in, next, changed = append(in, next), next+1, true
		}
		before := len(in)
		in = slices.DeleteFunc(in, func(i int) bool { return g.spans[i].from > row })
		if len(in) == 0 {
			continue
		}
		if changed || before != len(in) || len(groups) == 0 || len(groups[len(groups)-1].of) == 0 {
			groups = append(groups, rowGroup{of: slices.Clone(in)})
		}
		last := &groups[len(groups)-1]
		last.rows = append(last.rows, row)
	}
	return groups
}

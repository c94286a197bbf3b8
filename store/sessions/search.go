package sessions

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Search says what [DB.Search] looks for.
type Search struct {
	// Text is what the user or the model typed, see [SanitizeQuery].
	Text string
	// Roles are those whose messages count; empty is users and assistants.
	Roles []string
	// Folder is one that conversations work in, or above theirs; empty is any.
	Folder string
	// From and To bound the time of a message; zero is no bound.
	From, To time.Time
	Sort     Sort
	// Limit is the most conversations to find; 0 means 10, and 50 is the most.
	Limit int
	// Except is a session whose conversation is not looked at.
	Except string
}

// Sort is the order of what was found.
type Sort string

// The orders.
const (
	Best   Sort = "" // what fits best; of very many matches the newest
	Newest Sort = "newest"
	Oldest Sort = "oldest"
)

// Found is a conversation with what was found in it.
type Found struct {
	ConversationInfo
	// Hits are what was found in it, in the order of the search; at most 5.
	Hits []Hit
	// Total counts the messages that were found in it.
	Total int
}

// Hit is a message that was found.
type Hit struct {
	Row     int64
	ID      string // as in [Message]
	Session string
	Role    string
	At      time.Time
	// Snippet is the text around what was found, of about 40 words. What was found
	// stands between [MarkBegin] and [MarkEnd].
	Snippet string

	// lineage is the same for all sessions of a conversation; empty where that has
	// to be looked up.
	lineage string
}

// The marks of a snippet. A message may hold them, too.
const (
	MarkBegin = "\x02"
	MarkEnd   = "\x03"
)

// The bounds of a search: a word that is everywhere has a million matches.
const (
	mostRanked  = 2_000  // matches that are put in order by how they fit
	mostMatches = 20_000 // matches that are looked at, the newest first
	mostHits    = 500    // messages that are told apart by conversation
	hitsShown   = 5
	mostFound   = 50
	searchTime  = 5 * time.Second
)

// Search finds messages by their words, conversations by what was said in them: what
// was taken back, archived or said to subagents is not found, and all sessions that a
// conversation was compressed into count as one. Terms of Chinese, Japanese and Korean
// are found anywhere in a text. Text that holds nothing to look for finds nothing. It
// takes 5 s at most.
func (d *DB) Search(ctx context.Context, s Search) ([]Found, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, searchTime, errors.New("the search took longer than "+searchTime.String()))
	defer cancel()
	m, err := d.matching(ctx, s)
	if err != nil || m.table == "" {
		return nil, err
	}
	if s.Limit <= 0 {
		s.Limit = 10
	}
	hits, err := d.hits(ctx, s, m)
	if err != nil {
		return nil, err
	}
	found, err := d.folded(ctx, s, hits)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found, d.snip(ctx, m, found)
}

// matcher is how an index is asked.
type matcher struct {
	table string // empty finds nothing
	// match is what the index is asked, or empty: then the texts are looked
	// through for any of terms.
	match string
	terms []string // the words of the text
	few   bool     // few enough to be put in order by how they fit
}

// matching chooses the index that a text is looked for in.
func (d *DB) matching(ctx context.Context, s Search) (m matcher, err error) {
	m.table, m.match = "messages_fts", SanitizeQuery(s.Text)
	terms := strings.Fields(strings.Map(spaced, s.Text))
	m.terms = slices.DeleteFunc(slices.Clone(terms), isOperator)
	if slices.ContainsFunc(terms, isCJK) {
		m.table, m.match = "messages_fts_trigram", ""
		var quoted []string
		short := false
		for _, t := range terms {
			if isOperator(t) {
				quoted = append(quoted, t)
				continue
			}
			short = short || len([]rune(t)) < 3
			quoted = append(quoted, `"`+t+`"`)
		}
		if !short {
			m.match = operatorsBetween(quoted)
		}
	} else if m.match == "" {
		return matcher{}, nil
	}
	if m.match == "" {
		return m, nil
	}
	n := 0
	_, err = d.one(ctx, "count matches", "SELECT COUNT(*) FROM (SELECT 1 FROM "+m.table+" WHERE "+m.table+" MATCH ? LIMIT ?)",
		[]any{m.match, mostRanked + 1}, &n)
	m.few = n <= mostRanked
	return m, err
}

// spaced keeps what can be part of a term.
func spaced(r rune) rune {
	if r == '"' || r == '*' || unicode.IsControl(r) || r < unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-", r) {
		return ' '
	}
	return r
}

// operatorsBetween drops operators that have nothing to work on.
func operatorsBetween(terms []string) string {
	var q queryWriter
	for _, t := range terms {
		if isOperator(t) {
			q.word(t, false)
		} else {
			q.term(t)
		}
	}
	return q.text()
}

func isCJK(term string) bool {
	return strings.ContainsFunc(term, func(r rune) bool {
		return r >= 0x3000 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7af || r >= 0x20000 && r <= 0x2a6df
	})
}

// where is the condition on the index, with its arguments.
func (m matcher) where() (sql string, args []any) {
	if m.match != "" {
		return m.table + " MATCH ?", []any{m.match}
	}
	for _, t := range m.terms {
		args = append(args, "%"+t+"%")
	}
	return "(content LIKE ?" + strings.Repeat(" OR content LIKE ?", len(args)-1) + ")", args
}

// hits are the messages that fit, in order.
func (d *DB) hits(ctx context.Context, s Search, m matcher) ([]Hit, error) {
	where, args := m.where()
	order := "rowid DESC"
	switch {
	case s.Sort == Oldest:
		order = "rowid"
	case s.Sort == Best && m.few && m.match != "":
		order = "rank"
	}
	query := `SELECT m.id, o.id, m.session_id, m.role, CAST(m.timestamp AS REAL),
		COALESCE(l.conv, CASE WHEN s.parent_session_id IS NULL AND COALESCE(s.end_reason, '') <> 'compression' THEN s.id END)
		FROM (SELECT rowid AS row FROM ` + m.table + ` WHERE ` + where + ` ORDER BY ` + order + ` LIMIT ?) f
		JOIN messages m ON m.id = f.row JOIN sessions s ON s.id = m.session_id
		LEFT JOIN tui_messages o ON o.row = m.id LEFT JOIN tui_links l ON l.session = s.id
		LEFT JOIN tui_conversations c ON c.id = l.conv
		WHERE m.active = 1 AND m.role IN (?` + strings.Repeat(", ?", max(len(s.Roles), 2)-1) + `)
		AND COALESCE(s.archived, 0) = 0 AND NOT ` + delegated
	args = append(args, mostMatches)
	if len(s.Roles) == 0 {
		s.Roles = []string{"user", "assistant"}
	} else if len(s.Roles) == 1 {
		s.Roles = append(s.Roles, s.Roles[0])
	}
	for _, r := range s.Roles {
		args = append(args, r)
	}
	if s.Folder != "" {
		const at = `COALESCE(NULLIF(c.workspace, ''), s.cwd, '')`
		folder := strings.TrimSuffix(s.Folder, "/")
		query += ` AND (` + at + ` = ? OR substr(` + at + `, 1, ?) = ?)`
		args = append(args, folder, len([]rune(folder))+1, folder+"/")
	}
	if !s.From.IsZero() {
		query, args = query+` AND m.timestamp >= ?`, append(args, seconds(s.From))
	}
	if !s.To.IsZero() {
		query, args = query+` AND m.timestamp < ?`, append(args, seconds(s.To))
	}
	var all []Hit
	err := d.query(ctx, "search", query+fmt.Sprintf(" LIMIT %d", mostHits), args, func(scan scanFunc) error {
		var h Hit
		var at sql.NullFloat64
		err := scan(&h.Row, orEmpty{&h.ID}, &h.Session, &h.Role, &at, orEmpty{&h.lineage})
		if h.At = moment(at); h.ID == "" {
			h.ID = foreignID(h.Row)
		}
		all = append(all, h)
		return err
	})
	return all, err
}

// folded puts the hits of one conversation together, in the order of their first.
func (d *DB) folded(ctx context.Context, s Search, hits []Hit) ([]Found, error) {
	lineages := map[string]string{} // of sessions
	lineage := func(h Hit) (string, error) {
		if h.lineage != "" {
			return h.lineage, nil
		}
		if known, ok := lineages[h.Session]; ok {
			return known, nil
		}
		info, _, err := d.conversationOf(ctx, h.Session)
		if err != nil && !isNotFound(err) {
			return "", err
		}
		lineages[h.Session] = cmp.Or(info.Conv, info.Session, h.Session)
		return lineages[h.Session], nil
	}
	except, err := lineage(Hit{Session: s.Except})
	if err != nil {
		return nil, err
	}
	var found []Found
	at := map[string]int{except: -1}
	for _, h := range hits {
		l, err := lineage(h)
		if err != nil {
			return nil, err
		}
		i, known := at[l]
		if !known && len(found) < min(s.Limit, mostFound) {
			info, ok, err := d.conversationOf(ctx, h.Session)
			if err != nil && !isNotFound(err) {
				return nil, err
			}
			if i = -1; ok {
				i, found = len(found), append(found, Found{ConversationInfo: info})
			}
			at[l], known = i, true
		}
		if !known || i < 0 {
			continue
		}
		if found[i].Total++; len(found[i].Hits) < hitsShown {
			found[i].Hits = append(found[i].Hits, h)
		}
	}
	return found, nil
}

// snip adds the texts around what was found. The index is gone through once: for one
// row after the other it would be asked anew each time.
func (d *DB) snip(ctx context.Context, m matcher, found []Found) error {
	hits := map[int64]*Hit{}
	for i := range found {
		for k := range found[i].Hits {
			hits[found[i].Hits[k].Row] = &found[i].Hits[k]
		}
	}
	rows := slices.Sorted(maps.Keys(hits))
	where, args := m.where()
	text := "content"
	if m.match != "" {
		text = fmt.Sprintf(`CASE WHEN length(content) > %d THEN content ELSE snippet(%s, 0, '%s', '%s', '…', 40) END`, longest, m.table, MarkBegin, MarkEnd)
	}
	args = append(args, rows[0], rows[len(rows)-1])
	for _, r := range rows {
		args = append(args, r)
	}
	query := `SELECT rowid, ` + text + ` FROM ` + m.table + ` WHERE ` + where + ` AND rowid BETWEEN ? AND ?
		AND +rowid IN (?` + strings.Repeat(", ?", len(rows)-1) + `)`
	return d.query(ctx, "read what was found", query, args, func(scan scanFunc) error {
		var row int64
		var s string
		err := scan(&row, orEmpty{&s})
		if m.match == "" || len(s) > longest {
			s = around(s, m.terms)
		}
		if h := hits[row]; h != nil {
			h.Snippet = strings.TrimSpace(s)
		}
		return err
	})
}

// longest is the length of a text, in characters, beyond which the part around the first
// word is shown: the index compares each match in a text with each other to find the best.
const longest = 50_000

// snippetLength is how many code points of a text are shown that was looked through.
const snippetLength = 120

// around is the part of a text about the first of some terms, with marks.
func around(text string, terms []string) string {
	for _, t := range terms {
		at := strings.Index(asciiLower(text), asciiLower(t)) // as LIKE compares
		if at < 0 {
			continue
		}
		before, after := []rune(text[:at]), []rune(text[at+len(t):])
		out := MarkBegin + text[at:at+len(t)] + MarkEnd
		if n := snippetLength / 2; len(before) > n {
			out = "…" + string(before[len(before)-n:]) + out
		} else {
			out = string(before) + out
		}
		if n := snippetLength / 2; len(after) > n {
			return out + string(after[:n]) + "…"
		}
		return out + string(after)
	}
	return cut(text, snippetLength)
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func isNotFound(err error) bool {
	_, ok := errors.AsType[*NotFoundError](err)
	return ok
}

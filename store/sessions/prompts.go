package sessions

import (
	"context"
	"database/sql"
	"math"
	"strings"
	"time"
)

// UserText is what a session holds as the user's.
type UserText struct {
	Row     int64 // later ones have larger rows
	Session string
	At      time.Time
	// Text is at most [MaxUserText] bytes, and the end is left out of a longer one.
	Text string
}

// MaxUserText is how much of a text is read, in bytes.
const MaxUserText = 64 << 10

// UserTexts are at most n texts of the user before a row, the newest first, those that
// were taken back too; of all sessions but those of subagents. Before math.MaxInt64 are
// the newest ones. next is the row to go on before, 0 when there are no others.
func (d *DB) UserTexts(ctx context.Context, before int64, n int) (list []UserText, next int64, err error) {
	// Rows are read from the end of the table, of the others no more than their role.
	query := `SELECT m.id, m.session_id, CAST(m.timestamp AS REAL), CASE WHEN unicode(m.content) IS NULL THEN m.content ELSE substr(m.content, 1, ?3) END
		FROM messages m JOIN sessions s ON s.id = m.session_id LEFT JOIN tui_links l ON l.session = s.id
		WHERE m.id < ?1 AND m.role = 'user' AND COALESCE(m.content, '') <> '' AND ` + notHidden + ` AND NOT ` + delegated + ` ORDER BY m.id DESC LIMIT ?2`
	if before <= 0 {
		before = math.MaxInt64
	}
	err = d.query(ctx, "read what the user wrote", query, []any{before, n, MaxUserText}, func(scan scanFunc) error {
		var u UserText
		var at sql.NullFloat64
		err := scan(&u.Row, &u.Session, &at, orEmpty{&u.Text})
		u.At = moment(at)
		if u.Text = flatten(u.Text); len(u.Text) > MaxUserText {
			u.Text = strings.ToValidUTF8(u.Text[:MaxUserText], "")
		}
		list = append(list, u)
		return err
	})
	if len(list) == n && err == nil {
		next = list[len(list)-1].Row
	}
	return list, next, err
}

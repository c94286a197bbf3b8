package sessions

import (
	"context"
	"database/sql"
	"time"
)

// Spent is what the sessions have used that began on one day.
type Spent struct {
	Day time.Time // its beginning
	// Sessions counts those of users: what subagents have used is included, and they are
	// not counted.
	Sessions, Calls int64
	// Input counts all tokens sent, those that a cache had included.
	Input, Output int64
	CostUSD       float64 // 0 when nothing is known
}

// SpentByDay sums up sessions by the day on which they began, in the time zone of since,
// the oldest day first. Days without a model call are left out.
func (d *DB) SpentByDay(ctx context.Context, since time.Time) (days []Spent, err error) {
	err = d.query(ctx, "sum up usage", `SELECT CAST(s.started_at AS REAL), CASE WHEN l.why = ? THEN 0 ELSE 1 END, CAST(COALESCE(api_call_count, 0) AS INTEGER),
		CAST(COALESCE(input_tokens, 0) + COALESCE(cache_read_tokens, 0) + COALESCE(cache_write_tokens, 0) AS INTEGER),
		CAST(COALESCE(output_tokens, 0) AS INTEGER), CAST(COALESCE(estimated_cost_usd, 0) AS REAL)
		FROM sessions s LEFT JOIN tui_links l ON l.session = s.id
		WHERE s.started_at >= ? AND (s.api_call_count > 0 OR s.input_tokens > 0) ORDER BY s.started_at`, []any{string(WhySubagent), seconds(since)},
		func(scan scanFunc) error {
			var (
				at  sql.NullFloat64
				one Spent
			)
			if err := scan(&at, &one.Sessions, &one.Calls, &one.Input, &one.Output, &one.CostUSD); err != nil {
				return err
			}
			y, m, day := moment(at).In(since.Location()).Date()
			one.Day = time.Date(y, m, day, 0, 0, 0, 0, since.Location())
			if n := len(days); n == 0 || !days[n-1].Day.Equal(one.Day) {
				days = append(days, one)
				return nil
			}
			sum := &days[len(days)-1]
			sum.Sessions, sum.Calls, sum.Input = sum.Sessions+one.Sessions, sum.Calls+one.Calls, sum.Input+one.Input
			sum.Output, sum.CostUSD = sum.Output+one.Output, sum.CostUSD+one.CostUSD
			return nil
		})
	return days, err
}

// EventsOf are the events of one type of a conversation, in their order and as
// [DB.EachPage] gives them.
func (d *DB) EventsOf(ctx context.Context, conv, kind string) ([]Event, error) {
	return d.rows(ctx, "SELECT seq, type, body FROM tui_journal WHERE conv = ? AND type = ? ORDER BY seq", conv, kind)
}

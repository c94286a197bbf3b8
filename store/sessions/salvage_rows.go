package sessions

import (
	"fmt"
	"math"
	"strings"
)

// rows copies the rows of all tables.
func (v *salvage) rows() error {
	for _, o := range v.objects {
		if o.kind != "table" || strings.HasPrefix(o.name, "sqlite_") || v.shadow(o.name) {
			continue
		}
		columns, err := v.shared(o.name)
		if err != nil {
			return err
		}
		if len(columns) == 0 {
			continue
		}
		if err := v.copy(o, strings.Join(columns, ", ")); err != nil {
			return fmt.Errorf("copy the table %s: %w", o.name, err)
		}
	}
	if v.hurt {
		if err := v.carve(); err != nil {
			return err
		}
	}
	// Numbers of rows are not used again, even if the last ones are lost.
	if err := v.exec("UPDATE main.sqlite_sequence SET seq = MAX(seq, COALESCE((SELECT o.seq FROM old.sqlite_sequence o WHERE o.name = sqlite_sequence.name), 0))"); err != nil && !isDamage(err) {
		return err
	}
	return nil
}

// shared are the columns that a table has in both databases, quoted.
func (v *salvage) shared(table string) (columns []string, err error) {
	err = each(v.ctx, v.c, "SELECT n.name FROM pragma_table_info(?1, 'main') n JOIN pragma_table_info(?1, 'old') o ON o.name = n.name", []any{table}, func(scan scanFunc) error {
		var name string
		err := scan(&name)
		columns = append(columns, quotedName(name))
		return err
	})
	return columns, err
}

func quotedName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// copy copies the rows of a table: at once, or around what can't be read.
func (v *salvage) copy(o object, columns string) error {
	name := quotedName(o.name)
	insert := "INSERT OR IGNORE INTO main." + name + " (" + columns + ") SELECT " + columns + " FROM old." + name
	_, err := v.c.ExecContext(v.ctx, insert)
	switch {
	case err == nil, !isDamage(err):
		return err
	case o.name == "tui_journal":
		return v.copyJournal(insert)
	case strings.Contains(strings.ToUpper(o.sql), "WITHOUT ROWID"):
		return v.copyBeginning(o.name, insert)
	}
	t := tree{v: v, name: "old." + name, insert: insert}
	lost, err := t.copy()
	if o.name == "messages" || o.name == "sessions" {
		v.hurt = true
		return err
	}
	if lost > 0 {
		v.say("Rows of %s could not be read.", o.name)
	}
	return err
}

// copyJournal copies the journals that can be read whole. The others are made again from
// the messages, by the next revival.
func (v *salvage) copyJournal(insert string) error {
	var ids []string
	err := each(v.ctx, v.c, "SELECT id FROM main.tui_conversations UNION SELECT conv FROM main.tui_links", nil, func(scan scanFunc) error {
		var id string
		err := scan(&id)
		ids = append(ids, id)
		return err
	})
	if err != nil {
		return err
	}
	lost := 0
	for _, id := range ids {
		if _, err := v.c.ExecContext(v.ctx, insert+" WHERE conv = ?", id); isDamage(err) {
			lost++
		} else if err != nil {
			return err
		}
	}
	if lost > 0 {
		v.say("Transcripts that are made again from the messages, without notices and subagents: %d.", lost)
	}
	return nil
}

// copyBeginning copies as many rows of a table as can be read in their order.
func (v *salvage) copyBeginning(name, insert string) error {
	v.say("Rows of %s could not be read.", name)
	for n := int64(1) << 20; n > 0; n /= 4 {
		_, err := v.c.ExecContext(v.ctx, insert+" LIMIT ?", n)
		if err == nil || !isDamage(err) {
			return err
		}
	}
	return nil
}

// tree is a table that is read by its row numbers.
type tree struct {
	v            *salvage
	name, insert string
}

// The bounds of reading around damage: how many rows at once, and how often rows are
// skipped.
const (
	rowsAtOnce = 512
	mostSkips  = 200_000
)

// copy copies what can be read and reports how often something was skipped.
func (t tree) copy() (skips int, err error) {
	at, n := int64(math.MinInt64), int64(rowsAtOnce)
	for skips < mostSkips {
		last, rows, err := t.some(at, n)
		switch {
		case err == nil && rows == 0:
			return skips, nil
		case err == nil:
			at, n = last, min(2*n, rowsAtOnce)
		case !isDamage(err):
			return skips, err
		case n > 1:
			n /= 2
		default:
			skips++
			next, more, err := t.beyond(max(at, 0))
			if err != nil || !more {
				return skips, err
			}
			at, n = next-1, rowsAtOnce
		}
	}
	return skips, nil
}

// some copies at most n rows behind one, and gives the last of them.
func (t tree) some(behind, n int64) (last, rows int64, err error) {
	var number int64
	q := "SELECT COALESCE(MAX(r), 0), COUNT(*) FROM (SELECT rowid AS r FROM " + t.name + " WHERE rowid > ? ORDER BY rowid LIMIT ?)"
	err = each(t.v.ctx, t.v.c, q, []any{behind, n}, func(scan scanFunc) error { return scan(&last, &number) })
	if err == nil && number > 0 {
		_, err = t.v.c.ExecContext(t.v.ctx, t.insert+" WHERE rowid > ? AND rowid <= ?", behind, last)
	}
	return last, number, err
}

// beyond is the first row behind one that can be read; false says that there is none.
func (t tree) beyond(behind int64) (row int64, more bool, err error) {
	ok := func(from int64) (rows int64, whole bool, err error) {
		_, rows, err = t.some(from-1, 1)
		if isDamage(err) {
			return 0, false, nil
		}
		return rows, err == nil, err
	}
	bad, good, rows := behind+1, int64(0), int64(0)
	for step := int64(1); good == 0; step *= 2 {
		if step > 1<<40 {
			return 0, false, nil
		}
		n, whole, err := ok(behind + 1 + step)
		if err != nil {
			return 0, false, err
		}
		if whole {
			good, rows = behind+1+step, n
		} else {
			bad = behind + 1 + step
		}
	}
	for good-bad > 1 {
		middle := bad + (good-bad)/2
		n, whole, err := ok(middle)
		if err != nil {
			return 0, false, err
		}
		if whole {
			good, rows = middle, n
		} else {
			bad = middle
		}
	}
	return good, rows > 0, nil
}

package sessions

import (
	"fmt"
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
	// Numbers of rows are not used again, even if the last ones are lost.
	err := v.exec("DELETE FROM main.sqlite_sequence WHERE name IN (SELECT name FROM old.sqlite_sequence)",
		"INSERT INTO main.sqlite_sequence SELECT name, seq FROM old.sqlite_sequence")
	if err != nil && !isDamage(err) {
		return err
	}
	return nil
}

// shared returns the columns that a table has in both databases, quoted.
func (v *salvage) shared(table string) (columns []string, err error) {
	const query = "SELECT n.name FROM pragma_table_info(?1, 'main') n JOIN pragma_table_info(?1, 'old') o ON o.name = n.name"
	err = each(v.ctx, v.c, query, []any{table}, func(scan scanFunc) error {
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
	t := &tree{v: v, name: "old." + name, insert: insert}
	lost, err := t.copy()
	if o.name == "messages" || o.name == "sessions" {
		v.hurt = true
		return err
	}
	if lost {
		v.say("Rows of %s could not be read.", o.name)
	}
	return err
}

// copyJournal copies the journals that can be read whole. The others are made again from
// the messages, by the next revival.
func (v *salvage) copyJournal(insert string) error {
	var ids []string
	const query = "SELECT id FROM main.tui_conversations UNION SELECT conv FROM main.tui_links"
	err := each(v.ctx, v.c, query, nil, func(scan scanFunc) error {
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

// tree is a table that is copied by its row numbers.
type tree struct {
	v            *salvage
	name, insert string
	skips        int // ranges that could not be read at once
}

// The bounds of reading around damage: how often a range is divided, and how many places
// show whether anything can be read.
const (
	mostSkips = 200_000
	probes    = 32
)

// copy copies the rows that can be read and reports whether others were passed over.
func (t *tree) copy() (lost bool, err error) {
	first, one := t.number("SELECT COALESCE(MIN(rowid), 0) FROM " + t.name)
	last, other := t.number("SELECT COALESCE(MAX(rowid), 0) FROM " + t.name)
	if one != nil {
		first = 1
	}
	if other != nil {
		last, err = t.number("SELECT COALESCE((SELECT seq FROM old.sqlite_sequence WHERE 'old.\"' || name || '\"' = ?), "+
			"(SELECT 32 * page_count FROM pragma_page_count('old')))", t.name)
	}
	if err == nil && (one == nil || other == nil || t.readable(first, last)) {
		err = t.between(first, last)
	}
	return one != nil || other != nil || t.skips > 0, err
}

// number returns the number that a query finds.
func (t *tree) number(query string, args ...any) (n int64, err error) {
	err = each(t.v.ctx, t.v.c, query, args, func(scan scanFunc) error { return scan(&n) })
	return n, err
}

// readable reports whether any row can be read, though the first and the last cannot.
func (t *tree) readable(first, last int64) bool {
	step := max((last-first)/probes, 1)
	for at := first; at <= last; at += step {
		if _, err := t.number("SELECT rowid FROM "+t.name+" WHERE rowid >= ? LIMIT 1", at); err == nil {
			return true
		}
	}
	return false
}

// between copies a range of rows: at once, else each half of it by itself.
func (t *tree) between(from, to int64) error {
	_, err := t.v.c.ExecContext(t.v.ctx, t.insert+" WHERE rowid BETWEEN ? AND ?", from, to)
	if err == nil || !isDamage(err) {
		return err
	}
	if t.skips++; from >= to || t.skips >= mostSkips {
		return nil
	}
	middle := from + (to-from)/2
	if err := t.between(from, middle); err != nil {
		return err
	}
	return t.between(middle+1, to)
}

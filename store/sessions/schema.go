package sessions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"
)

// layout is what a database holds.
type layout struct {
	objects map[string]string              // "table sessions", "index …", "trigger …" → SQL
	columns map[string]map[string]struct{} // of the declared tables
	version int                            // 0 when none is recorded
	stale   bool                           // the reference has detached its full-text indexes, and makes them again
}

// querier is a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// readLayout looks at a database. It does not write.
func readLayout(ctx context.Context, q querier) (*layout, error) {
	l := &layout{objects: map[string]string{}, columns: map[string]map[string]struct{}{}}
	err := each(ctx, q, "SELECT type, name, COALESCE(sql, '') FROM sqlite_master", nil, func(scan scanFunc) error {
		var kind, name, sql string
		if err := scan(&kind, &name, &sql); err != nil {
			return err
		}
		l.objects[kind+" "+name] = sql
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	if err := l.readColumns(ctx, q); err != nil {
		return nil, fmt.Errorf("read columns: %w", err)
	}
	if _, ok := l.columns["schema_version"]["version"]; !ok {
		return l, nil
	}
	err = each(ctx, q, "SELECT COALESCE(MAX(CAST(version AS INTEGER)), 0) FROM schema_version", nil, func(scan scanFunc) error {
		return scan(&l.version)
	})
	if err != nil {
		return nil, fmt.Errorf("read schema version: %w", err)
	}
	if _, ok := l.columns["state_meta"]; ok {
		err = each(ctx, q, "SELECT EXISTS (SELECT 1 FROM state_meta WHERE key = 'fts_stale')", nil, func(scan scanFunc) error { return scan(&l.stale) })
	}
	if err != nil {
		return nil, fmt.Errorf("read state of indexes: %w", err)
	}
	return l, nil
}

// known reports whether the layout is one that this package may complete. In a newer one
// it makes its own tables and changes no other.
func (l *layout) known() bool { return l.version <= newestSchema }

// complete reports whether all columns of the reference that are written are there.
func (l *layout) complete() bool {
	for _, t := range sharedTables() {
		for _, c := range t.columns {
			if _, ok := l.columns[t.name][c.name]; !ok {
				return false
			}
		}
	}
	return true
}

func (l *layout) readColumns(ctx context.Context, q querier) error {
	var names []string
	for _, t := range declaredTables() {
		names = append(names, "'"+t.name+"'")
	}
	query := "SELECT m.name, p.name FROM sqlite_master m JOIN pragma_table_info(m.name) p " +
		"WHERE m.type IN ('table', 'view') AND m.name IN (" + strings.Join(names, ", ") + ")"
	return each(ctx, q, query, nil, func(scan scanFunc) error {
		var table, column string
		if err := scan(&table, &column); err != nil {
			return err
		}
		if l.columns[table] == nil {
			l.columns[table] = map[string]struct{}{}
		}
		l.columns[table][column] = struct{}{}
		return nil
	})
}

// empty reports whether nothing was ever stored in the database.
func (l *layout) empty() bool { return len(l.objects) == 0 }

// foreign reports whether this is the database of some other program: one without
// the tables of a session store, or with tables of the same name that lack what
// can't be added to them.
func (l *layout) foreign() bool {
	if l.empty() {
		return false
	}
	if _, ok := l.columns["sessions"]; !ok {
		return true
	}
	for _, t := range declaredTables() {
		have, ok := l.columns[t.name]
		if !ok {
			continue
		}
		for _, c := range t.columns {
			if _, ok := have[c.name]; !ok && !c.addable() {
				return true
			}
		}
	}
	return false
}

// addable reports whether the column can be added to a table that has rows.
func (c column) addable() bool {
	return !strings.Contains(c.rule, "PRIMARY KEY") && (!strings.Contains(c.rule, "NOT NULL") || c.def != "")
}

// step is one statement of a plan.
type step struct {
	sql string
	// optional steps may be refused by the rows that are there.
	optional bool
}

// alters reports whether the statement changes a table that is there.
func (s step) alters() bool { return strings.HasPrefix(s.sql, "ALTER TABLE ") }

// plan lists what is missing of the declared schema, in an order that can be
// carried out. An empty plan means that nothing has to be written.
func (l *layout) plan() []step {
	var todo []step
	tables, full := declaredTables(), fullTexts()
	if !l.known() {
		tables = ownTables()
	}
	if !l.known() || l.stale {
		full = nil
	}
	for _, t := range tables {
		have, ok := l.columns[t.name]
		if !ok {
			todo = append(todo, step{sql: t.create()})
			continue
		}
		for _, c := range t.columns {
			if _, ok := have[c.name]; !ok {
				todo = append(todo, step{sql: "ALTER TABLE " + t.name + " ADD COLUMN " + c.declare()})
			}
		}
	}
	for _, x := range declaredIndexes() {
		if _, ok := l.objects["index "+x.name]; !ok && (l.known() || strings.HasPrefix(x.name, "tui_")) {
			todo = append(todo, step{sql: x.create(), optional: x.optional})
		}
	}
	for _, f := range full {
		for _, sql := range f.plan(l) {
			todo = append(todo, step{sql: sql})
		}
	}
	for _, sql := range slices.Concat(l.planDetached(), planForgetting(l)) {
		todo = append(todo, step{sql: sql})
	}
	if l.version == 0 {
		todo = append(todo, step{sql: fmt.Sprintf("INSERT INTO schema_version (version) SELECT %d WHERE NOT EXISTS (SELECT 1 FROM schema_version)", schemaVersion)})
	}
	return todo
}

// reconcile adds what is missing of the declared schema. It runs within a
// transaction of the writer.
func reconcile(ctx context.Context, q querier) error {
	l, err := readLayout(ctx, q)
	if err != nil {
		return err
	}
	for _, s := range l.plan() {
		_, err := q.ExecContext(ctx, s.sql)
		if s.optional && sqliteCode(err)&0xff == sqlite3.SQLITE_CONSTRAINT {
			continue
		}
		if err != nil {
			return fmt.Errorf("complete schema: %w", err)
		}
	}
	return nil
}

// shadows lists the statements that let a reader who may not write see an
// incomplete schema as a complete one: temporary tables in place of missing ones
// and temporary views that add missing columns with their defaults.
func (l *layout) shadows() []string {
	var todo []string
	for _, t := range declaredTables() {
		have, ok := l.columns[t.name]
		if !ok {
			todo = append(todo, "CREATE TEMP TABLE "+t.name+" ("+strings.Join(names(t.columns), ", ")+")")
			continue
		}
		var added []string
		for _, c := range t.columns {
			if _, ok := have[c.name]; ok {
				continue
			}
			def := c.def
			if def == "" {
				def = "NULL"
			}
			added = append(added, def+" AS "+c.name)
		}
		if len(added) == 0 {
			continue
		}
		todo = append(todo, "CREATE TEMP VIEW "+t.name+" AS SELECT *, "+strings.Join(added, ", ")+" FROM main."+t.name)
	}
	return todo
}

func names(columns []column) []string {
	var all []string
	for _, c := range columns {
		all = append(all, c.name)
	}
	return all
}

// scanFunc reads the current row.
type scanFunc func(dest ...any) error

// each runs a query and calls do for every row.
func each(ctx context.Context, q querier, query string, args []any, do func(scanFunc) error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	return eachRow(rows, do)
}

// eachRow calls do for every row, and closes them.
func eachRow(rows *sql.Rows, do func(scanFunc) error) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := do(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

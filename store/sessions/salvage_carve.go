package sessions

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"
)

// carve looks through all pages of the damaged file for rows of sessions and messages
// that no tree leads to any more. Pages that are free are passed over: what was deleted
// stays so.
func (v *salvage) carve() error {
	p, err := v.pager()
	if err != nil {
		return err
	}
	ids := map[string]bool{}
	known := func() error {
		return each(v.ctx, v.c, "SELECT id FROM main.sessions UNION SELECT session FROM main.tui_links", nil, func(scan scanFunc) error {
			var id string
			err := scan(orEmpty{&id})
			ids[id] = true
			return err
		})
	}
	text := func(row map[string]any, name string) string { s, _ := row[name].(string); return s }
	isSession := func(row map[string]any) bool {
		at, ok := row["started_at"].(float64)
		return ok && at > 1e9 && at < 1e11 && text(row, "id") != "" && text(row, "source") != ""
	}
	isMessage := func(row map[string]any) bool {
		return row["id"] == nil && ids[text(row, "session_id")] && slices.Contains([]string{"user", "assistant", "tool", "system"}, text(row, "role"))
	}
	for _, t := range []struct {
		name string
		is   func(map[string]any) bool
	}{{"sessions", isSession}, {"messages", isMessage}} {
		if err := known(); err != nil {
			return err
		}
		if err := v.carveTable(p, t.name, t.is); err != nil {
			return err
		}
	}
	return nil
}

// carveTable adds the rows of a table that are found by their form.
func (v *salvage) carveTable(p *pager, table string, is func(row map[string]any) bool) error {
	var names []string
	err := each(v.ctx, v.c, "SELECT name FROM pragma_table_info(?, 'old') ORDER BY cid", []any{table}, func(scan scanFunc) error {
		var name string
		err := scan(&name)
		names = append(names, name)
		return err
	})
	if err != nil || len(names) == 0 {
		return err
	}
	here, err := v.shared(table)
	if err != nil {
		return err
	}
	insert := "INSERT OR IGNORE INTO main." + table + " (" + strings.Join(here, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(here)-1) + ")"
	return p.leaves(func(number int64, values []any) error {
		if len(values) > len(names) || len(values) < 5 {
			return nil
		}
		row := map[string]any{}
		for i, value := range values {
			row[names[i]] = value
		}
		if !is(row) {
			return nil
		}
		if row["id"] == nil {
			row["id"] = number
		}
		args := make([]any, len(here))
		for i, name := range here {
			args[i] = row[strings.Trim(name, `"`)]
		}
		_, err := v.c.ExecContext(v.ctx, insert, args...)
		if sqliteCode(err)&0xff == sqlite3.SQLITE_CONSTRAINT { // a constraint: it only looked like a row
			return nil
		}
		return err
	})
}

// pager reads the pages of the damaged file, its log included.
type pager struct {
	v      *salvage
	count  int64
	usable int
	free   map[int64]bool
}

// pager reads the header of the damaged file and which of its pages are free.
func (v *salvage) pager() (*pager, error) {
	p := &pager{v: v, free: map[int64]bool{}}
	err := each(v.ctx, v.c, "SELECT COUNT(*) FROM sqlite_dbpage('old')", nil, func(scan scanFunc) error { return scan(&p.count) })
	if err != nil {
		return nil, err
	}
	head := p.page(1)
	if len(head) < 512 {
		return nil, errors.New("the first page can't be read")
	}
	p.usable = len(head) - int(head[20])
	for trunk := int64(binary.BigEndian.Uint32(head[32:])); trunk > 0 && !p.free[trunk]; {
		p.free[trunk] = true
		page := p.page(trunk)
		if len(page) < 8 {
			break
		}
		n := int(min(binary.BigEndian.Uint32(page[4:]), uint32(len(page)/4-2)))
		for i := range n {
			p.free[int64(binary.BigEndian.Uint32(page[8+4*i:]))] = true
		}
		trunk = int64(binary.BigEndian.Uint32(page))
	}
	return p, nil
}

// page is the content of a page, nothing if it can't be read.
func (p *pager) page(number int64) (data []byte) {
	err := each(p.v.ctx, p.v.c, "SELECT data FROM sqlite_dbpage('old') WHERE pgno = ?", []any{number}, func(scan scanFunc) error { return scan(&data) })
	if err != nil {
		return nil
	}
	return data
}

// leaves calls do with every row on the leaves of tables that are not free.
func (p *pager) leaves(do func(row int64, values []any) error) error {
	for number := int64(2); number <= p.count; number++ {
		if p.v.ctx.Err() != nil {
			return p.v.ctx.Err()
		}
		if p.free[number] {
			continue
		}
		page := p.page(number)
		if len(page) < 8 || page[0] != 0x0d {
			continue
		}
		for i := range int(binary.BigEndian.Uint16(page[3:])) {
			if 10+2*i > len(page) {
				break
			}
			at := int(binary.BigEndian.Uint16(page[8+2*i:]))
			if at >= len(page) {
				continue
			}
			size, rest, ok := varint(page[at:])
			if !ok {
				continue
			}
			row, rest, ok := varint(rest)
			if !ok || size < 0 {
				continue
			}
			if values, ok := record(p.payload(rest, size)); ok {
				if err := do(row, values); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// largest is how long a row may be, in bytes.
const largest = 1 << 28

// payload is the content of a cell of a leaf, with what lies on further pages; nothing
// if a part of it is missing.
func (p *pager) payload(cell []byte, size int64) []byte {
	if size > largest {
		return nil
	}
	local, most := int(size), p.usable-35
	if local > most {
		least := (p.usable-12)*32/255 - 23
		if local = least + (int(size)-least)%(p.usable-4); local > most {
			local = least
		}
	}
	if local < 0 || local > len(cell) {
		return nil
	}
	data := slices.Clone(cell[:local])
	if local == int(size) {
		return data
	}
	if len(cell) < local+4 {
		return nil
	}
	next := int64(binary.BigEndian.Uint32(cell[local:]))
	for int64(len(data)) < size {
		page := p.page(next)
		if len(page) < p.usable || p.usable < 4 {
			return nil
		}
		data = append(data, page[4:p.usable][:min(int64(p.usable-4), size-int64(len(data)))]...)
		next = int64(binary.BigEndian.Uint32(page))
	}
	return data
}

// record takes a row apart into its values.
func record(data []byte) (values []any, ok bool) {
	size, rest, ok := varint(data)
	if !ok || size < 1 || size > int64(len(data)) {
		return nil, false
	}
	kinds, body := rest[:max(int(size)-(len(data)-len(rest)), 0)], data[size:]
	for len(kinds) > 0 {
		var kind int64
		if kind, kinds, ok = varint(kinds); !ok || kind < 0 {
			return nil, false
		}
		var n int
		switch {
		case kind >= 12:
			n = int((kind - 12) / 2)
		default:
			n = []int{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, -1, -1}[kind]
		}
		if n < 0 || n > len(body) {
			return nil, false
		}
		values = append(values, valueOf(kind, body[:n]))
		body = body[n:]
	}
	return values, len(values) > 0
}

// valueOf reads a value of a kind.
func valueOf(kind int64, b []byte) any {
	switch {
	case kind == 0:
		return nil
	case kind == 7:
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	case kind == 8, kind == 9:
		return kind - 8
	case kind >= 13 && kind%2 == 1:
		return string(b)
	case kind >= 12:
		return slices.Clone(b)
	}
	n := int64(int8(b[0]))
	for _, c := range b[1:] {
		n = n<<8 | int64(c)
	}
	return n
}

// varint reads a number as SQLite writes it.
func varint(b []byte) (n int64, rest []byte, ok bool) {
	for i, c := range b {
		if i == 8 {
			return n<<8 | int64(c), b[9:], true
		}
		n = n<<7 | int64(c&0x7f)
		if c < 0x80 {
			return n, b[i+1:], true
		}
	}
	return 0, nil, false
}

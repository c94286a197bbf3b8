package sessions

import (
	"fmt"
	"strings"
)

const (
	// schemaVersion is the version of the reference's schema that a new database has.
	schemaVersion = 16
	// newestSchema is the newest version whose layout is known. Up to it every database is
	// written as it is, by its own triggers and with its own version.
	newestSchema = 30
)

// column is a declared column. An absent one is added with its default, which
// is also what a reader sees in its place where nothing may be added.
type column struct {
	name string
	kind string // storage type
	rule string // constraint, as written behind the type
	def  string // default value in SQL; empty means NULL
}

// table is a declared table.
type table struct {
	name    string
	columns []column
	extra   string // table constraints
	options string // what follows the closing bracket
}

// index is a declared index. An optional one is left out where the rows that
// are there already forbid it.
type index struct {
	name, on string
	unique   bool
	optional bool
}

// declare gives the SQL of a column.
func (c column) declare() string {
	parts := []string{c.name, c.kind}
	if c.rule != "" {
		parts = append(parts, c.rule)
	}
	if c.def != "" {
		parts = append(parts, "DEFAULT "+c.def)
	}
	return strings.Join(parts, " ")
}

// create gives the SQL that makes the table.
func (t table) create() string {
	var lines []string
	for _, c := range t.columns {
		lines = append(lines, "\t"+c.declare())
	}
	if t.extra != "" {
		lines = append(lines, "\t"+t.extra)
	}
	sql := fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s (\n%s\n)", t.name, strings.Join(lines, ",\n"))
	if t.options != "" {
		sql += " " + t.options
	}
	return sql
}

// create gives the SQL that makes the index.
func (x index) create() string {
	kind := "INDEX"
	if x.unique {
		kind = "UNIQUE INDEX"
	}
	return fmt.Sprintf("CREATE %s IF NOT EXISTS %s ON %s", kind, x.name, x.on)
}

// The functions below declare the usual columns.

func textColumn(name string) column  { return column{name: name, kind: "TEXT"} }
func floatColumn(name string) column { return column{name: name, kind: "REAL"} }
func keyColumn(name string) column   { return column{name: name, kind: "TEXT", rule: "PRIMARY KEY"} }

func countColumn(name string) column { return column{name: name, kind: "INTEGER", def: "0"} }

func flagColumn(name, def string) column {
	return column{name: name, kind: "INTEGER", rule: "NOT NULL", def: def}
}

func requiredColumn(name, kind string) column {
	return column{name: name, kind: kind, rule: "NOT NULL"}
}

// columns joins single columns and groups of them.
func columns(all ...any) []column {
	var flat []column
	for _, one := range all {
		switch c := one.(type) {
		case column:
			flat = append(flat, c)
		case []column:
			flat = append(flat, c...)
		}
	}
	return flat
}

// group declares several columns of one kind.
func group(declare func(string) column, names ...string) []column {
	var all []column
	for _, name := range names {
		all = append(all, declare(name))
	}
	return all
}

// declaredTables are the tables this package needs, the reference's first.
func declaredTables() []table {
	return append(sharedTables(), ownTables()...)
}

// sharedTables are the reference's, by its names.
func sharedTables() []table {
	return []table{
		{name: "schema_version", columns: columns(requiredColumn("version", "INTEGER"))},
		{name: "sessions", columns: columns(
			keyColumn("id"), requiredColumn("source", "TEXT"),
			group(textColumn, "user_id", "model", "model_config", "system_prompt", "parent_session_id"),
			requiredColumn("started_at", "REAL"), floatColumn("ended_at"), textColumn("end_reason"),
			group(countColumn, "message_count", "tool_call_count", "input_tokens", "output_tokens",
				"cache_read_tokens", "cache_write_tokens", "reasoning_tokens"),
			group(textColumn, "cwd", "billing_provider", "billing_base_url", "billing_mode"),
			group(floatColumn, "estimated_cost_usd", "actual_cost_usd"),
			group(textColumn, "cost_status", "cost_source", "pricing_version", "title"),
			countColumn("api_call_count"), group(textColumn, "handoff_state", "handoff_platform", "handoff_error"),
			flagColumn("rewind_count", "0"), flagColumn("archived", "0"),
		), extra: "FOREIGN KEY (parent_session_id) REFERENCES sessions(id)"},
		{name: "messages", columns: columns(
			column{name: "id", kind: "INTEGER", rule: "PRIMARY KEY AUTOINCREMENT"},
			column{name: "session_id", kind: "TEXT", rule: "NOT NULL REFERENCES sessions(id)"},
			requiredColumn("role", "TEXT"), group(textColumn, "content", "tool_call_id", "tool_calls", "tool_name"),
			requiredColumn("timestamp", "REAL"), column{name: "token_count", kind: "INTEGER"},
			group(textColumn, "finish_reason", "reasoning", "reasoning_content", "reasoning_details",
				"codex_reasoning_items", "codex_message_items", "platform_message_id"),
			countColumn("observed"), flagColumn("active", "1"), flagColumn("compacted", "0"), textColumn("display_kind"),
		)},
		{name: "state_meta", columns: columns(keyColumn("key"), textColumn("value"))},
		{name: "compression_locks", columns: columns(
			keyColumn("session_id"), requiredColumn("holder", "TEXT"),
			requiredColumn("acquired_at", "REAL"), requiredColumn("expires_at", "REAL"),
		)},
	}
}

// ownTables are those of this program. What refers to a row of the reference's
// goes with it, so that the reference can delete as it likes.
func ownTables() []table {
	return []table{
		{name: "tui_conversations", columns: columns(
			keyColumn("id"), requiredColumn("session", "TEXT"),
			column{name: "workspace", kind: "TEXT", rule: "NOT NULL", def: "''"},
			requiredColumn("created_at", "REAL"), requiredColumn("updated_at", "REAL"),
		)},
		{name: "tui_links", columns: columns(
			column{name: "session", kind: "TEXT", rule: "PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE"},
			requiredColumn("conv", "TEXT"), group(textColumn, "agent", "parent_session", "why"),
		)},
		{name: "tui_messages", columns: columns(
			column{name: "row", kind: "INTEGER", rule: "PRIMARY KEY REFERENCES messages(id) ON DELETE CASCADE"},
			column{name: "id", kind: "TEXT", rule: "NOT NULL UNIQUE"}, requiredColumn("conv", "TEXT"),
			group(textColumn, "agent", "turn", "native", "calls"),
		)},
		{name: "tui_context", columns: columns(
			column{name: "row", kind: "INTEGER", rule: "PRIMARY KEY REFERENCES messages(id) ON DELETE CASCADE"},
			flagColumn("left_out", "0"), group(textColumn, "content", "tool_calls"),
		)},
		{name: "tui_context_before", columns: columns(
			column{name: "row", kind: "INTEGER", rule: "NOT NULL REFERENCES messages(id) ON DELETE CASCADE"},
			requiredColumn("step", "INTEGER"), flagColumn("changed", "0"), flagColumn("left_out", "0"),
			group(textColumn, "content", "tool_calls"),
		), extra: "PRIMARY KEY (row, step)", options: "WITHOUT ROWID"},
		{name: "tui_choices", columns: columns(
			column{name: "row", kind: "INTEGER", rule: "PRIMARY KEY REFERENCES messages(id) ON DELETE CASCADE"},
			flagColumn("dropped", "0"), flagColumn("pinned", "0"), textColumn("content"), flagColumn("step", "0"),
		)},
		{name: "tui_rewound", columns: columns(
			column{name: "row", kind: "INTEGER", rule: "PRIMARY KEY REFERENCES messages(id) ON DELETE CASCADE"},
			requiredColumn("rewind", "TEXT"), flagColumn("compacted", "0"),
		)},
		{name: "tui_prompts", columns: columns(
			column{name: "session", kind: "TEXT", rule: "PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE"},
			requiredColumn("prompt", "TEXT"),
		)},
		{name: "tui_ways", columns: columns(
			column{name: "number", kind: "INTEGER", rule: "PRIMARY KEY"}, column{name: "id", kind: "TEXT", rule: "NOT NULL UNIQUE"},
			column{name: "session", kind: "TEXT", rule: "NOT NULL REFERENCES sessions(id) ON DELETE CASCADE"},
			requiredColumn("at", "REAL"), group(textColumn, "label", "branch"),
		)},
		{name: "tui_points", columns: columns(
			keyColumn("id"), column{name: "session", kind: "TEXT", rule: "NOT NULL REFERENCES sessions(id) ON DELETE CASCADE"},
			requiredColumn("at", "REAL"), group(textColumn, "text", "label"),
		)},
		{name: "tui_journal", columns: columns(
			requiredColumn("conv", "TEXT"), requiredColumn("seq", "INTEGER"), group(textColumn, "session", "agent", "turn"),
			requiredColumn("type", "TEXT"), requiredColumn("at", "REAL"), requiredColumn("body", "TEXT"),
		), extra: "PRIMARY KEY (conv, seq)", options: "WITHOUT ROWID"},
		{name: "tui_calls", columns: columns(
			keyColumn("id"), requiredColumn("conv", "TEXT"), group(textColumn, "session", "agent", "turn", "message"),
			countColumn("ordinal"), textColumn("wire_id"), requiredColumn("name", "TEXT"), textColumn("arguments"),
			requiredColumn("planned_at", "REAL"), group(floatColumn, "started_at", "ended_at"),
			group(textColumn, "outcome", "result"),
		)},
		{name: "tui_grants", columns: columns(
			keyColumn("id"), textColumn("conv"), requiredColumn("kind", "TEXT"), requiredColumn("pattern", "TEXT"),
			textColumn("example"), requiredColumn("created_at", "REAL"), floatColumn("revoked_at"), group(textColumn, "mac", "pins"),
		)},
		{name: "tui_decisions", columns: columns(
			keyColumn("id"), requiredColumn("conv", "TEXT"), group(textColumn, "agent", "call"), requiredColumn("tool", "TEXT"),
			textColumn("verb"), requiredColumn("digest", "TEXT"), requiredColumn("outcome", "TEXT"), requiredColumn("decided_by", "TEXT"),
			group(textColumn, "rule", "category", "reason"), requiredColumn("at", "REAL"), textColumn("ran"),
		)},
		{name: "tui_drafts", columns: columns(
			keyColumn("conv"), requiredColumn("text", "TEXT"), requiredColumn("updated_at", "REAL"),
		)},
		{name: "tui_images", columns: columns(
			keyColumn("id"), requiredColumn("media", "TEXT"), requiredColumn("data", "BLOB"),
			requiredColumn("kept_at", "REAL"), floatColumn("sent_at"),
		)},
		{name: "tui_partials", columns: columns(
			requiredColumn("conv", "TEXT"), requiredColumn("agent", "TEXT"),
			group(textColumn, "turn", "message", "reasoning", "text"), requiredColumn("updated_at", "REAL"),
		), extra: "PRIMARY KEY (conv, agent)"},
	}
}

// declaredIndexes are the indexes this package needs, the reference's first.
func declaredIndexes() []index {
	return []index{
		{name: "idx_sessions_source", on: "sessions(source)"},
		{name: "idx_sessions_source_id", on: "sessions(source, id)"},
		{name: "idx_sessions_parent", on: "sessions(parent_session_id)"},
		{name: "idx_sessions_started", on: "sessions(started_at DESC)"},
		{name: "idx_messages_session", on: "messages(session_id, timestamp)"},
		{name: "idx_messages_session_active", on: "messages(session_id, active, timestamp)"},
		{name: "idx_compression_locks_expires", on: "compression_locks(expires_at)"},
		{name: "idx_sessions_title_unique", on: "sessions(title) WHERE title IS NOT NULL", unique: true, optional: true},
		{name: "tui_idx_links_conv", on: "tui_links(conv)"},
		{name: "tui_idx_calls_conv", on: "tui_calls(conv, ended_at)"},
		{name: "tui_idx_calls_message", on: "tui_calls(message)"},
		{name: "tui_idx_ways", on: "tui_ways(session)"},
		{name: "tui_idx_points", on: "tui_points(session)"},
		{name: "tui_idx_rewound", on: "tui_rewound(rewind)"},
		{name: "tui_idx_grants_conv", on: "tui_grants(conv)"},
		{name: "tui_idx_decisions_conv", on: "tui_decisions(conv, at)"},
	}
}

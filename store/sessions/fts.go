package sessions

import "strings"

// fullText is a full-text index over the messages and the triggers that keep it.
// Names are the reference's, which would add its own triggers to ours otherwise.
type fullText struct {
	table    string
	options  string
	triggers []trigger
	// only limits what is indexed; empty means every message. It is SQL with
	// "$" in place of the row's name and a dot.
	only string
}

type trigger struct{ name, sql string }

// searched is the text of the content of a message, "$" standing for the row. Of
// structured content, which begins with a NUL where text functions stop, it is the
// texts in it: an image of some MB would take ten times its size in the indexes, and
// seconds.
const searched = `CASE WHEN $content <> '' AND unicode($content) IS NULL THEN COALESCE((SELECT group_concat(atom, ' ') ` +
	`FROM json_tree(CASE WHEN json_valid(` + behindMark + `) THEN ` + behindMark + ` END) ` +
	`WHERE type = 'text' AND COALESCE(key, '') NOT IN ('data', 'type') AND atom NOT GLOB 'data:*'), '') ELSE COALESCE($content, '') END`

// behindMark is structured content without the mark of 6 bytes before it.
const behindMark = `CAST(substr(CAST($content AS BLOB), 7) AS TEXT)`

// indexed is what of a message is searched, "$" standing for the row.
const indexed = searched + ` || ' ' || COALESCE($tool_name, '') || ' ' || COALESCE($tool_calls, '')`

// cjk holds for messages that need the trigram index: those with a character of
// the Chinese, Japanese and Korean blocks, which the default tokenizer does not
// cut into words. The trigram index is three quarters of the cost of a message
// and of the file, hence the condition. Looking for the characters takes longer
// than indexing the words, so text of one byte per character is sorted out
// before.
const cjk = `(length(` + indexed + `) <> length(CAST(` + indexed + ` AS BLOB)) AND (` + indexed + `) GLOB '*[` +
	"\u3000-\u9fff\uac00-\ud7af\U00020000-\U0002a6df" + `]*')`

// fullTexts are the two indexes: words, and trigrams for the scripts that do not
// separate words.
func fullTexts() []fullText {
	return []fullText{
		newFullText("messages_fts", "content", ""),
		newFullText("messages_fts_trigram", "content, tokenize='trigram'", cjk),
	}
}

func newFullText(table, options, only string) fullText {
	f := fullText{table: table, options: options, only: only}
	drop := "DELETE FROM " + table + " WHERE rowid = old.id; "
	f.triggers = []trigger{
		{table + "_insert", "AFTER INSERT ON messages BEGIN " + f.add("new.", "", "") + "; END"},
		{table + "_delete", "AFTER DELETE ON messages BEGIN " + drop + "END"},
		{table + "_update", "AFTER UPDATE OF content, tool_name, tool_calls ON messages BEGIN " +
			drop + f.add("new.", "", "") + "; END"},
	}
	return f
}

// add gives the SQL that indexes rows, which are called row and come from a
// table or, in a trigger, from nowhere. The condition may be empty.
func (f fullText) add(row, from, condition string) string {
	sql := "INSERT INTO " + f.table + "(rowid, content) SELECT " + row + "id, " + strings.ReplaceAll(indexed, "$", row) + from
	var where []string
	if condition != "" {
		where = append(where, condition)
	}
	if f.only != "" {
		where = append(where, strings.ReplaceAll(f.only, "$", row))
	}
	if len(where) > 0 {
		sql += " WHERE " + strings.Join(where, " AND ")
	}
	return sql
}

// keptBy is the index as the triggers of a database keep it: those of another program put
// every message into it.
func (f fullText) keptBy(have *layout) fullText {
	if sql, ok := have.objects["trigger "+f.table+"_insert"]; ok && !strings.Contains(sql, "json_tree") {
		f.only = ""
	}
	return f
}

// fill gives the SQL that indexes the messages that are not in the index.
func (f fullText) fill() string {
	return f.add("m.", " FROM messages m", "m.id NOT IN (SELECT rowid FROM "+f.table+")")
}

// plan gives the SQL that makes what is missing of the index. Triggers that are
// there stay as they are, whoever made them. An index that reads its text from
// the messages table, as early versions of the reference made it, is left to
// the reference altogether.
func (f fullText) plan(have *layout) []string {
	var todo []string
	made, exists := have.objects["table "+f.table]
	if exists && ownText(made) {
		return nil
	}
	if !exists {
		todo = append(todo, "CREATE VIRTUAL TABLE "+f.table+" USING fts5("+f.options+")")
	}
	for _, t := range f.triggers {
		if _, ok := have.objects["trigger "+t.name]; !ok {
			todo = append(todo, "CREATE TRIGGER "+t.name+" "+t.sql)
		}
	}
	if len(todo) > 0 {
		todo = append(todo, f.keptBy(have).fill())
	}
	return todo
}

// planDetached returns the SQL that lets messages be written where the reference keeps an
// index of words of Chinese, Japanese and Korean by a tokenizer of its own, a library that
// is not loaded here: with its triggers no statement about messages can be prepared. It is
// what the reference does without that library: the index is marked as stale, and made
// again on request.
func (l *layout) planDetached() []string {
	const table = "messages_fts_cjk"
	var todo []string
	for _, f := range []string{"_insert", "_delete", "_update"} {
		if _, ok := l.objects["trigger "+table+f]; ok {
			todo = append(todo, "DROP TRIGGER "+table+f)
		}
	}
	if len(todo) > 0 {
		todo = append([]string{"INSERT INTO state_meta (key, value) VALUES ('fts_cjk_stale', '1') ON CONFLICT (key) DO UPDATE SET value = '1'"}, todo...)
	}
	return todo
}

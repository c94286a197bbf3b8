package shellrisk

import (
	"slices"
	"strings"
	"unicode"
)

// database judges statements handed to a database client, on the command line,
// by a here-document or by a pipe.
func (c call) database() {
	shown := append([]string{c.name}, show(c.args)...)
	switch c.name {
	case "dropdb", "dropuser":
		c.j.ask(CatDatabase, "deletes a database or a user", shown...)
		return
	case "mysqladmin":
		if slices.ContainsFunc(c.args, func(a arg) bool { return a.text == "drop" || a.text == "shutdown" }) {
			c.j.ask(CatDatabase, "deletes a database or a user", shown...)
		}
		return
	case "pg_restore":
		if opts, _ := (grammar{}).parse(c.args); opts.has("-c", "--clean") {
			c.j.ask(CatDatabase, "deletes what is in a database", shown...)
		}
		return
	}
	for _, a := range c.args {
		c.statement(a.text, shown)
		if a.from&opaque != 0 && !readsOnly(a.text) && strings.ContainsAny(a.text, " "+hole) && c.isStatement(a) {
			c.j.ask(CatDatabase, "sends a statement that cannot be known beforehand", shown...)
		}
	}
	if c.in.known && (c.in.piped || c.in.doc) {
		c.statement(c.in.text, shown)
	}
}

// isStatement reports whether a word is code for the client: the value of an
// option that carries it.
func (c call) isStatement(a arg) bool {
	for i, w := range c.args {
		if w == a && i > 0 {
			switch c.args[i-1].text {
			case "-c", "--command", "-e", "--execute", "--eval", "-q", "--query", "-Q":
				return true
			}
		}
	}
	return false
}

// statement asks about a text that deletes, or leaves the database.
func (c call) statement(text string, shown []string) {
	switch {
	case c.name == "redis-cli":
		for w := range strings.FieldsSeq(strings.ToUpper(text)) {
			if w == "FLUSHALL" || w == "FLUSHDB" || w == "SHUTDOWN" {
				c.j.ask(CatDatabase, "deletes what is in a database", shown...)
			}
		}
	case c.name == "mongo" || c.name == "mongosh":
		for _, word := range []string{"dropDatabase", ".drop(", ".remove({}", "deleteMany({}", ".dropIndexes("} {
			if strings.Contains(text, word) {
				c.j.ask(CatDatabase, "deletes what is in a database", shown...)
			}
		}
	case clientEscape(text):
		c.j.ask(CatIndirectExec, "makes the database client run a program", shown...)
	case deletesData(text):
		c.j.ask(CatDatabase, "deletes what is in a database", shown...)
	}
}

// clientEscape finds the commands by which clients start programs.
func clientEscape(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.ToLower(strings.TrimSpace(line))
		if strings.Contains(line, `\!`) || strings.HasPrefix(line, ".shell") || strings.HasPrefix(line, ".system") ||
			strings.HasPrefix(line, "system ") || strings.HasPrefix(line, `\o |`) || strings.HasPrefix(line, `\g |`) ||
			strings.Contains(line, "from program") || strings.Contains(line, "to program") {
			return true
		}
	}
	return false
}

// readsOnly reports whether a statement whose end is not known begins as one that
// reads.
func readsOnly(text string) bool {
	tokens := sqlTokens(text)
	return len(tokens) > 0 && slices.Contains([]string{"SELECT", "SHOW", "EXPLAIN", "DESCRIBE"}, tokens[0])
}

// deletesData finds statements that drop, truncate, or change rows without a
// condition. Text in quotes and comments does not count.
func deletesData(text string) bool {
	for statement := range splitTokens(sqlTokens(text), ";") {
		where := slices.Contains(statement, "WHERE")
		for i, t := range statement {
			next := ""
			if i+1 < len(statement) {
				next = statement[i+1]
			}
			switch {
			case t == "DROP" && (i == 0 || dropped[next]):
				return true
			case t == "TRUNCATE" && (i == 0 || next == "TABLE"):
				return true
			case t == "DELETE" && next == "FROM" && !where:
				return true
			case t == "UPDATE" && i == 0 && slices.Contains(statement, "SET") && !where:
				return true
			}
		}
	}
	return false
}

var dropped = words(`TABLE DATABASE SCHEMA VIEW INDEX COLUMN USER ROLE KEYSPACE COLLECTION TYPE FUNCTION TRIGGER SEQUENCE`)

// splitTokens cuts a list at a separator.
func splitTokens(tokens []string, sep string) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		for {
			i := slices.Index(tokens, sep)
			if i < 0 {
				yield(tokens)
				return
			}
			if !yield(tokens[:i]) {
				return
			}
			tokens = tokens[i+1:]
		}
	}
}

// sqlTokens gives the bare words of a text in capitals, and its semicolons.
func sqlTokens(s string) []string {
	var out []string
	for i := 0; i < len(s); {
		switch ch := s[i]; {
		case ch == '\'' || ch == '"' || ch == '`':
			end := strings.IndexByte(s[i+1:], ch)
			if end < 0 {
				return out
			}
			i += end + 2
		case strings.HasPrefix(s[i:], "--") || ch == '#':
			end := strings.IndexByte(s[i:], '\n')
			if end < 0 {
				return out
			}
			i += end
		case strings.HasPrefix(s[i:], "/*"):
			end := strings.Index(s[i:], "*/")
			if end < 0 {
				return out
			}
			i += end + 2
		case ch == ';':
			out = append(out, ";")
			i++
		case isWordByte(ch):
			end := i
			for end < len(s) && isWordByte(s[end]) {
				end++
			}
			out = append(out, strings.ToUpper(s[i:end]))
			i = end
		default:
			i++
		}
	}
	return out
}

func isWordByte(b byte) bool {
	return b == '_' || b >= 0x80 || unicode.IsLetter(rune(b)) || unicode.IsDigit(rune(b))
}

package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// regroup rewrites "A && B &" to "A && { B & }", at the top level of a command
// only. As it stands, the shell would put the whole list into a second shell in
// the background: A would change nothing for what follows, and killing $! would
// kill that shell and leave B alone. All other bytes stay as they are, and what
// cannot be parsed is not touched.
func regroup(command string) string {
	if len(command) > maxGuided || !strings.Contains(command, "&") {
		return command
	}
	file, err := parse(command)
	if err != nil {
		return command
	}
	var out strings.Builder
	done := 0
	copyTo := func(offset int) {
		out.WriteString(command[done:offset])
		done = offset
	}
	for i, s := range file.Stmts {
		list, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok || !s.Background || list.Op != syntax.AndStmt && list.Op != syntax.OrStmt || list.Y.Background {
			continue
		}
		end := int(s.Semicolon.Offset()) + len("&")
		copyTo(int(list.Y.Pos().Offset()))
		out.WriteString("{ ")
		copyTo(end)
		out.WriteString(" }")
		if strings.HasPrefix(command[end:], "#") || i+1 < len(file.Stmts) && !lineEnds(command[end:]) {
			out.WriteString(";")
		}
	}
	if done == 0 {
		return command
	}
	copyTo(len(command))
	if _, err := parse(out.String()); err != nil {
		return command
	}
	return out.String()
}

// lineEnds reports whether nothing but blanks or a comment comes before the end of
// the line.
func lineEnds(s string) bool {
	blanks := strings.TrimLeft(s, " \t")
	return strings.HasPrefix(blanks, "\n") || strings.HasPrefix(blanks, "#")
}

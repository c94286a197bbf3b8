package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
	"hermes-tui/tools/unseen"
)

// The bounds of what servers say, in characters.
const (
	maxName        = 128
	maxDescription = 2000
)

// label is a text of a server in one line: without what hides, moves the cursor or breaks
// lines, and not longer than so many characters.
func label(s string, most int) string {
	return shorten.To(strings.Join(strings.Fields(visible(s)), " "), most)
}

// visible is a text without what a terminal would obey and without characters that no one
// sees, the tags of Unicode among them.
func visible(s string) string {
	return unseen.Strip(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Co, r):
			return -1
		}
		return r
	}, tools.PlainText([]byte(s))))
}

// maxToolName is what providers take.
const maxToolName = 64

// Prefix is what the names of all tools of servers begin with.
const Prefix = "mcp__"

// toolName is the name of a tool of a server for models. One that is too long or taken ends
// in a part of its hash.
func toolName(server, tool string, taken func(string) bool) string {
	full := Prefix + plainName(server) + "__" + plainName(tool)
	if len(full) <= maxToolName && !taken(full) {
		return full
	}
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	tail := "_" + hex.EncodeToString(sum[:4])
	return full[:min(len(full), maxToolName-len(tail))] + tail
}

// plainName is a name of the characters that providers take.
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
}

// Toolset is the toolset of the tools of a server.
func Toolset(server string) string { return "mcp-" + server }

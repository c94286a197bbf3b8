package hooks

import (
	"bytes"

	"hermes-tui/tools/charset"
)

// plainJSON makes JSON of what editors let stand in such files: another encoding, comments,
// commas behind the last element. Lines stay where they are.
func plainJSON(data []byte) []byte {
	text := []byte(charset.Text(data))
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case rest[0] == '"':
			n := 1
			for n < len(rest) && rest[n] != '"' {
				if rest[n] == '\\' {
					n++
				}
				n++
			}
			n = min(n+1, len(rest))
			out, i = append(out, rest[:n]...), i+n
		case bytes.HasPrefix(rest, []byte("//")):
			n := bytes.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			i += n
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest, []byte("*/"))
			if n < 0 {
				n = len(rest) - 2
			}
			out = append(out, bytes.Repeat([]byte{'\n'}, bytes.Count(rest[:n], []byte{'\n'}))...)
			i += n + 2
		case rest[0] == '}' || rest[0] == ']':
			if end := bytes.TrimRight(out, " \t\r\n"); bytes.HasSuffix(end, []byte{','}) {
				out[len(end)-1] = ' '
			}
			fallthrough
		default:
			out, i = append(out, rest[0]), i+1
		}
	}
	return out
}

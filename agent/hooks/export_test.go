package hooks

// Read reads a command and, as an answer and as a file, a text.
func Read(command, text string) {
	_, _, _ = pins(command, Where{Dir: "/nonexistent", Home: "/nonexistent"})
	for _, h := range []Hook{{Event: PreToolCall}, {Event: Stop, Claude: true}, {Event: PreToolCall, Claude: true, Matcher: text}} {
		_, _, _ = read(h, Input{Tool: "read_file"}, []byte(text))
		_, _ = h.compile()
	}
	_, _, _ = parseClaude([]byte(text))
}

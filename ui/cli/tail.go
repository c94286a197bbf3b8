package cli

import (
	"fmt"
	"strings"
)

// lastLines gives the last n lines of a text and says what it leaves out.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) <= n {
		return strings.Join(lines, "\n")
	}
	return fmt.Sprintf("… %d lines before\n%s", len(lines)-n, strings.Join(lines[len(lines)-n:], "\n"))
}

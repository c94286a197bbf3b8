package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hermes-tui/tools/shorten"
)

// PreviewChars is how many characters of an over-long result the model still
// sees.
const PreviewChars = 1_500

// Bound keeps the result of a call within a limit in characters, which is a
// tool's MaxResult: 0 means [DefaultMaxResult], a negative limit none. A longer
// result is handed to save, which stores it and returns the path where the model
// can read it, and is replaced by a block that says so and shows its beginning.
// When save fails, as much of the result as the limit allows is kept together
// with the reason. The second value reports whether anything was replaced.
//
// The block may be longer than a limit of a few thousand characters.
func Bound(content string, limit int, save func(content string) (path string, err error)) (string, bool) {
	if limit == 0 {
		limit = DefaultMaxResult
	}
	if limit < 0 || len(content) <= limit {
		return content, false
	}
	chars := utf8.RuneCountInString(content)
	if chars <= limit {
		return content, false
	}
	path, err := save(content)
	if err != nil {
		return fmt.Sprintf("%s\n[Cut: these are the first %d of %d characters. The rest could not be saved (%v) and is lost; ask for less at a time.]",
			shorten.Runes(content, limit), limit, chars, err), true
	}
	preview := shorten.Runes(content, PreviewChars)
	if i := strings.LastIndexByte(preview, '\n'); i > len(preview)/2 {
		preview = preview[:i+1]
	}
	// The preview must not close the block it stands in.
	preview = strings.ReplaceAll(preview, "</persisted-output", `<\/persisted-output`)
	if !strings.HasSuffix(preview, "\n") {
		preview += "\n"
	}
	return fmt.Sprintf("<persisted-output>\nThe result has %d characters (%s), too many to show. All of it is in\n%s\n"+
		"Read the parts you need with read_file (offset, limit). It begins:\n\n%s...\n</persisted-output>",
		chars, byteSize(len(content)), path, preview), true
}

// byteSize writes a number of bytes for a reader.
func byteSize(n int) string {
	if n < 1024 {
		return fmt.Sprintf("%d bytes", n)
	}
	if n < 1<<20 {
		return fmt.Sprintf("%.1f KB", float64(n)/1024)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

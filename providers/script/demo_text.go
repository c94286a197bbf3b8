package script

import (
	"strconv"
	"strings"
	"unicode"
)

// plain makes text from outside fit for a line of prose: one line without control
// characters, at most n characters, and nothing that Markdown would read as markup.
func plain(s string, n int) string {
	s = clip(oneLine(s), n)
	return strings.NewReplacer("*", `\*`, "_", `\_`, "`", "\\`", "<", `\<`, "[", `\[`, "|", `\|`).Replace(s)
}

// oneLine joins lines and drops control characters.
func oneLine(s string) string { return strings.Join(strings.Fields(visible(s)), " ") }

// visible drops control characters; other blanks become spaces.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, strings.ReplaceAll(s, "\t", "    "))
}

// maxCode is how many characters a code span holds.
const maxCode = 90

// code makes a code span.
func code(s string) string {
	s = clip(oneLine(s), maxCode)
	if s == "" {
		return "(nothing)"
	}
	if !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	fence := fenceFor("``", s)
	return fence + " " + s + " " + fence
}

// fenceFor lengthens a fence until the text does not contain it.
func fenceFor(fence, text string) string {
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

// block makes a fenced code block of at most n lines.
func block(lines []string, n int) string {
	more := len(lines) > n
	var b strings.Builder
	for _, l := range lines[:min(len(lines), n)] {
		b.WriteString(clip(strings.TrimRight(visible(l), " "), 120) + "\n")
	}
	if more {
		b.WriteString("…\n")
	}
	fence := fenceFor("```", b.String())
	return fence + "text\n" + b.String() + fence + "\n"
}

// quoteBlock quotes at most n lines. A code block that is cut is closed.
func quoteBlock(text string, n int) string {
	var b strings.Builder
	fence := "" // of the code block that is open
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if i == n {
			b.WriteString("> …\n")
			break
		}
		line = strings.TrimRight(clip(visible(line), 300), " ")
		b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
		switch ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]; {
		case fence != "" && ticks == line && strings.HasPrefix(line, fence):
			fence = ""
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		}
	}
	if fence != "" {
		b.WriteString("> " + fence + "\n")
	}
	return b.String()
}

// row makes a row of a table.
func row(cells ...string) string {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(strings.ReplaceAll(c, `\|`, "|"), "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// plural counts things: "1 file", "3 files".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

package script

import (
	"strings"
	"unicode"
)

// plain makes text from outside fit for a line of prose: one line without
// control characters, at most n characters, and nothing that Markdown would
// read as markup.
func plain(s string, n int) string {
	s = clip(oneLine(s), n)
	return strings.NewReplacer("*", `\*`, "_", `\_`, "`", "\\`", "<", `\<`, "[", `\[`, "|", `\|`).Replace(s)
}

// oneLine joins lines and drops control characters.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
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
func block(lang string, lines []string, n int) string {
	more := len(lines) > n
	lines = lines[:min(len(lines), n)]
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(clip(strings.TrimRight(visible(l), " "), 120) + "\n")
	}
	if more {
		b.WriteString("…\n")
	}
	fence := fenceFor("```", b.String())
	return fence + lang + "\n" + b.String() + fence + "\n"
}

// visible drops the control characters of a line and expands its tabs.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != ' ' && !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(s, "\t", "    "))
}

// row makes a row of a table.
func row(cells ...string) string {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(strings.ReplaceAll(c, `\|`, "|"), "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// bullets makes a list of at most n code spans.
func bullets(items []string, n int) string {
	var b strings.Builder
	for i, item := range items {
		if i == n {
			b.WriteString("- and " + plural(len(items)-n, "more line") + "\n")
			break
		}
		b.WriteString("- " + code(item) + "\n")
	}
	return b.String()
}

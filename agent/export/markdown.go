package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// markdown writes what was said as it is, and calls with their results folded away.
func (s Session) markdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# %s\n", shorten.Line(s.title(), 200))
	var about []string
	if s.Model != "" {
		about = append(about, s.Model)
	}
	if s.Folder != "" {
		about = append(about, "`"+strings.ReplaceAll(s.Folder, "`", "'")+"`")
	}
	if !s.Started.IsZero() {
		about = append(about, s.Started.Format("2006-01-02 15:04"))
	}
	if len(about) > 0 {
		fmt.Fprintf(b, "\n%s\n", strings.Join(about, " · "))
	}
	for i, p := range s.parts() {
		if i > 0 {
			fmt.Fprintf(b, "\n---\n\n*%s*\n", shortened)
		}
		part(b, p.Messages)
	}
	return b.Flush()
}

func part(b *bufio.Writer, messages []Message) {
	for _, m := range messages {
		switch m.Role {
		case "user":
			text, users := said(m)
			if !users {
				folded(b, "notice of the program", text)
				continue
			}
			fmt.Fprintf(b, "\n## You\n\n%s\n", text)
			for _, p := range m.Images {
				fmt.Fprintf(b, "\n![picture](data:%s;base64,%s)\n", p.MediaType, p.Data)
			}
		case "assistant":
			if text := strings.TrimSpace(m.Text); text != "" {
				fmt.Fprintf(b, "\n## The agent\n\n%s\n", text)
			}
			for _, c := range m.Calls {
				fmt.Fprintf(b, "\n**%s** %s\n", c.Name, code(shorten.Line(argument(c), 300)))
			}
		case "tool":
			text, _ := tools.Unfence(m.Text)
			folded(b, "result of "+m.Tool, text)
		}
	}
}

// folded writes a text that is seen when its title is clicked on.
func folded(b *bufio.Writer, title, text string) {
	fence := strings.Repeat("`", max(longest(text, '`')+1, 3))
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n%s\n%s\n%s\n\n</details>\n", title, fence, strings.TrimRight(text, "\n"), fence)
}

// code is a text as code within a line.
func code(text string) string {
	if text == "" {
		return ""
	}
	ticks := strings.Repeat("`", longest(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

// longest is the length of the longest run of a character.
func longest(text string, of rune) int {
	most, n := 0, 0
	for _, r := range text {
		if n++; r != of {
			n = 0
		}
		most = max(most, n)
	}
	return most
}

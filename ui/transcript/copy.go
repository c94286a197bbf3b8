package transcript

import (
	"strconv"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
)

func itoa(n int) string { return strconv.Itoa(n) }

// CopyText is the block the cursor is on as raw text, without glyphs, gutters
// and line breaks of the screen: the markdown of an answer, a command and its
// output. It is empty without a cursor. The text is as it came from outside.
func (v *View) CopyText() string {
	i, ok := v.selected()
	if !ok {
		return ""
	}
	it := v.itemAt(i)
	var parts []string
	for _, b := range v.blocks[it.from:it.to] {
		parts = append(parts, rawText(b))
	}
	return strings.Join(parts, "\n\n")
}

func rawText(b *event.Block) string {
	if b.Kind != event.BlockTool {
		return b.Text.String()
	}
	return strings.TrimRight(rawHead(b)+"\n"+roster(b.Call.Agents)+output(b.Call), "\n")
}

// rawHead says what a call does.
func rawHead(b *event.Block) string {
	view := &b.Call.View
	if view.Kind == event.ViewCommand {
		return "$ " + view.Subject
	}
	return strings.TrimSpace(view.Name + " " + view.Subject)
}

// output is what there is of a call's result, or of its output so far.
func output(c *event.Call) string {
	if c.Stage == event.CallRunning {
		return c.Tail.String()
	}
	left := format.Bytes(int64(c.View.Cut))
	switch {
	case c.View.Cut == 0:
		return c.View.Body
	case c.View.Kind == event.ViewCommand:
		return "… " + left + " before this are in the stored result\n" + c.View.Body
	}
	return c.View.Body + "\n… " + left + " after this are in the stored result"
}

// OpenText is a block as a title and a text for the pager. The text is not
// sanitised yet.
func OpenText(b *event.Block) (title, text string) {
	switch {
	case b.Origin != "":
		return reportOf(b.Origin).title, b.Text.String()
	case b.Kind == event.BlockTool:
		return openCall(b.Call)
	}
	switch b.Kind {
	case event.BlockUser:
		return "You", strings.Join(append([]string{b.Text.String()}, pictureRows(b)...), "\n")
	case event.BlockSteer:
		return "You, while it worked", b.Text.String()
	case event.BlockReasoning:
		return "Thinking", b.Text.String()
	case event.BlockAnswer:
		return "Answer", b.Text.String()
	case event.BlockCompact:
		return "What the model gets from here on", b.Text.String()
	}
	return "Notice", b.Text.String()
}

func openCall(c *event.Call) (title, text string) {
	view := &c.View
	var s strings.Builder
	s.WriteString(view.Subject)
	if view.Dir != "" {
		s.WriteString("\nin " + view.Dir)
	}
	if view.Exit != nil {
		s.WriteString("\nexit " + itoa(*view.Exit))
	}
	if how := view.How(len(view.Hosts)); how != "" {
		s.WriteString("\n" + how)
	}
	if view.Summary != "" {
		s.WriteString("\n" + view.Summary)
	}
	s.WriteString("\n\n")
	if list := roster(c.Agents); list != "" {
		s.WriteString(list + "\n")
	}
	s.WriteString(output(c))
	title, _, _ = strings.Cut(view.Subject, "\n")
	return strings.TrimSpace(view.Name + "  " + title), strings.TrimLeft(s.String(), "\n")
}

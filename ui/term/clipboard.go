package term

import (
	"encoding/base64"
	"slices"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/ui/format"
)

// OSC52Limit is how many bytes of text are sent to a terminal's clipboard at
// most. Terminals drop sequences of more than about 100,000 bytes, some without
// a word; base64 makes a text a third longer.
const OSC52Limit = 74_994

// CopyStep is one way to the clipboard: either a command that takes the text on
// its standard input, or a sequence for the terminal.
type CopyStep struct {
	// Name says where the text goes, for a message: "the tmux buffer".
	Name string
	// Argv is the command, nil when Sequence is set. Its exit status reports
	// whether the text arrived.
	Argv []string
	// Sequence is written to the terminal, which gives no answer.
	Sequence string
}

// CopyPlan lists the ways to try, best first, until one works.
type CopyPlan struct {
	Text  string
	Steps []CopyStep
}

// PlanCopy finds the ways to copy a text. Inside tmux its own buffer comes
// first, since tmux hands it on to the terminal even where it drops a
// program's own sequence. On this machine's display a clipboard tool comes
// next. The sequence OSC 52 is last, because no one confirms it; it is left out
// when the text is longer than [OSC52Limit], so a plan may be empty.
func PlanCopy(text string, e Env) CopyPlan {
	p := CopyPlan{Text: text}
	if e.Tmux {
		p.command("the tmux buffer and the clipboard", "tmux", "load-buffer", "-w", "-")
	}
	if !e.SSH {
		switch {
		case e.OS == "darwin":
			p.command("the clipboard", "pbcopy")
		case e.Wayland:
			p.command("the clipboard", "wl-copy")
		case e.X11:
			p.command("the clipboard", "xclip", "-selection", "clipboard")
		}
	}
	if len(text) <= OSC52Limit {
		p.Steps = append(p.Steps, CopyStep{Name: "the terminal", Sequence: OSC52(text, e)})
	}
	return p
}

func (p *CopyPlan) command(name string, argv ...string) {
	p.Steps = append(p.Steps, CopyStep{Name: name, Argv: argv})
}

// OSC52 is the sequence that hands a text to the terminal's clipboard, wrapped
// for a multiplexer where one stands between. It has no length limit of its
// own, see [OSC52Limit].
func OSC52(text string, e Env) string {
	seq := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
	if e.Screen {
		return ansi.ScreenPassthrough(seq, screenLimit)
	}
	return seq
}

// screenLimit is the longest string control GNU screen passes on, in bytes.
const screenLimit = 256

// Outcome says in one sentence what became of a copy. done is the step that
// worked, nil if none did. What was sent to the terminal counts as copied, although
// it confirms nothing.
func (p CopyPlan) Outcome(done *CopyStep) string {
	size := format.Exact(utf8.RuneCountInString(p.Text), "character", "characters")
	switch {
	case done != nil && done.Argv != nil:
		return "Copied " + size + " to " + done.Name + "."
	case done != nil:
		return "Copied " + size + "."
	case len(p.Text) > OSC52Limit && !p.sends():
		return "Nothing was copied: " + size + " are too many for the terminal; open the block in the editor instead."
	}
	return "Nothing was copied: no way to a clipboard worked."
}

func (p CopyPlan) sends() bool {
	return slices.ContainsFunc(p.Steps, func(s CopyStep) bool { return s.Sequence != "" })
}

package doctor

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/muesli/cancelreader"
	xterm "golang.org/x/term"
)

// answerTime is how long the terminal may take to answer.
const answerTime = time.Second

// question asks the terminal for one ability; an answer to the last, which every terminal
// knows, says that there will be no more.
type question struct {
	about, ask string
	// answer matches what says that it has it, and has what is told as a group, if any.
	answer *regexp.Regexp
	yes    string
	no     string
	state  State // without it
}

// questions are what the screen uses of a terminal.
var questions = []question{
	{"name", "\x1b[>0q", regexp.MustCompile(`\x1bP>\|([^\x1b]*)\x1b\\`), "it is %s", "it does not say what it is", Note},
	{"background", "\x1b]11;?\x1b\\", regexp.MustCompile(`\x1b\]11;([^\x1b\a]*)(?:\x1b\\|\a)`), "%s", "it does not tell its background, so that display.theme auto takes the dark theme", Note},
	{"whole frames", "\x1b[?2026$p", regexp.MustCompile(`\x1b\[\?2026;[1-3]\$y`), "drawn at once (mode 2026)", "frames may be seen half drawn (mode 2026 is not known)", Note},
	{"wide signs", "\x1b[?2027$p", regexp.MustCompile(`\x1b\[\?2027;[1-3]\$y`), "joined characters are measured as one (mode 2027)", "characters are measured one by one (mode 2027 is not known)", Note},
	{"light and dark", "\x1b[?2031$p", regexp.MustCompile(`\x1b\[\?2031;[1-3]\$y`), "a change is told (mode 2031)", "a change from light to dark shows when the window gets the focus again (mode 2031 is not known)", Note},
	{"keys", "\x1b[?u", regexp.MustCompile(`\x1b\[\?\d+u`), "all are told apart (Kitty keyboard protocol)", "some keys, like shift+enter, are not told apart: alt+enter or ctrl+j make a new line", Note},
	{"attributes", "\x1b[c", attributes, "it answers", "it does not answer", Weak},
}

var attributes = regexp.MustCompile(`\x1b\[\?[\d;]*c`)

// terminal asks the terminal what it can do.
func terminal(ctx context.Context, m *Machine) (list []Finding) {
	if m.In == nil || m.Out == nil {
		return []Finding{{About: "terminal", State: Note, Says: "not asked, since input or output is no terminal"}}
	}
	name, _ := m.Env("TERM")
	width, height, err := xterm.GetSize(int(m.Out.Fd()))
	switch {
	case name == "" || name == "dumb":
		list = append(list, Finding{About: "TERM", State: Bad, Says: fmt.Sprintf("it is %q, a terminal without a screen", name), Fix: "set TERM to what your terminal is, like xterm-256color"})
	case err != nil:
		list = append(list, Finding{About: "size", State: Bad, Says: err.Error()})
	case width < 40 || height < 10:
		list = append(list, Finding{About: "size", State: Weak, Says: fmt.Sprintf("%d×%d cells is less than the screen needs", width, height), Fix: "make the window at least 40×10"})
	default:
		list = append(list, Finding{About: "size", State: Good, Says: fmt.Sprintf("%d×%d cells, TERM=%s", width, height, name)})
	}
	profile := colorprofile.Detect(m.Out, os.Environ())
	colours := Finding{About: "colours", State: Good, Says: profile.String()}
	if profile < colorprofile.TrueColor {
		colours.State, colours.Fix = Note, "set COLORTERM=truecolor, if the terminal has 16 million colours"
	}
	list = append(list, colours)
	said, err := ask(ctx, m.In, m.Out)
	if err != nil {
		return append(list, Finding{About: "abilities", State: Weak, Says: "it could not be asked: " + err.Error()})
	}
	for _, q := range questions {
		f := Finding{About: q.about, State: Good, Says: q.yes}
		switch found := q.answer.FindSubmatch(said); {
		case found == nil:
			f.State, f.Says = q.state, q.no
		case len(found) > 1:
			f.Says = fmt.Sprintf(q.yes, found[1])
		}
		list = append(list, f)
	}
	return list
}

// ask sends all questions and reads until the last is answered, or for [answerTime].
func ask(ctx context.Context, in, out *os.File) ([]byte, error) {
	old, err := xterm.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	defer func() { _ = xterm.Restore(int(in.Fd()), old) }()
	r, err := cancelreader.NewReader(in)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	defer context.AfterFunc(ctx, func() { r.Cancel() })()
	var asked strings.Builder
	for _, q := range questions {
		asked.WriteString(q.ask)
	}
	if _, err := out.WriteString(asked.String()); err != nil {
		return nil, err
	}
	var said []byte
	buf := make([]byte, 512)
	for !attributes.Match(said) && len(said) < 1<<16 {
		n, err := r.Read(buf)
		said = append(said, buf[:n]...)
		if err != nil {
			break
		}
	}
	return bytes.Clone(said), nil
}

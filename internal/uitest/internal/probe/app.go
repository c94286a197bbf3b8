package probe

import (
	"fmt"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// screen is the model of the full-screen program. It shows its size, what it was
// sent, and a draft of the single characters among that.
type screen struct {
	cols, rows int
	sync, busy int
	log        []string
	draft      string
	named      bool // the title names the size
	slow       time.Duration
}

// workDone ends something the program had to do.
type workDone struct{}

// app runs the full-screen program. With APP_NAMED its title names its size, with
// APP_LATE it takes a new size only after that time.
func app() int {
	s := &screen{named: os.Getenv("APP_NAMED") != ""}
	if late := os.Getenv("APP_LATE"); late != "" {
		var err error
		if s.slow, err = time.ParseDuration(late); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	if _, err := tea.NewProgram(s, tea.WithFPS(120)).Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Init implements [tea.Model].
func (s *screen) Init() tea.Cmd {
	return tea.Raw(ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore)
}

func (s *screen) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

// lateSize is a new size that was held back.
type lateSize tea.WindowSizeMsg

// Update implements [tea.Model].
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		if s.slow > 0 && s.cols > 0 {
			return s, tea.Tick(s.slow, func(time.Time) tea.Msg { return lateSize(msg) })
		}
		s.cols, s.rows = msg.Width, msg.Height
	case lateSize:
		s.cols, s.rows = msg.Width, msg.Height
	case tea.ModeReportMsg:
		if msg.Mode == ansi.DECMode(9999) {
			s.sync++
		} else {
			s.note("mode %d is %d", msg.Mode.Mode(), msg.Value)
		}
	case tea.KeyPressMsg:
		return s, s.key(msg.String())
	case workDone:
		s.busy--
		s.note("work done")
	default:
		s.other(msg)
	}
	return s, nil
}

// other notes what needs no answer.
func (s *screen) other(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		s.note("paste of %d: %.40q", len(msg.Content), msg.Content)
	case tea.MouseClickMsg:
		s.note("click %d,%d", msg.X, msg.Y)
	case tea.MouseReleaseMsg:
		s.note("release %d,%d", msg.X, msg.Y)
	case tea.MouseMotionMsg:
		s.note("motion %d,%d", msg.X, msg.Y)
	case tea.MouseWheelMsg:
		s.note("%s %d,%d", msg.Button, msg.X, msg.Y)
	case tea.FocusMsg:
		s.note("focus")
	case tea.BlurMsg:
		s.note("blur")
	case tea.BackgroundColorMsg:
		s.note("dark %t", msg.IsDark())
	case tea.KeyboardEnhancementsMsg:
		s.note("kitty %d", msg.Flags)
	}
}

// work runs a command that counts as something to do.
func (s *screen) work(c tea.Cmd) tea.Cmd {
	s.busy++
	return tea.Sequence(c, func() tea.Msg { return workDone{} })
}

// key does what a key asks for.
func (s *screen) key(name string) tea.Cmd {
	switch name {
	case "ctrl+q":
		return tea.Quit
	case "f1":
		return s.work(func() tea.Msg { <-time.After(50 * time.Millisecond); return nil })
	case "f2":
		return tea.RequestBackgroundColor
	case "f3":
		return s.work(tea.SetClipboard("copied ✓ text"))
	case "f4":
		return s.work(tea.Raw("\a\x1b]9;look here\a"))
	case "f5":
		panic("asked to")
	case "f6":
		s.log = nil
	default:
		s.note("key %s", name)
		if len([]rune(name)) == 1 {
			s.draft += name
		}
	}
	return nil
}

// View implements [tea.Model].
func (s *screen) View() tea.View {
	const prompt = "> "
	lines := []string{fmt.Sprintf("\x1b[1msize %dx%d\x1b[m", s.cols, s.rows)}
	lines = append(lines, s.log...)
	if n := s.rows - 2; n > 0 && len(lines) > n {
		lines = append(lines[:1], lines[len(lines)-n+1:]...)
	}
	for len(lines) < s.rows-1 {
		lines = append(lines, "~"+strings.Repeat(" ", max(0, s.cols-2))+"|")
	}
	lines = append(lines, prompt+s.draft)
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen, v.ReportFocus, v.MouseMode = true, true, tea.MouseModeCellMotion
	v.Cursor = tea.NewCursor(len(prompt)+ansi.StringWidth(s.draft), max(0, s.rows-1))
	size := ""
	if s.named {
		size = fmt.Sprintf(" size=%dx%d", s.cols, s.rows)
	}
	v.WindowTitle = fmt.Sprintf("Prüfung ✓; eins ⟦sync=%d busy=%d%s⟧", s.sync, s.busy, size)
	return v
}

//go:build unix

package tmux

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"time"

	"hermes-tui/internal/uitest"
)

// state is what tmux tells about the program besides the text.
type state struct {
	mark   uitest.Mark
	marked bool
	dead   bool
	exit   uitest.ExitState
}

// question asks for the state, in words that a title comes after.
const question = "#{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{cursor_flag} #{alternate_on} " +
	"#{mouse_any_flag} #{pane_dead} 0#{pane_dead_status} 0#{pane_dead_signal} #{pane_title}"

// look reads the screen.
func (s *Session) look() (uitest.Screen, state, error) {
	out, err := s.try("", "display-message", "-p", "-t", target, question, ";", "capture-pane", "-p", "-e", "-N", "-t", target)
	if err != nil {
		return uitest.Screen{}, state{}, err
	}
	head, text, _ := strings.Cut(out, "\n")
	fields := strings.SplitN(head, " ", 11)
	if len(fields) < 11 {
		return uitest.Screen{}, state{}, fmt.Errorf("tmux told %q", head)
	}
	var n [10]int
	for i := range n {
		if n[i], err = strconv.Atoi(fields[i]); err != nil {
			return uitest.Screen{}, state{}, fmt.Errorf("tmux told %q: %w", head, err)
		}
	}
	screen := uitest.ParseScreen(n[0], n[1], strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\r\n"))
	// Of a dead program tmux knows a little later how it ended.
	known := fields[8] != "0" || fields[9] != "0"
	st := state{dead: n[7] == 1 && known, exit: uitest.ExitState{Code: n[8], Signal: syscall.Signal(n[9])}}
	if st.exit.Signal != 0 {
		st.exit.Code = -1
	}
	screen.Title, st.mark, st.marked = uitest.CutMark(fields[10])
	screen.Cursor = uitest.Cursor{X: n[2], Y: n[3], Visible: n[4] == 1}
	screen.Alt, screen.Mouse = n[5] == 1, n[6] == 1
	return screen, st, nil
}

// The reasons for which a wait ends without success.
var (
	errTime  = errors.New("the time ran out")
	errEnded = errors.New("the program ended")
)

// waitUntil looks at the screen whenever something was written, until holds is
// true.
func (s *Session) waitUntil(limit time.Duration, holds func(uitest.Screen, state) bool) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		screen, st, err := s.look()
		switch {
		case err != nil:
			return err
		case holds(screen, st):
			return nil
		case st.dead:
			return errEnded
		}
		select {
		case <-s.pulse:
		case <-s.gone:
			// Now and then tmux misses the end of a child until the next one ends.
			if _, err := s.try("", "run-shell", "true"); err != nil {
				return err
			}
		case <-timer.C:
			return errTime
		}
	}
}

// fail ends the test with the screen.
func (s *Session) fail(format string, args ...any) {
	s.t.Helper()
	s.told = true
	screen, st, err := s.look()
	text := fmt.Sprintf(format, args...)
	if err != nil {
		s.t.Fatalf("%s\n\n%v", text, err)
	}
	if st.dead {
		text += "\nthe program " + st.exit.String()
	}
	s.t.Fatalf("%s\n\n%s", text, screen)
}

// WaitFor waits until all matchers hold at the same time.
func (s *Session) WaitFor(all ...uitest.Matcher) *Session {
	s.t.Helper()
	why := ""
	err := s.waitUntil(s.timeout, func(screen uitest.Screen, _ state) bool {
		why = uitest.Explain(screen, all...)
		return why == ""
	})
	if err != nil {
		s.fail("%v before it was there:\n%s", err, why)
	}
	return s
}

// WaitIdle waits until the program has handled and drawn everything that was
// sent to it and has nothing left to do by itself.
func (s *Session) WaitIdle() *Session {
	s.t.Helper()
	if err := s.sync(true); err != nil {
		s.fail("%v before the program was idle", err)
	}
	return s
}

// ready waits for the first frame, so that input meets a program that reads it.
func (s *Session) ready() error {
	if s.plain || s.drawn {
		return nil
	}
	err := s.waitUntil(s.timeout, func(_ uitest.Screen, st state) bool { return st.marked })
	s.drawn = err == nil
	return err
}

// sync sends marks until the program has counted them. The title comes before
// the text of its frame, so that a second round is needed to have all of it.
func (s *Session) sync(idle bool) error {
	s.t.Helper()
	if s.plain {
		return errors.New("the program does not know the protocol")
	}
	if err := s.ready(); err != nil {
		return err
	}
	for {
		wanted := s.mark()
		err := s.waitUntil(s.timeout, func(_ uitest.Screen, st state) bool {
			return st.mark.Sync >= wanted && (!idle || st.mark.Busy == 0)
		})
		if err != nil {
			return err
		}
		wanted = s.mark()
		busy := 0
		err = s.waitUntil(s.timeout, func(_ uitest.Screen, st state) bool {
			busy = st.mark.Busy
			return st.mark.Sync >= wanted
		})
		if err != nil || !idle || busy == 0 {
			return err
		}
	}
}

// redrawTime bounds the wait for the frame in a new size, in a program whose
// title does not name the size.
const redrawTime = time.Second

// redrawn waits until the program has drawn itself in the size of the window: its
// title tells the size, or else it has erased the screen to draw it again.
func (s *Session) redrawn(erased int64) {
	s.t.Helper()
	named := false
	fits := func(_ uitest.Screen, st state) bool {
		if named = st.mark.Cols > 0; named {
			return st.mark.Cols == s.cols && st.mark.Rows == s.rows
		}
		return s.erased.Load() > erased
	}
	if err := s.waitUntil(redrawTime, fits); errors.Is(err, errTime) && named {
		_ = s.waitUntil(s.timeout, fits)
	}
}

// Screen is the screen after everything that was sent is handled; of a plain
// program, as it is.
func (s *Session) Screen() uitest.Screen {
	s.t.Helper()
	if s.plain {
		return s.now()
	}
	if err := s.sync(false); err != nil && !errors.Is(err, errEnded) {
		s.fail("%v before the program had handled its input", err)
	}
	return s.now()
}

// now is the screen as it is.
func (s *Session) now() uitest.Screen {
	s.t.Helper()
	screen, _, err := s.look()
	if err != nil {
		s.t.Fatal(err)
	}
	return screen
}

// Expect checks the screen after everything that was sent is handled.
func (s *Session) Expect(all ...uitest.Matcher) *Session {
	s.t.Helper()
	if why := uitest.Explain(s.Screen(), all...); why != "" {
		s.fail("%s", why)
	}
	return s
}

// Wait waits until the program has ended by itself. Its last screen stays.
func (s *Session) Wait() uitest.ExitState {
	s.t.Helper()
	var exit uitest.ExitState
	err := s.waitUntil(s.timeout, func(_ uitest.Screen, st state) bool {
		exit = st.exit
		return st.dead
	})
	if err != nil {
		s.fail("%v before the program ended", err)
	}
	return exit
}

// WaitGone waits until the process of the program is gone, whatever became of
// tmux.
func (s *Session) WaitGone() {
	s.t.Helper()
	deadline := time.NewTimer(s.timeout)
	defer deadline.Stop()
	select {
	case <-s.gone:
	case <-deadline.C:
		s.t.Fatalf("the program (process %d) is still there", s.pid)
	}
}

// AssertRestored waits until the program has ended and checks that the terminal
// is as it was, as far as tmux tells. It hides the cursor of an ended program
// itself, and tells nothing of pastes and focus.
func (s *Session) AssertRestored() *Session {
	s.t.Helper()
	s.Wait()
	got := strings.TrimSpace(s.Run("display-message", "-p", "-t", target,
		"alternate=#{alternate_on} mouse=#{mouse_any_flag} sgr=#{mouse_sgr_flag} keypad=#{keypad_flag} "+
			"keys=#{keypad_cursor_flag} insert=#{insert_flag} origin=#{origin_flag} wrap=#{wrap_flag} "+
			"top=#{scroll_region_upper} bottom=#{scroll_region_lower}"))
	want := fmt.Sprintf("alternate=0 mouse=0 sgr=0 keypad=0 keys=0 insert=0 origin=0 wrap=1 top=0 bottom=%d", s.rows-1)
	if got != want {
		s.fail("the program did not put the terminal back:\n%s, it was\n%s", got, want)
	}
	return s
}

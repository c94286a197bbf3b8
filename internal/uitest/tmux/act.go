//go:build unix

package tmux

import (
	"strconv"
	"syscall"

	"hermes-tui/internal/uitest"
)

// send runs a command that gives input to the program, after its first frame.
func (s *Session) send(args ...string) {
	s.t.Helper()
	if err := s.ready(); err != nil {
		s.fail("%v before the program had drawn its first frame", err)
	}
	s.Run(args...)
}

// Press presses keys by the names of [uitest.Driver.Press]; tmux turns them into
// what it sends.
func (s *Session) Press(keys ...string) *Session {
	s.t.Helper()
	for _, key := range keys {
		name, err := keyName(key)
		if err != nil {
			s.t.Fatal(err)
		}
		s.send("send-keys", "-t", target, name)
		if name == "Escape" && !s.plain {
			s.mark() // what follows must not be taken for a part of a sequence
		}
	}
	return s
}

// Type types text.
func (s *Session) Type(text string) *Session {
	s.t.Helper()
	s.send("send-keys", "-t", target, "-l", "--", literal(text))
	return s
}

// Paste pastes text, in brackets if the program asked for that.
func (s *Session) Paste(text string) *Session {
	s.t.Helper()
	if _, err := s.try(text, "load-buffer", "-b", "uitest", "-"); err != nil {
		s.t.Fatal(err)
	}
	s.send("paste-buffer", "-p", "-d", "-b", "uitest", "-t", target)
	return s
}

// Resize changes the size of the window.
func (s *Session) Resize(cols, rows int) *Session {
	s.t.Helper()
	if err := s.ready(); err != nil {
		s.fail("%v before the program had drawn its first frame", err)
	}
	before := s.erased.Load()
	s.cols, s.rows = cols, rows
	s.Run("resize-window", "-t", target, "-x", strconv.Itoa(cols), "-y", strconv.Itoa(rows))
	s.redrawn(before)
	return s
}

// KillSession ends the session, as a user does who closes it: the program gets
// SIGHUP.
func (s *Session) KillSession() *Session {
	s.t.Helper()
	s.Run("kill-session", "-t", target)
	return s
}

// KillServer ends the server, and with it the session.
func (s *Session) KillServer() *Session {
	s.t.Helper()
	s.Run("kill-server")
	return s
}

// Signal sends a signal to the program.
func (s *Session) Signal(sig syscall.Signal) *Session {
	s.t.Helper()
	if err := syscall.Kill(s.pid, sig); err != nil {
		s.t.Fatalf("send %v: %v", sig, err)
	}
	return s
}

// mark sends a reply to be counted and returns the count to wait for.
func (s *Session) mark() int {
	s.t.Helper()
	s.marks++
	s.Run("send-keys", "-t", target, "-l", uitest.MarkReply)
	return s.marks
}

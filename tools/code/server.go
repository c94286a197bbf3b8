package code

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// patience is how long a connection that is refused may take to hear why.
const patience = time.Second

// server takes the calls of one script through a Unix socket of this machine. It
// serves until its context ends.
type server struct {
	*dispatcher
	listen *net.UnixListener
	// leader is the script's own process; it is known when started is closed.
	leader  int
	started chan struct{}

	gate   sync.Mutex             // guards open and inside
	open   map[*net.UnixConn]bool // true for those that count
	inside int                    // how many count
}

// newServer listens at a path in a private folder.
func newServer(path string, d *dispatcher) (*server, error) {
	listen, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("make the socket for calls: %w", err)
	}
	return &server{
		dispatcher: d, listen: listen, started: make(chan struct{}), open: map[*net.UnixConn]bool{},
	}, nil
}

// connect gives a process its input and output.
func (*server) connect(proc *place.Proc, settings map[string]any, script string, stdout, stderr io.Writer) {
	proc.Stdin = strings.NewReader(tools.JSON(settings) + "\n" + script)
	proc.Stdout, proc.Stderr = stdout, stderr
}

// begin says which process the script is.
func (s *server) begin(leader int) {
	s.leader = leader
	close(s.started)
}

// serve takes connections until ctx ends, and returns when all are done with.
func (s *server) serve(ctx context.Context) {
	var all sync.WaitGroup
	stop := context.AfterFunc(ctx, func() {
		_ = s.listen.Close() // ends Accept; nothing is lost
		s.gate.Lock()
		defer s.gate.Unlock()
		for conn := range s.open {
			_ = conn.Close()
		}
	})
	defer stop()
	for {
		conn, err := s.listen.AcceptUnix()
		if err != nil {
			break
		}
		all.Go(func() {
			if s.keep(ctx, conn) {
				s.handle(ctx, conn)
			}
			s.dismiss(conn)
		})
	}
	all.Wait()
}

// keep notes a connection, to be closed when ctx ends.
func (s *server) keep(ctx context.Context, conn *net.UnixConn) bool {
	s.gate.Lock()
	defer s.gate.Unlock()
	if ctx.Err() != nil {
		return false
	}
	s.open[conn] = false
	return true
}

// dismiss ends a connection.
func (s *server) dismiss(conn *net.UnixConn) {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.open[conn] {
		s.inside--
	}
	delete(s.open, conn)
	_ = conn.Close() // what was to be sent was sent
}

// handle serves a connection, or says why it does not.
func (s *server) handle(ctx context.Context, conn *net.UnixConn) {
	err := s.admit(ctx, conn)
	if err == nil {
		err = s.talk(ctx, conn)
	}
	if err == nil || !say(conn, s.refuse("", err.Error())) {
		return
	}
	// The peer may be about to write: it has to read the reason first.
	if conn.CloseWrite() == nil && conn.SetReadDeadline(time.Now().Add(patience)) == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(conn, 2*maxFrame))
	}
}

// admit lets a connection in, or says why not.
func (s *server) admit(ctx context.Context, conn *net.UnixConn) error {
	select {
	case <-s.started:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	pid, err := s.known(conn)
	if err != nil {
		return err
	}
	s.gate.Lock()
	defer s.gate.Unlock()
	if pid == s.leader { // which only watches and reports
		return nil
	}
	if s.inside >= maxConnections {
		return errTooMany
	}
	s.open[conn] = true
	s.inside++
	return nil
}

// known gives the process at the other end of a connection. It must be the
// script's: of the same user, and a descendant of the script's own process or in its
// session.
func (s *server) known(conn *net.UnixConn) (pid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, fmt.Errorf("look at who connects: %w", err)
	}
	uid := -1
	var peerErr error
	if err := raw.Control(func(fd uintptr) { uid, pid, peerErr = peerOf(int(fd)) }); err != nil {
		return 0, fmt.Errorf("look at who connects: %w", err)
	}
	switch {
	case peerErr != nil:
		return 0, fmt.Errorf("look at who connects: %w", peerErr)
	case uid != os.Getuid():
		return 0, errNotUser
	case !s.descends(pid):
		return 0, errNotScript
	}
	return pid, nil
}

// maxAncestors bounds the way from a process up to the script's.
const maxAncestors = 256

// descends reports whether a process belongs to the script. Where the system does not
// show its processes, user and token have to do.
func (s *server) descends(pid int) bool {
	if !seesProcesses() {
		return true
	}
	for range maxAncestors {
		if pid == s.leader {
			return true
		}
		parent, session, ok := parentOf(pid)
		if ok && session == s.leader {
			return true
		}
		if !ok || parent <= 1 {
			return false
		}
		pid = parent
	}
	return false
}

// talk answers the requests of a connection until it ends. The error says which
// rule it broke.
func (s *server) talk(ctx context.Context, conn *net.UnixConn) error {
	r := bufio.NewReaderSize(conn, 64<<10)
	for {
		frame, err := readFrame(r, maxFrame)
		if errors.Is(err, errFrameTooLong) {
			return err
		}
		if err != nil {
			return nil //nolint:nilerr // the peer has gone, or is to go
		}
		answer, more, err := s.take(ctx, frame)
		if err != nil {
			return err
		}
		if !more || answer != nil && !say(conn, answer) {
			return nil
		}
	}
}

// say writes an answer; a refusal is not waited for long. It reports whether the peer
// could take it.
func say(conn *net.UnixConn, r *response) bool {
	if r == nil {
		return false
	}
	if r.Refused == "" {
		return send(conn, *r) == nil
	}
	return conn.SetWriteDeadline(time.Now().Add(patience)) == nil && send(conn, *r) == nil && conn.SetWriteDeadline(time.Time{}) == nil
}

// send writes a response.
func send(conn *net.UnixConn, r response) error {
	_, err := conn.Write([]byte(tools.JSON(r) + "\n"))
	return err
}

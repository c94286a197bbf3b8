package code

import (
	"bufio"
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"hermes-tui/tools"
)

const (
	// maxConnections is how many connections of a script are served at a time.
	maxConnections = 8
	// maxRefused is how many requests are refused before no more are taken.
	maxRefused = 500
	// maxID is the longest id of a request in bytes.
	maxID = 64
	// maxCommand is the most seconds that a terminal command of a script gets.
	maxCommand = 300
	// patience is how long a connection that is refused may take to hear why.
	patience = time.Second
)

// serving is what a server needs to know.
type serving struct {
	host  tools.Host
	tools map[string]tools.Tool // those that may be called
	names []string              // theirs, for messages
	token string
	max   int // calls
	watch *stopwatch
}

// server takes the calls of one script. It serves until its context ends.
type server struct {
	serving
	listen *net.UnixListener
	// leader is the script's own process; it is known when started is closed.
	leader  int
	started chan struct{}
	// exit takes how the script ended, as its process says.
	exit chan int

	// alone is held for writing by calls that run alone.
	alone sync.RWMutex

	mu      sync.Mutex
	seen    map[string]bool
	made    int
	refused int
	open    map[*net.UnixConn]bool // true for those that count
	inside  int                    // how many count
}

// newServer listens at a path in a private folder.
func newServer(path string, what serving) (*server, error) {
	listen, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("make the socket for calls: %w", err)
	}
	return &server{
		serving: what, listen: listen,
		started: make(chan struct{}), exit: make(chan int, 1), seen: map[string]bool{}, open: map[*net.UnixConn]bool{},
	}, nil
}

// begin says which process the script is.
func (s *server) begin(leader int) {
	s.leader = leader
	close(s.started)
}

// counts gives how many calls were made and how many requests were refused.
func (s *server) counts() (made, refused int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made, s.refused
}

// serve takes connections until ctx ends, and returns when all are done with.
func (s *server) serve(ctx context.Context) {
	var all sync.WaitGroup
	stop := context.AfterFunc(ctx, func() {
		_ = s.listen.Close() // ends Accept; nothing is lost
		s.mu.Lock()
		defer s.mu.Unlock()
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
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	s.open[conn] = false
	return true
}

// dismiss ends a connection.
func (s *server) dismiss(conn *net.UnixConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
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
	if err == nil || !s.refuse(conn, "", err.Error()) {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	if pid == s.leader { // which only watches and reports
		return nil
	}
	if s.inside >= maxConnections {
		return fmt.Errorf("a script may have %d connections at a time", maxConnections)
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
		return 0, errors.New("calls are taken from the user of the agent only")
	case !s.descends(pid):
		return 0, errors.New("calls are taken from the script's own processes only")
	}
	return pid, nil
}

// maxAncestors bounds the way from a process up to the script's.
const maxAncestors = 256

// descends tells whether a process belongs to the script. Where the system does not
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
		var q request
		if err := json.Unmarshal(frame, &q); err != nil {
			return errors.New("a request must be one line of JSON")
		}
		if subtle.ConstantTimeCompare([]byte(q.Token), []byte(s.token)) != 1 {
			return errors.New("the token of the request is wrong")
		}
		if q.Exit != nil {
			s.ended(*q.Exit)
			continue
		}
		if !s.answer(ctx, conn, q) {
			return nil
		}
	}
}

// ended notes how the script ended; the first report counts.
func (s *server) ended(code int) {
	select {
	case s.exit <- code:
	default:
	}
}

// answer carries out a call and tells whether to go on.
func (s *server) answer(ctx context.Context, conn *net.UnixConn, q request) bool {
	if why := s.accept(q); why != "" {
		return s.refuse(conn, q.ID, why)
	}
	args, why := trimmed(q.Tool, q.Args)
	if why != "" {
		return s.refuse(conn, q.ID, why)
	}
	if why := s.count(); why != "" {
		return s.refuse(conn, q.ID, why)
	}
	content := s.invoke(ctx, tools.Call{Name: q.Tool, Args: args})
	return send(conn, response{ID: q.ID, Result: &content}) == nil
}

// accept tells why a request is refused, empty when it is not. Its id counts as
// used either way.
func (s *server) accept(q request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case q.ID == "" || len(q.ID) > maxID:
		return fmt.Sprintf("a request needs an id of at most %d bytes", maxID)
	case s.seen[q.ID]:
		return "the id of the request was used before"
	}
	s.seen[q.ID] = true
	if _, ok := s.tools[q.Tool]; !ok {
		return fmt.Sprintf("the tool %.60q cannot be called from a script; there are: %s", q.Tool, strings.Join(s.names, ", "))
	}
	return ""
}

// count takes one call off what the script may make.
func (s *server) count() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made >= s.max {
		return fmt.Sprintf("the script has made all of its %d calls; print what you have, and go on in another script", s.max)
	}
	s.made++
	return ""
}

// invoke passes a call on. Calls that only read run side by side.
func (s *server) invoke(ctx context.Context, c tools.Call) string {
	s.watch.hold()
	defer s.watch.release()
	switch s.tools[c.Name].Class {
	case tools.ReadOnly, tools.ReadsPath, tools.ReadsTree:
		s.alone.RLock()
		defer s.alone.RUnlock()
	default:
		s.alone.Lock()
		defer s.alone.Unlock()
	}
	if ctx.Err() != nil {
		return tools.JSON(map[string]string{"error": "the script has ended", "status": "cancelled"})
	}
	return s.host.Invoke(ctx, c).Content
}

// refuse says no and counts it. It tells whether the connection may go on.
func (s *server) refuse(conn *net.UnixConn, id, why string) bool {
	s.mu.Lock()
	s.refused++
	over := s.refused > maxRefused
	s.mu.Unlock()
	if over || conn.SetWriteDeadline(time.Now().Add(patience)) != nil {
		return false
	}
	return send(conn, response{ID: id, Refused: why}) == nil && conn.SetWriteDeadline(time.Time{}) == nil
}

// send writes a response.
func send(conn *net.UnixConn, r response) error {
	_, err := conn.Write([]byte(tools.JSON(r) + "\n"))
	return err
}

// trimmed brings the arguments of a call into the form that scripts may use, or
// says what is wrong with them. A terminal command gets a limit, since the clock of
// the script stands still meanwhile.
func trimmed(tool string, args json.RawMessage) (json.RawMessage, string) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if tool != "terminal" {
		return args, ""
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(args, &given); err != nil || given == nil {
		return nil, "the arguments must be a JSON object"
	}
	for name, value := range given {
		used := !slices.ContainsFunc([]string{"null", "false", "[]"}, func(off string) bool { return bytes.Equal(value, []byte(off)) })
		if slices.ContainsFunc(withheld[tool], func(w string) bool { return strings.EqualFold(w, name) }) {
			if used {
				return nil, fmt.Sprintf("the argument %s of terminal is not available to scripts", name)
			}
			delete(given, name)
		}
		if strings.EqualFold(name, "timeout") {
			var seconds float64
			if json.Unmarshal(value, &seconds) == nil && seconds > maxCommand {
				given[name] = json.RawMessage(fmt.Sprint(maxCommand))
			}
		}
	}
	return json.RawMessage(tools.JSON(given)), ""
}

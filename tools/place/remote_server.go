package place

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"hermes-tui/tools/shorten"
)

//go:embed remote_server.sh
var serverSource string

// serverScript is the program of the remote end without comments.
func serverScript() string {
	var b strings.Builder
	for line := range strings.Lines(serverSource) {
		if line = strings.TrimLeft(line, "\t"); line != "\n" && line[0] != '#' {
			b.WriteString(line)
		}
	}
	return b.String()
}

// bootstrap reads a script up to a line with a dot and runs it. It holds
// nothing that any login shell would expand between single quotes.
const bootstrap = `n=$(printf "\012x");n=${n%x};s=;while IFS= read -r l;do test "$l" = . && break;s=$s$l$n;done;eval "$s"`

// ErrLost is the cause when the connection to a place broke and could not be
// made again, or broke while something was under way whose outcome is not known.
var ErrLost = errors.New("the connection was lost")

// request is one operation of the remote end.
type request struct {
	op, name string // for errors, as in fs.PathError
	code     string
	data     []byte // follows the code; the code must take all of it
	// changes: it must not be repeated when no one knows whether it was done.
	changes bool
	limit   int           // of the answer, in bytes; 0 is answerLimit
	silence time.Duration // instead of the usual
}

// answerLimit is enough for a directory of some 300,000 files.
const answerLimit = 64 << 20

// server is the remote end of a place: one connection, used by one at a time, made
// again when it is found broken.
type server struct {
	via  transport
	o    RemoteOptions
	base string // name of its directory in the place
	turn chan struct{}

	conn  *conn // nil when there is none; guarded by turn
	begun facts // guarded by turn

	shut atomic.Bool
	live atomic.Pointer[client] // of conn, for who cannot wait for the turn
}

func newServer(via transport, o RemoteOptions, base string) *server {
	return &server{via: via, o: o, base: base, turn: make(chan struct{}, 1)}
}

// open makes the first connection.
func (s *server) open(ctx context.Context) (facts, error) {
	s.turn <- struct{}{}
	defer s.release()
	if err := s.connect(ctx); err != nil {
		return facts{}, err
	}
	return s.begun, nil
}

func (s *server) release() { <-s.turn }

// take waits for the turn, for patience at most.
func (s *server) take(patience time.Duration) bool {
	select {
	case s.turn <- struct{}{}:
		return true
	default:
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case s.turn <- struct{}{}:
		return true
	case <-late.C:
		return false
	}
}

// connect makes a connection and prepares the remote end.
func (s *server) connect(ctx context.Context) error {
	c, err := dial(ctx, s.via, s.o)
	if err != nil {
		return err
	}
	payload, status, err := c.call(request{code: words("hSetup", s.base)})
	if err != nil {
		return c.failed(s.via, err)
	}
	f, err := parseFacts(s.via.name(), payload, status)
	if err != nil {
		c.close()
		return err
	}
	s.conn, s.begun = c, f
	s.live.Store(c.client)
	return nil
}

// do runs a request. Errors are *fs.PathError. A broken connection is made again
// once; a request that was under way then is repeated unless it changes
// something.
func (s *server) do(r request) ([]byte, error) {
	s.turn <- struct{}{}
	defer s.release()
	kept := s.conn
	payload, status, err := s.once(r)
	if err != nil && kept != nil && !r.changes && !s.shut.Load() {
		payload, status, err = s.once(r)
	}
	if err != nil {
		return nil, pathError(r.op, r.name, err)
	}
	if status != 0 {
		return payload, pathError(r.op, r.name, remoteError(status, payload))
	}
	return payload, nil
}

// once runs a request over the connection there is, or a new one. The turn must
// be held.
func (s *server) once(r request) ([]byte, int, error) {
	if s.shut.Load() {
		return nil, 0, errClosed
	}
	if s.conn != nil && closed(s.conn.client.done) {
		s.drop()
	}
	if s.conn == nil {
		ctx, cancel := context.WithTimeout(context.Background(), s.o.Connect)
		defer cancel()
		if err := s.connect(ctx); err != nil {
			return nil, 0, fmt.Errorf("connect again: %w", err)
		}
	}
	payload, status, err := s.conn.call(r)
	if err != nil || status == statusTorn {
		lost := s.conn
		s.conn = nil
		if err != nil {
			return nil, 0, lost.failed(s.via, err)
		}
		lost.close()
	}
	return payload, status, nil
}

func (s *server) drop() {
	s.conn.close()
	s.conn = nil
}

// close ends the connection and removes its directory. An operation that takes
// its time is cut short.
func (s *server) close() {
	s.shut.Store(true)
	if !s.take(leaveWithin) {
		if c := s.live.Load(); c != nil {
			killClient(c.cmd.Process)
		}
		s.turn <- struct{}{}
	}
	defer s.release()
	if s.conn == nil {
		return
	}
	_, _, _ = s.conn.call(request{code: `rm -rf "$hD"; hD=`, silence: leaveWithin}) // the remote end may be gone
	s.drop()
}

// dial starts a remote end.
func dial(ctx context.Context, via transport, o RemoteOptions) (*conn, error) {
	if err := via.ready(ctx); err != nil {
		return nil, err
	}
	c, err := startConn(via, o)
	if err != nil {
		return nil, &UnavailableError{Place: via.name(), What: "its client could not be started", Said: shorten.Join(err.Error()), Err: err}
	}
	stop := context.AfterFunc(ctx, func() { killClient(c.client.cmd.Process) })
	_, _, err = c.greet(serverScript())
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, c.failed(via, err)
	}
	return c, nil
}

// greet sends the program of the remote end and waits for its first answer.
func (c *conn) greet(script string) ([]byte, int, error) {
	if _, err := io.WriteString(c.in, script+".\n"); err != nil {
		return nil, 0, err
	}
	return c.call(request{code: "true"})
}

// conn is a connection to a remote end. It is used by one goroutine at a time.
type conn struct {
	client  *client
	in      io.WriteCloser
	out     io.ReadCloser
	rand    io.Reader
	silence time.Duration
	buf     []byte
}

// errSilent is the cause when the remote end stopped in the middle.
var errSilent = errors.New("no progress for too long")

// errTooMuch is the cause when an answer is longer than any can be.
var errTooMuch = errors.New("the answer is too long")

// call sends a request and reads the answer: its output, ended by a mark that
// was chosen for this request, and its exit code.
func (c *conn) call(r request) (payload []byte, status int, err error) {
	nonce, err := randomName(c.rand)
	if err != nil {
		return nil, 0, err
	}
	silence := c.silence
	if r.silence > 0 {
		silence = r.silence
	}
	watchdog := time.AfterFunc(silence, func() { killClient(c.client.cmd.Process) })
	defer func() {
		if !watchdog.Stop() {
			err = errSilent
		}
	}()
	code := r.code + "\nprintf '\\036%s %s;' " + nonce + " $?\n"
	head := strconv.Itoa(strings.Count(code, "\n")) + "\n" + code
	alive := func() { watchdog.Reset(silence) }
	sent := c.send(append([]byte(head), r.data...), alive)
	payload, status, err = c.receive([]byte("\x1e"+nonce+" "), r.limit, alive)
	return payload, status, errors.Join(err, onlyWith(err, sent))
}

// onlyWith is other when there is an error: what could not be sent to a remote
// end that had an answer before the end of the data does not matter.
func onlyWith(err, other error) error {
	if err == nil {
		return nil
	}
	return other
}

// sendPart is how much is written between two signs of life.
const sendPart = 64 << 10

func (c *conn) send(data []byte, alive func()) error {
	for len(data) > 0 {
		n := min(len(data), sendPart)
		if _, err := c.in.Write(data[:n]); err != nil {
			return err
		}
		alive()
		data = data[n:]
	}
	return nil
}

// receive reads up to the mark.
func (c *conn) receive(mark []byte, limit int, alive func()) ([]byte, int, error) {
	if limit == 0 {
		limit = answerLimit
	}
	c.buf = c.buf[:0]
	part := make([]byte, 64<<10)
	for from := 0; ; {
		if i := bytes.Index(c.buf[from:], mark); i >= 0 {
			i += from
			if code, ok := digits(c.buf[i+len(mark):]); ok {
				return bytes.Clone(c.buf[:i]), code, nil
			}
			from = i
		} else {
			from = max(0, len(c.buf)-len(mark))
		}
		if len(c.buf) > limit+len(mark)+8 {
			return nil, 0, errTooMuch
		}
		n, err := c.out.Read(part)
		c.buf = append(c.buf, part[:n]...)
		if n > 0 {
			alive()
			continue
		}
		if err != nil {
			return nil, 0, err
		}
	}
}

// digits reads a number up to a semicolon.
func digits(b []byte) (int, bool) {
	i := bytes.IndexByte(b, ';')
	if i < 1 || i > 10 {
		return 0, false
	}
	n, err := strconv.Atoi(string(b[:i]))
	return n, err == nil
}

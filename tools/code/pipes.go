package code

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// A message of the relay, either way, is a kind (one byte), a channel and a length
// (four bytes each, the highest first), and as many bytes.
const headSize = 9

// Kinds of messages. A channel is a connection that was made to the relay.
const (
	kindOutput  = 'o' // what the script wrote to its output
	kindErrors  = 'e' // and to its errors
	kindConnect = 'c' // a new channel; "k" when the script made it, "u" another user, "p" another process
	kindRequest = 'q' // a request; no other one comes before its answer
	kindTooLong = 'l' // a request that is too long to be passed on
	kindGone    = 'g' // the channel is closed
	kindExit    = 'x' // how the script ended: a decimal number

	kindAnswer = 'a' // to the relay: an answer
	kindLast   = 'z' // to the relay: an answer, after which the channel is closed
)

// Limits of what the relay may send: bytes of output in one message, of other
// short messages, and channels at a time.
const (
	maxPart     = 64 << 10
	maxShort    = 8
	maxChannels = 64
)

// errGarbled is the cause of the end of a script whose relay did not keep to the
// rules.
var errGarbled = errors.New("the connection to the script carried what does not belong there")

// pipes takes the calls of one script in another place through the input and the
// output of its relay. The input begins with one line of JSON (socket, token,
// whether the folder belongs to the module path, size) and the script; then
// messages follow. The output holds messages only.
//
// Everything is judged here. The relay is a program of the user's in that place
// like the script itself: whoever takes it over can do what the script can do, and
// nothing more. It holds at most one request per channel, so what lies here is
// bounded by eight requests and the one that is just coming in.
type pipes struct {
	*dispatcher
	stdout, stderr io.Writer
	end            func(error) // ends the script

	in  *io.PipeReader // the input after the script
	out *io.PipeWriter
	// work has room for one piece of every channel.
	work chan func(context.Context)

	next incoming // belongs to Write

	gate     sync.Mutex // guards what follows
	channels map[uint32]*channel
	inside   int // channels that count
}

// incoming is a message that is not whole yet.
type incoming struct {
	head    []byte
	kind    byte
	channel uint32
	left    int
	body    []byte
	broken  bool // nothing more is read
}

// channel is a connection to the relay.
type channel struct {
	counts bool // among those served at a time
	closed bool // it was told so, or has told so
	busy   bool // a piece of work is under way
	gone   bool // to be forgotten when it is not busy
}

func newPipes(d *dispatcher, end func(error)) *pipes {
	p := &pipes{dispatcher: d, end: end, work: make(chan func(context.Context), maxChannels), channels: map[uint32]*channel{}}
	p.in, p.out = io.Pipe()
	return p
}

// connect gives a process its input and output.
func (p *pipes) connect(proc *place.Proc, settings map[string]any, script string, stdout, stderr io.Writer) {
	settings["size"] = len(script)
	stderr = &shared{to: stderr} // the relay may fail to start, and say so itself
	p.stdout, p.stderr = stdout, stderr
	proc.Stdin = io.MultiReader(strings.NewReader(tools.JSON(settings)+"\n"+script), p.in)
	proc.Stdout, proc.Stderr = p, stderr
}

// begin has nothing to do: the relay knows its own process.
func (*pipes) begin(int) {}

// serve carries out what is asked until ctx ends, and returns when all is done.
func (p *pipes) serve(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	defer p.in.CloseWithError(errOver) // ends writes that no one reads
	for {
		select {
		case piece := <-p.work:
			all.Go(func() { piece(ctx) })
		case <-ctx.Done():
			return
		}
	}
}

// Write takes what the relay says. It never fails and never waits for a call.
func (p *pipes) Write(b []byte) (int, error) {
	n := len(b)
	for m := &p.next; len(b) > 0 && !m.broken; {
		if len(m.head) < headSize {
			take := min(headSize-len(m.head), len(b))
			m.head, b = append(m.head, b[:take]...), b[take:]
			if len(m.head) < headSize {
				break
			}
			if !m.open() {
				p.breakOff()
				break
			}
		}
		take := min(m.left, len(b))
		switch m.kind {
		case kindOutput:
			_, _ = p.stdout.Write(b[:take]) // a capture does not fail
		case kindErrors:
			_, _ = p.stderr.Write(b[:take])
		default:
			m.body = append(m.body, b[:take]...)
		}
		b = b[take:]
		if m.left -= take; m.left > 0 {
			break
		}
		if !p.message(m.kind, m.channel, m.body) {
			p.breakOff()
		}
		m.head, m.body = m.head[:0], nil
	}
	return n, nil
}

// open reads the head. It reports whether such a message may come.
func (m *incoming) open() bool {
	m.kind, m.channel = m.head[0], binary.BigEndian.Uint32(m.head[1:])
	size := binary.BigEndian.Uint32(m.head[5:])
	limit := uint32(maxShort)
	switch m.kind {
	case kindOutput, kindErrors:
		limit = maxPart
	case kindRequest:
		limit = maxFrame
	}
	m.left = int(size)
	return size <= limit
}

// breakOff ends a script of which nothing more can be understood.
func (p *pipes) breakOff() {
	p.next = incoming{broken: true}
	p.end(errGarbled)
}

// message deals with a whole message. It reports whether it was one that may come.
func (p *pipes) message(kind byte, id uint32, body []byte) bool {
	switch kind {
	case kindOutput, kindErrors:
		return true
	case kindExit:
		code, err := strconv.ParseUint(string(body), 10, 8)
		if err == nil {
			p.ended(int(code))
		}
		return err == nil
	case kindConnect:
		return p.connected(id, string(body))
	}
	p.gate.Lock()
	defer p.gate.Unlock()
	ch := p.channels[id]
	switch {
	case ch == nil:
		return false
	case kind == kindGone:
		ch.gone = true
		p.forget(id, ch)
		return true
	case kind != kindRequest && kind != kindTooLong || ch.gone:
		return false
	case ch.closed: // it was sent before the relay knew
		return true
	case ch.busy:
		return false
	case kind == kindTooLong:
		return p.put(id, ch, p.dismissal(errFrameTooLong))
	}
	return p.put(id, ch, func(ctx context.Context) (*response, bool) {
		answer, more, err := p.take(ctx, body)
		if err != nil {
			return p.refuse("", err.Error()), false
		}
		return answer, more
	})
}

// connected lets a channel in, or says why not.
func (p *pipes) connected(id uint32, who string) bool {
	p.gate.Lock()
	defer p.gate.Unlock()
	if p.channels[id] != nil || len(p.channels) >= maxChannels {
		return false
	}
	ch := &channel{}
	p.channels[id] = ch
	var err error
	switch {
	case who == "u":
		err = errNotUser
	case who == "p":
		err = errNotScript
	case who != "k":
		return false
	case p.inside >= maxConnections:
		err = errTooMany
	default:
		ch.counts = true
		p.inside++
		return true
	}
	ch.closed = true
	return p.put(id, ch, p.dismissal(err))
}

// dismissal refuses whatever comes through a channel.
func (p *pipes) dismissal(why error) func(context.Context) (*response, bool) {
	return func(context.Context) (*response, bool) { return p.refuse("", why.Error()), false }
}

// put has work done for a channel. gate is held.
func (p *pipes) put(id uint32, ch *channel, work func(context.Context) (*response, bool)) bool {
	ch.busy = true
	piece := func(ctx context.Context) {
		answer, more := work(ctx)
		p.gate.Lock()
		ch.closed = ch.closed || !more
		ch.busy = false
		p.forget(id, ch)
		p.gate.Unlock()
		p.send(id, answer, more)
	}
	select {
	case p.work <- piece:
		return true
	default: // there is room for one piece of every channel
		return false
	}
}

// forget drops a channel that is gone. gate is held.
func (p *pipes) forget(id uint32, ch *channel) {
	if !ch.gone || ch.busy {
		return
	}
	if ch.counts {
		p.inside--
	}
	delete(p.channels, id)
}

// send writes an answer. No one may be there to read it.
func (p *pipes) send(id uint32, answer *response, more bool) {
	kind, body := byte(kindLast), ""
	if answer != nil {
		body = tools.JSON(*answer)
	}
	if more {
		kind = kindAnswer
	}
	message := binary.BigEndian.AppendUint32([]byte{kind}, id)
	message = binary.BigEndian.AppendUint32(message, uint32(len(body)))
	_, _ = p.out.Write(append(message, body...))
}

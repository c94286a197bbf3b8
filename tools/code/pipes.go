package code

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// message is a line of JSON, either way. Channel is a connection that was made to the
// relay; Data is in base64.
type message struct {
	Kind    string `json:"kind"`
	Channel uint32 `json:"channel"`
	Data    []byte `json:"data"`
}

// Kinds of messages.
const (
	kindOutput  = "output"   // what the script wrote to its output
	kindErrors  = "errors"   // and to its errors
	kindConnect = "connect"  // a new channel; Data is empty when the script made it, "user" or "process" when another one did
	kindRequest = "request"  // a request; no other one comes before its answer
	kindTooLong = "too long" // a request that is too long to be passed on
	kindGone    = "gone"     // the channel is closed
	kindExit    = "exit"     // how the script ended: a decimal number

	kindAnswer = "answer" // to the relay: an answer
	kindLast   = "last"   // to the relay: an answer, after which the channel is closed
)

// Limits of what the relay may send: bytes of output in one message, of other
// short messages, of a line, and channels at a time.
const (
	maxPart     = 64 << 10
	maxShort    = 8
	maxLine     = maxFrame*4/3 + 100
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

	line   []byte // belongs to Write, as what follows: a message that is not whole yet
	broken bool   // nothing more is read

	gate     sync.Mutex // guards what follows
	channels map[uint32]*channel
	inside   int // channels that count
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
	for rest := b; len(rest) > 0 && !p.broken; {
		line, more, whole := bytes.Cut(rest, []byte{'\n'})
		p.line, rest = append(p.line, line...), more
		garbled := len(p.line) > maxLine || !bytes.HasPrefix(p.line, []byte{'{'})
		if garbled || whole && !p.hear() {
			p.line, p.broken = nil, true
			p.end(errGarbled)
			break
		}
		if whole {
			p.line = nil
		}
	}
	return len(b), nil
}

// hear deals with a whole line. It reports whether it was a message that may come.
func (p *pipes) hear() bool {
	var m message
	if json.Unmarshal(p.line, &m) != nil {
		return false
	}
	limit := maxShort
	switch m.Kind {
	case kindOutput, kindErrors:
		limit = maxPart
	case kindRequest:
		limit = maxFrame
	}
	return len(m.Data) <= limit && p.message(m)
}

// message deals with a message. It reports whether it was one that may come.
func (p *pipes) message(m message) bool {
	switch m.Kind {
	case kindOutput:
		_, _ = p.stdout.Write(m.Data) // a capture does not fail
		return true
	case kindErrors:
		_, _ = p.stderr.Write(m.Data)
		return true
	case kindExit:
		code, err := strconv.ParseUint(string(m.Data), 10, 8)
		if err == nil {
			p.ended(int(code))
		}
		return err == nil
	case kindConnect:
		return p.connected(m.Channel, string(m.Data))
	}
	p.gate.Lock()
	defer p.gate.Unlock()
	ch := p.channels[m.Channel]
	switch {
	case ch == nil:
		return false
	case m.Kind == kindGone:
		ch.gone = true
		p.forget(m.Channel, ch)
		return true
	case m.Kind != kindRequest && m.Kind != kindTooLong || ch.gone:
		return false
	case ch.closed: // it was sent before the relay knew
		return true
	case ch.busy:
		return false
	case m.Kind == kindTooLong:
		return p.put(m.Channel, ch, p.dismissal(errFrameTooLong))
	}
	return p.put(m.Channel, ch, func(ctx context.Context) (*response, bool) {
		answer, more, err := p.take(ctx, m.Data)
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
	case who == "user":
		err = errNotUser
	case who == "process":
		err = errNotScript
	case who != "":
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
	m := message{Kind: kindLast, Channel: id}
	if answer != nil {
		m.Data = []byte(tools.JSON(*answer))
	}
	if more {
		m.Kind = kindAnswer
	}
	_, _ = io.WriteString(p.out, tools.JSON(m)+"\n")
}

package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Spawn is a server to be started.
type Spawn struct {
	Config
	In        io.Reader
	Out, Errs io.Writer
}

// Start starts a server in a process group of its own, which ends when ctx does and when
// this program does, however that comes. wait gives its exit code when it has ended.
type Start func(ctx context.Context, s Spawn) (wait func() (code int, err error), err error)

// maxFrame is how long a message of a server may be, in bytes.
const maxFrame = 16 << 20

// closeTime is how long a server that is told to end may take.
const closeTime = 2 * time.Second

// child is a server that is a process. It is a transport of the SDK.
type child struct {
	cancel context.CancelFunc
	in     *io.PipeWriter // to its standard input
	out    *io.PipeReader // its messages
	frames *frames
	ended  chan struct{}
	once   sync.Once

	mu  sync.Mutex
	why error // how it ended
}

var _ sdk.Transport = (*child)(nil)

// startChild starts a server. skipped hears of each line of its output that is no message.
func startChild(start Start, c Config, log io.Writer, skipped func([]byte)) (*child, error) {
	ctx, cancel := context.WithCancel(context.Background())
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	k := &child{cancel: cancel, in: inW, out: outR, ended: make(chan struct{})}
	k.frames = &frames{to: outW, skipped: skipped, bad: k.fail}
	wait, err := start(ctx, Spawn{Config: c, In: inR, Out: k.frames, Errs: log})
	if err != nil {
		cancel()
		if missing, is := errors.AsType[*fs.PathError](err); is && errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is no %s", missing.Path)
		}
		return nil, err
	}
	go func() {
		defer close(k.ended)
		code, err := wait()
		switch {
		case err != nil:
		case code == 126 || code == 127: // what a shell says of a program that it cannot run
			err = fmt.Errorf("%w: there is no such program, or it may not be run (code %d)", errStart, code)
		default:
			err = fmt.Errorf("it ended with code %d", code)
		}
		k.fail(err)
		_ = outW.CloseWithError(io.EOF)
		_ = inR.Close()
	}()
	return k, nil
}

// fail notes why a server cannot go on, and ends it.
func (k *child) fail(err error) {
	k.mu.Lock()
	if k.why == nil {
		k.why = err
	}
	k.mu.Unlock()
	k.cancel()
}

// err is how the process ended, nil while it runs.
func (k *child) err() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.why
}

// Connect implements [sdk.Transport].
func (k *child) Connect(ctx context.Context) (sdk.Connection, error) {
	return (&sdk.IOTransport{Reader: k.out, Writer: k.in, MaxLineLength: maxFrame + 1}).Connect(ctx)
}

// close ends the process: its input first, then all of its group.
func (k *child) close() {
	k.once.Do(func() {
		_ = k.in.Close()
		select {
		case <-k.ended:
		case <-time.After(closeTime):
		}
		k.fail(errors.New("it was ended"))
		_ = k.out.Close()
	})
	<-k.ended
}

// kill ends the process at once: it has no work to finish.
func (k *child) kill() {
	k.once.Do(func() {
		k.fail(errors.New("it was ended"))
		_ = k.in.Close()
		_ = k.out.Close()
	})
	<-k.ended
}

// frames passes on the lines of an output that are messages. It is not safe for concurrent
// use.
type frames struct {
	to      *io.PipeWriter
	skipped func(line []byte)
	bad     func(error)
	line    []byte
	broken  bool
}

// Write implements io.Writer.
func (f *frames) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 && !f.broken {
		head, rest, ends := bytes.Cut(p, []byte("\n"))
		if len(f.line)+len(head) > maxFrame {
			f.stop(errTooLong)
			break
		}
		if f.line = append(f.line, head...); !ends {
			break
		}
		f.pass()
		p = rest
	}
	return n, nil
}

// stop ends the server.
func (f *frames) stop(why error) {
	f.broken, f.line = true, nil
	f.bad(why)
}

// pass hands on the line, if it is a message, or several in a list.
func (f *frames) pass() {
	line := bytes.TrimSpace(f.line)
	list := [][]byte{line}
	var batch []json.RawMessage
	if len(line) > 0 && line[0] == '[' && json.Unmarshal(line, &batch) == nil && len(batch) > 0 {
		list = nil
		for _, one := range batch {
			list = append(list, one)
		}
	}
	for _, one := range list {
		switch err := inspect(one); {
		case len(one) == 0:
		case err == errNoMessage: //nolint:errorlint // it comes bare
			f.skipped(one)
		case err != nil:
			f.stop(err)
			return
		default:
			_, _ = f.to.Write(append(one[:len(one):len(one)], '\n')) // who has gone away needs nothing
		}
	}
	if f.line = f.line[:0]; cap(f.line) > 1<<20 {
		f.line = nil
	}
}

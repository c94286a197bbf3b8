package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// remoteProcess is a running process of a place. A supervisor, a goroutine for
// each stream and one that waits for the client serve it; they have ended when
// done is closed, except one that waits in Stdin.Read.
type remoteProcess struct {
	r       *Remote
	l       launch
	pid     int
	ref     string
	adopted bool   // of an earlier run: no one knows its exit code
	start   string // when it began, in the place's own words; of a detached one

	client  *client // of a detached process it only feeds it; nil without input
	ends    []*os.File
	input   *os.File // where its input is written
	filters []*markFilter
	eof     sync.WaitGroup // of the goroutines that read its output

	done chan struct{} // closes when exit and err are set
	exit Exit
	err  error
}

// PID is the id, in the place, of the shell that is the parent of the program
// and leads its session.
func (p *remoteProcess) PID() int { return p.pid }

// Ref finds a process with a log again.
func (p *remoteProcess) Ref() string { return p.ref }

// Wait blocks until the process has ended.
func (p *remoteProcess) Wait() (Exit, error) {
	<-p.done
	return p.exit, p.err
}

// Start runs a process in the place. It returns when the process has begun.
// When the connection breaks while the process runs, its end is sought over a
// new one, and Wait tells what is known.
func (r *Remote) Start(ctx context.Context, spec Proc) (Process, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := checkRemote(spec); err != nil {
		return nil, fmt.Errorf("start process: %w", err)
	}
	if err := r.enter(); err != nil {
		return nil, fmt.Errorf("start process: %w", err)
	}
	p, err := r.start(ctx, spec)
	if err != nil {
		r.busy.Done()
		return nil, fmt.Errorf("start process: %w", err)
	}
	go func() {
		defer r.busy.Done()
		defer close(p.done)
		p.supervise(ctx)
	}()
	return p, nil
}

func (r *Remote) start(ctx context.Context, spec Proc) (*remoteProcess, error) {
	p, err := r.newProcess()
	if err != nil {
		return nil, err
	}
	if spec.Log != "" {
		if err := p.detach(spec); err != nil {
			return nil, err
		}
		return p, nil
	}
	if err := p.bring(spec); err != nil {
		return nil, err
	}
	if err := p.launch(spec); err != nil {
		return nil, err
	}
	if err := p.awaitBegin(ctx); err != nil {
		return nil, err
	}
	if p.input != nil {
		go p.feed(spec)
	}
	return p, nil
}

func (r *Remote) newProcess() (*remoteProcess, error) {
	var names [3]string
	for i := range names {
		name, err := randomName(r.o.Rand)
		if err != nil {
			return nil, err
		}
		names[i] = name
	}
	return &remoteProcess{
		r: r, l: launch{name: "l-" + names[0], mark: names[0], begin: names[1], end: names[2], own: r.facts.own},
		done: make(chan struct{}),
	}, nil
}

// bring puts the script into the place.
func (p *remoteProcess) bring(spec Proc) error {
	text := p.l.text(spec)
	_, err := p.r.serve.do(request{
		op: "start", name: spec.Argv[0], data: []byte(text), changes: true,
		code: words("hPut", p.l.name, strconv.Itoa(len(text)), spec.Dir, spec.Argv[0]),
	})
	return err
}

// launch starts the client, connected to the writers of spec.
func (p *remoteProcess) launch(spec Proc) error {
	var files clientFiles
	var err error
	if spec.TTY != nil {
		err = p.terminal(spec, &files)
	} else {
		err = p.pipes(spec, &files)
	}
	if err == nil {
		argv := p.r.via.argv(clientSpec{
			words: []string{"/bin/sh", p.l.file()},
			input: spec.Stdin != nil || spec.TTY != nil, terminal: spec.TTY != nil,
		})
		p.client, err = startClient(argv, p.r.o.Env, files)
	}
	for _, f := range []*os.File{files.in, files.out, files.err} {
		if f != nil {
			_ = f.Close() // the client has its own; a terminal's line is closed twice
		}
	}
	if err != nil {
		p.closeEnds()
		p.eof.Wait()
		return err
	}
	return nil
}

// terminal connects the process to a terminal of its own on this machine, which
// the client passes on.
func (p *remoteProcess) terminal(spec Proc, files *clientFiles) error {
	screen, line, err := openScreen(*spec.TTY)
	if err != nil {
		return fmt.Errorf("open a terminal: %w", err)
	}
	files.in, files.out, files.terminal = line, line, true
	p.read(screen, spec.Stdout)
	if spec.Stdin != nil {
		p.input = screen
	}
	return nil
}

func (p *remoteProcess) pipes(spec Proc, files *clientFiles) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	files.out = w
	p.read(r, spec.Stdout)
	if spec.Stderr != nil {
		if r, w, err = os.Pipe(); err != nil {
			return err
		}
		files.err = w
		p.read(r, spec.Stderr)
	}
	if spec.Stdin != nil {
		if files.in, p.input, err = os.Pipe(); err != nil {
			return err
		}
		p.ends = append(p.ends, p.input)
	}
	return nil
}

// read delivers what comes from a stream. The first stream's marks tell when
// the process has begun and how it ended; all of them, that nothing is missing.
func (p *remoteProcess) read(from *os.File, to io.Writer) {
	s := newMarkFilter(to, p.l.begin, p.l.end)
	p.filters = append(p.filters, s)
	p.ends = append(p.ends, from)
	p.eof.Add(1)
	go func() {
		defer p.eof.Done()
		_, _ = io.CopyBuffer(s, onlyReader{from}, make([]byte, copyBuffer))
		s.finish()
	}()
}

// onlyReader hides the shortcuts of a file.
type onlyReader struct{ io.Reader }

func (p *remoteProcess) closeEnds() {
	for _, f := range p.ends {
		_ = f.Close()
	}
}

// awaitBegin waits for the first mark. After an error nothing of the process is
// left, as far as the place can be reached.
func (p *remoteProcess) awaitBegin(ctx context.Context) error {
	late := time.NewTimer(p.r.o.Connect)
	defer late.Stop()
	var err error
	select {
	case p.pid = <-p.filters[0].first:
		return nil
	case <-p.client.done:
		p.settle()
		select {
		case p.pid = <-p.filters[0].first: // it has ended already
			return nil
		default:
		}
		return p.neverBegan()
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-p.r.ctx.Done():
		err = errClosed
	case <-late.C:
		err = fmt.Errorf("%w within %v", errTooSlow, p.r.o.Connect)
	}
	p.client.end()
	p.settle()
	select {
	case p.pid = <-p.filters[0].first:
	default:
	}
	return errors.Join(err, p.r.killTree(p.pid, p.l.mark, false))
}

// neverBegan says why the client ended before the process began.
func (p *remoteProcess) neverBegan() error {
	said := p.client.said.words()
	for _, s := range p.filters {
		said = strings.TrimSpace(said + " " + s.opening())
	}
	if known := p.r.via.explain(said); known != nil {
		known.Place, known.Said, known.Err = p.r.via.name(), said, ErrLost
		return known
	}
	return &UnavailableError{
		Place: p.r.via.name(), Said: said, Err: ErrLost,
		What: fmt.Sprintf("its client ended with code %d before the process began", p.client.code()),
		Next: "try again",
	}
}

// settle takes what output is left, for a moment, and stops using the writers.
func (p *remoteProcess) settle() {
	ended := make(chan struct{})
	go func() {
		p.eof.Wait()
		close(ended)
	}()
	late := time.NewTimer(DrainGrace)
	defer late.Stop()
	select {
	case <-ended:
	case <-late.C:
	}
	p.client.end()
	for _, s := range p.filters {
		s.stop()
	}
	p.closeEnds()
	<-ended
}

// feed gives the process its input.
func (p *remoteProcess) feed(spec Proc) {
	if spec.TTY == nil {
		feed(p.input, spec.Stdin)
		return
	}
	last := byte('\n')
	_, _ = io.Copy(&lastByte{p.input, &last}, spec.Stdin)
	end := []byte{4} // the key that ends input, ^D
	if last != '\n' && last != '\r' {
		end = append(end, 4) // the first one only sends the unfinished line
	}
	_, _ = p.input.Write(end) // no one may be there to read it
}

// lastByte remembers the last byte written.
type lastByte struct {
	to   io.Writer
	last *byte
}

func (l *lastByte) Write(b []byte) (int, error) {
	if len(b) > 0 {
		*l.last = b[len(b)-1]
	}
	return l.to.Write(b)
}

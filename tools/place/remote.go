package place

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// RemoteOptions are what all places have in common that are not this machine.
type RemoteOptions struct {
	// Env is the environment of the programs of this machine that reach the
	// place (docker, ssh): PATH, HOME, DOCKER_HOST, SSH_AUTH_SOCK. Nothing of it
	// reaches processes in the place.
	Env []string
	// Temp is a directory of this machine for sockets; an absolute path, empty
	// for /tmp.
	Temp string
	// Dir is where work begins in the place: an absolute path, one that begins
	// with ~, or one relative to where the place itself would begin. Empty or "."
	// leaves it to the place. It must exist.
	Dir string
	// Connect bounds how long reaching the place may take; 0 is 30 s.
	Connect time.Duration
	// Silence bounds how long one operation may make no progress before the
	// connection is given up; 0 is 60 s.
	Silence time.Duration
	// Rand is the source of names no one can guess; nil is crypto/rand.
	Rand io.Reader
}

const (
	defaultConnect = 30 * time.Second
	defaultSilence = 60 * time.Second
)

func (o RemoteOptions) filled() RemoteOptions {
	if o.Temp == "" {
		o.Temp = "/tmp"
	}
	if o.Connect <= 0 {
		o.Connect = defaultConnect
	}
	if o.Silence <= 0 {
		o.Silence = defaultSilence
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	o.Rand = &lockedReader{r: o.Rand}
	return o
}

// lockedReader lets several goroutines share a source of randomness.
type lockedReader struct {
	mu sync.Mutex
	r  io.Reader
}

func (l *lockedReader) Read(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.Read(b)
}

// Remote is a place that is reached by a program of this machine: a container,
// another host. It is safe for concurrent use.
//
// A shell in the place, over one connection, serves the file system: an
// operation costs about one round trip, and one at a time is under way. The
// connection is made again once when it breaks. Each process has a client
// program of its own on this machine. The place must have a POSIX sh and the
// usual small programs; nothing is installed there.
type Remote struct {
	o     RemoteOptions
	via   transport
	serve *server
	facts facts
	info  Info
	dir   string

	ctx  context.Context // ends with Close
	stop context.CancelCauseFunc
	mu   sync.Mutex // guards closed and orders running.Add before running.Wait
	busy sync.WaitGroup

	closed    bool
	closeOnce sync.Once
	closeErr  error
}

// errClosed is the cause when a place is used after Close.
var errClosed = errors.New("the place is closed")

// openRemote connects to a place and finds out what it is like. After an error
// nothing of the transport is left.
func openRemote(ctx context.Context, via transport, o RemoteOptions) (*Remote, error) {
	r := &Remote{o: o, via: via}
	r.ctx, r.stop = context.WithCancelCause(context.Background())
	name, err := randomName(o.Rand)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", via.name(), err), via.close())
	}
	r.serve = newServer(via, o, "hermes-"+name)
	within, cancel := context.WithTimeout(ctx, o.Connect)
	defer cancel()
	if r.facts, err = r.serve.open(within); err == nil {
		r.describe()
		r.dir, err = r.begin()
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *Remote) describe() {
	f := r.facts
	r.info = Info{
		OS: f.os, Arch: f.arch, Host: f.host, User: f.user,
		Home: f.home, Temp: f.temp, Shell: f.shell, FoldsCase: f.folds,
	}
	r.via.describe(&r.info)
}

// begin finds the directory where work begins.
func (r *Remote) begin() (string, error) {
	base := r.via.dir()
	if base == "" {
		base = r.info.Home
	}
	want := r.o.Dir
	switch {
	case want == "" || want == ".":
		want = base
	case want == "~" || strings.HasPrefix(want, "~/"):
		want = path.Join(r.info.Home, want[1:])
	case !path.IsAbs(want):
		want = path.Join(base, want)
	}
	real, err := r.FS().Resolve(want)
	if err == nil {
		var st interface{ IsDir() bool }
		if st, err = r.FS().Stat(real); err == nil && !st.IsDir() {
			err = pathError("enter", want, errNotDirectory)
		}
	}
	if err != nil {
		return "", &UnavailableError{
			Place: r.via.name(), What: "there is no directory " + want,
			Next: "make it there, or set terminal.cwd to one that exists", Err: err,
		}
	}
	return real, nil
}

// Info describes the place, as it was when it was opened.
func (r *Remote) Info() Info { return r.info }

// Dir is the directory in the place where work begins: a real path.
func (r *Remote) Dir() string { return r.dir }

// Env is the environment that the place gives to a process of its own, as a
// start for Proc.Env: PATH, HOME and what an image sets.
func (r *Remote) Env() []string {
	env := slices.Clone(r.facts.env)
	if home := environ(env).get("HOME"); home == "" || home == "/" {
		env = append(slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "HOME=") }), "HOME="+r.info.Home)
	}
	return env
}

// Notes are sentences about what was asked for and cannot be had here.
func (r *Remote) Notes() []string { return r.via.notes() }

// FS is the file system of the place, with the rights of the user there.
func (r *Remote) FS() FS { return remoteFS{r} }

// Scratch makes a private directory in the place.
func (r *Remote) Scratch() (string, func() error, error) {
	name, err := randomName(r.o.Rand)
	if err != nil {
		return "", nil, fmt.Errorf("make scratch directory: %w", err)
	}
	name = "hermes-" + name
	dir := path.Join(r.info.Temp, name)
	if _, err := r.serve.do(request{op: "mkdir", name: dir, code: words("hScratch", name), changes: true}); err != nil {
		return "", nil, fmt.Errorf("make scratch directory: %w", err)
	}
	return dir, func() error {
		_, err := r.serve.do(request{op: "remove", name: dir, code: words("rm", "-rf", dir) + " 2>&1"})
		return err
	}, nil
}

// enter notes a process or operation that Close has to wait for. It is refused
// once the place is closed.
func (r *Remote) enter() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errClosed
	}
	r.busy.Add(1)
	return nil
}

// Close ends the processes that have no log, then the connection, then what the
// place has made: a container that is not kept.
func (r *Remote) Close() error {
	r.closeOnce.Do(func() {
		r.mu.Lock()
		r.closed = true
		r.mu.Unlock()
		r.stop(errClosed)
		r.busy.Wait()
		r.serve.close()
		r.closeErr = r.via.close()
	})
	return r.closeErr
}

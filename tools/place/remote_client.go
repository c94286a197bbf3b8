package place

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"hermes-tui/tools/shorten"
)

// client is a running program of this machine through which a place is spoken
// to. It has a session of its own, so that it cannot ask on the user's
// terminal, and is killed with everything in its group.
type client struct {
	cmd  *exec.Cmd
	said tail
	done chan struct{} // closes when it has ended and was reaped

	mu   sync.Mutex
	over bool
	last func() // called once when it has ended
}

// atEnd has f called when the client has ended, or now if it has already.
func (c *client) atEnd(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		f()
		return
	}
	c.last = f
}

func (c *client) ended() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.last != nil {
		c.last()
	}
}

// clientFiles are the ends that a client gets; a nil one is the null device,
// and a nil err is kept for [client.words].
type clientFiles struct {
	in, out, err *os.File
	terminal     bool // in is a terminal, which becomes the controlling one
}

// clientReap bounds how long output of a client's own children is awaited.
const clientReap = 200 * time.Millisecond

// startClient runs a program. The files are not closed.
func startClient(argv, env []string, f clientFiles) (*client, error) {
	c := &client{done: make(chan struct{})}
	c.cmd = &exec.Cmd{
		Path: argv[0], Args: argv, Env: env,
		SysProcAttr: clientSession(f.terminal), WaitDelay: clientReap,
	}
	if f.in != nil {
		c.cmd.Stdin = f.in
	}
	if f.out != nil {
		c.cmd.Stdout = f.out
	}
	c.cmd.Stderr = &c.said
	if f.err != nil {
		c.cmd.Stderr = f.err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(c.done)
		_ = c.cmd.Wait() // how it ended is in ProcessState
		c.ended()
	}()
	return c, nil
}

// end kills the client and waits until it is gone.
func (c *client) end() {
	killClient(c.cmd.Process)
	<-c.done
}

// code is the exit code; it may be asked once done is closed.
func (c *client) code() int {
	if c.cmd.ProcessState == nil {
		return -1
	}
	return c.cmd.ProcessState.ExitCode()
}

// tailSize is how much of what a client says is kept, in bytes.
const tailSize = 4 << 10

// tail keeps the newest bytes written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - tailSize; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(b), nil
}

// words is the text on one line.
func (t *tail) words() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return shorten.Join(string(t.buf))
}

// runClient runs a program to its end and gives what it wrote to its output and
// its errors.
func runClient(argv, env []string, within <-chan struct{}) (out, said string, code int, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", "", -1, err
	}
	c, err := startClient(argv, env, clientFiles{out: w})
	_ = w.Close()
	if err != nil {
		return "", "", -1, errors.Join(err, r.Close())
	}
	kept := newKeeper(r)
	select {
	case <-c.done:
	case <-within:
		c.end()
		err = errTooSlow
	}
	return kept.finish(), c.said.words(), c.code(), err
}

// errTooSlow is the cause when a client was ended because its time was up.
var errTooSlow = errors.New("no answer in time")

// runLimit bounds the output of [runClient] in bytes.
const runLimit = 1 << 20

// keeper reads a pipe to its end and keeps the first bytes.
type keeper struct {
	r    *os.File
	done chan struct{}
	mu   sync.Mutex
	buf  []byte
}

func newKeeper(r *os.File) *keeper {
	k := &keeper{r: r, done: make(chan struct{})}
	go func() {
		defer close(k.done)
		part := make([]byte, 32<<10)
		for {
			n, err := r.Read(part)
			k.mu.Lock()
			k.buf = append(k.buf, part[:min(n, runLimit-len(k.buf))]...)
			k.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return k
}

// finish gives what was read. What still holds the pipe is not waited for.
func (k *keeper) finish() string {
	late := time.NewTimer(clientReap)
	defer late.Stop()
	select {
	case <-k.done:
	case <-late.C:
	}
	_ = k.r.Close()
	k.mu.Lock()
	defer k.mu.Unlock()
	return string(k.buf)
}

// findClient finds a program in the absolute folders of PATH. A name with a
// slash must be an absolute path.
func findClient(env environ, name string) (string, bool) {
	if filepath.IsAbs(name) {
		return name, isProgram(name)
	}
	if strings.ContainsAny(name, `/\`) {
		return "", false
	}
	for _, dir := range filepath.SplitList(env.get("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, ending := range programEndings() {
			if file := filepath.Join(dir, name) + ending; isProgram(file) {
				return file, true
			}
		}
	}
	return "", false
}

func isProgram(file string) bool {
	st, err := os.Stat(file)
	return err == nil && executable(st)
}

package place

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// GuardedOptions say what the confined processes of a [Guarded] place may do. Paths
// are absolute; links in them are resolved when the place is made.
type GuardedOptions struct {
	// Roots, ReadOnly, Hidden and Sockets are as in [SandboxOptions].
	Roots, ReadOnly, Hidden, Sockets []string
	// Caches are existing folders that confined processes may write, each to a layer
	// of their own over it: what is there is read, and never changed.
	Caches []string
	// Harmless, when set, is asked for a ReadOnly path that appeared while a confined
	// process ran, and reports whether what stands there does nothing. All else is moved
	// aside, into State, and is in [Exit.Refused].
	Harmless func(name string) bool
	// State is a private folder of this program, which confined processes cannot reach,
	// where the layers over caches, and what was moved aside, are kept; it is made when
	// missing. Empty: there are no such layers, and what is moved aside goes with Close.
	State string
	// Helper is as in [SandboxOptions].
	Helper []string
	// Serve, when set, takes over a listener on a loopback address that only confined
	// processes reach, where they have a network of their own, and closes it at its
	// end. It is called again, from any goroutine, when that network had to be made
	// again, and must not block.
	Serve func(net.Listener)
	// AtPort, when set, takes over a listener that confined processes find at a port of
	// localhost at which a program outside listens for this machine, where they have a
	// network of their own. It is closed when that program does not listen any more.
	AtPort func(l net.Listener, port int)
	// ProxyEnv, when set, is called for each confined process and gives what is added
	// to its environment; done is called when it has ended or could not be started. c
	// is never nil: its Reach notes what it refuses, its Refused notes what else is.
	ProxyEnv func(c *Confine) (env []string, done func())
}

// Guarded is this machine, where single processes can be confined by the system:
// those that have [Proc.Confine] write only in the roots and in a shared folder,
// read nothing that is hidden, and reach the network only as their Confine says. All
// others run as in [Local]. Whatever a confined process starts is held to the same;
// nothing can lift it again. It is safe for concurrent use.
type Guarded struct {
	*Local
	box    *Sandbox
	o      GuardedOptions
	unlock func() error // gives up the layers over caches

	starting sync.RWMutex // read while a process starts
	mu       sync.Mutex
	running  map[*Confine]*process
}

// NewGuarded makes such a place of a machine. It tries once whether the system can do
// what is asked for, and fails with [ErrNoSandbox] and a sentence that says what is
// missing when it cannot. On Linux it remembers in State that it can, until the system or
// the options change or a process cannot be started. Close takes the shared folder away.
func NewGuarded(ctx context.Context, local *Local, o GuardedOptions) (made *Guarded, err error) {
	defer func() {
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			err = fmt.Errorf("%w; make room there, then try again", err)
		}
	}()
	box, err := newSandbox(local, SandboxOptions{
		Roots: o.Roots, ReadOnly: o.ReadOnly, Hidden: o.Hidden, Sockets: o.Sockets, Helper: o.Helper, Harmless: o.Harmless,
	})
	if err != nil {
		return nil, fmt.Errorf("guard commands: %w", err)
	}
	if err := box.settle(local); err != nil {
		return nil, fmt.Errorf("guard commands: %w", err)
	}
	g := &Guarded{Local: new(*local), box: box, o: o, running: map[*Confine]*process{}}
	g.info.Confines, g.info.Roots = true, slices.Clone(box.info.Roots)
	if o.State != "" {
		box.absent.folder = filepath.Join(o.State, "aside")
	}
	box.inner, box.temp, box.serve, box.state = true, box.commonTemp(), o.Serve, o.State
	box.atPort = o.AtPort
	caches := realCaches(o.Caches, box.info.Roots)
	if box.layers, g.unlock, err = layered(o.State, box.info.Roots, caches); err != nil {
		return nil, errors.Join(err, box.remove())
	}
	if err := box.open(ctx); err != nil {
		return nil, errors.Join(err, g.unlock())
	}
	return g, nil
}

// commonTemp is where programs put temporary files by a name of their own, empty where
// confined processes cannot have another folder there: it is in a root, or what is hidden
// there has a root in it.
func (s *Sandbox) commonTemp() string {
	temp := realPath("/tmp")
	around := func(hidden string) bool {
		real := realPath(hidden)
		return within(real, temp) && slices.ContainsFunc(s.writable, func(w string) bool { return within(w, real) })
	}
	if _, err := os.Stat(temp); err != nil || s.root(temp) != "" || slices.ContainsFunc(s.o.Hidden, around) {
		return ""
	}
	return temp
}

// Info describes the machine; Roots are the directories that confined processes may
// write.
func (g *Guarded) Info() Info {
	info := g.info
	info.Roots = slices.Clone(info.Roots)
	return info
}

// Shared is a private folder that confined processes may write as all others may;
// TMPDIR of confined ones points there. What Scratch makes they cannot write.
func (g *Guarded) Shared() string { return g.box.base }

// Hides reports whether a path is kept from confined processes: it is hidden, or lies
// in a hidden directory and in no root.
func (g *Guarded) Hides(name string) bool {
	real, err := g.FS().Resolve(name)
	return err == nil && slices.ContainsFunc(g.box.o.Hidden, func(h string) bool {
		h = realPath(h)
		root := g.box.root(real)
		return within(real, h) && (root == "" || within(h, root))
	})
}

// Uncovered says, in sentences for the user, what confined processes are not kept
// from on this system.
func (g *Guarded) Uncovered() []string { return g.box.Uncovered() }

// Start runs a process, confined when it has a [Confine]: then TMPDIR is the shared
// folder.
func (g *Guarded) Start(ctx context.Context, p Proc) (Process, error) {
	if p.Confine == nil {
		return g.Local.Start(ctx, p)
	}
	notes := &refusals{}
	confine, own := p.Confine.noting(notes), p.Env
	p.Confine = nil
	done := func() {}
	if g.o.ProxyEnv != nil {
		if err := g.box.ready(); err != nil {
			return nil, fmt.Errorf("start process: %w", err)
		}
		g.box.openPorts()
		var env []string
		env, done = g.o.ProxyEnv(confine)
		p.Env = append(slices.Clone(p.Env), env...)
	}
	p.Env = cacheEnv(p.Env, g.info.Home, filepath.Join(g.Shared(), "caches"), g.box.cached())
	added := slices.DeleteFunc(append(slices.Clone(p.Env), "TMPDIR="+g.Shared()), func(kv string) bool { return slices.Contains(own, kv) })
	done = sync.OnceFunc(done)
	g.starting.RLock()
	defer g.starting.RUnlock()
	over := false // guarded by g.mu
	pr, err := g.box.start(ctx, p, func(e *Exit) {
		g.mu.Lock()
		over = true
		delete(g.running, confine)
		g.mu.Unlock()
		done()
		for _, r := range e.Refused {
			notes.add(r)
		}
		e.Refused, e.Added = notes.all(), added
	})
	if err != nil {
		done()
		return nil, err
	}
	g.mu.Lock()
	if !over {
		g.running[confine] = pr
	}
	g.mu.Unlock()
	go g.watchPorts(pr)
	return pr, nil
}

// portsEvery is how often the ports of this machine are looked at while a process runs.
const portsEvery = 2 * time.Second

// watchPorts follows them until a process has ended.
func (g *Guarded) watchPorts(pr *process) {
	if g.o.AtPort == nil {
		return
	}
	tick := time.NewTicker(portsEvery)
	defer tick.Stop()
	for {
		select {
		case <-pr.done:
			return
		case <-tick.C:
			g.box.openPorts()
		}
	}
}

// Owner is the [Confine] of the process, as ProxyEnv got it, that has the other end of a
// connection in the network of confined processes, or has started what has; nil when that
// is not known.
func (g *Guarded) Owner(c net.Conn) *Confine {
	pids := g.box.holders(c)
	g.starting.Lock() // whoever connects may have started just now
	defer g.starting.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, of := range []func(int, *process) bool{descends, marked} { // a mark can be copied
		for _, pid := range pids {
			for confine, pr := range g.running {
				if of(pid, pr) {
					return confine
				}
			}
		}
	}
	return nil
}

// FS is the whole file system of the machine, with the rights of the user, as confined
// processes name its files: those in the folder for temporary files are theirs first.
func (g *Guarded) FS() FS { return g.box.fs() }

// Outer is the file system as all other processes see it.
func (g *Guarded) Outer() FS { return localFS{rand: g.rand} }

// Scratch makes a private directory that confined processes cannot reach.
func (g *Guarded) Scratch() (string, func() error, error) { return g.box.Private() }

// Close takes the shared folder and the scratch folders away, and ends what confined
// processes have left; those with a log go on.
func (g *Guarded) Close() error { return errors.Join(g.box.Close(), g.unlock()) }

// maxRefusals bounds what is told of the refusals to a process.
const maxRefusals = 32

// refusals collects what a process was refused, each thing once.
type refusals struct {
	mu   sync.Mutex
	list []Refusal
}

func (r *refusals) add(what Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) < maxRefusals && !slices.Contains(r.list, what) {
		r.list = append(r.list, what)
	}
}

func (r *refusals) all() []Refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// noting gives the same with a Reach that notes what it refuses, and refuses
// everything where there was none.
func (c *Confine) noting(to *refusals) *Confine {
	reach := c.Reach
	return &Confine{Refused: to.add, Reach: func(ctx context.Context, host string, port int) error {
		err := fmt.Errorf("connect to %s: no network", host)
		if reach != nil {
			err = reach(ctx, host, port)
		}
		if err != nil && ctx.Err() == nil { // a question that was withdrawn may come again
			to.add(Refusal{Kind: RefusedNetwork, What: hostPort(host, port)})
		}
		return err
	}}
}

// hostPort writes a host as in an address.
func hostPort(host string, port int) string {
	return net.JoinHostPort(strings.Trim(host, "[]"), fmt.Sprint(port))
}

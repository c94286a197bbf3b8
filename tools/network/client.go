package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"
)

// client is a process, with all that it starts.
type client struct {
	p              *Proxy
	owner          any // see [Options.Owner]
	user, password string
	reach          func(ctx context.Context, host string, port int) error
	refused        func(address string)
	ctx            context.Context // ends with the process
	cancel         context.CancelCauseFunc
	asking         chan struct{}      // as many as may be asked about at a time
	conns          map[*conn]struct{} // guarded by p.mu

	mu    sync.Mutex
	hosts map[target]*decision
	told  map[target]bool // of what is refused
}

type target struct {
	host string
	port int
}

// decision is what is, or will be, decided about a host.
type decision struct {
	done    chan struct{} // closed when err is
	err     error
	cancel  context.CancelCauseFunc
	waiting int         // connections, guarded by the client
	leaving *time.Timer // runs while none waits, guarded by the client
}

var (
	errEnded     = errors.New("the process has ended")
	errAbandoned = errors.New("no connection waits for the answer any more")
)

// end ends the questions and the connections of a process. What was not decided by
// then was refused.
func (c *client) end() {
	c.mu.Lock()
	var open []target
	for to, d := range c.hosts {
		if !d.isMade() {
			open = append(open, to)
		}
	}
	c.cancel(errEnded)
	c.mu.Unlock()
	for _, to := range open {
		_ = c.note(to, &deniedError{errEnded}) // it is the same again
	}
	c.closeAll()
}

func (c *client) closeAll() {
	c.p.mu.Lock()
	var open []*conn
	for conn := range c.conns {
		open = append(open, conn)
	}
	c.p.mu.Unlock()
	for _, conn := range open {
		conn.Close()
	}
}

// deniedError is an answer no.
type deniedError struct{ cause error }

func (e *deniedError) Error() string { return e.cause.Error() }
func (e *deniedError) Unwrap() error { return e.cause }

// allow waits until it is decided whether the process may connect to a host.
func (c *client) allow(ctx context.Context, name Name, port int) error {
	to := target{name.text, port}
	err := c.p.dialer.precheck(name, port)
	if err == nil {
		err = c.answer(ctx, to)
	}
	return c.note(to, err)
}

// answer waits for the decision alone.
func (c *client) answer(ctx context.Context, to target) error {
	err := c.decide(ctx, to)
	if err != nil && ctx.Err() == nil && c.ctx.Err() == nil {
		return &deniedError{err}
	}
	return err
}

// note passes an error on, having told of what is refused.
func (c *client) note(to target, err error) error {
	if !isRefusal(err) {
		return err
	}
	c.mu.Lock()
	first := !c.told[to]
	if len(c.told) < MaxHosts {
		c.told[to] = true
	}
	c.mu.Unlock()
	if first && c.refused != nil {
		c.refused(net.JoinHostPort(to.host, strconv.Itoa(to.port)))
	}
	return err
}

// isRefusal reports whether an error means that a host may not be connected to.
func isRefusal(err error) bool {
	_, denied := errors.AsType[*deniedError](err)
	_, forbidden := errors.AsType[*ForbiddenError](err)
	return denied || forbidden
}

func (c *client) decide(ctx context.Context, to target) error {
	d, err := c.join(to)
	if err != nil {
		return err
	}
	defer c.leave(to, d)
	select {
	case <-d.done:
		return d.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// join waits along with others for a decision, which it starts if there is none.
func (c *client) join(to target) (*decision, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.hosts[to]
	if d == nil {
		if c.ctx.Err() != nil {
			return nil, errEnded
		}
		if len(c.hosts) >= MaxHosts {
			return nil, fmt.Errorf("this command has asked for %d hosts, more than one may", MaxHosts)
		}
		ctx, cancel := context.WithCancelCause(c.ctx)
		d = &decision{done: make(chan struct{}), cancel: cancel}
		c.hosts[to] = d
		c.p.work.Go(func() { d.settle(c.ask(ctx, to)) })
	}
	if d.leaving != nil {
		d.leaving.Stop()
	}
	d.waiting++
	return d, nil
}

// leave ends waiting. Where no one else does, the question is withdrawn after some
// time; a decision that was made stays.
func (c *client) leave(to target, d *decision) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d.waiting--; d.waiting > 0 || d.isMade() {
		return
	}
	d.leaving = time.AfterFunc(c.p.limits.asked, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if d.waiting == 0 && !d.isMade() && c.hosts[to] == d {
			delete(c.hosts, to)
			d.cancel(errAbandoned)
		}
	})
}

func (c *client) ask(ctx context.Context, to target) error {
	select {
	case c.asking <- struct{}{}:
		defer func() { <-c.asking }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if c.reach == nil {
		return errors.New("this command has no network")
	}
	return c.reach(ctx, to.host, to.port)
}

func (d *decision) settle(err error) {
	d.err = err
	close(d.done)
	d.cancel(nil)
}

func (d *decision) isMade() bool {
	select {
	case <-d.done:
		return true
	default:
		return false
	}
}

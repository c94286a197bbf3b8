package app

import (
	"context"
	"errors"
	"fmt"
	"net"

	"hermes-tui/agent/event"
	"hermes-tui/store/config"
	"hermes-tui/tools"
	"hermes-tui/tools/network"
	"hermes-tui/tools/place"
)

// confinement is a place in which processes can be confined one by one, with its way
// to the network; err says why there is none.
type confinement struct {
	place *place.Guarded
	proxy *network.Proxy
	err   error
}

// close may be called once, and does nothing where there is none.
func (k confinement) close() error {
	if k.place == nil {
		return nil
	}
	k.proxy.Close()
	return k.place.Close()
}

// prepare begins to make the place of the first conversation, which takes about as long
// as opening the store does.
func (a *App) prepare() {
	if !a.o.Confine || a.config().Terminal.Backend != config.BackendLocal {
		return
	}
	early := make(chan confinement, 1)
	go func() { early <- a.confine(context.Background(), a.o.Dir) }()
	a.early = early
}

// takeEarly gives what was prepared, once.
func (a *App) takeEarly() <-chan confinement {
	a.mu.Lock()
	defer a.mu.Unlock()
	early := a.early
	a.early = nil
	return early
}

// dropEarly gives up what was prepared and not taken.
func (a *App) dropEarly() error {
	if early := a.takeEarly(); early != nil {
		return (<-early).close()
	}
	return nil
}

// confinementOf is the one prepared for a folder, or else a new one.
func (a *App) confinementOf(ctx context.Context, dir string) confinement {
	if dir != a.o.Dir {
		a.background.run(func(context.Context) {
			if err := a.dropEarly(); err != nil {
				a.log.Warn("confine commands", "err", err)
			}
		})
	} else if early := a.takeEarly(); early != nil {
		return <-early
	}
	return a.confine(ctx, dir)
}

// errHomeInside is why a workspace cannot be told from what must be guarded.
var errHomeInside = errors.New("the workspace is or contains your home directory; start in a project's folder")

// confine makes the place in which processes can be confined. Where they can have a
// network of their own, the proxy is in it.
func (a *App) confine(ctx context.Context, dir string) confinement {
	roots, readOnly := a.workRoots(dir)
	if a.within(roots[0], a.place.Info().Home) {
		return confinement{err: errHomeInside}
	}
	var g *place.Guarded
	made := make(chan struct{}) // closed when g is set
	proxy := network.NewProxy(network.Options{
		Dialer: a.dialer(a.hosts().Names),
		Owner: func(c net.Conn) any {
			if <-made; g == nil {
				return nil
			} else if owner := g.Owner(c); owner != nil {
				return owner
			}
			return nil
		},
	})
	g, err := place.NewGuarded(ctx, a.place, place.GuardedOptions{
		Roots: roots, ReadOnly: readOnly,
		Hidden: tools.HiddenPaths(a.place.Info().Home, a.o.Home.Dir(), a.o.Environ),
		Caches: tools.CachePaths(a.place.Info().Home, a.o.Environ), State: a.o.Home.Confined(),
		Harmless: tools.HarmlessNew,
		Serve:    proxy.Serve,
		AtPort:   proxy.AtPort,
		ProxyEnv: func(c *place.Confine) (env []string, done func()) {
			return proxy.Env(c, c.Reach, func(address string) {
				c.Refused(place.Refusal{Kind: place.RefusedNetwork, What: address})
			})
		},
	})
	close(made)
	if err != nil {
		proxy.Close()
	}
	return confinement{g, proxy, err}
}

// local gives a conversation this machine, with processes that can be confined one
// by one where the system has the means. What it has not is only worth a note where
// the mode relies on it.
func (a *App) local(ctx context.Context, c *conversation, dir string) []string {
	c.place = a.place
	if !a.o.Confine {
		return nil
	}
	mode := a.config().Approvals.Mode
	relies := mode == config.ApprovalGuarded || mode == config.ApprovalSmart
	k := a.confinementOf(ctx, dir)
	if k.err != nil {
		a.log.Warn("confine commands", "err", k.err)
		if !relies {
			return nil
		}
		return []string{"Commands cannot be confined here, so you will be asked before anything that is not read-only: " + k.err.Error() + "."}
	}
	c.place, c.done = k.place, append(c.done, k.close)
	if !relies {
		return nil
	}
	return hiddenAuthorities(a.o.Environ, k.place.Hides)
}

// mode is the approval mode of the settings as it works in the conversation's place.
func (c *conversation) mode() event.Mode {
	return c.able(event.Mode(c.cfg.Approvals.Mode))
}

// able is the mode that a mode works as here: guarded needs a place that confines.
func (c *conversation) able(mode event.Mode) event.Mode {
	if info := c.place.Info(); mode == event.ModeGuarded && !info.Confines && !info.Confined && !info.Isolated {
		return event.ModeManual
	}
	return mode
}

// OffWarning says what mode off means, for whoever asks for it.
const OffWarning = "In mode off nothing is asked and nothing is confined: commands run with all your rights as the agent writes them. Only what is blocked in every mode stays blocked. It holds from the next turn on."

// SetMode changes the approval mode. Where guarded is not possible, it becomes manual,
// and the error says so.
func (c *conversation) SetMode(m event.Mode) error {
	able := c.able(m)
	if err := c.Conversation.SetMode(able); err != nil {
		return err
	}
	if able != m {
		return c.unguarded()
	}
	return nil
}

// unguarded says why the mode is manual where guarded was asked for. What hindered
// confinement when the conversation was opened is looked at again: the place of an open
// one does not change.
func (c *conversation) unguarded() error {
	const manual = "mode manual, since commands cannot be confined here%s: you will be asked before anything that is not read-only"
	if c.remote != nil || !c.app.o.Confine {
		return fmt.Errorf(manual, "")
	}
	k := c.app.confine(context.Background(), c.dir)
	if k.err != nil {
		return fmt.Errorf(manual, " ("+k.err.Error()+")")
	}
	if err := k.close(); err != nil {
		c.app.log.Warn("confine commands", "err", err)
	}
	return errors.New("mode manual until this session is opened again (/new, then /resume): commands can be confined now, but could not be when it was opened")
}

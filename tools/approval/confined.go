package approval

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// Confined is a run that the system confines, for the tool that runs it: it decides
// about the hosts that the run wants to reach, and says afterwards what the run was
// refused. It is safe for concurrent use. Of a nil one nothing is confined.
type Confined struct {
	permit Permit
	host   tools.Host
	stamp  time.Time // of its start

	mu     sync.Mutex
	hosts  []string          // that it was let connect to
	denied map[string]string // and those that it was not, with why
}

// Confined gives what goes with a run of this permit that may run only confined, nil
// for another one. host is asked about hosts that it wants to reach and about what it
// was refused; private is a folder of the tool's own in the place.
func (p Permit) Confined(run Run, host tools.Host, private string) *Confined {
	if !run.Confined {
		return nil
	}
	c := &Confined{permit: p, host: host, denied: map[string]string{}}
	fsys := p.p.place.FS()
	if dir, err := fsys.Resolve(private); err == nil {
		c.stamp = place.Stamp(fsys, filepath.Join(dir, "begun"))
	}
	return c
}

// Process is how the process is confined.
func (c *Confined) Process() *place.Confine {
	if c == nil {
		return nil
	}
	return &place.Confine{Reach: c.reach}
}

// reach decides about a host, and remembers what was decided.
func (c *Confined) reach(ctx context.Context, name string, port int) error {
	err := c.permit.Reach(ctx, c.host, name, port)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		why := err.Error() + "."
		if d, ok := errors.AsType[*Denied](err); ok {
			why = d.Message
		}
		at := name
		if strings.Contains(name, ":") {
			at = "[" + name + "]"
		}
		c.denied[at+":"+strconv.Itoa(port)] = why
	} else if !slices.Contains(c.hosts, name) {
		c.hosts = append(c.hosts, name)
	}
	return err
}

// Hosts are those that it was let connect to, in the order of the first time.
func (c *Confined) Hosts() []string {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.hosts)
}

// Ended is a confined run that has ended.
type Ended struct {
	Exit place.Exit
	// Failed says that it has not done what it was to do; Output may tell why then.
	Failed bool
	Output string
	// Acted says that it had effects beside those on files.
	Acted bool
	Dir   string // where it ran last, which names in Output start from
}

// Refused is what a run was not let do.
func (c *Confined) Refused(e Ended) []place.Refusal {
	if c == nil {
		return nil
	}
	if !e.Failed {
		return e.Exit.Refused
	}
	return place.MergeRefusals(e.Exit.Refused, place.ReadRefusals(e.Output, c.bounds(e.Dir)))
}

// bounds are those of confined processes in the place of the permit.
func (c *Confined) bounds(dir string) place.Bounds {
	at := c.permit.p.place
	info := at.Info()
	b := place.Bounds{Dir: dir, Home: info.Home, Writable: info.Roots, Could: place.Could}
	if shared, ok := at.(interface{ Shared() string }); ok {
		b.Writable = append(slices.Clone(b.Writable), shared.Shared())
	}
	if hidden, ok := at.(interface{ Hides(name string) bool }); ok {
		b.Hidden = hidden.Hides
	}
	b.Exists = func(name string) bool {
		_, err := at.FS().Stat(name)
		return err == nil
	}
	return b
}

// Again is what may be done about a run that was refused something: a permit to run
// the same once more with all rights, which is void when it may not, and a note for
// the model. The user is asked where that is worth it. The error is that of ctx.
func (c *Confined) Again(ctx context.Context, e Ended) (next Permit, note string, err error) {
	refused := c.Refused(e)
	if len(refused) == 0 {
		return Permit{}, "", nil
	}
	open := slices.DeleteFunc(slices.Clone(refused), func(r place.Refusal) bool { return c.decided(r) })
	if !e.Failed || e.Exit.Killed || len(open) == 0 {
		return Permit{}, c.note(refused, ""), nil
	}
	changed := e.Acted || c.reached(refused) || place.ChangedSince(ctx, c.permit.p.place.FS(), c.permit.p.place.Info().Roots, c.stamp)
	next, err = c.permit.Outside(ctx, c.host, open, changed)
	var denied *Denied
	var partly *PartlyError
	switch {
	case err == nil:
		return next, "[This is the second run, outside. The first one ran confined and was not let " + refusedInWords(refused) + ".]", nil
	case ctx.Err() != nil:
		return Permit{}, "", context.Cause(ctx)
	case errors.As(err, &denied):
		return Permit{}, c.note(refused, denied.Message), nil
	case errors.As(err, &partly):
		return Permit{}, "[" + partly.Error() + "]", nil
	}
	return Permit{}, c.note(refused, ""), nil
}

// Note tells the model what a run was refused, empty when that was nothing.
func (c *Confined) Note(e Ended) string {
	refused := c.Refused(e)
	if len(refused) == 0 {
		return ""
	}
	return c.note(refused, "")
}

// How says how it runs, for the screen.
func (r Run) How() tools.Ran {
	switch {
	case r.Confined:
		return tools.RanConfined
	case r.Outside:
		return tools.RanOutside
	}
	return tools.RanPlain
}

// reached reports whether it may have told a host something: it was let connect, and
// nothing refused that later.
func (c *Confined) reached(refused []place.Refusal) bool {
	return slices.ContainsFunc(c.Hosts(), func(name string) bool {
		return !slices.ContainsFunc(refused, func(r place.Refusal) bool {
			return r.Kind == place.RefusedNetwork && (r.What == name || strings.HasPrefix(r.What, name+":"))
		})
	})
}

// decided reports whether a host was refused by a decision about it.
func (c *Confined) decided(r place.Refusal) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Kind != place.RefusedNetwork {
		return false
	}
	for name := range c.denied {
		if r.What == name || r.What == "" || strings.HasPrefix(name, r.What+":") {
			return true
		}
	}
	return false
}

// note tells the model what was refused, and what can be done about it.
func (c *Confined) note(refused []place.Refusal, more string) string {
	text := "[This ran confined, and the system did not let it " + refusedInWords(refused) + "."
	c.mu.Lock()
	for _, r := range refused {
		if why := c.denied[r.What]; why != "" {
			text += " " + r.What + ": " + why
		}
	}
	c.mu.Unlock()
	if more != "" {
		return text + " " + more + "]"
	}
	return text + " It may write in the workspace and in $TMPDIR, and reach hosts that the user allows. " +
		"Do it in there if that serves; if it needs more, say what and why, and let the user decide.]"
}

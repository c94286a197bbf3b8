package approval

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
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
	denied map[string]string // and those that it was not, with why, by address
	open   []target          // asked about without an answer
}

// target is a host, as a process names it, and a port.
type target struct {
	name string
	port int
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
	to := target{name, port}
	c.mu.Lock()
	c.open = append(c.open, to)
	c.mu.Unlock()
	err := c.permit.Reach(ctx, c.host, name, port)
	if err != nil && ctx.Err() != nil {
		return err // no one waits for the answer any more
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = slices.DeleteFunc(c.open, func(o target) bool { return o == to })
	shown := name
	if name == localhost {
		shown = address(name, port)
	}
	d, denied := errors.AsType[*Denied](err)
	switch {
	case denied:
		c.denied[address(name, port)] = d.Message
		if d.By == ByUser {
			return errors.New("the user did not allow it" + strings.TrimPrefix(d.Reason, youDenied))
		}
	case err != nil:
		c.denied[address(name, port)] = sentence(err.Error())
	case !slices.Contains(c.hosts, shown):
		c.hosts = append(c.hosts, shown)
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
	if c == nil || !e.Failed {
		return e.Exit.Refused
	}
	read := slices.DeleteFunc(place.ReadRefusals(e.Output, c.bounds(e.Dir)), func(r place.Refusal) bool {
		host, _, _ := strings.Cut(r.What, ":")
		return r.Kind == place.RefusedNetwork && slices.Contains(c.Hosts(), host) // it failed by itself
	})
	return place.MergeRefusals(e.Exit.Refused, read)
}

// bounds are those of confined processes in the place of the permit.
func (c *Confined) bounds(dir string) place.Bounds {
	at := c.permit.p.place
	info := at.Info()
	b := place.Bounds{Dir: dir, Home: info.Home, Writable: info.Roots, MayWrite: place.MayWrite}
	if dir := shared(at); dir != "" {
		b.Writable = append(slices.Clone(b.Writable), dir)
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
// the same once more, which is void when it may not, and a note for the model. That run
// is confined when all that was refused is hosts about which no one answered before it
// gave up, and which the user allows now; otherwise it has all rights. The user is asked
// where that is worth it. The error is that of ctx, when it ends while a question is open.
func (c *Confined) Again(ctx context.Context, e Ended) (next Permit, note string, err error) {
	refused := c.Refused(e)
	if len(refused) == 0 {
		return Permit{}, c.unsaid(e), nil
	}
	if c == nil {
		return Permit{}, c.Note(e), nil
	}
	if ctx.Err() != nil {
		c.stopped()
		return Permit{}, c.note(refused), nil //nolint:nilerr // the call ends with the note
	}
	open := slices.DeleteFunc(slices.Clone(refused), func(r place.Refusal) bool { return c.decided(r) })
	if !e.Failed || e.Exit.Killed || len(open) == 0 || c.permit.Reads() { // who only reads has said what it could not
		return Permit{}, c.note(refused), nil
	}
	changed := e.Acted || c.reached(refused) || place.ChangedSince(ctx, c.permit.p.place.FS(), c.permit.p.place.Info().Roots, c.stamp)
	if late := c.unanswered(open); len(late) == len(open) && !changed {
		return c.askAgain(ctx, late, refused)
	}
	next, err = c.permit.Outside(ctx, c.host, c.explained(open), changed)
	var denied *Denied
	var partly *PartlyError
	switch {
	case err == nil:
		return next, "[This is the second run, outside. The first one ran confined and " + refusedInWords(refused) + ".]", nil
	case ctx.Err() != nil:
		return Permit{}, "", context.Cause(ctx)
	case errors.As(err, &denied):
		return Permit{}, c.note(refused, denied.Message), nil
	case errors.As(err, &partly):
		return Permit{}, c.note(refused, partly.Error()), nil
	}
	return Permit{}, c.note(refused), nil
}

// stopped forgets which hosts no one answered about: the user has stopped the run instead
// of answering, and is not to be asked again.
func (c *Confined) stopped() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = nil
}

// askAgain asks once more about hosts about which no one answered in time.
func (c *Confined) askAgain(ctx context.Context, late []target, refused []place.Refusal) (Permit, string, error) {
	for _, to := range late {
		if err := c.reach(ctx, to.name, to.port); ctx.Err() != nil {
			return Permit{}, "", context.Cause(ctx)
		} else if err != nil {
			return Permit{}, c.note(refused), nil //nolint:nilerr // the answer was no, which the model is told
		}
	}
	what, _ := inWords(refused)
	return c.permit.repeat(), "[This is the second run. The first one gave up before the user had allowed it to " + what + ".]", nil
}

// unanswered are the hosts among what was refused about which no one answered.
func (c *Confined) unanswered(refused []place.Refusal) []target {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []target
	for _, to := range c.open {
		if !slices.Contains(list, to) && slices.Contains(refused, place.Refusal{Kind: place.RefusedNetwork, What: address(to.name, to.port)}) {
			list = append(list, to)
		}
	}
	return list
}

// explained says beside hosts that no answer of the user lets a confined run reach why
// that is so.
func (c *Confined) explained(refused []place.Refusal) []place.Refusal {
	list := slices.Clone(refused)
	for i, r := range list {
		host := strings.Trim(r.What[:max(strings.LastIndex(r.What, ":"), 0)], "[]")
		if r.Kind == place.RefusedNetwork && host != "" && host != localhost && (local(host) || slices.Contains(c.Hosts(), host)) {
			list[i].What += ", on this machine or in a private network (approvals.hosts)"
		}
	}
	return list
}

// Note tells the model what a run was refused, empty when that was nothing.
func (c *Confined) Note(e Ended) string {
	refused := c.Refused(e)
	if len(refused) == 0 {
		return ""
	}
	if c == nil { // in a place that confines everything
		return "[This " + refusedInWords(refused) + ". It was taken back; the file tools may write there.]"
	}
	return c.note(refused)
}

// unsaid tells the model what git passes over: where it cannot write the settings of a
// repository it goes on, and says of a new branch that it is set up to track another.
func (c *Confined) unsaid(e Ended) string {
	if c == nil || !strings.Contains(e.Output, "could not write config file") && !strings.Contains(e.Output, "could not lock config file") {
		return ""
	}
	return "[Confined commands cannot write .git/config, which is as it was. The rest was done: branches are made, switched to and deleted, " +
		"but without setting or removing an upstream. Where one is needed, set it with git branch --set-upstream-to, about which the user is asked.]"
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

// Again stands between what a confined run wrote and what this one, the same once more,
// writes.
func (r Run) Again() string {
	if r.Confined {
		return "\n── run again ──\n"
	}
	return "\n── run again, outside ──\n"
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

// note tells the model what was refused, with what was decided about it, or else what
// can be done.
func (c *Confined) note(refused []place.Refusal, more ...string) string {
	late := c.unanswered(refused)
	c.mu.Lock()
	for _, r := range refused {
		if why := c.denied[r.What]; why != "" {
			more = append(more, why)
		}
	}
	c.mu.Unlock()
	if len(late) > 0 {
		more = append(more, "The user had not answered whether it may connect to "+address(late[0].name, late[0].port)+
			" when it gave up; run it again if it is still needed, and they are asked again.")
	}
	text := "[This ran confined and " + refusedInWords(c.explained(refused)) + "."
	if len(more) == 0 {
		more = []string{"It may write in the workspace and in $TMPDIR, and reach hosts that the user allows. " +
			"Do it in there if that serves; if it needs more, say what and why, and let the user decide."}
	}
	return text + " " + strings.Join(more, " ") + "]"
}

package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"hermes-tui/tools"
	"hermes-tui/tools/hunks"
	"hermes-tui/tools/place"
)

// Errors of using a permit.
var (
	// ErrNoPermit means that nothing was permitted: the permit is void, or of
	// another kind than the action.
	ErrNoPermit = errors.New("there is no permit for this")
	// ErrForeignPermit means that the permit is for another place.
	ErrForeignPermit = errors.New("the permit is for another place")
	// ErrUsedPermit means that what was permitted has been run already.
	ErrUsedPermit = errors.New("the permit was used already")
)

// ChangedError means that a file which was to run, or the names in a folder that a script
// could load from, are not what they were when it was permitted.
type ChangedError struct{ File string }

func (e *ChangedError) Error() string {
	return "since it was allowed, this has changed: " + e.File
}

// Permit is the leave for one action, to be used once. Only a [Gate] makes
// permits; the zero value permits nothing. It is safe for concurrent use.
type Permit struct{ p *permitted }

var _ tools.Permit = Permit{}

// permitted is what a permit binds. Nothing of what runs changes in it.
type permitted struct {
	place    place.Place
	action   tools.Action
	confined bool
	pins     []Pin
	digest   string
	used     atomic.Bool

	reviewed *tools.Reviewed // what was shown of an edit, and decided about it

	gate    *Gate
	about   *matter
	widened atomic.Bool  // Outside was asked
	heard   atomic.Int32 // hosts that a judge was heard about

	mu    sync.Mutex
	hosts map[string]*asking // by name
}

// Run is what a permit allows to run: exactly these bytes.
type Run struct {
	Command string // the shell text, or the script
	Argv    []string
	Dir     string
	Env     []string
	// Confined says that it may run only confined, see [place.Proc.Confine]; Outside
	// that it runs with all rights of the user where it could be confined.
	Confined, Outside bool
	// Online are programs that it calls to show what comes from the network, empty if
	// none is known. Where it is confined its hosts are known instead.
	Online string
}

// Digest is the hex SHA-256 of the action, its environment and the content of
// what it runs; empty for a void permit.
func (p Permit) Digest() string {
	if p.p == nil {
		return ""
	}
	return p.p.digest
}

// Reads reports whether it is for a command that is proved to only read.
func (p Permit) Reads() bool { return p.p != nil && p.p.about != nil && p.p.about.verdict.Proved }

// Reviewed is the edit that the user was shown, with what they have decided about its
// parts; nil for one that was not shown. See [tools.ReviewOf].
func (p Permit) Reviewed() *tools.Reviewed {
	if p.p == nil {
		return nil
	}
	return p.p.reviewed
}

// Paths are the files that it is for, if it is for files.
func (p Permit) Paths() []string {
	if p.p == nil {
		return nil
	}
	return slices.Clone(p.p.action.Paths)
}

// Take uses the permit up and gives what may run now, in the given place. It
// fails with one of the errors above, or with a [*ChangedError] when the program
// or a script is no longer what was permitted.
func (p Permit) Take(at place.Place) (Run, error) {
	switch {
	case p.p == nil || p.p.action.OnFiles():
		return Run{}, ErrNoPermit
	case p.p.place != at:
		return Run{}, ErrForeignPermit
	case !p.p.used.CompareAndSwap(false, true):
		return Run{}, ErrUsedPermit
	}
	for _, was := range p.p.pins {
		if was.now(place.Outer(at)) != was.Content {
			return Run{}, &ChangedError{File: was.File}
		}
	}
	a := p.p.action
	r := Run{
		Command: a.Command, Argv: slices.Clone(a.Argv), Dir: a.Dir, Env: slices.Clone(a.Env),
		Confined: p.p.confined,
		Outside:  p.outside(),
	}
	if m := p.p.about; !r.Confined && m != nil && !m.verdict.Proved {
		r.Online = strings.Join(m.seen.Online(), ", ")
	}
	return r, nil
}

// outside reports whether it runs with all rights of the user where it could be confined.
func (p Permit) outside() bool {
	return !p.p.confined && p.p.place.Info().Confines && p.p.about != nil && !p.p.about.verdict.Sockets
}

// newPermit binds an action. scripts are the files that it names to be run; changeable
// reports whether the agent can change a file without a question.
func newPermit(at place.Place, a tools.Action, scripts []string, changeable func(file string) bool) (Permit, error) {
	a.Argv, a.Env, a.Plain, a.Paths = slices.Clone(a.Argv), slices.Clone(a.Env), slices.Clone(a.Plain), slices.Clone(a.Paths)
	p := &permitted{place: at, action: a}
	if len(a.Argv) > 0 {
		files := append([]string{a.Argv[0]}, scripts...)
		for i, file := range files {
			most := int64(maxHashed)
			if i == 0 && !changeable(file) {
				most = notHashed
			}
			c := content(place.Outer(at), file, most)
			if i == 0 && c == missing {
				return Permit{}, fmt.Errorf("look at what would run: %s: %w", file, fs.ErrNotExist)
			}
			p.pins = append(p.pins, Pin{file, c})
		}
	}
	p.digest = p.sum()
	return Permit{p}, nil
}

// about completes a permit that no one else has yet: what it was asked about, and
// whether that runs confined.
func (p Permit) about(g *Gate, m *matter) Permit {
	p.p.gate, p.p.about = g, m
	p.p.confined = m.does.confined() && m.allowing == nil
	p.p.digest = p.p.sum()
	return p
}

// showing is a permit that no one else has yet for an edit that is shown.
func (p Permit) showing(files []hunks.File) Permit {
	p.p.reviewed = &tools.Reviewed{Files: files, Review: hunks.Review{Rest: hunks.Accept}}
	p.p.digest = p.p.sum()
	return p
}

// again is a new permit for the same bytes, confined or not.
func (p Permit) again(confined bool) Permit {
	n := &permitted{place: p.p.place, action: p.p.action, confined: confined, pins: p.p.pins, gate: p.p.gate, about: p.p.about}
	n.digest = n.sum()
	return Permit{n}
}

// repeat is a new permit for the same, confined, for which what was decided about hosts
// holds.
func (p Permit) repeat() Permit {
	n := p.again(true)
	p.p.mu.Lock()
	defer p.p.mu.Unlock()
	n.p.hosts = maps.Clone(p.p.hosts)
	return n
}

// sum is the digest: every field with its length before it, so that none can
// pass for a part of another.
func (p *permitted) sum() string {
	h := sha256.New()
	field := func(s string) {
		_, _ = io.WriteString(h, strconv.Itoa(len(s))+":"+s) // a hash never fails
	}
	list := func(l []string) {
		field(strconv.Itoa(len(l)))
		for _, s := range l {
			field(s)
		}
	}
	a := p.action
	field(string(a.Kind))
	field(a.Command)
	field(a.Server)
	field(a.Item)
	field(a.Dir)
	field(strconv.FormatBool(a.Background))
	field(strconv.FormatBool(p.confined))
	list(a.Paths)
	list(a.URLs)
	list(a.Argv)
	list(a.Env)
	list(a.Plain)
	for _, pin := range p.pins {
		field(pin.File)
		field(pin.Content)
	}
	if p.reviewed != nil {
		for _, f := range p.reviewed.Files {
			list([]string{f.Path, string(f.Op), f.To, f.Old, f.New})
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

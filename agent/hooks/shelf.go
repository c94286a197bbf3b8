package hooks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Start starts a program, which ends with ctx, and all that it has started with it. wait
// gives its exit code once it has ended.
type Start func(ctx context.Context, p Process) (wait func() (code int, err error), err error)

// ShelfOptions say what a [Shelf] needs.
type ShelfOptions struct {
	Start Start
	// Home is the user's, Path gives the PATH of programs in a folder.
	Home string
	Path func(dir string) string
	// Bind returns the files that a command runs or loads from where agents can write, as they
	// are; nil returns none. own are variables that it gets besides those of the user.
	Bind func(command, dir string, own []string) []Pin
	// Decided gives what was decided last under a name: the hash that was approved, [Refused],
	// or nothing. Decide stores a decision.
	Decided func(name string) string
	Decide  func(ctx context.Context, name, what string) error
	// Mask hides secrets in a text.
	Mask func(string) string
	// Profile names HERMES_HOME.
	Profile string
	Now     func() time.Time
}

// Refused is the decision that a hook may not run.
const Refused = "off"

// Shelf knows which hooks may run, and what has run.
type Shelf struct {
	o ShelfOptions

	mu   sync.Mutex
	runs []Run
}

// NewShelf makes a shelf.
func NewShelf(o ShelfOptions) *Shelf {
	if o.Bind == nil {
		o.Bind = func(string, string, []string) []Pin { return nil }
	}
	return &Shelf{o: o}
}

// Run is a run of a hook.
type Run struct {
	At      time.Time
	Took    time.Duration
	Hook    string // its id
	Event   Event
	Tool    string
	Session string
	// Outcome says in a few words what came of it, Said is what it wrote, shortened.
	Outcome, Said string
	// Failed says that it did not do what a hook does.
	Failed bool
}

// maxRuns is how many runs are kept.
const maxRuns = 200

// keep remembers a run.
func (s *Shelf) keep(r Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.runs) == maxRuns {
		s.runs = slices.Delete(s.runs, 0, 1)
	}
	s.runs = append(s.runs, r)
}

// Runs are the last runs of a hook, of all for an empty id, the newest first.
func (s *Shelf) Runs(id string) []Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Run
	for _, r := range slices.Backward(s.runs) {
		if id == "" || r.Hook == id {
			list = append(list, r)
		}
	}
	return list
}

// Seen is a hook as it is now.
type Seen struct {
	Hook
	State State
	// Why explains a state but the first, in a sentence.
	Why string
	// Pins are the files it consists of, Hash is what an approval of it is bound to: what it
	// is, and behind a blank, unless it runs confined, what it loads from where agents write.
	Pins []Pin
	Hash string

	argv []string
}

// Look looks at a hook that would run in a folder.
func (s *Shelf) Look(h Hook, dir string) Seen {
	seen := Seen{Hook: h, State: Broken, Why: h.Problem}
	if h.Problem != "" {
		return seen
	}
	if _, err := h.compile(); err != nil {
		seen.Why = err.Error()
		return seen
	}
	var err error
	seen.Pins, seen.argv, err = pins(h.Command, Where{Dir: dir, Home: s.o.Home, Path: s.o.Path(dir), Vars: h.vars(dir)})
	if err != nil {
		seen.Why = err.Error()
		return seen
	}
	var more []string
	for _, p := range seen.Pins {
		more = append(more, p.Path, p.Sum)
	}
	seen.Hash = h.digest(more...)
	decided := s.o.Decided(h.place())
	if all := h; decided == "" && h.Matcher != "" { // as earlier versions kept it, or of one that ran at all
		all.Matcher = ""
		decided = s.o.Decided(all.place())
	}
	if h.Confine == nil {
		seen.Hash += " " + s.loads(&seen, dir)
	} else if is, _, _ := strings.Cut(decided, " "); is == seen.Hash {
		decided = is
	}
	switch {
	case h.Accepted, decided == seen.Hash:
		seen.State, seen.Why = Approved, ""
	case decided == Refused:
		seen.State, seen.Why = Off, "you have switched it off"
	case decided != "":
		seen.State, seen.Why = Changed, "it is not what you have approved: it, or a file that it runs, has changed"
	default:
		seen.State, seen.Why = New, "you have not approved it yet"
	}
	return seen
}

// loads adds the files that a hook loads from where agents write, and gives their hash.
func (s *Shelf) loads(seen *Seen, dir string) string {
	var texts []string
	for _, p := range s.o.Bind(seen.Command, dir, seen.own(dir)) {
		texts = append(texts, p.Path, p.Sum)
		if !slices.ContainsFunc(seen.Pins, func(o Pin) bool { return o.Path == p.Path }) {
			seen.Pins = append(seen.Pins, p)
		}
	}
	return Hook{}.digest(texts...)
}

// own are the variables of a hook in the form of an environment.
func (h Hook) own(dir string) (list []string) {
	for name, value := range h.vars(dir) {
		list = append(list, name+"="+value)
	}
	return list
}

// vars are the variables that a hook gets besides those of every program of the user.
func (h Hook) vars(dir string) map[string]string {
	root, project := h.Root, dir
	if root == "" {
		root = dir
	}
	if root == h.From { // a folder's own
		project = root
	}
	return map[string]string{"CLAUDE_PROJECT_DIR": project, "CLAUDE_PLUGIN_ROOT": root, "PLUGIN_ROOT": root}
}

// Decide approves a hook as it was seen, or switches it off. One that has changed since is
// not approved.
func (s *Shelf) Decide(ctx context.Context, seen Seen, dir string, yes bool) error {
	if !yes {
		return s.o.Decide(ctx, seen.place(), Refused)
	}
	now := s.Look(seen.Hook, dir)
	switch {
	case now.State == Broken:
		return fmt.Errorf("this hook can never run: %s", now.Why)
	case now.Hash != seen.Hash:
		return fmt.Errorf("the hook has changed since you looked: look again")
	}
	return s.o.Decide(ctx, seen.place(), seen.Hash)
}

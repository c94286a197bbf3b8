package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"hermes-tui/tools/shorten"
)

// DefaultTimeout is how long a hook may take that says nothing of it.
const DefaultTimeout = time.Minute

// maxOutput bounds what a hook may write to its standard output, in bytes.
const maxOutput = 1 << 20

// The exit codes that mean something.
const (
	codeSaid    = 0
	codeRefused = 2
)

// ran is how a process ended.
type ran struct {
	code int
	out  []byte
	errs string
	// why it did not end as programs do, empty if it did.
	why string
}

// start runs a hook that may run and waits for its end.
func (s *Shelf) start(parent context.Context, seen Seen, in Input, dir string) (r ran) {
	line, err := in.line(seen.Hook, dir, s.o.Home, s.o.Profile)
	if err != nil {
		return ran{why: "what it is to be told cannot be written: " + err.Error()}
	}
	within := seen.Timeout
	if within <= 0 {
		within = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(parent, within)
	defer cancel()
	out, errs := &head{full: cancel}, &tail{}
	p := Process{Argv: seen.argv, Dir: dir, In: bytes.NewReader(append(line, '\n')), Out: out, Errs: errs, Env: []string{
		"HERMES_SESSION_ID=" + in.Session, "HERMES_HOOK_EVENT=" + seen.Event.String(),
	}}
	p.Env = append(p.Env, seen.own(dir)...)
	if p.Argv == nil {
		p.Command = seen.Command
	}
	start := s.o.Start
	if seen.Confine != nil {
		start = seen.Confine
	}
	wait, err := start(ctx, p)
	if err != nil {
		return ran{why: "it could not be started: " + err.Error()}
	}
	code, err := wait()
	r = ran{code: code, out: out.text(), errs: errs.text()}
	switch {
	case out.over():
		r.why = fmt.Sprintf("it wrote more than %d MB", maxOutput>>20)
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && parent.Err() == nil:
		r.why = fmt.Sprintf("it took longer than %v", within)
	case err != nil:
		r.why = "how it ended is not known: " + err.Error()
	case code != codeSaid && code != codeRefused:
		r.why = fmt.Sprintf("it ended with code %d", code)
		if line := lastLine(r.errs); line != "" {
			r.why += ": " + line
		}
		if seen.Confine != nil {
			r.why += " (it runs confined, which outside: true in its entry ends)"
		}
	}
	return r
}

// lastLine is the last line of what a program said.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return short(lines[len(lines)-1], 200)
}

// judge says what a run of a hook means. failed is why it means nothing, note is for the
// user.
func judge(h Hook, in Input, r ran) (a Answer, note, failed string) {
	if r.why != "" {
		return a, "", r.why
	}
	if r.code == codeRefused {
		return refusal(h, in, r), "", ""
	}
	a, note, err := read(h, in, r.out)
	if err != nil {
		return Answer{}, "", err.Error()
	}
	return a, note, ""
}

// refusal is what a hook means that ended with code 2.
func refusal(h Hook, in Input, r ran) (a Answer) {
	reason := ""
	if said, _, err := read(h, in, r.out); err == nil {
		reason = first(said.Refused, said.GoOn)
	}
	if reason == "" {
		reason = first(shorten.After(strings.TrimSpace(clean(r.errs)), maxErrors), "a hook refused it and did not say why")
	}
	switch {
	case h.Event.can(refuses), h.Event.can(replaces):
		a.Refused = reason
	case h.Event.can(goesOn):
		a.GoOn = reason
	case h.Event.can(adds):
		a.Context = []Text{{h.Command, reason}}
	}
	return a
}

// run runs a hook once and remembers it.
func (s *Shelf) run(ctx context.Context, seen Seen, in Input, dir string) (a Answer, note, failed string) {
	began := s.o.Now()
	r := s.start(ctx, seen, in, dir)
	a, note, failed = judge(seen.Hook, in, r)
	one := Run{At: began, Took: s.o.Now().Sub(began), Hook: seen.ID(), Event: seen.Event, Tool: in.Tool, Session: in.Session, Outcome: a.outcome(failed), Failed: failed != ""}
	for _, part := range []string{string(r.out), r.errs} {
		if part = strings.TrimSpace(clean(part)); part != "" {
			one.Said += shorten.After(part, maxReason) + "\n"
		}
	}
	one.Said = s.o.Mask(one.Said)
	if ctx.Err() != nil {
		one.Outcome, one.Failed = "stopped", false
	}
	s.keep(one)
	a.Refused, a.Ask, a.GoOn = s.tidy(a.Refused, maxReason), s.tidy(a.Ask, maxReason), s.tidy(a.GoOn, maxReason)
	for i, c := range a.Context {
		a.Context[i] = Text{short(c.From, 80), s.tidy(c.Text, maxContext)}
	}
	return a, s.tidy(note, maxReason), failed
}

func (s *Shelf) tidy(text string, chars int) string {
	if text == "" {
		return ""
	}
	return shorten.After(s.o.Mask(strings.TrimSpace(clean(text))), chars)
}

// outcome says in a few words what a hook said.
func (a *Answer) outcome(failed string) string {
	switch {
	case failed != "":
		return "failed: " + failed
	case a.Refused != "":
		return "refused: " + short(a.Refused, 80)
	case a.Args != nil:
		return "changed the call"
	case a.Ask != "":
		return "asked for a question"
	case a.Text != nil:
		return "replaced the text"
	case a.GoOn != "":
		return "let the turn go on"
	case len(a.Context) > 0:
		return "added a text"
	}
	return "ok"
}

// Test runs a hook that is approved with what such an event could tell it, and gives what
// it was told and what came of it.
func (s *Shelf) Test(ctx context.Context, h Hook, dir string) (told string, r Run, err error) {
	seen := s.Look(h, dir)
	if seen.State != Approved {
		return "", Run{}, fmt.Errorf("only an approved hook can be tried, and %s", seen.Why)
	}
	in := sample(h)
	line, err := in.line(h, dir, s.o.Home, s.o.Profile)
	if err != nil {
		return "", Run{}, err
	}
	s.run(ctx, seen, in, dir)
	return string(line), s.Runs(h.ID())[0], nil
}

// head keeps the beginning of what is written to it.
type head struct {
	full func() // called when there is more

	mu   sync.Mutex
	data []byte
	more bool
}

// Write implements io.Writer.
func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if room := maxOutput - len(h.data); len(p) > room {
		h.data, h.more = append(h.data, p[:room]...), true
		h.full()
		return len(p), nil
	}
	h.data = append(h.data, p...)
	return len(p), nil
}

func (h *head) text() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.data
}

func (h *head) over() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.more
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

// maxTail is how much of it, in bytes.
const maxTail = 8 << 10

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	t.data = t.data[max(len(t.data)-maxTail, 0):]
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data)
}

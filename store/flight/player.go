package flight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// patience is how long the program may take, until it asks for the next item or has come
// to rest, before the two count as different.
const patience = 10 * time.Second

// Stage is the program that a recording is played to. Its methods return when what they
// are about was handled.
type Stage interface {
	// Input hands over what the terminal has sent.
	Input(name string, value []byte) error
	// Fire hands over the end of a timer.
	Fire(timer func())
	// Look draws the screen and gives its rows, and reports whether nothing is under way.
	Look() (rows []string, rests bool)
}

// Player plays a recording. It is safe for concurrent use.
type Player struct {
	tape  *Tape
	speed *Speed // nil plays as fast as it goes
	// Adapt changes the rows of both sides before they are compared, for what depends on
	// where they were made; nil changes nothing.
	Adapt func(row string) string

	mu     sync.Mutex
	moved  chan struct{} // closed and made again when anything changes
	now    time.Time
	timers []*timer
	held   map[int]*held // requests and calls, by their ID
	order  []*held
	asked  []*Item // of tools, that were not given yet
	ended  bool
}

// timer is one that runs.
type timer struct {
	at   time.Time
	fire func()
}

// held is a request or a call of the recording.
type held struct {
	begin  Item
	taken  bool   // the program has made it
	items  []Item // handed over, and not taken yet
	waits  bool   // the program waits for more
	left   bool   // the program wants no more
	behind int    // of its items are still to come
}

// NewPlayer makes a player of a recording. A speed of nil plays as fast as it goes.
func NewPlayer(t *Tape, speed *Speed) *Player {
	p := &Player{tape: t, speed: speed, moved: make(chan struct{}), now: t.Head.Start, held: map[int]*held{}}
	for i := range t.items {
		it := &t.items[i]
		switch it.Kind {
		case KindRequest, KindCall:
			h := &held{begin: *it}
			p.held[it.ID] = h
			p.order = append(p.order, h)
		case KindResponse, KindChunk, KindEnd, KindOutput, KindResult:
			if h := p.held[it.ID]; h != nil {
				h.behind++
			}
		case KindAsked:
			p.asked = append(p.asked, it)
		}
	}
	return p
}

// Now is the clock of the recording.
func (p *Player) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// After calls fire on a goroutine of the player when the clock has moved on by d.
func (p *Player) After(d time.Duration, fire func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timers = append(p.timers, &timer{p.now.Add(max(d, 0)), fire})
}

// change does something under the lock and tells those who wait.
func (p *Player) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	close(p.moved)
	p.moved = make(chan struct{})
}

// until waits until something holds. It is told under the lock.
func (p *Player) until(ctx context.Context, holds func() bool) error {
	for {
		p.mu.Lock()
		ok, moved := holds(), p.moved
		p.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// errLate is the cause of giving up.
var errLate = errors.New("it took too long")

// Difference says where the program and a recording differ.
type Difference struct {
	Mark, Marks int // which mark, from 1
	At          time.Duration
	Why         string
	Diff        string // of the rows, empty when it is not about them
}

func (d *Difference) Error() string {
	text := fmt.Sprintf("mark %d of %d, at %s: %s", d.Mark, d.Marks, d.At.Round(time.Millisecond), d.Why)
	if d.Diff != "" {
		text += " (- recorded, + now)\n" + d.Diff
	}
	return text
}

// Play plays the recording to a stage and returns at its end. With check, the first mark
// whose rows differ ends it with a [Difference]; without, differences pass.
func (p *Player) Play(ctx context.Context, stage Stage, check bool) error {
	marks, rows := 0, []string(nil)
	within := glance
	await := func(rows []string) {
		if p.see(ctx, stage, rows, within) {
			within = glance
		} else {
			within = blink // what was another screen once is not the same soon
		}
	}
	for n := range p.tape.items {
		it := &p.tape.items[n]
		if p.speed != nil {
			if it.Kind == KindMark { // what is shown by then is shown before the time of the mark
				_ = p.settle(ctx)
				p.see(ctx, stage, nil, glance/10)
			}
			if err := p.speed.wait(ctx, it.T, func(t int64) { p.advance(stage, t) }); err != nil {
				return err
			}
		}
		why := ""
		switch it.Kind {
		case KindInput:
			if err := p.settle(ctx); err != nil && ctx.Err() != nil {
				return err
			}
			p.advance(stage, it.T)
			if err := stage.Input(it.Name, it.Val); err != nil {
				why = err.Error()
			}
		case KindSeen:
			rows = it.screen(rows)
			_ = p.settle(ctx)
			await(rows)
		case KindMark:
			marks++
			rows = it.screen(rows)
			_ = p.settle(ctx)
			p.see(ctx, stage, nil, glance)
			p.advance(stage, it.T)
			if !check {
				await(rows)
			} else {
				if d := p.compare(ctx, stage, rows); d != nil {
					d.Mark, d.Marks, d.At = marks, p.tape.Marks(), time.Duration(it.T)*time.Microsecond
					return d
				}
			}
		case KindRequest, KindCall:
			why = p.made(ctx, p.held[it.ID])
		case KindResponse, KindChunk, KindEnd, KindOutput, KindResult:
			if h := p.held[it.ID]; h != nil {
				why = p.hand(ctx, stage, h, it)
			}
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if why != "" && check {
			return &Difference{Mark: marks + 1, Marks: p.tape.Marks(), At: time.Duration(it.T) * time.Microsecond, Why: why}
		}
	}
	return nil
}

// made waits until the program has made a request or a call.
func (p *Player) made(ctx context.Context, h *held) string {
	within, cancel := context.WithTimeoutCause(ctx, patience, errLate)
	defer cancel()
	if err := p.until(within, func() bool { return h.taken }); err != nil && ctx.Err() == nil {
		return "the program did not make this: " + h.begin.Name
	}
	return ""
}

// hand hands an item to the program when it waits for one.
func (p *Player) hand(ctx context.Context, stage Stage, h *held, it *Item) string {
	within, cancel := context.WithTimeoutCause(ctx, patience, errLate)
	defer cancel()
	if it.Error != nil && it.Error.Kind == cancelled { // by the program itself, which does so again
		soon, cancel := context.WithTimeoutCause(ctx, glance, errLate)
		_ = p.until(soon, func() bool { return h.left })
		cancel()
	}
	err := p.until(within, func() bool { return h.left || h.taken && h.waits && len(h.items) == 0 })
	if err != nil && ctx.Err() == nil {
		return fmt.Sprintf("the program wants nothing more of this: %s", h.begin.Name)
	}
	p.advance(stage, it.T)
	p.change(func() { h.items, h.behind = append(h.items, *it), h.behind-1 })
	return ""
}

// settle waits until the program has taken what was handed to it.
func (p *Player) settle(ctx context.Context) error {
	within, cancel := context.WithTimeoutCause(ctx, patience, errLate)
	defer cancel()
	return p.until(within, func() bool {
		return !slices.ContainsFunc(p.order, func(h *held) bool {
			return h.taken && !h.left && (len(h.items) > 0 || h.behind > 0 && !h.waits)
		})
	})
}

// advance moves the clock and ends the timers that are due on the way.
func (p *Player) advance(stage Stage, t int64) {
	to := p.tape.Head.Start.Add(time.Duration(t) * time.Microsecond)
	for {
		p.mu.Lock()
		var next *timer
		for _, t := range p.timers {
			if !t.at.After(to) && (next == nil || t.at.Before(next.at)) {
				next = t
			}
		}
		if next == nil {
			if to.After(p.now) {
				p.now = to
			}
			p.mu.Unlock()
			return
		}
		p.timers = slices.DeleteFunc(p.timers, func(t *timer) bool { return t == next })
		if next.at.After(p.now) {
			p.now = next.at
		}
		p.mu.Unlock()
		stage.Fire(next.fire)
	}
}

// glance is how long the program may take to show what was seen, and blink how long after
// it has not done so.
const (
	glance = 2 * time.Second
	blink  = 20 * time.Millisecond
)

// see waits for a moment until the screen has some rows, or rests if they are nil, and
// reports whether it came to that.
func (p *Player) see(ctx context.Context, stage Stage, want []string, within time.Duration) bool {
	for until, wait := time.Now().Add(within), time.Millisecond; ctx.Err() == nil && time.Now().Before(until); wait = min(2*wait, 20*time.Millisecond) {
		got, rests := stage.Look()
		if want == nil && rests || want != nil && Diff(p.adapted(want), p.adapted(got)) == "" {
			return true
		}
		<-time.After(wait)
	}
	return false
}

// compare waits until the screen has the rows of a mark. It returns what differs when the
// screen rests with others.
func (p *Player) compare(ctx context.Context, stage Stage, want []string) *Difference {
	until := time.Now().Add(patience)
	wait := time.Millisecond
	for {
		got, rests := stage.Look()
		diff := Diff(p.adapted(want), p.adapted(got))
		if diff == "" && rests {
			return nil
		}
		if ctx.Err() != nil || time.Now().After(until) {
			why := "the screen differs"
			if diff == "" {
				why = "the program does not come to rest"
			}
			return &Difference{Why: why, Diff: diff}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		wait = min(2*wait, 50*time.Millisecond)
	}
}

func (p *Player) adapted(rows []string) []string {
	if p.Adapt == nil {
		return rows
	}
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = p.Adapt(r)
	}
	return list
}

// screen are the rows of a mark, which says what has changed.
func (i *Item) screen(before []string) []string {
	rows := make([]string, i.Size)
	copy(rows, before)
	for n, row := range i.Rows {
		if n >= 0 && n < len(rows) {
			rows[n] = row
		}
	}
	return rows
}

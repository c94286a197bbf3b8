package script

import (
	"fmt"
	"time"
	"unicode/utf8"

	"hermes-tui/providers"
)

// beat is the smallest thing an answer does: it waits, then one event happens.
// Which of the other fields are set follows from the kind.
type beat struct {
	kind  beatKind
	after time.Duration // since the beat before was due
	pause time.Duration // of a pause, negative without end
	text  string        // piece of text or arguments, finish reason
	index int           // of a call, counted from 0
	id    string        // of a call
	name  string        // of a call
	count int           // of comments
	usage *providers.Usage
	auto  bool // usage that no step asked for
	raw   []byte
	fail  *Failure
	cut   Cut
}

type beatKind int

const (
	beatOpen beatKind = iota
	beatPause
	beatText
	beatReasoning
	beatCall
	beatArguments
	beatUsage
	beatFinish
	beatComment
	beatMalformed
	beatRaw
	beatFail
	beatCut
	beatEnd
)

// early reports whether a beat can happen before the response begins.
func (b beat) early() bool {
	return b.kind == beatPause || b.kind == beatFail || b.kind == beatCut && b.cut == CutReset
}

// last reports whether nothing comes after a beat.
func (b beat) last() bool {
	return b.kind == beatFail || b.kind == beatCut || b.kind == beatEnd
}

// cursor walks through the steps of one answer and breaks them into beats. It
// does not wait.
type cursor struct {
	steps  []Step
	pace   Pace // of the scenario
	fill   func(string) string
	nth    int // number of the request
	prompt int // characters of the request

	at     int
	pieces []string // of the current step
	piece  beat     // what each of them becomes
	rate   float64  // tokens per second of the pieces, 0 at once
	split  int
	gap    time.Duration // owed before the next beat
	tail   []beat        // the end of the answer

	calls               int
	output, reasoned    int // characters
	hasFinish, hasUsage bool
	closed              bool
}

// next returns the next beat; after the end of the answer it repeats beatEnd.
func (c *cursor) next() beat {
	for {
		switch {
		case len(c.pieces) > 0:
			return c.takePiece()
		case c.at < len(c.steps):
			step := c.steps[c.at]
			c.at++
			if b, ok := c.begin(step); ok {
				b.after, c.gap = c.gap, 0
				return b
			}
		case !c.closed:
			c.closed = true
			c.tail = c.ending()
		case len(c.tail) > 1:
			b := c.tail[0]
			c.tail = c.tail[1:]
			b.after, c.gap = c.gap, 0
			return b
		default:
			return beat{kind: beatEnd}
		}
	}
}

// takePiece makes a beat of the next piece of text.
func (c *cursor) takePiece() beat {
	b := c.piece
	b.text, c.pieces = c.pieces[0], c.pieces[1:]
	b.after, c.gap = c.gap, 0
	n := utf8.RuneCountInString(b.text)
	c.output += n
	if b.kind == beatReasoning {
		c.reasoned += n
	}
	if c.rate > 0 {
		share := 1.0
		if c.split > 0 {
			share = float64(n) / charsPerToken
		}
		c.gap = time.Duration(min(share/c.rate, maxPause.Seconds()) * float64(time.Second))
	}
	return b
}

// begin starts a step. It returns the step's beat, or false when the step is a
// text whose pieces follow.
func (c *cursor) begin(step Step) (beat, bool) {
	switch s := step.(type) {
	case Text:
		return c.spread(beat{kind: beatText}, c.fill(s.Text), s.Pace)
	case Reasoning:
		return c.spread(beat{kind: beatReasoning}, c.fill(s.Text), s.Pace)
	case Tokens:
		return c.generate(s)
	case Call:
		return c.call(s)
	case Usage:
		c.hasUsage = true
		u := s.Usage
		return beat{kind: beatUsage, usage: &u}, !s.Omit
	case Finish:
		c.hasFinish = true
		return beat{kind: beatFinish, text: s.Reason}, !s.Omit
	case Sleep:
		return beat{kind: beatPause, pause: s.For}, true
	case Stall:
		if s.For == 0 {
			return beat{kind: beatPause, pause: -1}, true
		}
		return beat{kind: beatPause, pause: s.For}, true
	case Failure:
		return beat{kind: beatFail, fail: &s}, true
	case Cut:
		return beat{kind: beatCut, cut: s}, true
	case Raw:
		return beat{kind: beatRaw, raw: s}, true
	case Malformed:
		return beat{kind: beatMalformed}, true
	case Keepalive:
		return beat{kind: beatComment, count: s.N}, true
	case Open:
		return beat{kind: beatOpen}, true
	}
	return beat{}, false
}

// spread lets a text follow in pieces.
func (c *cursor) spread(b beat, text string, p Pace) (beat, bool) {
	c.set(p)
	c.piece, c.pieces = b, split(text, c.split)
	return beat{}, false
}

// set chooses the pace of a step.
func (c *cursor) set(p Pace) {
	c.rate, c.split = p.Rate, p.Split
	if c.rate == 0 {
		c.rate = c.pace.Rate
	}
	if c.split == 0 {
		c.split = c.pace.Split
	}
}

func (c *cursor) generate(s Tokens) (beat, bool) {
	c.set(s.Pace)
	c.piece = beat{kind: beatText}
	if s.Reasoning {
		c.piece.kind = beatReasoning
	}
	c.pieces = generate(s)
	if c.split > 0 {
		c.pieces = resplit(c.pieces, c.split)
	}
	return beat{}, false
}

func (c *cursor) call(s Call) (beat, bool) {
	b := beat{kind: beatCall, index: c.calls, id: s.ID, name: s.Name}
	if b.id == "" {
		b.id = fmt.Sprintf("call_%d_%d", c.nth, c.calls)
	}
	c.calls++
	c.output += utf8.RuneCountInString(s.Name)
	c.spread(beat{kind: beatArguments, index: b.index}, s.Args, s.Pace)
	return b, true
}

// ending is what follows the last step: the finish reason and the usage, as far
// as no step gave them.
func (c *cursor) ending() []beat {
	var out []beat
	if !c.hasFinish {
		reason := string(providers.FinishStop)
		if c.calls > 0 {
			reason = string(providers.FinishToolCalls)
		}
		out = append(out, beat{kind: beatFinish, text: reason})
	}
	if !c.hasUsage {
		out = append(out, beat{kind: beatUsage, auto: true, usage: &providers.Usage{
			Input: tokens(c.prompt), Output: tokens(c.output), Reasoning: tokens(c.reasoned),
		}})
	}
	return append(out, beat{kind: beatEnd})
}

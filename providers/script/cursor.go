package script

import (
	"fmt"
	"time"
	"unicode/utf8"

	"hermes-tui/providers"
)

// Beat is the smallest thing an answer does: it waits, then one event happens.
// Which of the other fields are set follows from the kind.
type Beat struct {
	Kind  BeatKind
	After time.Duration // since the beat before was due
	Pause time.Duration // of a pause, negative without end
	Text  string        // piece of text or arguments, finish reason
	Index int           // of a call, counted from 0
	ID    string        // of a call
	Name  string        // of a call
	Count int           // of comments
	Usage *providers.Usage
	Auto  bool // usage that no step asked for
	Raw   []byte
	Fail  *Failure
	Cut   Cut
}

// BeatKind is what happens in a beat.
type BeatKind int

// The kinds.
const (
	BeatOpen BeatKind = iota
	BeatPause
	BeatText
	BeatReasoning
	BeatCall
	BeatArguments
	BeatUsage
	BeatFinish
	BeatComment
	BeatMalformed
	BeatRaw
	BeatFail
	BeatCut
	BeatEnd
)

// early reports whether a beat can happen before the response begins.
func (b Beat) early() bool {
	return b.Kind == BeatPause || b.Kind == BeatFail || b.Kind == BeatCut && b.Cut == CutReset
}

// Last reports whether nothing comes after a beat.
func (b Beat) Last() bool {
	return b.Kind == BeatFail || b.Kind == BeatCut || b.Kind == BeatEnd
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
	piece  Beat     // what each of them becomes
	rate   float64  // tokens per second of the pieces, 0 at once
	split  int
	gap    time.Duration // owed before the next beat
	tail   []Beat        // the end of the answer

	calls               int
	output, reasoned    int // characters
	hasFinish, hasUsage bool
	closed              bool
}

// next returns the next beat; after the end of the answer it repeats BeatEnd.
func (c *cursor) next() Beat {
	for {
		switch {
		case len(c.pieces) > 0:
			return c.takePiece()
		case c.at < len(c.steps):
			step := c.steps[c.at]
			c.at++
			if b, ok := c.begin(step); ok {
				b.After, c.gap = c.gap, 0
				return b
			}
		case !c.closed:
			c.closed = true
			c.tail = c.ending()
		case len(c.tail) > 1:
			b := c.tail[0]
			c.tail = c.tail[1:]
			b.After, c.gap = c.gap, 0
			return b
		default:
			return Beat{Kind: BeatEnd}
		}
	}
}

// takePiece makes a beat of the next piece of text.
func (c *cursor) takePiece() Beat {
	b := c.piece
	b.Text, c.pieces = c.pieces[0], c.pieces[1:]
	b.After, c.gap = c.gap, 0
	n := utf8.RuneCountInString(b.Text)
	c.output += n
	if b.Kind == BeatReasoning {
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
func (c *cursor) begin(step Step) (Beat, bool) {
	switch s := step.(type) {
	case Text:
		return c.spread(Beat{Kind: BeatText}, c.fill(s.Text), s.Pace)
	case Reasoning:
		return c.spread(Beat{Kind: BeatReasoning}, c.fill(s.Text), s.Pace)
	case Tokens:
		return c.generate(s)
	case Call:
		return c.call(s)
	case Usage:
		c.hasUsage = true
		u := s.Usage
		return Beat{Kind: BeatUsage, Usage: &u}, !s.Omit
	case Finish:
		c.hasFinish = true
		return Beat{Kind: BeatFinish, Text: s.Reason}, !s.Omit
	case Sleep:
		return Beat{Kind: BeatPause, Pause: s.For}, true
	case Stall:
		if s.For == 0 {
			return Beat{Kind: BeatPause, Pause: -1}, true
		}
		return Beat{Kind: BeatPause, Pause: s.For}, true
	case Failure:
		return Beat{Kind: BeatFail, Fail: &s}, true
	case Cut:
		return Beat{Kind: BeatCut, Cut: s}, true
	case Raw:
		return Beat{Kind: BeatRaw, Raw: s}, true
	case Malformed:
		return Beat{Kind: BeatMalformed}, true
	case Keepalive:
		return Beat{Kind: BeatComment, Count: s.N}, true
	case Open:
		return Beat{Kind: BeatOpen}, true
	}
	return Beat{}, false
}

// spread lets a text follow in pieces.
func (c *cursor) spread(b Beat, text string, p Pace) (Beat, bool) {
	c.set(p)
	c.piece, c.pieces = b, split(text, c.split)
	return Beat{}, false
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

func (c *cursor) generate(s Tokens) (Beat, bool) {
	c.set(s.Pace)
	c.piece = Beat{Kind: BeatText}
	if s.Reasoning {
		c.piece.Kind = BeatReasoning
	}
	c.pieces = generate(s)
	if c.split > 0 {
		c.pieces = resplit(c.pieces, c.split)
	}
	return Beat{}, false
}

func (c *cursor) call(s Call) (Beat, bool) {
	b := Beat{Kind: BeatCall, Index: c.calls, ID: s.ID, Name: s.Name}
	if b.ID == "" {
		b.ID = fmt.Sprintf("call_%d_%d", c.nth, c.calls)
	}
	c.calls++
	c.output += utf8.RuneCountInString(s.Name)
	c.spread(Beat{Kind: BeatArguments, Index: b.Index}, s.Args, s.Pace)
	return b, true
}

// ending is what follows the last step: the finish reason and the usage, as far
// as no step gave them.
func (c *cursor) ending() []Beat {
	var out []Beat
	if !c.hasFinish {
		reason := string(providers.FinishStop)
		if c.calls > 0 {
			reason = string(providers.FinishToolCalls)
		}
		out = append(out, Beat{Kind: BeatFinish, Text: reason})
	}
	if !c.hasUsage {
		out = append(out, Beat{Kind: BeatUsage, Auto: true, Usage: &providers.Usage{
			Input: tokens(c.prompt), Output: tokens(c.output), Reasoning: tokens(c.reasoned),
		}})
	}
	return append(out, Beat{Kind: BeatEnd})
}

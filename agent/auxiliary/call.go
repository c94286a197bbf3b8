package auxiliary

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"hermes-tui/providers"
	"hermes-tui/providers/scrub"
)

// answer is a complete answer.
type answer struct {
	text   string
	finish providers.Finish
	from   Service
}

// lateError is an attempt that took too long.
type lateError struct {
	began bool // something of an answer had arrived
}

func (e *lateError) Error() string {
	if e.began {
		return "the answer was not complete in time"
	}
	return "timed out: no answer came"
}

// errEmpty is an answer without text.
var errEmpty = errors.New("the answer was empty")

// refusedError is an answer that a content filter ended.
type refusedError struct{}

func (*refusedError) Error() string { return "the content filter of the service ended the answer" }

// attempt asks one service once. show gets the text as it arrives; nil shows nothing.
func (c *Client) attempt(parent context.Context, task Task, s Service, r providers.Request, show func(string)) (answer, error) {
	late := &lateError{}
	ctx, cancel := context.WithTimeoutCause(parent, c.timeout(task), late)
	defer cancel()
	rt, err := c.o.Open(ctx, s)
	if err == nil && rt.Client == nil {
		err = fmt.Errorf("%s cannot be asked", s)
	}
	if err != nil {
		return answer{}, outOfTime(ctx, parent, late, err)
	}
	if rt.Model != "" {
		s.Model = rt.Model
	}
	r.Model = s.Model
	stream, err := rt.Client.Stream(ctx, r)
	if err != nil {
		return answer{}, outOfTime(ctx, parent, late, err)
	}
	defer stream.Close()
	g := answerReader{max: boundsOf(task).bytes, scrub: scrub.New(scrub.Answer), show: show}
	err = g.all(stream)
	spent := s
	spent.APIKey, spent.KeyEnv = Service{}.APIKey, ""
	c.o.Spend(task, spent, g.usage)
	if err != nil {
		late.began = g.began
		return answer{}, outOfTime(ctx, parent, late, err)
	}
	a := answer{text: strings.TrimSpace(g.text.String()), finish: g.finish, from: spent}
	switch {
	case g.finish == providers.FinishFilter:
		return answer{}, &refusedError{}
	case a.text == "":
		return answer{}, errEmpty
	}
	return a, nil
}

// outOfTime says so when an attempt failed because it took too long.
func outOfTime(ctx, parent context.Context, late *lateError, err error) error {
	if parent.Err() == nil && ctx.Err() != nil {
		return late
	}
	return err
}

// answerReader collects an answer.
type answerReader struct {
	max    int // bytes of text
	scrub  *scrub.Stream
	text   strings.Builder
	show   func(string)
	full   bool // there was more text than is kept
	began  bool
	closed bool // a tag closed reasoning that was not opened
	usage  *providers.Usage
	finish providers.Finish
}

// all reads a stream to its end, or until there is more text than is kept.
func (g *answerReader) all(s providers.Stream) error {
	for {
		d, err := s.Next()
		if errors.Is(err, io.EOF) {
			g.add(g.scrub.Flush())
			return nil
		}
		if err != nil {
			return err
		}
		g.began = g.began || d.Kind != providers.DeltaOpen
		switch d.Kind {
		case providers.DeltaText:
			g.add(g.scrub.Feed(d.Text))
		case providers.DeltaUsage:
			g.usage = d.Usage
		case providers.DeltaFinish:
			g.finish = d.Finish
		}
		if g.full {
			return nil
		}
	}
}

// add keeps the text among pieces, as far as there is room.
func (g *answerReader) add(pieces []scrub.Piece) {
	for _, p := range pieces {
		if p.Kind == scrub.Closing {
			g.closed = g.text.Len() > 0
		}
		if p.Kind != scrub.Text || g.full {
			continue
		}
		text := p.Text
		if g.closed && strings.TrimSpace(text) != "" { // what came before was reasoning
			g.closed = false
			if g.text.Reset(); g.show != nil {
				g.show("")
			}
		}
		if room := g.max - g.text.Len(); len(text) > room {
			for room > 0 && !utf8.RuneStart(text[room]) {
				room--
			}
			text = text[:room]
			g.full, g.finish = true, providers.FinishLength
		}
		g.text.WriteString(text)
		if g.show != nil && text != "" {
			g.show(text)
		}
	}
}

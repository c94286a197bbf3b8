package remember

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"
)

// request is a line that the program reads.
type request struct {
	ID   int    `json:"id"`
	Verb string `json:"verb"`
	Session
	Query string `json:"query,omitempty"`
	Chars int    `json:"chars,omitempty"`
	Turn
	Write
}

// answer is a line that it writes.
type answer struct {
	ID    int    `json:"id"`
	Text  string `json:"text"`
	Error string `json:"error"`
}

// The bounds of what a program says.
const (
	maxLine   = 1 << 20
	maxStrays = 100 // answers that no one waits for, one after the other
	maxError  = 200 // characters of its own words in a sentence
)

// ask sends a request and waits for the answer, at most so long once the program has
// started.
func (c *Command) ask(ctx context.Context, r request, within time.Duration) (answer, error) {
	c.begin.Do(func() { go c.run() })
	select {
	case <-c.begun:
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return answer{}, c.late()
		}
		return answer{}, ctx.Err()
	}
	return c.roundTrip(ctx, r, within)
}

// run starts the program.
func (c *Command) run() {
	defer close(c.begun)
	wait, err := c.o.Start(c.ctx, c.in, &output{c: c}, &c.errs)
	if err != nil {
		c.fail(problem("The memory provider could not be started: %s. It is not asked any more; the notes of this program go on.", strings.TrimSuffix(err.Error(), ".")))
		close(c.ended)
		return
	}
	c.mu.Lock()
	c.started = true
	c.mu.Unlock()
	go func() {
		defer close(c.ended)
		code, err := wait()
		why := fmt.Sprintf("exit code %d", code)
		if err != nil {
			why = err.Error()
		} else if said := c.errs.line(); said != "" {
			why += ": " + said
		}
		c.fail(problem("The memory provider has ended (%s) and is not asked any more; the notes of this program go on.", why))
	}()
	ctx, cancel := context.WithTimeout(c.ctx, beginTime)
	defer cancel()
	if _, err := c.roundTrip(ctx, request{Verb: "initialize"}, beginTime); err != nil {
		c.fail(problem("The memory provider did not get ready and is not asked any more; the notes of this program go on. %s", err))
	}
}

// roundTrip sends a request to the program that runs.
func (c *Command) roundTrip(ctx context.Context, r request, within time.Duration) (answer, error) {
	asked, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	ch := make(chan answer, 1)
	c.mu.Lock()
	c.last++
	r.ID = c.last
	c.waiting[r.ID] = ch
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, r.ID)
		c.mu.Unlock()
	}()
	line, err := json.Marshal(r)
	if err != nil {
		return answer{}, err
	}
	line = append(line, '\n')
	select {
	case <-c.gone:
		return answer{}, c.lost()
	default:
	}
	lines := c.in.lines
	for {
		select {
		case lines <- line:
			lines = nil
		case a := <-ch:
			if a.Error != "" {
				return answer{}, problem("The memory provider says that it could not do %s: %s", r.Verb, short(a.Error))
			}
			return a, nil
		case <-c.gone:
			return answer{}, c.lost()
		case <-asked.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return answer{}, ctx.Err()
			}
			return answer{}, c.late()
		}
	}
}

// late counts an answer that did not come in time.
func (c *Command) late() error {
	c.mu.Lock()
	c.slow++
	often := c.slow >= maxSlow
	c.mu.Unlock()
	if often {
		c.fail(problem("The memory provider did not answer in time %d times and is not asked any more; the notes of this program go on.", maxSlow))
		return c.lost()
	}
	return problem("The memory provider did not answer in time: this goes on without it.")
}

// fail has the program not asked any more and ends it. The first reason stays.
func (c *Command) fail(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why == nil {
		c.why = why
		close(c.gone)
	}
	c.cancel()
}

// lost is why the program is not asked any more, for the first call that asks.
func (c *Command) lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.said {
		return errClosed
	}
	c.said = true
	return c.why
}

// output takes what the program says.
type output struct {
	c    *Command
	rest []byte
}

// Write implements io.Writer. It takes all, and keeps no more than a line.
func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	for !o.c.isGone() {
		line, rest, whole := bytes.Cut(p, []byte{'\n'})
		if o.rest = append(o.rest, line...); len(o.rest) > maxLine {
			o.c.fail(problem("The memory provider said more than %d MB in one line and is not asked any more; the notes of this program go on.", maxLine>>20))
		}
		if !whole {
			break
		}
		o.c.take(o.rest)
		o.rest, p = o.rest[:0], rest
	}
	return n, nil
}

func (c *Command) isGone() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

// take gives an answer to who waits for it.
func (c *Command) take(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	var a answer
	err := json.Unmarshal(line, &a)
	c.mu.Lock()
	ch := c.waiting[a.ID]
	delete(c.waiting, a.ID)
	lie := err != nil || a.ID < 1 || a.ID > c.last
	if c.strays++; ch != nil && !lie {
		c.strays, c.slow = 0, 0
		ch <- a
	}
	many := c.strays > maxStrays
	c.mu.Unlock()
	switch {
	case lie:
		c.fail(problem("The memory provider said what is no answer (%s) and is not asked any more; the notes of this program go on.", short(string(line))))
	case many:
		c.fail(problem("The memory provider said much that no one has asked for and is not asked any more; the notes of this program go on."))
	}
}

// short is what a program says, in one line that is not long.
func short(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "?"))
	if r := []rune(text); len(r) > maxError {
		return string(r[:maxError]) + "…"
	}
	return text
}

// input is what the program reads: lines, as they come, until it is closed.
type input struct {
	lines  chan []byte
	closed chan struct{}
	once   sync.Once
	rest   []byte // of a line that was read in part
}

func newInput() *input { return &input{lines: make(chan []byte), closed: make(chan struct{})} }

func (i *input) close() { i.once.Do(func() { close(i.closed) }) }

// Read implements io.Reader.
func (i *input) Read(p []byte) (int, error) {
	if len(i.rest) == 0 {
		select {
		case i.rest = <-i.lines:
		case <-i.closed:
			return 0, io.EOF
		}
	}
	n := copy(p, i.rest)
	i.rest = i.rest[n:]
	return n, nil
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(len(t.text)-4*maxError, 0):]
	return len(p), nil
}

// line is the last line.
func (t *tail) line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return short(lines[len(lines)-1])
}

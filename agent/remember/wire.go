package remember

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"

	"hermes-tui/tools/lazyregexp"
	"hermes-tui/tools/unseen"
)

// request is a line that the program reads.
type request struct {
	ID   int    `json:"id,omitempty"`
	Verb string `json:"verb,omitempty"`
	Session
	Event
	Chars    int             `json:"chars,omitempty"`
	Messages []Message       `json:"messages,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	Args     json.RawMessage `json:"args,omitempty"`
}

// answer is a line that it writes.
type answer struct {
	ID    int    `json:"id"`
	Text  string `json:"text"`
	Error string `json:"error"`
	// Available is false if the program cannot be used now; Text holds the reason.
	Available *bool `json:"available"`
	// Tools are offered to the agent of a session.
	Tools []json.RawMessage `json:"tools"`
}

// givenUp ends the sentences about a program that is not asked any more.
const givenUp = " and is not asked any more; the notes of this program go on."

// The bounds of answers.
const (
	maxLine   = 1 << 20
	maxStrays = 100 // answers that no one waits for, one after the other
	maxError  = 200 // characters of its own words in a sentence
)

// request sends a request and waits for the answer, at most so long once the program has
// started.
func (c *Command) request(ctx context.Context, r request, within time.Duration) (answer, error) {
	if err := c.started(ctx); err != nil {
		return answer{}, err
	}
	return c.roundTrip(ctx, r, within)
}

// started starts the program and waits until it answers or never will.
func (c *Command) started(ctx context.Context) error {
	c.begin.Do(func() { go c.run() })
	select {
	case <-c.begun:
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return c.late()
		}
		return ctx.Err()
	}
	return nil
}

// run starts the program.
func (c *Command) run() {
	defer close(c.begun)
	wait, err := c.start(c.ctx, c.in, &output{c: c}, &c.errs)
	if err != nil {
		c.fail(problem("The memory provider could not be started: %s. It is not asked any more; "+
			"the notes of this program go on.", strings.TrimSuffix(err.Error(), ".")))
		close(c.ended)
		return
	}
	c.mu.Lock()
	c.runs = true
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
		c.fail(problem("The memory provider has ended (%s)"+givenUp, why))
	}()
	ctx, cancel := context.WithTimeout(c.ctx, beginTime)
	defer cancel()
	a, err := c.roundTrip(ctx, request{Verb: VerbAvailable}, beginTime)
	switch {
	case err != nil:
		c.fail(problem("The memory provider did not get ready"+givenUp+" %s", err))
	case a.Available != nil && !*a.Available:
		c.fail(problem("The memory provider says that it cannot be used now, and is not asked; "+
			"the notes of this program go on. %s", short(a.Text)))
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
		c.fail(problem("The memory provider did not answer in time %d times"+givenUp, maxSlow))
		return c.lost()
	}
	return problem("The memory provider did not answer in time: this goes on without it.")
}

// fail ends the program, which is not asked any more. The first reason stays.
func (c *Command) fail(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why == nil {
		c.why = why
		close(c.gone)
	}
	c.cancel()
}

// lost returns why the program is not asked any more, to the first call that asks.
func (c *Command) lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.said {
		return errClosed
	}
	c.said = true
	return c.why
}

// output reads the answers of the program.
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
			o.c.fail(problem("The memory provider said more than %d MB in one line"+givenUp, maxLine>>20))
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

// take hands an answer to the request that waits for it.
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
		c.fail(problem("The memory provider said what is no answer (%s)"+givenUp, short(string(line))))
	case many:
		c.fail(problem("The memory provider said much that no one has asked for" + givenUp))
	}
}

// order runs functions in the background, one after the other.
type order struct {
	mu   sync.Mutex
	last chan struct{} // closed when the newest is done; nil for none yet
}

// add runs do after all that was added before; all counts it until then.
func (o *order) add(all *sync.WaitGroup, do func()) {
	o.mu.Lock()
	before, done := o.last, make(chan struct{})
	o.last = done
	o.mu.Unlock()
	all.Go(func() {
		defer close(done)
		if before != nil {
			<-before
		}
		do()
	})
}

// The bounds of a compression, in characters: of a message, of all messages, and of the
// answer.
const (
	clippedText   = 4_000
	clippedAll    = 200_000
	compressChars = 4_000
)

// clipped returns the newest messages, shortened to the room of a line.
func clipped(list []Message) []Message {
	room, from := clippedAll, len(list)
	short := make([]Message, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		short[i] = Message{list[i].Role, beginning(list[i].Text, clippedText)}
		if room -= len([]rune(short[i].Text)); room < 0 {
			break
		}
		from = i
	}
	return short[from:]
}

// The bounds of tools of a provider: their number, and the characters of a description.
const (
	maxTools       = 16
	maxDescription = 2_000
)

// toolName matches the names of tools that services accept.
var toolName = lazyregexp.New(`^[a-zA-Z][a-zA-Z0-9_-]{0,63}$`)

// usableTools returns the tools that can be offered to a model. The error names the others.
func usableTools(offered []json.RawMessage, scan func(string) []string) (list []Tool, err error) {
	var bad []string
	for i, raw := range offered {
		var t Tool
		var schema struct {
			Type       string                     `json:"type"`
			Properties map[string]json.RawMessage `json:"properties"`
		}
		switch e := json.Unmarshal(raw, &t); {
		case e != nil, !toolName.MatchString(t.Name), strings.HasPrefix(t.Name, "mcp_"), t.Description == "",
			len(list) == maxTools, json.Unmarshal(t.Parameters, &schema) != nil, schema.Type != "object",
			len(scan(t.Description+string(t.Parameters))) > 0:
			bad = append(bad, cmp.Or(short(t.Name), fmt.Sprint("the ", i+1, ". one")))
		default:
			t.Description = beginning(t.Description, maxDescription)
			list = append(list, t)
		}
	}
	if len(bad) > 0 {
		err = problem("The memory provider offers tools that cannot be used, and they are left out: %s.",
			strings.Join(bad[:min(len(bad), 5)], ", "))
	}
	return list, err
}

// beginning returns at most so many characters of a text.
func beginning(text string, chars int) string {
	if r := []rune(text); len(r) > chars {
		return string(r[:chars])
	}
	return text
}

// usable returns a text of a provider as the model may see it.
func usable(text string, scan func(string) []string) (string, error) {
	if found := scan(text); len(found) > 0 {
		return "", problem("The memory provider gave a text that reads as an attempt to take over the agent (%s): "+
			"it was left out.", strings.Join(found, ", "))
	}
	return strings.TrimSpace(text), nil
}

// short returns a text of a program as one short line.
func short(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, unseen.Strip(strings.Join(strings.Fields(text), " ")))
	if r := []rune(text); len(r) > maxError {
		return string(r[:maxError]) + "…"
	}
	return text
}

// input is the standard input of the program: lines, as they come, until it is closed.
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

// line returns the last line.
func (t *tail) line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return short(lines[len(lines)-1])
}

package auxiliary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/failure"
	"hermes-tui/providers/redact"
)

// Options configure a [Client].
type Options struct {
	// Tasks are the settings of tasks; one that is not there has none.
	Tasks map[Task]Setting
	// Open connects to a service. It is called for every attempt. Its error is a
	// [*providers.Error], or a sentence.
	Open func(context.Context, Service) (Runtime, error)
	// Main is the service that answers the conversation, the last of every chain;
	// nil, or the zero value: there is none.
	Main func() Service
	// Blind reports whether the model of the conversation is known to see no images; nil:
	// it is not.
	Blind func() bool
	// Mask hides secrets in what is sent for titles and opinions, and in errors;
	// nil hides what looks like one.
	Mask func(string) string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Spend hears what an attempt used; nil tells that the service did not say. The
	// service is the one asked, with the name of the model and without its key. It
	// must not block. nil drops it.
	Spend func(Task, Service, *providers.Usage)
	// Failed hears that no service of a task has answered, though there are some, once
	// until one does again. It must not block. nil drops it.
	Failed func(*Error)
}

// Client makes calls beside a conversation. It is safe for concurrent use.
type Client struct {
	o Options

	mu  sync.Mutex
	out map[site]time.Time // until when a service is left out
	// used is what became of the tasks.
	used map[Task]*used
}

// New makes a client.
func New(o Options) *Client {
	if o.Open == nil {
		o.Open = func(context.Context, Service) (Runtime, error) {
			return Runtime{}, errors.New("there is no connection to models")
		}
	}
	if o.Main == nil {
		o.Main = func() Service { return Service{} }
	}
	if o.Blind == nil {
		o.Blind = func() bool { return false }
	}
	if o.Mask == nil {
		o.Mask = redact.Text
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Spend == nil {
		o.Spend = func(Task, Service, *providers.Usage) {}
	}
	if o.Failed == nil {
		o.Failed = func(*Error) {}
	}
	return &Client{o: o, out: map[site]time.Time{}, used: map[Task]*used{}}
}

// Complete asks for one answer: a system prompt, a prompt, and images to go with
// it. It returns the text of the answer, never empty, or the cause of the context
// when that has ended, or an [*Error].
func (c *Client) Complete(ctx context.Context, task Task, system, prompt string, images ...providers.Image) (string, error) {
	a, err := c.complete(ctx, task, system, prompt, images)
	return a.text, err
}

// complete walks the chain of a task.
func (c *Client) complete(ctx context.Context, task Task, system, prompt string, images []providers.Image) (answer, error) {
	var a answer
	chain := c.chain(task)
	err := c.walk(ctx, task, chain, func(s Service) (err error) {
		a, err = c.attempt(ctx, task, s, request(task, system, prompt, images), nil)
		return err
	})
	return a, err
}

// walk asks the services of a chain until one answers.
func (c *Client) walk(ctx context.Context, task Task, chain []Service, ask func(Service) error) error {
	failed, passed := &Error{Task: task}, false
	for i, s := range chain {
		if ctx.Err() != nil {
			break
		}
		if until := c.leftOut(s.site()); !until.IsZero() {
			failed.Tried = append(failed.Tried, Attempt{Service: s.String(), Until: until})
			continue
		}
		err := ask(s)
		if err == nil {
			c.answered(task, s, i+1)
			return nil
		}
		if ctx.Err() != nil {
			break
		}
		if errors.Is(err, ErrPass) {
			passed = true
			continue
		}
		t := c.read(s, err, chain)
		c.count(task, func(u *used) { u.Err = t.String() })
		failed.Tried = append(failed.Tried, t)
		if t.Reason == failure.ContentPolicyBlocked {
			break // what one refuses is not to be had from the next
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("make the side call %s: %w", task, context.Cause(ctx))
	}
	if passed {
		return ErrPass
	}
	c.unanswered(failed)
	return failed
}

// request builds what is sent, but for the model.
func request(task Task, system, prompt string, images []providers.Image) providers.Request {
	m := providers.Message{Role: providers.User, Parts: providers.TextParts(prompt)}
	for i := range images {
		m.Parts = append(m.Parts, providers.Part{Image: &images[i]})
	}
	return providers.Request{System: system, Messages: []providers.Message{m}, MaxOutput: boundsOf(task).tokens}
}

// chain lists the services of a task, each one once, that of the conversation last.
func (c *Client) chain(task Task) []Service { return c.chainTo(task, true) }

// chainWithout is the chain without the model of the conversation, unless the settings name
// it themselves.
func (c *Client) chainWithout(task Task) []Service { return c.chainTo(task, false) }

func (c *Client) chainTo(task Task, last bool) []Service {
	set, main := c.o.Tasks[task], c.o.Main()
	own := set.Service
	if own.noEndpoint() && (own.Model != "" || own.ExtraBody != "") && !main.IsZero() {
		set := own
		own = main
		own.Model, own.ExtraBody = cmp.Or(set.Model, main.Model), set.ExtraBody
	}
	type identity struct {
		at           site
		model, extra string
	}
	var list []Service
	seen := map[identity]bool{}
	all := append([]Service{own}, set.Fallbacks...)
	if last {
		all = append(all, main)
	}
	for _, s := range all {
		if s.Provider == auto {
			s.Provider = ""
		}
		id := identity{s.site(), s.Model, s.ExtraBody}
		if s.IsZero() || seen[id] {
			continue
		}
		seen[id] = true
		list = append(list, s)
	}
	return list
}

// leftOut tells until when a service is left out, the zero time if it is not.
func (c *Client) leftOut(at site) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	until, ok := c.out[at]
	if !ok {
		return time.Time{}
	}
	if !c.o.Now().Before(until) {
		delete(c.out, at)
		return time.Time{}
	}
	return until
}

// leaveOut leaves a service out for some time.
func (c *Client) leaveOut(at site, span time.Duration) time.Time {
	until := c.o.Now().Add(span)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out[at] = until
	return until
}

// timeout is how long an attempt at a task may take.
func (c *Client) timeout(task Task) time.Duration {
	if t := c.o.Tasks[task].Timeout; t > 0 {
		return t
	}
	return boundsOf(task).timeout
}

// masked hides secrets in a text, those of the chain first.
func (c *Client) masked(s string, chain []Service) string {
	keys := make([]string, 0, len(chain))
	for _, s := range chain {
		keys = append(keys, s.APIKey.Reveal())
	}
	return strings.TrimSpace(c.o.Mask(redact.NewSecrets(keys...).Text(s)))
}

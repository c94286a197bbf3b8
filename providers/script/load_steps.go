package script

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

func (n *node) steps(into *[]Step) error {
	items, err := n.list()
	if err != nil {
		return err
	}
	for _, item := range items {
		s, err := item.step()
		if err != nil {
			return err
		}
		*into = append(*into, s)
	}
	return nil
}

// step reads a step: one key that says what it does, and perhaps others that
// say how.
func (n *node) step() (Step, error) {
	var out Step
	var done string
	pace, paced := Pace{}, false
	err := n.each(func(key string, v *node) error {
		switch key {
		case "note":
			return v.text(new(string))
		case "rate":
			paced = true
			return v.stepRate(&pace.Rate)
		case "split":
			paced = true
			return v.integer(&pace.Split, maxInt)
		}
		if done != "" {
			return v.fail("a step does one thing, but this one has %q too", done)
		}
		s, err := v.action(key)
		done, out = key, s
		return err
	})
	if err != nil {
		return nil, err
	}
	if out == nil {
		return nil, n.fail("a step needs one of the keys %s", strings.Join(actions(), ", "))
	}
	if out, err = withPace(out, pace, paced); err == nil {
		err = out.check()
	}
	if err != nil {
		return nil, n.fail("%v", err)
	}
	return out, nil
}

// actions are the keys of which a step has one.
func actions() []string {
	return []string{"text", "reasoning", "tokens", "call", "usage", "finish", "sleep_ms", "stall", "error", "cut",
		"raw", "raw_base64", "malformed", "keepalive", "open"}
}

// withPace gives a step the pace that stands beside it.
func withPace(s Step, p Pace, given bool) (Step, error) {
	if !given {
		return s, nil
	}
	switch s := s.(type) {
	case Text:
		s.Pace = p
		return s, nil
	case Reasoning:
		s.Pace = p
		return s, nil
	case Call:
		s.Pace = p
		return s, nil
	}
	return nil, errors.New("rate and split belong to text, reasoning and call; in tokens they stand inside")
}

// stepRate reads a rate where absent means the scenario's: 0 is at once.
func (n *node) stepRate(into *float64) error {
	if err := n.rate(into); err != nil {
		return err
	}
	if *into == 0 {
		*into = -1
	}
	return nil
}

// action reads what a step does.
func (n *node) action(key string) (Step, error) {
	switch key {
	case "text":
		var s Text
		err := n.text(&s.Text)
		return s, err
	case "reasoning":
		var s Reasoning
		err := n.text(&s.Text)
		return s, err
	case "tokens":
		return n.tokens()
	case "call":
		return n.call()
	case "usage":
		return n.usage()
	case "finish":
		var s Finish
		err := n.text(&s.Reason)
		if s.Reason == omitted {
			s = Finish{Omit: true}
		}
		return s, err
	case "error":
		return n.failure()
	case "sleep_ms", "stall":
		return n.silence(key)
	}
	return n.wireAction(key)
}

// omitted is the word for leaving something out that is there by default.
const omitted = "none"

// wireAction reads the steps that are about bytes rather than about answers.
func (n *node) wireAction(key string) (Step, error) {
	switch key {
	case "cut":
		if n.token == true {
			return CutReset, nil
		}
		var text string
		err := n.text(&text)
		return Cut(text), err
	case "raw":
		var text string
		err := n.text(&text)
		return Raw(text), err
	case "raw_base64":
		var text string
		if err := n.text(&text); err != nil {
			return nil, err
		}
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, n.fail("%v", err)
		}
		return Raw(b), nil
	case "keepalive":
		var s Keepalive
		err := n.integer(&s.N, maxKeepalive)
		return s, err
	case "malformed":
		return Malformed{}, n.onlyTrue()
	case "open":
		return Open{}, n.onlyTrue()
	}
	return nil, errUnknownKey
}

func (n *node) onlyTrue() error {
	if n.token != true {
		return n.fail("must be true; leave the step out otherwise")
	}
	return nil
}

// silence reads a pause.
func (n *node) silence(key string) (Step, error) {
	if key == "stall" && n.token == true {
		return Stall{}, nil
	}
	var ms int
	if err := n.integer(&ms, int(maxPause/time.Millisecond)); err != nil {
		return nil, err
	}
	d := time.Duration(ms) * time.Millisecond
	if key == "sleep_ms" {
		return Sleep{For: d}, nil
	}
	if d == 0 {
		return nil, n.fail("must be true or at least 1")
	}
	return Stall{For: d}, nil
}

func (n *node) tokens() (Step, error) {
	var s Tokens
	err := n.each(func(key string, v *node) error {
		switch key {
		case "n":
			return v.integer(&s.N, maxTokens)
		case "rate":
			return v.stepRate(&s.Rate)
		case "split":
			return v.integer(&s.Split, maxInt)
		case "kind":
			return v.text((*string)(&s.Kind))
		case "seed":
			var seed int
			err := v.integer(&seed, maxInt)
			s.Seed = uint32(seed)
			return err
		case "reasoning":
			return v.boolean(&s.Reasoning)
		}
		return errUnknownKey
	})
	return s, err
}

func (n *node) call() (Step, error) {
	s := Call{Args: "{}"}
	args := false
	err := n.each(func(key string, v *node) error {
		switch key {
		case "name":
			return v.text(&s.Name)
		case "id":
			return v.text(&s.ID)
		case "args", "raw_args":
			if args {
				return v.fail("a call has either args or raw_args")
			}
			args = true
			if key == "raw_args" {
				return v.text(&s.Args)
			}
			if v.token != json.Delim('{') {
				return v.fail("must be an object; raw_args takes any text")
			}
			s.Args = v.compact()
			return nil
		}
		return errUnknownKey
	})
	return s, err
}

func (n *node) usage() (Step, error) {
	if n.token == omitted {
		return Usage{Omit: true}, nil
	}
	var u Usage
	err := n.each(func(key string, v *node) error {
		into := map[string]*int64{
			"input": &u.Input, "output": &u.Output, "cache_read": &u.CacheRead, "cache_write": &u.CacheWrite,
			"reasoning": &u.Reasoning,
		}[key]
		if into == nil {
			return errUnknownKey
		}
		var i int
		err := v.integer(&i, maxInt)
		*into = int64(i)
		return err
	})
	return u, err
}

func (n *node) failure() (Step, error) {
	var s Failure
	err := n.each(func(key string, v *node) error {
		switch key {
		case "status":
			return v.integer(&s.Status, 599)
		case "message":
			return v.text(&s.Message)
		case "type":
			return v.text(&s.Type)
		case "code":
			return v.text(&s.Code)
		case "body":
			s.Body = v.document()
			return nil
		case "html":
			return v.text(&s.HTML)
		case "with_id":
			return v.boolean(&s.WithID)
		case "headers":
			s.Header = map[string]string{}
			return v.each(func(name string, h *node) error {
				var text string
				err := h.text(&text)
				s.Header[name] = text
				return err
			})
		case "retry_after":
			var sec float64
			if err := v.number(&sec); err != nil {
				return err
			}
			if sec < 0 || sec > maxPause.Seconds() {
				return v.fail("must be from 0 to %v seconds", maxPause.Seconds())
			}
			s.RetryAfter = time.Duration(sec * float64(time.Second))
			return nil
		}
		return errUnknownKey
	})
	return s, err
}

// document is a value as the bytes of a body: a text as it is, anything else as
// JSON.
func (n *node) document() []byte {
	if text, ok := n.token.(string); ok {
		return []byte(text)
	}
	if n.raw != nil {
		return []byte(n.compact())
	}
	return encode(n.token)
}

package recovery

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/failure"
	"hermes-tui/tools/lazyregexp"
)

// Sent is what the caller knows of a call that failed.
type Sent struct {
	failure.Context
	// Now is the time of the failure.
	Now time.Time
	// Took is how long the call had been under way.
	Took time.Duration
	// Began says that something of the answer had arrived, if only reasoning.
	Began bool
	// Text says that text of it was on the screen already.
	Text bool
	// Calls names the tools of calls that had begun to arrive.
	Calls []string
	// Tools names those of the request, in their order.
	Tools []string
	// Images counts those of the request.
	Images int
	// Effort is how much reasoning was asked for.
	Effort string
}

// Fault is a failed call with everything the next action depends on.
type Fault struct {
	failure.Failure
	// Err is the error of the call, nil when it was of another kind.
	Err *providers.Error
	// Asked is the delay that the server asks for, 0 for none.
	Asked time.Duration
	// Window and Output are the limits the error states, in tokens: the context
	// window and the longest answer that would still fit. 0 is not stated.
	Window, Output int
	// Prompt is the size of the prompt that the error states, 0 for none.
	Prompt int
	// Pixels is the longest side of an image that the error states, 0 for none.
	Pixels int
	// Hint is a guess at the cause of an answer that was no answer, as a sentence,
	// or empty.
	Hint string

	// Named is the one part that the service refuses.
	Named failure.Named
	// Effort is how much reasoning was asked for when that is what it refuses, and Efforts
	// are the levels that it says it takes.
	Effort  string
	Efforts []string

	// Encoding: the request has text that cannot be sent.
	Encoding bool
	// ImagesRefused: the model takes no images at all.
	ImagesRefused bool
	// StreamRefused: the service does not stream.
	StreamRefused bool
	// UsageUp: the allowance of this credential is used up, so that trying it once
	// more is of no use.
	UsageUp bool
	// Invalid: the service answered with something that is no answer.
	Invalid bool
	// Lost: the connection was there and broke, or nothing came through it.
	Lost bool
	// Transport: a connection that was there failed, where a new transport can
	// help.
	Transport bool

	// ContextMax is the context window assumed and Tokens the size of the request, see
	// [failure.Context].
	ContextMax, Tokens int
	// Began, Text and Calls are those of [Sent].
	Began, Text bool
	Calls       []string
}

// Read says what a failed call means for its recovery.
func Read(err error, s Sent) Fault {
	f := Fault{
		Failure:    failure.Classify(err, s.Context),
		ContextMax: s.ContextMax, Tokens: s.Tokens, Began: s.Began || s.Text || len(s.Calls) > 0, Text: s.Text, Calls: s.Calls,
	}
	var p *providers.Error
	if errors.As(err, &p) {
		f.Err = p
	} else {
		p = &providers.Error{Kind: providers.ErrorStream}
		if err != nil {
			p.Message = err.Error()
		}
	}
	f.Named = failure.Naming(err, s.Tools)
	if f.Named.Part == failure.PartImages && f.Named.Most < 0 {
		f.Named.Most = s.Images / 2
	}
	said := saidBy(p)
	if f.Status >= 400 && f.Status < 500 && refusesEffort(said) {
		f.Effort, f.Efforts = s.Effort, effortsIn(said, s.Effort)
	}
	f.Asked = asked(p, s.Now)
	f.Invalid, f.Lost = p.Kind == providers.ErrorProtocol, p.Kind == providers.ErrorBroken
	if f.Lost && f.Text && f.Compress { // what was being answered was not too long
		f.Reason, f.Compress = failure.Timeout, false
	}
	// Each attempt to connect is a new one already.
	f.Transport = f.Reason == failure.Timeout && f.Status == 0 && p.Kind != providers.ErrorConnect && !isAggregator(s.Provider)
	f.Encoding = hasAny(said, encodingPhrases())
	f.ImagesRefused = f.Status < 500 && hasAny(said, imagePhrases())
	f.StreamRefused = refusesStream(said)
	f.UsageUp = hasAny(said, usagePhrases())
	if f.Compress {
		f.Window, f.Output = failure.Limits(said)
		if isDeltaOnly(s.Context) {
			f.Window = 0
		}
		f.Prompt = failure.Prompt(said, f.Window)
	} else if f.Reason == failure.FormatError {
		if window, output := failure.Limits(said); window == 0 {
			f.Output = output
		}
	}
	if f.Reason == failure.ImageTooLarge {
		f.Pixels = pixels(said)
	}
	if f.Invalid {
		f.Hint = hint(p, s.Took)
	}
	return f
}

// saidBy is all text of an error, in small letters.
func saidBy(p *providers.Error) string {
	parts := []string{string(p.Body), p.Code, p.Type, p.Message}
	if p.Cause != nil {
		parts = append(parts, p.Cause.Error())
	}
	return strings.ToLower(strings.Join(parts, "\n"))
}

// asked is the delay the server asks for, wherever it says so.
func asked(p *providers.Error, now time.Time) time.Duration {
	body := p.Body
	if len(body) == 0 {
		body = []byte(p.Message)
	}
	if d, ok := failure.RetryAfter(p.Header, body, now); ok {
		return d
	}
	return max(p.RetryAfter, 0)
}

// GoOn reports whether the text that had arrived is kept when a is done, and gives
// the message that asks for the rest of it. An answer that made calls is asked for
// again as a whole as long as that costs no time: its text alone is worth little.
func (f Fault) GoOn(a Action) (providers.Message, bool) {
	if a, ok := a.(Tell); ok {
		return note(a.Note), f.Text
	}
	_, again := a.(Resend)
	if !f.Text || !f.Retryable || again && len(f.Calls) > 0 {
		return providers.Message{}, false
	}
	if len(f.Calls) == 0 {
		return note(NoteBrokeOff), true
	}
	const mostNamed = 3
	return note(dropped(f.Calls[:min(len(f.Calls), mostNamed)])), true
}

var pixelSize = lazyregexp.New(`(\d{2,5})\s*(?:px\b|pixels?\b)`)

// The longest side of an image in pixels: what is assumed, and what a stated
// figure may be.
const (
	usualPixels = 8000
	leastPixels = 64
)

// pixels finds the smallest size in pixels that a text states, 0 for none.
func pixels(said string) int {
	smallest := 0
	for _, m := range pixelSize.FindAllStringSubmatch(said, -1) {
		n, err := strconv.Atoi(m[1])
		if err == nil && n >= leastPixels && (smallest == 0 || n < smallest) {
			smallest = n
		}
	}
	return smallest
}

// hint guesses why an answer was no answer: by the status that stands in it, or
// by how long it took.
func hint(p *providers.Error, took time.Duration) string {
	const quick, slow = 10 * time.Second, 60 * time.Second
	status := p.Status
	if n, err := strconv.Atoi(p.Code); err == nil {
		status = n
	}
	switch status {
	case 524, 504:
		return hintUpstreamLate
	case 429:
		return hintRate
	case 500, 502:
		return hintUpstreamFailed
	case 503, 529:
		return hintOverloaded
	}
	body := strings.TrimSpace(string(p.Body))
	if p.Cause != nil || body != "" && !strings.HasPrefix(body, "{") {
		return "" // it is known what was wrong, or a stranger answered, and the failure says so
	}
	switch {
	case took > slow:
		return hintUpstreamLate
	case took > 0 && took < quick:
		return hintRate
	}
	return ""
}

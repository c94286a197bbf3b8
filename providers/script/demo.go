package script

import (
	"context"
	"hash/fnv"
	"strings"
	"time"

	"hermes-tui/providers"
)

// DemoOptions are the choices of [Demo].
type DemoOptions struct {
	// Speed multiplies the speed of a typical model, about 90 tokens a second;
	// 0 answers at once.
	Speed float64
	// Clock paces the answers; nil is the machine's.
	Clock Clock
}

// demoRate is the speed of the demo in tokens per second.
const demoRate = 90

// maxSpeed is the highest multiple of it that is still paced.
const maxSpeed = 1000

// Demo makes a client that needs no model and no network. It follows a fixed
// plan: it calls the tools that the request offers, one after the other, and
// reports what they returned. The words are a script; the facts come from the
// tool results alone, failures and refusals included.
//
// An answer is a function of the request: the same request gives the same
// bytes, and a conversation that broke off goes on where it was. The first
// prompt of a conversation gets the whole plan, later ones a search for their
// words, one that asks for subagents one for each of its words, and a request
// without tools a title, a summary or a plain answer, whichever its prompt asks
// for. The demo answers subagents as well: the goals that it gave with a few looks
// at the workspace, any other with a search for its words.
//
// The client is safe for concurrent use.
func Demo(o DemoOptions) providers.Client {
	speed := min(max(o.Speed, 0), maxSpeed)
	return &demo{clock: clockOr(o.Clock), speed: speed}
}

type demo struct {
	clock Clock
	speed float64
}

// Stream implements [providers.Client].
func (d *demo) Stream(ctx context.Context, r providers.Request) (providers.Stream, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	v := look(r)
	c := &cursor{
		steps: d.steps(v, v.decide(), r.Effort != "none"), pace: Pace{Rate: demoRate * d.speed},
		fill: func(s string) string { return s }, nth: len(r.Messages), prompt: promptChars(r),
	}
	w := newWire(&Scenario{}, c.nth, r.Model, d.clock.Now().Unix())
	return begin(ctx, c, w, d.clock, "demo")
}

// move is what the demo does in one answer: it thinks, says something and, if
// tool is set, calls it.
type move struct {
	think, say string
	tool       string
	args       any // encoded as JSON
}

// The arguments of the tools that the demo calls.
type (
	todoArgs struct {
		Todos []todoItem `json:"todos"`
	}
	todoItem struct {
		ID      string `json:"id"`
		Content string `json:"content"`
		Status  string `json:"status"`
	}
	searchArgs struct {
		Pattern string `json:"pattern"`
		Target  string `json:"target"`
		Limit   int    `json:"limit"`
	}
	readArgs struct {
		Path   string `json:"path"`
		Offset int    `json:"offset,omitempty"`
		Limit  int    `json:"limit"`
	}
	terminalArgs struct {
		Command string `json:"command"`
		Outside bool   `json:"outside,omitempty"`
	}
	clarifyArgs struct {
		Question string   `json:"question"`
		Choices  []string `json:"choices"`
	}
	delegateArgs struct {
		Tasks []delegateTask `json:"tasks"`
	}
	delegateTask struct {
		Goal    string `json:"goal"`
		Context string `json:"context"`
	}
)

// steps are the steps of a move.
func (d *demo) steps(v *view, m move, reasoning bool) []Step {
	out := []Step{Open{}, d.pause(m.say+m.tool, 250, 300)}
	if reasoning {
		for _, p := range phrases(m.think) {
			out = append(out, Reasoning{Text: p}, d.pause(p, 30, 120))
		}
	}
	for _, p := range phrases(m.say) {
		out = append(out, Text{Text: p}, d.pause(p, 20, 90))
	}
	if m.tool != "" {
		out = append(out, Call{Name: m.tool, Args: string(encode(m.args)), ID: v.callID()})
	}
	return out
}

// pause is a pause of from to from+spread milliseconds, which of them depends on
// the text alone.
func (d *demo) pause(text string, from, spread int) Sleep {
	if d.speed == 0 {
		return Sleep{}
	}
	ms := from + int(hash(text)%uint32(spread))
	return Sleep{For: time.Duration(float64(ms) / d.speed * float64(time.Millisecond))}
}

func hash(parts ...string) uint32 {
	h := fnv.New32a()
	for _, p := range parts {
		_, _ = h.Write([]byte(p))
		_, _ = h.Write([]byte{0})
	}
	return h.Sum32()
}

// phrases cuts text after sentences and paragraphs. Joined they are the text.
func phrases(text string) []string {
	var out []string
	for text != "" {
		end := len(text)
		for _, stop := range []string{". ", "? ", "! ", "\n\n"} {
			if i := strings.Index(text, stop); i >= 0 {
				end = min(end, i+len(stop))
			}
		}
		out = append(out, text[:end])
		text = text[end:]
	}
	return out
}

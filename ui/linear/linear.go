// Package linear is a front end for screen readers, and for whatever else cannot show a
// screen: lines go in and lines come out.
//
// Guarantees:
//
//   - The output holds no escape sequence and no control character but line feeds, whatever
//     models, tools and files say. Nothing that was written is changed later.
//   - A line is one fact, and begins with a word that says what about. Answers come by the
//     sentence, or by the line where they hold code.
//   - A line that was read before a question was shown never answers it.
//
// A [Run] has one reader of its input, which may outlast it in a read that does not end.
package linear

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/term"
)

// Options are what a run is made of.
type Options struct {
	App  *app.App
	Conv app.Conversation
	In   io.Reader
	Out  io.Writer
	// Interrupts are the user's: the first stops the turn, one where nothing runs or a
	// second within [again] leaves.
	Interrupts <-chan struct{}
	// Terminal says that In is a terminal: the user sees a sign where input is expected, and
	// lines that arrive together are one paste.
	Terminal bool
	// Prompt is sent at once, empty for none; Notices are said first.
	Prompt  string
	Notices []string
	Now     func() time.Time
	// Hide has the terminal not show what is typed, until what it gives is called. nil says
	// that this cannot be done.
	Hide func() (show func())
}

// again is how soon an interrupt must come for the second time to leave.
const again = 2 * time.Second

// run is a conversation in lines.
type run struct {
	o       Options
	ctx     context.Context
	c       app.Conversation
	s       *event.State
	out     *bufio.Writer
	failed  error
	events  chan batch
	stop    context.CancelFunc // of the pump
	gen     int
	pieces  map[event.BlockID]*piece
	calls   map[event.CallID]event.CallView
	queued  map[event.InputID]bool
	jobs    map[string]bool
	answer  string // the newest
	news    string // what was said last of the model and the mode
	open    []*question
	gone    *question // has disappeared without an answer, nil when a line came since
	prompt  *prompt   // of the program itself, nil for none
	reveal  func()    // shows again what is typed, nil while it is shown
	list    listed
	pressed time.Time // of the newest interrupt
	ended   bool      // the input has
	left    bool
	signed  bool // the sign of an expected input stands at the end of what was written
}

// batch is what has happened in the conversation of a pump.
type batch struct {
	gen    int
	events []event.Event
	err    error
}

// Run shows a conversation until the user leaves, the input has ended and nothing runs any
// more, or ctx has ended. It returns the conversation that was shown last.
func Run(ctx context.Context, o Options) (app.Conversation, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &run{o: o, ctx: ctx, out: bufio.NewWriter(o.Out), events: make(chan batch)}
	lines := make(chan line)
	go reader{o.In, ctx, o.Now, o.Terminal}.read(lines)
	for _, n := range o.Notices {
		r.say("Notice: ", n)
	}
	r.attach(o.Conv)
	r.say("", "Type what you want done, and enter. /help lists the commands, /quit leaves, ctrl+c stops.")
	if o.Prompt != "" {
		r.send(o.Prompt)
	}
	defer func() {
		if r.reveal != nil {
			r.reveal()
		}
	}()
	for !r.left && r.failed == nil {
		r.hides()
		r.sign()
		if err := r.out.Flush(); err != nil {
			return r.c, err
		}
		if r.ended && !r.c.Working() && r.idle() {
			break
		}
		select {
		case <-ctx.Done():
			return r.c, nil
		case b := <-r.events:
			if b.gen == r.gen {
				r.take(b)
			}
		case l := <-lines:
			if l.ended {
				lines, r.ended = nil, true
				r.withdraw()
				continue
			}
			r.signed = false
			r.heed(l)
		case <-o.Interrupts:
			r.interrupt()
		}
	}
	if r.signed {
		_, _ = r.out.WriteString("\n") // Flush tells of what fails
	}
	return r.c, errors.Join(r.failed, r.out.Flush())
}

// idle reports whether no turn runs and nothing waits.
func (r *run) idle() bool {
	root := r.s.Root()
	return (root == nil || root.Turn == "") && len(r.s.Queue) == 0 && len(r.queued) == 0
}

// sign writes the sign of an expected input, once.
func (r *run) sign() {
	if !r.o.Terminal || r.signed || r.ended || len(r.open) == 0 && !r.idle() {
		return
	}
	r.signed = true
	if _, err := r.out.WriteString("> "); err != nil {
		r.failed = err
	}
}

// attach shows a conversation from now on.
func (r *run) attach(c app.Conversation) {
	if r.stop != nil {
		r.stop()
	}
	ctx, cancel := context.WithCancel(r.ctx)
	r.gen++
	r.c, r.s, r.stop, r.open, r.gone, r.answer = c, c.State(), cancel, nil, nil, ""
	r.pieces, r.calls, r.queued, r.jobs = map[event.BlockID]*piece{}, map[event.CallID]event.CallView{}, map[event.InputID]bool{}, map[string]bool{}
	gen := r.gen
	go func() {
		for {
			events, err := c.Next(ctx)
			select {
			case r.events <- batch{gen, events, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	r.say("Folder: ", r.s.Work.Root)
	r.news = ""
	r.answering()
	if app.IsDemo(r.s.Model) {
		r.say("Notice: ", "the offline demo answers: scripted words, real tools. A key in the environment, such as OPENROUTER_API_KEY, or a model server on this machine brings a real model; /setup sets one up.")
	}
	if root := r.s.Root(); root != nil {
		for _, b := range root.Blocks {
			switch b.Kind {
			case event.BlockUser, event.BlockSteer:
				r.say("You: ", b.Text.String())
			case event.BlockAnswer:
				r.answer = b.Text.String()
				r.say("Agent: ", r.answer)
			}
		}
	}
	for _, j := range r.s.Jobs {
		r.jobs[j.ID] = true
	}
	for _, q := range r.s.Requests {
		r.ask(q)
	}
}

// take shows what has happened.
func (r *run) take(b batch) {
	if b.err != nil {
		if r.ctx.Err() == nil {
			r.failed = b.err
		}
		return
	}
	for _, e := range b.events {
		r.s.Apply(e)
		r.show(e)
	}
}

// say writes a text: its first line behind a word that says what it is about, the others
// as they are.
func (r *run) say(word, text string) {
	text = strings.TrimRight(term.Plain(strings.ReplaceAll(text, "\r\n", "\n")), "\n ")
	if r.signed {
		r.signed, text, word = false, word+text, "\n"
	}
	for i, one := range strings.Split(text, "\n") {
		if i == 0 {
			one = word + one
		}
		if _, err := fmt.Fprintln(r.out, one); err != nil {
			r.failed = err
		}
	}
}

// complain says what went wrong.
func (r *run) complain(err error) { r.say("Error: ", strings.TrimRight(err.Error(), ".")+".") }

// heed does what a line asks for.
func (r *run) heed(l line) {
	text := strings.TrimSpace(l.text)
	if first, _, burst := strings.Cut(text, "\n"); burst {
		r.pasted(l, first)
		return
	}
	switch p := r.prompt; {
	case text == "":
	case p != nil && p.at.Before(l.at) && text != "/skip" && (p.hidden || !strings.HasPrefix(text, "/")):
		r.prompt = nil
		p.take(text)
	case r.secretly(l):
		r.reply(r.open[0], l.text)
	case strings.HasPrefix(text, "/") && r.command(text):
	case r.missed(l):
	case len(r.open) > 0 && !r.open[0].at.IsZero() && r.open[0].at.Before(l.at):
		r.reply(r.open[0], text)
	default:
		r.send(l.text)
	}
}

// pasted does what a burst of several lines asks for: it is a text, unless each line is a
// command. If a secret is asked for, or the program asks, only the first line counts.
func (r *run) pasted(l line, first string) {
	list := strings.Split(strings.TrimSpace(l.text), "\n")
	typed := !slices.ContainsFunc(list, func(one string) bool { return !strings.HasPrefix(one, "/") })
	switch {
	case typed && r.prompt == nil && len(r.open) == 0:
		for _, one := range list {
			r.heed(line{text: one, at: l.at})
		}
	case r.prompt != nil || r.secretly(l):
		r.heed(line{text: first, at: l.at})
	case r.missed(l):
	case len(r.open) > 0 && !r.open[0].at.IsZero() && r.open[0].at.Before(l.at):
		r.reply(r.open[0], strings.TrimSpace(l.text))
	default:
		r.send(l.text)
	}
}

// secretly reports whether a line is a password.
func (r *run) secretly(l line) bool {
	return len(r.open) > 0 && r.open[0].Kind == event.RequestSecret && !r.open[0].at.IsZero() && r.open[0].at.Before(l.at) && strings.TrimSpace(l.text) != "/skip"
}

// send hands a message over.
func (r *run) send(text string) {
	r.o.App.Remember(text)
	id, err := r.c.Submit(text)
	if err != nil {
		r.complain(err)
		return
	}
	if r.queued[id] = true; !r.idleTurn() {
		r.say("Queued: ", "it is sent when the turn has ended. /stop ends the turn now, /steer TEXT tells the running agent.")
	}
}

// idleTurn reports whether no turn of the root runs.
func (r *run) idleTurn() bool {
	root := r.s.Root()
	return root == nil || root.Turn == ""
}

// interrupt stops the turn, or leaves.
func (r *run) interrupt() {
	now := r.o.Now()
	second := now.Sub(r.pressed) < again
	r.pressed = now
	switch {
	case second:
		r.left = true
	case r.c.Working():
		r.c.Interrupt(r.c.Root(), app.Subtree)
		r.say("Stopping. ", "Ctrl+c once more leaves.")
	case len(r.s.Running()) > 0:
		r.say("Ready: ", "ctrl+c once more leaves, and ends "+format.Count(len(r.s.Running()), "background job", "background jobs")+".")
	default:
		r.say("Ready: ", "ctrl+c once more, or /quit, leaves.")
	}
}

// withdraw leaves no question open that no one can answer any more.
func (r *run) withdraw() {
	for len(r.open) > 0 {
		q := r.open[0]
		r.say("Question: ", "the input has ended, so it is not answered.")
		r.resolve(q, event.Answer{Choice: q.none()})
	}
}

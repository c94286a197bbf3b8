package linear

import (
	"fmt"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
)

// outputLines is how much of what a call has put out is said: its last lines.
const outputLines = 5

// piece is a text that is streamed, as far as it was said.
type piece struct {
	text  strings.Builder
	said  int
	begun bool
	code  bool // what is not said yet begins within a fence
}

// show says what an event says.
func (r *run) show(e event.Event) {
	h := e.Head()
	if h.Agent == "" || h.Agent == r.c.Root() {
		r.showRoot(e)
	}
	who := r.who(h.Agent)
	switch e := e.(type) {
	case *event.NoticeRaised:
		word := map[event.Level]string{event.LevelWarn: "Warning: ", event.LevelError: "Error: "}[e.Level]
		if word == "" {
			word = "Notice: "
		}
		r.say(word+who, e.Text)
	case *event.RetryScheduled:
		r.say("Retry: "+who, fmt.Sprintf("%s; attempt %d of %d in %s.", strings.TrimRight(e.Reason, "."), e.Attempt, e.Max, format.Duration(max(e.Until.Sub(e.At), 0))))
	case *event.FallbackActivated:
		r.say("Model: "+who, fmt.Sprintf("%s answers in place of %s: %s", e.To, e.From, e.Reason))
	case *event.Requested:
		r.ask(e.Request)
	case *event.RequestResolved:
		r.resolved(e)
	case *event.ToolStarted:
		r.calls[e.Call] = e.View
		r.say("Tool: "+who, strings.TrimRight(e.View.Name+" "+e.View.Subject, " "))
	case *event.ToolFinished:
		r.finished(who, e)
	case *event.CommandTyped:
		r.calls[e.Call] = e.View
	case *event.AgentSpawned:
		if e.Parent != "" {
			r.say(r.name(h.Agent)+" begins: ", e.Goal)
		}
	case *event.AgentStateChanged:
		if who != "" && e.State != event.AgentRunning && e.State != event.AgentWaiting {
			r.say(r.name(h.Agent)+": ", strings.TrimRight(string(e.State)+". "+e.On, " "))
		}
	case *event.AgentFinished:
		if who != "" {
			r.say(r.name(h.Agent)+" has ended: ", ending(e))
		}
	case *event.JobsChanged:
		r.jobsChanged(e.Jobs)
	}
}

// showRoot says what of an event is about the main agent.
func (r *run) showRoot(e event.Event) {
	switch e := e.(type) {
	case *event.TurnStarted:
		r.say("Working.", "")
	case *event.TextDelta:
		r.stream(e.Block, e.Text)
	case *event.StreamReset:
		clear(r.pieces)
		r.say("Again: ", "the answer begins again. "+e.Reason)
	case *event.MessageCommitted:
		r.committed(e)
	case *event.ToolStateChanged:
		if e.Name == event.TodoState {
			r.tasks()
		}
	case *event.ModelChanged, *event.ModeChanged:
		r.answering()
	case *event.ContextCompressed:
		if e.Restored {
			return // the command says it
		}
		r.say("Notice: ", fmt.Sprintf("the session was shortened for the model, from %s to %s tokens; nothing is lost here.", format.Tokens(int64(e.Before)), format.Tokens(int64(e.After))))
	case *event.TurnFinished:
		clear(r.pieces)
		word := map[event.TurnOutcome]string{event.TurnCompleted: "Done", event.TurnInterrupted: "Stopped", event.TurnFailed: "Failed", event.TurnExhausted: "Stopped at a limit"}[e.Outcome]
		r.say(word+" after "+format.Duration(e.Took)+". ", e.Explain)
		if n := len(r.s.Queue); n > 0 && e.Outcome != event.TurnCompleted {
			r.say("Queued: ", format.Count(n, "message waits", "messages wait")+". /send sends the first.")
		}
	}
}

// answering says which model answers and in which mode, when that is news.
func (r *run) answering() {
	if now := fmt.Sprintf("%s, mode %s.", r.s.Model.Name, r.s.Mode); now != r.news {
		r.news = now
		r.say("Model: ", now)
	}
}

// stream takes a piece of an answer and says the sentences that it completes, or in code
// the lines.
func (r *run) stream(id event.BlockID, text string) {
	p := r.pieces[id]
	if p == nil {
		p = &piece{}
		r.pieces[id] = p
	}
	p.text.WriteString(text)
	r.utter(p, false)
}

// utter says what of a text is complete, or all of it.
func (r *run) utter(p *piece, all bool) {
	for rest := p.text.String()[p.said:]; rest != ""; rest = p.text.String()[p.said:] {
		n := complete(rest, p.code)
		if n == 0 && all {
			n = len(rest)
		}
		if n == 0 {
			return
		}
		one := strings.TrimRight(rest[:n], "\n ")
		p.said += n
		if strings.HasPrefix(strings.TrimSpace(one), "```") {
			p.code = !p.code
		}
		if strings.TrimSpace(one) == "" {
			continue
		}
		word := ""
		if !p.begun {
			word, p.begun = "Agent: ", true
		}
		if !p.code {
			one = strings.TrimLeft(one, " ")
		}
		r.say(word, one)
	}
}

// complete is how many bytes at the beginning of a text are a whole sentence or line, 0 if
// more may belong to it.
func complete(text string, code bool) int {
	end := strings.IndexByte(text, '\n') + 1
	if code || strings.HasPrefix(strings.TrimSpace(text), "`") {
		return end
	}
	for i := 0; i+1 < len(text) && (end == 0 || i < end); i++ {
		if strings.IndexByte(".!?", text[i]) >= 0 && text[i+1] == ' ' && i > 2 {
			return i + 2
		}
	}
	return end
}

// committed says what of a message was not said while it came.
func (r *run) committed(e *event.MessageCommitted) {
	if e.Role == event.RoleUser {
		if e.Origin != "" {
			r.say("Told the agent: ", first(e.Text))
		}
		delete(r.queued, e.Input)
		return
	}
	if e.Text == "" {
		return
	}
	p := r.pieces[e.Block]
	if p == nil || !strings.HasPrefix(e.Text, p.text.String()) {
		p = &piece{}
	}
	p.text.WriteString(e.Text[p.text.Len():])
	r.utter(p, true)
	delete(r.pieces, e.Block)
	if r.answer = e.Text; e.Partial {
		r.say("Cut off: ", "the answer was not finished.")
	}
}

// finished says how a call ended, with the last lines of what it has put out.
func (r *run) finished(who string, e *event.ToolFinished) {
	delete(r.calls, e.Call)
	word := string(e.Outcome)
	if e.Outcome == event.OutcomeOK {
		word = "done"
	}
	text := fmt.Sprintf("%s %s after %s.", e.View.Name, word, format.Duration(e.Took))
	if e.View.Summary != "" {
		text += " " + e.View.Summary
	}
	r.say("Tool: "+who, text)
	body := strings.TrimRight(e.View.Body, "\n ")
	if body == "" || e.View.Kind == event.ViewTodo {
		return // the task list is said when it changes
	}
	list := strings.Split(body, "\n")
	if n := len(list) - outputLines; n > 0 {
		r.say("", fmt.Sprintf("(%s before)", format.Count(n, "line", "lines")))
		list = list[n:]
	}
	r.say("", "  "+strings.Join(list, "\n  "))
}

// who names a subagent before what is said of it; the main agent has no name.
func (r *run) who(id event.AgentID) string {
	if id == "" || id == r.c.Root() {
		return ""
	}
	return r.name(id) + ": "
}

// name is what an agent is called: by its number, in the order in which they began.
func (r *run) name(id event.AgentID) string {
	for i, a := range r.s.Agents {
		if a.ID == id && i > 0 {
			return fmt.Sprintf("Agent %d", i)
		}
	}
	return "Agent"
}

// tasks says how the task list stands.
func (r *run) tasks() {
	root := r.s.Root()
	if root == nil || len(root.Todos) == 0 {
		return
	}
	done, now := 0, ""
	for _, t := range root.Todos {
		switch t.Status {
		case event.TodoCompleted:
			done++
		case event.TodoInProgress:
			now = " Now: " + t.Content
		}
	}
	r.say("Tasks: ", fmt.Sprintf("%d of %d done.%s", done, len(root.Todos), now))
}

// jobsChanged says which background jobs began and which have ended.
func (r *run) jobsChanged(list []event.Job) {
	for _, j := range list {
		running := j.Ended.IsZero()
		was, known := r.jobs[j.ID]
		switch {
		case !known && running:
			r.say("Job "+j.ID+" begins: ", first(j.Command))
		case !running && (was || !known):
			r.say("Job "+j.ID+": ", string(j.State)+". "+first(j.Command))
		}
		r.jobs[j.ID] = running
	}
}

// first is the first line of a text.
func first(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return text
}

// since says how long ago something began.
func (r *run) since(at time.Time) string { return format.Duration(max(r.o.Now().Sub(at), 0)) }

// ending returns in one line how a subagent ended.
func ending(e *event.AgentFinished) string {
	text := string(e.State) + ". " + e.Error
	if e.State == event.AgentKilled {
		text = "ended by you."
	}
	return strings.Join(strings.Fields(text+" "+first(e.Summary)), " ")
}

package linear

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/docs"
	"hermes-tui/ui/feature"
	"hermes-tui/ui/format"
	"hermes-tui/ui/slash"
)

// own are the commands that only lines need.
var own = []struct {
	name, help string
	do         func(r *run, args string)
}{
	{"stop", "stop the turn and all agents", func(r *run, _ string) { r.c.Interrupt(r.c.Root(), app.Subtree) }},
	{"send", "send a message while a question waits; without a text, what waits in the queue", (*run).sendBeside},
	{"steer", "tell the running agent something, with its next tool result", func(r *run, text string) { r.steer(r.c.Root(), text) }},
	{"agent", "/agent end 1, pause 1, resume 1, steer 1 TEXT, read 1: control an agent by its number or by words of its goal", (*run).agent},
	{"question", "read the waiting question again", func(r *run, _ string) {
		if len(r.open) == 0 {
			r.say("Question: ", "none waits.")
		}
		r.pose()
	}},
	{"skip", "skip the waiting question; an approval is denied; leave the setup", func(r *run, _ string) {
		if r.prompt != nil {
			r.prompt = nil
			r.say("Setup: ", "left. /setup comes back to it.")
			return
		}
		if len(r.open) > 0 {
			r.resolve(r.open[0], event.Answer{Choice: r.open[0].none()})
		}
	}},
	{"again", "read the last answer again", func(r *run, _ string) {
		if r.answer == "" {
			r.say("Agent: ", "no answer yet.")
			return
		}
		r.say("Agent: ", r.answer)
	}},
	{"status", "say what is under way", func(r *run, _ string) { r.status() }},
	{"job", "/job end ID, /job read ID: end a background job, or read what it has put out", func(r *run, args string) {
		verb, id, _ := strings.Cut(args, " ")
		f, _ := feature.Named(string(slash.Jobs))
		r.feature(f, cmp.Or(verb, "show"), strings.TrimSpace(id))
	}},
}

// command runs a command, and reports whether the text is one.
func (r *run) command(text string) bool {
	name, args, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	args = strings.TrimSpace(args)
	for _, o := range own {
		if strings.EqualFold(o.name, name) {
			o.do(r, args)
			return true
		}
	}
	c, args, err := slash.Parse(text)
	switch {
	case errors.Is(err, slash.ErrNoCommand):
		return false
	case err != nil:
		r.complain(err)
	default:
		r.table(c, args)
	}
	return true
}

// table runs a command of the full screen.
func (r *run) table(c slash.Command, args string) {
	if !c.Busy && !r.idleTurn() {
		r.say("Error: ", "/"+string(c.Name)+" waits until the turn has ended. /stop ends it.")
		return
	}
	verb, rest, _ := strings.Cut(args, " ")
	if f, ok := feature.Named(string(c.Name)); ok {
		r.feature(f, verb, strings.TrimSpace(rest))
		return
	}
	if do, ok := windows[c.Name]; ok {
		do(r, verb, strings.TrimSpace(rest))
		return
	}
	switch c.Name {
	case slash.Help:
		if args != "" {
			r.page(args)
			return
		}
		r.help()
	case slash.Setup:
		r.setup()
	case slash.Reasoning:
		r.reasoning(strings.ToLower(args))
	case slash.Fork:
		session, err := r.o.App.Fork(r.ctx, string(r.c.Session()), "")
		if err != nil {
			r.complain(err)
			return
		}
		r.resume(session)
	case slash.Share:
		file, err := r.o.App.Share(r.ctx, string(r.c.Session()))
		r.said(err, "Written, with secrets masked: ", file)
	case slash.Uncompress:
		n, err := r.c.Uncompress(r.ctx)
		r.said(err, "Back: ", "the model gets "+format.Tokens(int64(n))+" tokens again.")
	case slash.Refine:
		r.refine(args)
	case slash.Quit:
		r.leaving(func() { r.left = true })
	case slash.New:
		r.leaving(func() { r.swap(r.o.App.Start) })
	case slash.Resume:
		r.resume(args)
	case slash.Title:
		r.titled(args)
	case slash.Mode:
		r.mode(args)
	case slash.Model:
		r.model(args)
	case slash.Todos:
		r.listTasks()
	case slash.Agents:
		r.listAgents()
	case slash.Diff:
		r.diff(args)
	case slash.Usage:
		r.usage()
	case slash.Trust:
		root, _, err := r.c.Trust(r.ctx, !strings.EqualFold(args, "no"))
		r.said(err, "Trusted: ", root)
	case slash.Compress:
		done, err := r.c.Compress(r.ctx, args)
		if err == nil && !done {
			r.say("Notice: ", "there is nothing to shorten.")
		}
		r.said(err, "", "")
	case slash.Undo:
		r.undo()
	case slash.Redo:
		r.said(r.c.UndoRewind(r.ctx), "Back: ", "what was taken back is there again.")
	case slash.Init:
		_, err := app.Describe(r.c, app.Describes(r.ctx, r.c), args)
		r.said(err, "", "")
	default:
		r.say("Error: ", "/"+string(c.Name)+" is about the full screen. /help lists what there is here.")
	}
}

// said says that something was done, or what went wrong.
func (r *run) said(err error, word, text string) {
	switch {
	case err != nil:
		r.complain(err)
	case word != "":
		r.say(word, text)
	}
}

// onScreen are the commands that are about the full screen, and do nothing here.
var onScreen = []slash.Name{slash.Wall, slash.Replay, slash.Details, slash.Copy, slash.Theme, slash.Hud}

func (r *run) help() {
	r.say("", "A line is a message to the agent, or the answer to the question that waits. A line that begins with a slash is a command:")
	for _, o := range own {
		r.say("/"+o.name+": ", o.help)
	}
	for _, c := range slash.Table() {
		if !slices.Contains(onScreen, c.Name) {
			r.say(c.Usage()+": ", c.Help)
		}
	}
	var topics []string
	for _, t := range docs.Topics() {
		topics = append(topics, t.Name)
	}
	r.say("Pages of the documentation, for /help TOPIC: ", strings.Join(topics, ", ")+".")
}

// reasoning says how much the model should reason, and changes it.
func (r *run) reasoning(effort string) {
	switch effort {
	case "":
		r.say("Reasoning: ", cmp.Or(r.s.Model.Effort, "as the provider decides")+". /reasoning "+strings.Join(event.Efforts(), ", ")+" or default changes it.")
		return
	case "default":
		effort = ""
	default:
		if !slices.Contains(event.Efforts(), effort) {
			r.say("Reasoning: ", fmt.Sprintf("%q is none of %s, default.", effort, strings.Join(event.Efforts(), ", ")))
			return
		}
	}
	but, err := r.c.SetEffort(effort)
	r.said(err, "Reasoning: ", strings.TrimSpace(cmp.Or(effort, "as the provider decides")+", from the next turn on. "+but))
}

// refine has the agent look back at the session, beside whatever goes on.
func (r *run) refine(focus string) {
	if focus == "stop" {
		r.c.StopRefine()
		return
	}
	r.say("Looking back. ", "/refine stop ends it.")
	c, ctx := r.c, r.ctx
	go func() {
		kept, err := c.Refine(ctx, focus)
		text := strings.Join(kept.Changes, "; ")
		if err != nil {
			text = err.Error()
		}
		c.Notify(event.LevelInfo, "Looked back: "+cmp.Or(text, "nothing was kept")+".")
	}()
}

// swap shows another session; the one before is ended.
func (r *run) swap(begin func(context.Context) (app.Conversation, error)) {
	next, err := begin(r.ctx)
	if err != nil {
		r.complain(err)
		return
	}
	if err := r.c.Close(r.ctx); err != nil {
		r.complain(err)
	}
	r.attach(next)
}

// resume lists the sessions, or goes on with one.
func (r *run) resume(ref string) {
	if ref != "" {
		r.leaving(func() {
			r.swap(func(ctx context.Context) (app.Conversation, error) { return r.o.App.Resume(ctx, ref) })
		})
		return
	}
	list, err := r.o.App.Sessions(r.ctx, "", 20, false)
	for _, s := range list {
		r.say("Session "+s.Session+": ", s.Title)
	}
	r.said(err, "", "/resume and an id, or a title, goes on with one.")
}

func (r *run) titled(text string) {
	if text == "" {
		r.say("Title: ", r.s.Title)
		return
	}
	r.said(r.c.SetTitle(text), "Title: ", text)
}

func (r *run) mode(name string) {
	if name == "" {
		r.say("Mode: ", string(r.s.Mode)+". /mode guarded, manual, smart, plan or off changes it.")
		return
	}
	mode := event.Mode(strings.ToLower(name))
	if mode != event.ModeOff || r.s.Mode == mode {
		r.said(r.c.SetMode(mode), "", "")
		return
	}
	r.confirm("Mode off: ", app.OffWarning, "mode "+string(r.s.Mode)+" stays.", func() { r.said(r.c.SetMode(mode), "", "") })
}

// leaving does what ends the work of the conversation, and asks first where there is some.
func (r *run) leaving(do func()) {
	work := app.Underway(r.s)
	if len(work) == 0 {
		do()
		return
	}
	r.confirm("Leave: ", "this ends what is running. "+strings.Join(work, " "), "all goes on.", do)
}

// confirm asks before something is done that takes protection or work away. Only a line
// that comes after the question answers it.
func (r *run) confirm(word, what, stays string, do func()) {
	r.say(word, what+" Answer yes to do it; any other line leaves it.")
	r.want(false, func(text string) {
		if strings.EqualFold(text, "yes") || strings.EqualFold(text, "y") {
			do()
			return
		}
		r.say(word, "not done, "+stays)
	})
}

// model lists the models, or takes one by its name.
func (r *run) model(name string) {
	var found *app.ModelInfo
	var at app.ModelGroup
	err := r.o.App.AskModels(r.ctx, func(g app.ModelGroup) {
		if g.Asking {
			return
		}
		if g.Problem != "" {
			r.say("Model: ", g.Label+": "+g.Problem)
		}
		for _, m := range g.Models {
			switch {
			case name == "":
				r.say("Model: ", g.Provider+":"+m.Name)
			case strings.EqualFold(name, m.Name) || strings.EqualFold(name, g.Provider+":"+m.Name):
				found, at = &m, g
			}
		}
	})
	switch {
	case err != nil:
		r.complain(err)
	case name == "":
		r.say("", "/model and a name takes one from the next turn on.")
	case found == nil:
		r.say("Error: ", "there is no model "+name+". /model lists them.")
	default:
		r.said(r.o.App.Pick(r.ctx, r.c.ID(), app.Choice{Provider: at.Provider, Host: at.Host, Name: found.Name}, *found), "", "")
	}
}

func (r *run) listTasks() {
	root := r.s.Root()
	if root == nil || len(root.Todos) == 0 {
		r.say("Tasks: ", "none.")
		return
	}
	for i, t := range root.Todos {
		r.say(fmt.Sprintf("Task %d, %s: ", i+1, strings.ReplaceAll(string(t.Status), "_", " ")), t.Content)
	}
}

func (r *run) listAgents() {
	if len(r.s.Agents) < 2 {
		r.say("Agents: ", "none besides the main agent.")
		return
	}
	for _, a := range r.s.Agents[1:] {
		r.say(fmt.Sprintf("%s, %s, %s: ", r.name(a.ID), a.State, format.Count(a.Tools, "tool call", "tool calls")), a.Goal)
	}
}

func (r *run) status() {
	root := r.s.Root()
	switch {
	case root == nil || root.Turn == "":
		r.say("Status: ", "ready.")
	default:
		r.say("Status: ", "working for "+r.since(root.TurnStarted)+", "+string(root.Phase)+".")
	}
	for _, v := range r.calls {
		r.say("Running: ", v.Name+" "+first(v.Subject))
	}
	if n := len(r.open); n > 0 {
		r.say("Question: ", format.Count(n, "waits", "wait")+". /question reads the first.")
	}
	r.say("Model: ", r.s.Model.Name+", mode "+string(r.s.Mode)+".")
}

func (r *run) diff(args string) {
	var since event.TurnID
	if root := r.s.Root(); root != nil && !strings.EqualFold(args, "session") {
		for _, b := range root.Blocks {
			if b.Turn != "" {
				since = b.Turn
			}
		}
	}
	text, notes, err := r.c.Diff(r.ctx, since)
	switch {
	case err != nil:
		r.complain(err)
	case text == "":
		r.say("Diff: ", "no file has changed.")
	default:
		r.say("", text)
	}
	for _, n := range notes {
		r.say("Notice: ", n)
	}
}

// undo takes the newest prompt back, with what came of it.
func (r *run) undo() {
	root := r.s.Root()
	for i := len(root.Blocks) - 1; i >= 0; i-- {
		if b := root.Blocks[i]; b.Kind == event.BlockUser && b.Origin == "" {
			_, err := r.c.Rewind(r.ctx, app.RewindOptions{To: b.Turn, Conversation: true, Files: true})
			r.said(err, "Taken back: ", first(b.Text.String())+" /redo brings it back.")
			return
		}
	}
	r.say("Error: ", "there is no prompt to take back.")
}

func (r *run) sendBeside(text string) {
	if text == "" {
		r.c.Flush()
		return
	}
	r.send(text)
}

func (r *run) steer(id event.AgentID, text string) {
	if text == "" {
		r.say("Error: ", "/steer needs a text.")
		return
	}
	_, err := r.c.Steer(id, text)
	r.said(err, "Steered: ", "it gets that with its next tool result.")
}

// agent controls a subagent.
func (r *run) agent(args string) {
	verb, rest, _ := strings.Cut(args, " ")
	which, text, _ := strings.Cut(strings.TrimSpace(rest), " ")
	a := r.find(which)
	if a == nil && verb != "steer" {
		a = r.find(strings.TrimSpace(rest))
	}
	if a == nil {
		r.say("Error: ", "there is no such agent. /agents lists them; then /agent end 1, pause 1, resume 1, steer 1 TEXT or read 1.")
		return
	}
	switch strings.ToLower(verb) {
	case "end":
		r.said(r.c.Kill(a.ID, app.Subtree), "Ending: ", r.name(a.ID)+".")
	case "pause":
		r.said(r.c.Pause(a.ID, app.Subtree), "Pausing: ", r.name(a.ID)+" stops before its next step.")
	case "resume":
		r.said(r.c.Resume(a.ID, app.Subtree), "Resuming: ", r.name(a.ID)+".")
	case "steer":
		r.steer(a.ID, strings.TrimSpace(text))
	case "read":
		for _, b := range a.Blocks {
			if b.Kind == event.BlockAnswer {
				r.say(r.name(a.ID)+": ", b.Text.String())
			}
		}
		r.say(r.name(a.ID)+": ", strings.TrimSpace(string(a.State)+". "+a.Summary))
	default:
		r.say("Error: ", "/agent knows end, pause, resume, steer and read.")
	}
}

// find is the subagent of a number, or the one whose goal holds a text.
func (r *run) find(which string) *event.Agent {
	if which == "" || len(r.s.Agents) < 2 {
		return nil
	}
	if n, err := strconv.Atoi(which); err == nil {
		if n < 1 || n >= len(r.s.Agents) {
			return nil
		}
		return r.s.Agents[n]
	}
	for _, a := range r.s.Agents[1:] {
		if strings.Contains(strings.ToLower(a.Goal), strings.ToLower(which)) {
			return a
		}
	}
	return nil
}

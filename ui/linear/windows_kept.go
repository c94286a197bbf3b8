package linear

import (
	"cmp"

	"hermes-tui/ui/format"
)

// memory lists what is remembered, adds to it, changes and forgets.
func (r *run) memory(verb, args string) {
	done := func(text string, err error) { r.said(err, "Memory: ", cmp.Or(text, "done.")) }
	switch verb {
	case "":
		list, _, err := r.o.App.Memory()
		r.list.memory = list
		for i, e := range list {
			r.row(i, e.Text, string(e.Target), e.Project)
		}
		r.said(err, format.Count(len(list), "memory", "memories")+". ", "/memory add, user or here and a text remembers it; /memory forget 1, /memory edit 1 TEXT, /memory search WORDS.")
	case "add", "user", "here":
		project := ""
		if verb == "here" {
			project = r.c.Project()
		}
		done(r.o.App.AddMemory(r.ctx, verb == "user", project, args))
	case "forget", "edit":
		if e, text, ok := numbered(r, r.list.memory, "memory", args); ok && (verb == "forget" || text != "") {
			done(r.o.App.EditMemory(r.ctx, e.ID, map[bool]string{true: text}[verb == "edit"]))
		}
	case "undo":
		r.said(r.o.App.UndoMemory(r.ctx, args), "Memory: ", "taken back, from the next session on.")
	case "now":
		r.c.RenewPrompt()
		r.say("Memory: ", "the next turn begins with what is remembered now.")
	case "search":
		list, err := r.c.SearchMemory(r.ctx, args)
		for i, f := range list {
			r.row(i, f.Text, f.From)
		}
		r.said(err, "Found: ", format.Count(len(list), "entry", "entries")+".")
	default:
		r.say("Error: ", "/memory knows add, user, here, forget, edit, undo, search and now.")
	}
}

// learnings lists what was learnt from calls that failed, and forgets one.
func (r *run) learnings(verb, args string) {
	if verb == "forget" {
		if one, _, ok := numbered(r, r.list.learnings, "learnings", args); ok {
			r.said(r.o.App.ForgetLearning(r.ctx, one.ID), "Learning: ", "forgotten.")
		}
		return
	}
	list, _, err := r.o.App.Learnings()
	r.list.learnings = list
	for i, one := range list {
		r.row(i, one.Pattern, one.ErrorType, first(one.Fix))
	}
	r.said(err, "", "")
	r.say("", format.Count(len(list), "learning", "learnings")+". /learnings forget 1 forgets the first.")
}

// instructions lists the instruction files that were left out, and takes one.
func (r *run) instructions(verb, args string) {
	if verb == "take" {
		if h, _, ok := numbered(r, r.list.held, "instructions", args); ok {
			r.said(r.c.TakeInstructions(r.ctx, h), "Instructions: ", h.Name+" counts from the next turn on.")
		}
		return
	}
	r.list.held = r.c.HeldInstructions()
	for i, h := range r.list.held {
		r.row(i, h.File, h.Why)
	}
	r.say("", format.Count(len(r.list.held), "file was", "files were")+" left out. /instructions take 1 lets the first count as it is now.")
}

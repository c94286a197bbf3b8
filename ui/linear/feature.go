package linear

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/feature"
	"hermes-tui/ui/format"
)

// host is the program as features see it.
func (r *run) host() feature.Host {
	return feature.Host{Hooks: r.c, Jobs: r.c, Servers: r.o.App, Project: r.c, Plugins: r.o.App, Learnings: r.o.App, Memory: r.o.App, Instructions: r.c, Permissions: r.c, Here: r.c, Now: r.o.Now}
}

// feature lists what a feature or a view holds, reads an entry, or does something.
func (r *run) feature(f feature.Feature, verb, args string) {
	do, known := f.Action(verb)
	view, further := f.View(verb)
	switch {
	case further:
		f = view.Of()
		if verb, rest, _ := strings.Cut(args, " "); f.Words == "" && verb != "" {
			r.feature(f, verb, strings.TrimSpace(rest))
			return
		}
		verb = ""
		if f.Words != "" && args == "" {
			r.say("Error: ", "/"+f.Name+" needs "+f.Words+".")
			return
		}
	case verb == "undo" && !known:
		takeBack(r, f)
		return
	case verb != "" && !known && verb != "show" && verb != "read":
		r.say("Error: ", "/"+f.Name+" knows show, "+strings.Join(f.Verbs(), ", ")+".")
		return
	case known && do.Whole:
		act(r, f, do, feature.Entry{}, args)
		return
	}
	l, err := f.Load(r.ctx, r.host(), args)
	if err != nil {
		r.complain(err)
		return
	}
	if verb == "" {
		r.entries(f, l)
		return
	}
	name, text := do.Split(args)
	e, err := entry(r, f, l, name)
	switch {
	case err != nil:
		r.complain(err)
	case known:
		act(r, f, do, e, text)
	case f.Tail != nil:
		r.say(word(f), f.Tail(r.ctx, r.host(), e))
	default:
		text, err := f.Read(r.ctx, r.host(), e)
		r.said(err, word(f), text)
	}
}

// entry returns the entry that a name means, or a number of the list that was said last.
func entry(r *run, f feature.Feature, l feature.List, name string) (feature.Entry, error) {
	last := r.list.entries[f.Name]
	n, err := strconv.Atoi(strings.TrimRight(name, ".:"))
	if err != nil || n < 1 || n > len(last) {
		return f.Find(l, name, "/"+f.Name)
	}
	if e, err := f.Find(l, last[n-1].ID, "/"+f.Name); err == nil {
		return e, nil
	}
	return last[n-1], nil // what was done to it may be taken back
}

// word begins what is said of a feature.
func word(f feature.Feature) string { return strings.ToUpper(f.One[:1]) + f.One[1:] + ": " }

// act does something with an entry, or with all of a feature, once the user has agreed to it.
func act(r *run, f feature.Feature, a feature.Action, e feature.Entry, text string) {
	if err := a.Fits(e); err != nil {
		r.complain(err)
		return
	}
	do := func() {
		o, err := a.Run(r.ctx, r.host(), e, text)
		if o.Undo != nil && err == nil {
			if r.list.undos == nil {
				r.list.undos = map[string]feature.Outcome{}
			}
			r.list.undos[f.Name] = o
		}
		r.said(err, word(f), strings.TrimSpace(o.Said+"\n"+o.Text+o.Draft))
		if o.Wait != nil && err == nil {
			go await(r.c, o)
		}
	}
	q := a.Asks(e)
	if q == nil {
		do()
		return
	}
	lines := []string{q.Title}
	for _, l := range q.Lines {
		lines = append(lines, l.Text)
	}
	r.confirm(word(f), strings.Join(lines, "\n"), "all stays as it is.", do)
}

// await tells the rest of an outcome.
func await(c app.Conversation, o feature.Outcome) {
	o, err := o.Wait()
	if err != nil {
		o.Said = err.Error()
	}
	c.Notify(event.LevelInfo, o.Said)
}

// takeBack takes back what was done last with an entry of a feature.
func takeBack(r *run, f feature.Feature) {
	last, ok := r.list.undos[f.Name]
	if !ok {
		r.say(word(f), "there is nothing to take back.")
		return
	}
	delete(r.list.undos, f.Name)
	o, err := last.Undo(r.ctx)
	r.said(err, word(f), o.Said)
}

// entries lists what a feature holds and says how to act on it.
func (r *run) entries(f feature.Feature, l feature.List) {
	if r.list.entries == nil {
		r.list.entries = map[string][]feature.Entry{}
	}
	r.list.entries[f.Name] = l.Entries
	for i, e := range l.Entries {
		state := e.State
		if strings.HasPrefix(e.Right, state) {
			state = "" // it is said there
		}
		r.row(i, strings.TrimSuffix(e.Label+": "+e.Detail, ": "), append([]string{state, e.Right}, e.More...)...)
	}
	for _, p := range l.Problems {
		r.say("Problem: ", p)
	}
	if len(l.Entries) == 0 {
		r.say("", f.Empty)
	}
	if l.Note != "" {
		r.say("", l.Note+".")
	}
	r.say("", ways(f, len(l.Entries)))
}

// ways says how many entries there are, and what can be done with them.
func ways(f feature.Feature, n int) string {
	var entry, all []string
	for _, a := range f.Actions {
		switch use := strings.TrimSpace(a.Verb + " " + a.Takes()); {
		case a.Whole:
			all = append(all, use)
		case n > 0 && f.Words == "":
			entry = append(entry, use)
		}
	}
	for _, v := range f.Views {
		all = append(all, strings.TrimSpace(v.Verb+" "+v.Of().Words))
	}
	text := format.Count(n, f.One, f.Many) + "."
	if n > 0 && f.Words == "" { // others are found by words: those of a verb would be such, too
		text += fmt.Sprintf(" /%s show 1 says all about the first.", f.Name)
	}
	if len(entry) > 0 {
		text += fmt.Sprintf(" /%s %s and a number or %s act on one.", f.Name, strings.Join(entry, " or "), cmp.Or(f.Named, "name"))
	}
	if len(all) > 0 {
		text += fmt.Sprintf(" There is /%s %s, too.", f.Name, strings.Join(all, ", "))
	}
	return strings.TrimSpace(text + " " + f.Footer)
}

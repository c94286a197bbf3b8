package linear

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/feature"
	"hermes-tui/ui/format"
)

// feature lists what a feature holds, reads an entry, or does something with one.
func (r *run) feature(f feature.Feature, verb, args string) {
	host := feature.Host{Hooks: r.c, Jobs: r.c, Servers: r.o.App, Project: r.c, Plugins: r.o.App, Now: r.o.Now}
	act, known := f.Action(verb)
	if verb != "" && !known && verb != "show" && verb != "read" {
		r.say("Error: ", "/"+f.Name+" knows show, "+verbs(f, ", ")+".")
		return
	}
	l, err := f.Load(r.ctx, host)
	if err != nil {
		r.complain(err)
		return
	}
	if verb == "" {
		r.entries(f, l)
		return
	}
	name := args // a number means what was listed last, whatever has changed since
	if n, err := strconv.Atoi(strings.TrimRight(args, ".:")); err == nil && n > 0 && n <= len(r.list.entries[f.Name]) {
		name = r.list.entries[f.Name][n-1].ID
	}
	e, err := f.Find(l, name, "/"+f.Name)
	if err != nil {
		r.complain(err)
		return
	}
	word := strings.ToUpper(f.One[:1]) + f.One[1:] + ": "
	switch {
	case !known && f.Tail != nil:
		r.say(word, f.Tail(r.ctx, host, e))
	case !known:
		text, err := f.Read(r.ctx, host, e)
		r.said(err, word, text)
	default:
		r.act(word, act, host, e)
	}
}

// act does something with an entry, once the user has agreed to it.
func (r *run) act(word string, a feature.Action, host feature.Host, e feature.Entry) {
	if why := a.Refuses(e); why != "" {
		r.say("Error: ", why)
		return
	}
	do := func() {
		out, err := a.Do(r.ctx, host, e)
		r.said(err, word, strings.TrimSpace(out.Said+"\n"+out.Text))
		if out.Wait != nil {
			c := r.c
			go func() {
				out, err := out.Wait()
				if err != nil {
					out.Said = err.Error()
				}
				c.Notify(event.LevelInfo, out.Said)
			}()
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
	r.confirm(word, strings.Join(lines, "\n"), "all stays as it is.", do)
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
		return
	}
	r.say("", strings.TrimSpace(fmt.Sprintf("%s. /%s show 1 says all about the first, /%s %s and a number or %s act on one. %s",
		format.Count(len(l.Entries), f.One, f.Many), f.Name, f.Name, verbs(f, " or "), cmp.Or(f.Named, "name"), f.Footer)))
}

// verbs joins the words of what can be done.
func verbs(f feature.Feature, sep string) string {
	words := make([]string, len(f.Actions))
	for i, a := range f.Actions {
		words[i] = a.Verb
	}
	return strings.Join(words, sep)
}

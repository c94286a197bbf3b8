package linear

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/docs"
	"hermes-tui/tools/hunks"
	"hermes-tui/ui/feature"
	"hermes-tui/ui/format"
	"hermes-tui/ui/slash"
)

// listed is what commands have listed last, for numbers in later ones.
type listed struct {
	entries map[string][]feature.Entry // by feature
	undos   map[string]feature.Outcome // that can be taken back
	prompts []*event.Block
	edits   app.Edits
}

// row says a row of a list: its number, what it is, and what is known of it.
func (r *run) row(i int, what string, more ...string) {
	more = slices.DeleteFunc(more, func(s string) bool { return s == "" })
	text := first(what)
	if len(more) > 0 {
		text = strings.TrimSuffix(text, ".") + ". " + strings.Join(more, ", ")
	}
	r.say(strconv.Itoa(i+1)+": ", text)
}

// numbered is the entry of a list that a number at the beginning of args means.
func numbered[T any](r *run, list []T, command, args string) (one T, rest string, ok bool) {
	word, rest, _ := strings.Cut(args, " ")
	n, err := strconv.Atoi(strings.TrimRight(word, ".:"))
	if err != nil || n < 1 || n > len(list) {
		r.say("Error: ", fmt.Sprintf("%q is no number of the list: /%s lists them.", word, command))
		return one, "", false
	}
	return list[n-1], strings.TrimSpace(rest), true
}

// byName is the entry of a list that a name or a number means.
func byName[T any](r *run, list []T, name func(T) string, command, args string) (one T, ok bool) {
	for _, e := range list {
		if strings.EqualFold(name(e), strings.TrimSpace(args)) {
			return e, true
		}
	}
	one, _, ok = numbered(r, list, command, args)
	return one, ok
}

// windows are the commands that open a window on the full screen: without words they list
// what it shows and say how to act on that.
var windows = map[slash.Name]func(r *run, verb, args string){
	slash.Config: (*run).config, slash.Search: (*run).search, slash.Tree: (*run).tree, slash.Rewind: (*run).rewind, slash.Context: (*run).context,
	slash.Tools: (*run).toolList, slash.Skills: (*run).skills,
	slash.Review: (*run).review, slash.Find: (*run).look, slash.Cache: (*run).cache,
	slash.Curator: func(r *run, verb, args string) {
		text, err := r.o.App.Curate(r.ctx, cmp.Or(verb, app.CuratorStatus), args)
		r.said(err, "Curator: ", text)
	},
}

// page says a page of the documentation.
func (r *run) page(topic string) {
	text, ok := docs.Page(topic, "/help")
	if !ok {
		r.say("Error: ", "there is no page "+topic+". /help lists the pages.")
		return
	}
	r.say("", text)
}

// config lists settings, says all about one, or changes it.
func (r *run) config(name, value string) {
	all := r.o.App.AllSettings()
	for _, s := range all {
		switch {
		case s.Name != name:
		case value != "":
			now, err := r.o.App.ChangeSetting(r.ctx, name, value)
			if err == nil && now.Beside() != "" {
				r.say("Notice: ", "the "+now.Beside()+" counts more than the file.")
			}
			r.said(err, "Setting: ", now.Changed())
			return
		default:
			r.say("Setting: ", name+" is "+cmp.Or(s.Value, "not set")+", from: "+s.Source+".")
			r.say("It does: ", s.Doc)
			r.say("Kind: ", s.Kind()+". Takes effect "+s.When()+". Default: "+cmp.Or(s.Default, "none")+".")
			r.say("", "/config "+name+" and a value changes it.")
			return
		}
	}
	words, n := strings.ToLower(strings.TrimSpace(name+" "+value)), 0
	for _, s := range all {
		if words == "" && s.Source == "default" || !strings.Contains(strings.ToLower(s.Name+" "+s.Doc), words) {
			continue
		}
		n++
		r.say("Setting: ", s.Name+" is "+cmp.Or(s.Value, "not set")+".")
	}
	r.say("", fmt.Sprintf("%s of %d. /config and words finds others, /config and a name explains one, /config NAME VALUE changes it.", format.Count(n, "setting", "settings"), len(all)))
}

// search finds sessions by what was said.
func (r *run) search(verb, args string) {
	words := strings.TrimSpace(verb + " " + args)
	if words == "" {
		r.say("Error: ", "/search needs words. in:. is this folder; after:2d, role:user and sort:newest narrow it down.")
		return
	}
	list, err := r.o.App.Search(r.ctx, words, r.o.Now())
	for _, m := range list {
		r.say("Session "+m.Session+": ", fmt.Sprintf("%s, %s.", cmp.Or(m.Title, m.Preview), format.Count(m.Total, "match", "matches")))
		for _, h := range m.Hits {
			r.say("  "+h.Role+", "+format.Ago(r.o.Now().Sub(h.At))+": ", first(h.Text))
		}
	}
	r.said(err, "", "")
	if err == nil {
		r.say("Found: ", format.Count(len(list), "session", "sessions")+". /resume and an id goes on with one.")
	}
}

// tree lists the sessions that began with what this one began with.
func (r *run) tree(string, string) {
	list, err := r.o.App.Lineage(r.ctx, string(r.c.Session()))
	for i, s := range list {
		now := ""
		if s.Session == string(r.c.Session()) {
			now = "the one you are in"
		}
		r.row(i, cmp.Or(s.Title, s.Preview), "session "+s.Session, fmt.Sprintf("level %d", s.Depth+1), format.Count(s.Messages, "message", "messages"), now)
	}
	r.said(err, "", "")
	r.say("", format.Count(len(list), "session", "sessions")+". /resume and an id goes to one.")
}

// rewind lists the prompts, or goes back to before one.
func (r *run) rewind(verb, args string) {
	switch verb {
	case "undo":
		r.said(r.c.UndoRewind(r.ctx), "Back: ", "what was taken back is there again.")
		return
	case "":
		r.list.prompts = nil
		if root := r.s.Root(); root != nil {
			for _, b := range root.Blocks {
				if b.Kind == event.BlockUser && b.Origin == "" {
					r.row(len(r.list.prompts), b.Text.String())
					r.list.prompts = append(r.list.prompts, b)
				}
			}
		}
		r.say("", format.Count(len(r.list.prompts), "prompt", "prompts")+". /rewind 1 goes back to before the first, in the session and in files; /rewind 1 session or /rewind 1 files in one of them; /rewind undo takes that back.")
		return
	}
	b, _, ok := numbered(r, r.list.prompts, "rewind", verb)
	if !ok {
		return
	}
	_, err := r.c.Rewind(r.ctx, app.RewindOptions{To: b.Turn, Conversation: args != "files", Files: args != "session"})
	r.said(err, "Taken back: ", first(b.Text.String())+" /rewind undo brings it back.")
}

// context says what the model gets and what that costs.
func (r *run) context(string, string) {
	l := r.c.Layers(r.ctx)
	r.say("Context: ", fmt.Sprintf("%s tokens of %s.", format.Tokens(int64(l.Tokens)), cmp.Or(format.Tokens(int64(l.Window)), "an unknown number")))
	for i, one := range l.List {
		r.row(i, string(one.Kind)+" "+one.Name, format.Tokens(int64(one.Tokens))+" tokens")
	}
	r.say("", "/tools off NAME leaves a tool out; /compress shortens the session for the model.")
}

// review says each hunk of what was changed, and rejects or comments one.
func (r *run) review(verb, args string) {
	switch verb {
	case "", "turn", "session":
		var since event.TurnID
		if root := r.s.Root(); root != nil && verb != "session" {
			for _, b := range root.Blocks {
				since = cmp.Or(b.Turn, since)
			}
		}
		made, err := r.c.Edits(r.ctx, since)
		r.list.edits = made
		if err != nil || made.Edit == nil {
			r.said(err, "Review: ", "no file has changed.")
			return
		}
		for i, f := range made.Edit.Files {
			r.say(fmt.Sprintf("File %d: ", i+1), strings.TrimSpace(fmt.Sprintf("%s, %s. %s", strings.TrimSpace(f.Name+" "+f.To), format.Count(f.Pieces, "hunk", "hunks"), f.Opaque)))
			r.hunks(i+1, f)
		}
		r.say("", "/review reject 1.2 takes the second hunk of the first file back, /review comment 1.2 TEXT says something about it; the agent is told.")
		return
	}
	where, text, _ := strings.Cut(args, " ")
	file, piece, _ := strings.Cut(where, ".")
	f, err1 := strconv.Atoi(file)
	p, err2 := strconv.Atoi(cmp.Or(piece, "1"))
	d := hunks.Decision{File: f - 1, Piece: p - 1, Verdict: map[string]hunks.Verdict{"reject": hunks.Reject, "comment": hunks.Accept}[verb], Comment: strings.TrimSpace(text)}
	e := r.list.edits.Edit
	if err1 != nil || err2 != nil || d.Verdict == "" || e == nil || d.File < 0 || d.File >= len(e.Files) || d.Piece < 0 || d.Piece >= e.Files[d.File].Pieces {
		r.say("Error: ", "/review knows reject and comment, with a hunk as /review lists it: /review reject 1.2.")
		return
	}
	said, err := r.c.Revise(r.ctx, r.list.edits, hunks.Review{Rest: hunks.Accept, List: []hunks.Decision{d}})
	r.said(err, "Review: ", cmp.Or(said, "there was nothing to do."))
}

// hunks says the lines that differ in a file, each run of them behind its number.
func (r *run) hunks(file int, f event.EditFile) {
	n, within := 0, false
	if f.To != "" {
		n++ // the move
	}
	for line := range strings.SplitSeq(strings.TrimRight(f.Diff, "\n"), "\n") {
		differs := (strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-")) && !strings.HasPrefix(line, "+++ ") && !strings.HasPrefix(line, "--- ")
		if differs && !within && n < f.Pieces {
			n++
			r.say(fmt.Sprintf("Hunk %d.%d:", file, n), "")
		}
		within = differs
		r.say("  ", line)
	}
}

// look finds words in the session.
func (r *run) look(verb, args string) {
	words, n := strings.ToLower(strings.TrimSpace(verb+" "+args)), 0
	root := r.s.Root()
	if words == "" || root == nil {
		r.say("Error: ", "/find needs words.")
		return
	}
	for _, b := range root.Blocks {
		text := b.Text.String()
		if b.Call != nil {
			text += b.Call.View.Subject + "\n" + b.Call.View.Body
		}
		for line := range strings.SplitSeq(text, "\n") {
			if strings.Contains(strings.ToLower(line), words) {
				n++
				r.say("Found, "+string(b.Kind)+": ", strings.TrimSpace(line))
			}
		}
	}
	r.say("", format.Count(n, "line", "lines")+". /search and words looks into all sessions.")
}

// cache says what the prompt cache of the service gave.
func (r *run) cache(string, string) {
	u := r.s.Usage()
	r.say("Cache: ", fmt.Sprintf("of %s input tokens %s came from the cache of the service, and %s were put there.", format.Tokens(u.Input), format.Tokens(u.CacheRead), format.Tokens(u.CacheWrite)))
}

// usage says what each agent has used.
func (r *run) usage() {
	u := r.s.Usage()
	r.say("Usage: ", fmt.Sprintf("%s tokens in, %s out, %s.", format.Tokens(u.Input), format.Tokens(u.Output), format.Cost(u)))
	for i, a := range r.s.Agents {
		name := "Main agent: "
		if i > 0 {
			name = r.name(a.ID) + ", " + first(a.Goal) + ": "
		}
		r.say(name, fmt.Sprintf("%s tokens in, %s out, %s, %s.", format.Tokens(a.Usage.Input), format.Tokens(a.Usage.Output), format.Count(int(a.Usage.Calls), "call", "calls"), format.Cost(a.Usage)))
	}
}

package models

import (
	"slices"
	"strings"

	"hermes-tui/agent/app"
	"hermes-tui/tools/spelling"
	"hermes-tui/ui/format"
)

// Answer says how a typed name is to be understood.
type Answer int

// The answers.
const (
	// Unsure is that endpoints are still being asked and may know the name.
	Unsure Answer = iota
	// Found is one model.
	Found
	// Unlisted is a model of an endpoint that does not tell which it has: it may be
	// there.
	Unlisted
	// Several is a name that more than one endpoint offers.
	Several
	// Nowhere is a name that no one offers.
	Nowhere
)

// Resolved is what a typed name means. Found and Unlisted have one Option; Several
// has all; Nowhere has those with similar names, which may be none, and last the
// name as it was typed.
type Resolved struct {
	Answer  Answer
	Options []Option
}

// Option is a model that may be meant.
type Option struct {
	Choice app.Choice
	// Info is what is known of the model; its name is empty where nothing is.
	Info app.ModelInfo
	// Label is the provider's name for people.
	Label string
}

// Resolve finds the model that a user means by "NAME", "PROVIDER:NAME" or
// "PROVIDER/NAME". The endpoint that answers now comes before others; a provider in
// front of the name before a name with a slash or a colon in it. Case matters only
// where names differ by nothing else.
func (l *List) Resolve(text string) Resolved {
	text = strings.TrimSpace(text)
	here := l.here()
	if here != nil {
		if i, ok := here.exact(text); ok {
			return one(Found, here.option(i))
		}
	}
	heads, name := l.headed(text)
	if name == "" {
		heads = nil
	}
	for _, g := range heads {
		if i, ok := g.exact(name); ok {
			return one(Found, g.option(i))
		}
	}
	if l.Asking() > 0 {
		return Resolved{Answer: Unsure}
	}
	var all []Option
	for _, g := range l.groups {
		if i, ok := g.exact(text); ok {
			all = append(all, g.option(i))
		}
	}
	switch {
	case len(all) == 1:
		return one(Found, all[0])
	case len(all) > 1:
		return Resolved{Several, all}
	case len(heads) > 0:
		return l.missing(heads[0], heads, name)
	case here != nil:
		return l.missing(here, l.groups, text)
	}
	as := Option{Choice: app.Choice{Provider: l.now.Provider, Host: l.now.Host, Name: text}, Label: l.now.Provider}
	return Resolved{Nowhere, append(near(text, l.groups), as)}
}

// missing is the answer for a name that at does not list; similar ones are looked
// for among several.
func (l *List) missing(at *group, among []*group, name string) Resolved {
	as := Option{Choice: at.choice(name), Label: at.label}
	if at.listed() == 0 || at.problem != "" {
		return one(Unlisted, as)
	}
	return Resolved{Nowhere, append(near(name, among), as)}
}

func one(a Answer, o Option) Resolved { return Resolved{a, []Option{o}} }

// here is the endpoint that answers now, nil when it is not in the list.
func (l *List) here() *group {
	if i := slices.IndexFunc(l.groups, func(g *group) bool { return g.offers(l.now) }); i >= 0 {
		return l.groups[i]
	}
	return nil
}

// headed finds the endpoints that stand before a name.
func (l *List) headed(text string) (list []*group, name string) {
	at := strings.IndexAny(text, ":/")
	if at <= 0 {
		return nil, text
	}
	head := strings.ToLower(text[:at])
	for _, g := range l.groups {
		if slices.Contains(g.names, head) {
			list = append(list, g)
		}
	}
	return list, strings.TrimSpace(text[at+1:])
}

// exact finds a model by its name: as it is written, or else as nothing but the
// case of another name.
func (g *group) exact(name string) (at int, ok bool) {
	if g.byName == nil {
		g.byName = make(map[string][]int, len(g.rows))
		for i := range g.rows {
			low := strings.ToLower(g.rows[i].info.Name)
			g.byName[low] = append(g.byName[low], i)
		}
	}
	like := g.byName[strings.ToLower(name)]
	for _, i := range like {
		if g.rows[i].info.Name == name {
			return i, true
		}
	}
	if len(like) != 1 {
		return 0, false
	}
	return like[0], true
}

func (g *group) option(i int) Option {
	o := Option{Choice: g.choice(g.rows[i].info.Name), Label: g.label}
	if !g.rows[i].own {
		o.Info = g.rows[i].info
	}
	return o
}

// How many similar names are given, and in how many letters they may differ.
const (
	maxNear  = 8
	maxTypos = 3
)

// near finds the models with similar names, the most similar first: those that
// differ in a few letters, then those that hold what was typed.
func near(name string, groups []*group) []Option {
	type candidate struct {
		g        *group
		row      int
		distance int
		rank     int // 0: differs in a few letters, 1: holds the letters
	}
	low := strings.ToLower(name)
	limit := min(max(len(low)/3, 1), maxTypos)
	var list []candidate
	for gi, g := range groups {
		for i := range g.rows {
			other := strings.ToLower(g.rows[i].info.Name)
			if _, tail, ok := strings.Cut(other, "/"); ok && !strings.Contains(low, "/") {
				other = tail // a vendor in front of the name is no difference
			}
			if d := spelling.Distance(low, other, limit+1); d <= limit {
				list = append(list, candidate{g, i, d, 0})
			}
		}
		for _, h := range g.search(nil, gi, []string{name}) {
			if h.match != nil && !slices.ContainsFunc(list, func(c candidate) bool { return c.g == g && c.row == h.row }) {
				list = append(list, candidate{g, h.row, -h.score, 1})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		if a.rank != b.rank {
			return a.rank - b.rank
		}
		return a.distance - b.distance
	})
	var out []Option
	for _, c := range list[:min(len(list), maxNear)] {
		out = append(out, c.g.option(c.row))
	}
	return out
}

// Completion is a model that may complete what was typed.
type Completion struct {
	// Name is what to type: the name, with its provider in front where it would
	// not be found otherwise.
	Name string
	// Match are the offsets in bytes of the characters of Name that were typed.
	Match []int
	// Detail says whose it is, and how large its context.
	Detail string
}

// maxCompletions is how many models are offered.
const maxCompletions = 50

// Complete finds the models that may complete a text, best first; none when it is a
// model's name already.
func (l *List) Complete(text string) []Completion {
	var out []Completion
	here := l.here()
	if l.whole(text) {
		return nil
	}
	heads, _ := l.headed(text)
	add := func(g *group, i int, match []int) {
		r := &g.rows[i]
		if r.name != r.info.Name || len(out) == maxCompletions {
			return // it cannot be typed
		}
		c := Completion{Name: r.info.Name, Match: match, Detail: g.label}
		if r.info.ContextMax > 0 {
			c.Detail += " · " + format.Tokens(int64(r.info.ContextMax))
		}
		front := ""
		switch {
		case slices.Contains(heads, g):
			front = text[:strings.IndexAny(text, ":/")+1] // as it was typed
		case g != here && !l.only(g, r.info.Name):
			front = g.Provider + ":"
		}
		if front != "" {
			c.Name, c.Match = front+c.Name, make([]int, len(match))
			for i, at := range match {
				c.Match[i] = at + len(front)
			}
		}
		if c.Name != text {
			out = append(out, c)
		}
	}
	if strings.TrimSpace(text) == "" {
		for _, g := range l.groups {
			for i := range g.rows {
				add(g, i, nil)
			}
		}
		return out
	}
	for _, h := range l.search(text) {
		add(l.groups[h.group], h.row, h.match)
	}
	return out
}

// whole reports whether a text is the name of a model, with or without its provider.
func (l *List) whole(text string) bool {
	heads, rest := l.headed(text)
	for _, g := range heads {
		if _, ok := g.exact(rest); ok {
			return true
		}
	}
	return slices.ContainsFunc(l.groups, func(g *group) bool {
		_, ok := g.exact(text)
		return ok
	})
}

// only reports whether a name is understood as that of this endpoint.
func (l *List) only(g *group, name string) bool {
	if here := l.here(); here != nil {
		if _, ok := here.exact(name); ok {
			return false
		}
	}
	if heads, rest := l.headed(name); len(heads) > 0 {
		if _, ok := heads[0].exact(rest); ok {
			return false
		}
	}
	for _, o := range l.groups {
		if o == g {
			continue
		}
		if _, ok := o.exact(name); ok {
			return false
		}
	}
	return true
}

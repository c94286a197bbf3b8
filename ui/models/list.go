package models

import (
	"slices"
	"strings"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/term"
)

// Max bounds the models of a [List]. What is over is left out.
const Max = 20_000

// List is what endpoints have said of their models. The zero value is empty.
type List struct {
	groups []*group
	models int
	now    event.Model
}

// group is an endpoint with its models, made ready to be shown and searched.
type group struct {
	app.ModelGroup // without its models
	heard          bool
	label, note    string
	problem        string
	names          []string // by which it is found, in small letters
	rows           []row
	// byName finds rows by their names in small letters, made when it is asked for.
	byName map[string][]int
}

// row is a model, made ready to be shown and searched.
type row struct {
	info           app.ModelInfo
	name           string
	context, price string
	own            bool // it answers now, and its endpoint has not listed it
}

// words keeps what figures are written as: endpoints with thousands of models have
// few different ones. It lives as long as one answer is read.
type words struct {
	contexts map[int]string
	prices   map[app.ModelPrice]string
}

func (w *words) context(tokens int) string {
	text, ok := w.contexts[tokens]
	if !ok {
		text = contextWords(tokens)
		w.contexts[tokens] = text
	}
	return text
}

func (w *words) price(p *app.ModelPrice) string {
	if p == nil {
		return unknown
	}
	text, ok := w.prices[*p]
	if !ok {
		text = priceWords(p)
		w.prices[*p] = text
	}
	return text
}

func rowsOf(list []app.ModelInfo) []row {
	w := words{map[int]string{}, map[app.ModelPrice]string{}}
	out := make([]row, len(list))
	for i, m := range list {
		out[i] = row{info: m, name: term.Line(m.Name), context: w.context(m.ContextMax), price: w.price(m.Price)}
	}
	return out
}

// SetCurrent says which model answers now. It is listed even if its endpoint does
// not name it. It reports whether that is another one than before.
func (l *List) SetCurrent(m event.Model) bool {
	if m == l.now {
		return false
	}
	l.now = m
	for _, g := range l.groups {
		g.settle(m)
	}
	return true
}

// settle puts the model that answers now among those of its endpoint, if it is
// missing there.
func (g *group) settle(now event.Model) {
	g.rows = slices.DeleteFunc(g.rows, func(r row) bool { return r.own })
	g.byName = nil
	if now.Name == "" || !g.offers(now) || slices.ContainsFunc(g.rows, func(r row) bool { return r.info.Name == now.Name }) {
		return
	}
	r := rowsOf([]app.ModelInfo{{Provider: now.Provider, Name: now.Name, ContextMax: now.ContextMax, Sees: now.Vision}})
	r[0].own = true
	g.rows = slices.Concat(r, g.rows)
}

// listed counts the models that the endpoint has named.
func (g *group) listed() int {
	if len(g.rows) > 0 && g.rows[0].own {
		return len(g.rows) - 1
	}
	return len(g.rows)
}

// Begin begins a round of asking: what is there is kept until the endpoint answers.
func (l *List) Begin() {
	for _, g := range l.groups {
		g.heard = false
	}
}

// Put takes what an endpoint says, or that it is being asked.
func (l *List) Put(in app.ModelGroup) {
	g := &group{ModelGroup: in, heard: true, label: term.Line(in.Label), problem: term.Line(in.Problem)}
	if g.label == "" {
		g.label = term.Line(in.Provider)
	}
	g.note = term.Line(keyWords(&in))
	for _, n := range append([]string{in.Provider, in.Label}, in.Aliases...) {
		if n = strings.ToLower(n); n != "" && !slices.Contains(g.names, n) {
			g.names = append(g.names, n)
		}
	}
	i := slices.IndexFunc(l.groups, func(o *group) bool { return o.Provider == in.Provider && o.Host == in.Host })
	var was []row
	if i >= 0 {
		was = l.groups[i].rows
		l.models -= l.groups[i].listed()
		l.groups = slices.Delete(l.groups, i, i+1)
	}
	switch {
	case in.Asking:
		g.rows = was
	default:
		room := max(Max-l.models, 0)
		g.rows = rowsOf(in.Models[:min(len(in.Models), room)])
	}
	g.Models = nil
	g.settle(l.now)
	l.models += g.listed()
	at, _ := slices.BinarySearchFunc(l.groups, g, func(o, g *group) int {
		if o.At <= g.At { // behind those of the same place
			return -1
		}
		return 1
	})
	l.groups = slices.Insert(l.groups, at, g)
}

// End ends a round: endpoints that it did not hear of are gone, and no one is
// asked any more.
func (l *List) End() {
	l.groups = slices.DeleteFunc(l.groups, func(g *group) bool {
		if !g.heard {
			l.models -= g.listed()
		}
		return !g.heard
	})
	for _, g := range l.groups {
		g.Asking = false
	}
}

// Stop ends a round that was broken off: what there is stays.
func (l *List) Stop() {
	for _, g := range l.groups {
		g.Asking = false
	}
}

// Len is the number of models.
func (l *List) Len() int { return l.models }

// Asking counts the endpoints that have not answered yet.
func (l *List) Asking() int {
	n := 0
	for _, g := range l.groups {
		if g.Asking {
			n++
		}
	}
	return n
}

// Known is what is known of a model that answers, false when no one has told.
func (l *List) Known(m event.Model) (app.ModelInfo, bool) {
	for _, g := range l.groups {
		if !g.offers(m) {
			continue
		}
		for i := range g.rows {
			if g.rows[i].info.Name == m.Name && !g.rows[i].own {
				return g.rows[i].info, true
			}
		}
	}
	return app.ModelInfo{}, false
}

// Label is the name of a provider for people.
func (l *List) Label(c app.Choice) string {
	for _, g := range l.groups {
		if g.Provider == c.Provider && (c.Host == "" || g.Host == c.Host) {
			return g.label
		}
	}
	return term.Line(c.Provider)
}

// offers reports whether a model that answers is one of this endpoint.
func (g *group) offers(m event.Model) bool {
	return g.Provider == m.Provider && (m.Host == "" || g.Host == "" || g.Host == m.Host)
}

// choice names a model of the endpoint.
func (g *group) choice(name string) app.Choice {
	return app.Choice{Provider: g.Provider, Host: g.Host, Name: name}
}

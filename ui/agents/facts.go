package agents

import (
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
)

// headRows is how many rows the reason of a state takes at most.
const headRows = 3

// stateNames are what the states are called.
var stateNames = map[event.AgentState]string{
	event.AgentTimeout: "timed out", "": "unknown",
}

// head appends what is always there: the state and the time, what the agent waits
// for or why it ended, what it is, what it has used, and what waits for it.
func (d *Detail) head(dst []string, w int) []string {
	c := &d.card
	sign, style := Glyph(d.st, c.state, d.frame)
	name := stateNames[c.state]
	if name == "" {
		name = clip(string(c.state))
	}
	row := cells.NewRow(w).Skip(margin).Put(style, sign).Skip(1)
	clock := d.clock()
	row.PutMax(d.st.Strong, name, row.Left()-margin-len(clock)-1)
	dst = append(dst, row.Until(len(clock)+margin).Put(d.st.Muted, clock).String())
	if reason := c.reason(d.now); reason != "" {
		lines := rows.Wrap(nil, cells.Cut(reason, max(headRows*(w-inset-margin), 1)), max(w-inset-margin, 1))
		for _, l := range lines[:min(len(lines), headRows)] {
			dst = append(dst, d.text(w, style, l))
		}
	}
	for _, parts := range [][]string{d.kind(), d.used()} {
		if text := strings.Join(parts, " · "); text != "" {
			dst = append(dst, d.text(w, d.st.Muted, text))
		}
	}
	for _, text := range c.steers {
		row := cells.NewRow(w).Skip(inset).Put(d.st.User, "↪ ")
		dst = append(dst, row.PutMax(d.st.User, text, row.Left()-margin).String())
	}
	if more := c.waiting - len(c.steers); more > 0 {
		dst = append(dst, d.text(w, d.st.Faint, "… "+itoa(more)+" more wait for it"))
	}
	return dst
}

// clock is the time on the stop-watch, empty without one.
func (d *Detail) clock() string {
	c := &d.card
	if c.watch.Started.IsZero() || d.now.IsZero() && c.watch.Ended.IsZero() {
		return ""
	}
	return format.Elapsed(c.watch.Elapsed(d.now))
}

// kind says what the agent is.
func (d *Detail) kind() (parts []string) {
	c := &d.card
	for _, s := range []string{c.model, c.kind} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if !c.root {
		parts = append(parts, "depth "+itoa(c.depth))
	}
	if c.back {
		parts = append(parts, "in the background")
	}
	return parts
}

// used says what the agent has used.
func (d *Detail) used() (parts []string) {
	c := &d.card
	switch {
	case c.budget > 0:
		parts = append(parts, itoa(c.calls)+"/"+itoa(c.budget)+" requests")
	case c.calls > 0:
		parts = append(parts, itoa(c.calls)+" requests")
	}
	if n := c.own.tokens(); n > 0 {
		parts = append(parts, format.Tokens(n)+" tokens")
	}
	if cost := format.Cost(c.own.usage); cost != "" {
		parts = append(parts, cost)
	}
	return parts
}

// factCells is the width of the names of facts.
const factCells = 9

// facts appends the figures, each with its name.
func (d *Detail) facts(dst []string, w int) []string {
	c := &d.card
	add := func(name, text string) {
		if text != "" {
			dst = append(dst, d.fact(w, name).PutMax(d.st.Text, text, w-inset-factCells-margin).String())
		}
	}
	add("Model", c.model)
	add("Parent", c.path)
	add("Toolsets", c.sets)
	if c.budget > 0 {
		dst = append(dst, d.budget(w))
	}
	if c.turns > 1 {
		add("Turns", itoa(c.turns))
	}
	add("Time", d.time())
	add("Tokens", tokensInOut(c.own.usage))
	if cost := format.Cost(c.own.usage); cost != "" {
		add("Cost", cost)
	}
	if c.below > 0 {
		add("In all", d.inAll())
	}
	if c.context.Max > 0 || c.context.Used > 0 {
		dst = append(dst, d.fullness(w))
	}
	return dst
}

// fact begins the row of a figure.
func (d *Detail) fact(w int, name string) *cells.Row {
	row := cells.NewRow(w).Skip(inset)
	row.PutMax(d.st.Faint, name, factCells-1)
	return row.Until(w - inset - factCells)
}

// budget is how many model calls are used and left.
func (d *Detail) budget(w int) string {
	c := &d.card
	row := d.fact(w, "Budget")
	text := itoa(c.calls) + "/" + itoa(c.budget) + " · " + itoa(max(c.budget-c.calls, 0)) + " left"
	share, style := float64(c.calls)*100/float64(c.budget), d.st.Good
	switch {
	case share >= 90:
		style = d.st.Bad
	case share >= 75:
		style = d.st.Warn
	}
	d.bar(row, style, share, len(text)+1)
	return row.PutMax(d.st.Text, text, row.Left()-margin).String()
}

// bar draws a share of a hundred where keep cells are left behind it.
func (d *Detail) bar(row *cells.Row, style rows.Style, share float64, keep int) {
	if n := min(row.Left()-margin-keep, barMax); n >= barMin {
		bar(row, d.st, style, share, n)
		row.Skip(1)
	}
}

// fullness is how full the context window is.
func (d *Detail) fullness(w int) string {
	c := &d.card
	row := d.fact(w, "Context")
	used := format.Tokens(int64(c.context.Used))
	share, style := percent(d.st, c.context)
	if share == "" {
		return row.PutMax(d.st.Text, used, row.Left()-margin).String()
	}
	fill := style
	if style == d.st.BadgeBad {
		fill = d.st.Bad
	}
	text := used + "/" + format.Tokens(int64(c.context.Max))
	d.bar(row, fill, full(c.context), len(share)+len(text)+2)
	row.PutMax(style, share, row.Left()-margin).Skip(1)
	return row.PutMax(d.st.Muted, text, row.Left()-margin).String()
}

// time is how long the agent has worked, and how long it was held up.
func (d *Detail) time() string {
	c := &d.card
	text := d.clock()
	held := c.watch.Held
	if from := c.watch.HeldFrom; !from.IsZero() && !d.now.IsZero() && c.watch.Ended.IsZero() {
		held += max(d.now.Sub(from), 0)
	}
	if held >= 1e9 && text != "" {
		text += " · held up " + format.Elapsed(held)
	}
	return text
}

// tokensInOut writes what went in and out.
func tokensInOut(u event.Usage) string {
	if u.Prompt() <= 0 && u.Output <= 0 {
		return ""
	}
	text := format.Tokens(u.Prompt()) + " in " + format.Tokens(u.Output) + " out"
	if u.CacheRead > 0 {
		text += " · " + format.Tokens(u.CacheRead) + " cached"
	}
	return text
}

// inAll are the figures of the agent with everything below it.
func (d *Detail) inAll() string {
	c := &d.card
	var parts []string
	for _, s := range []string{countTools(c.sum.tools), format.Cost(c.sum.usage), tokensInOut(c.sum.usage)} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " · ")
}

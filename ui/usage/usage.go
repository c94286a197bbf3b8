package usage

import (
	"slices"
	"strconv"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
)

// entry is a row of the table of usage.
type entry struct {
	name  string
	depth int
	u     event.Usage
	// sum says that the row is an agent with everything below it.
	sum bool
}

// Usage writes what each agent has used, agents that have others below them with and
// without those, and all of them together.
func Usage(s *event.State, w int, st *rows.Styles) string {
	sh := newSheet(w, st)
	all := s.Usage()
	if all.Calls == 0 && all.Prompt() == 0 {
		sh.say(st.Muted, 0, "No model was called yet.")
		return sh.String()
	}
	list, left := entries(s)
	if sh.wide(list, left, all) {
		sh.commands(s)
		sh.legend(all)
		return sh.String()
	}
	for i := range list {
		sh.block(&list[i], st.Text)
	}
	sh.more(left)
	if len(list)+left > 1 {
		sh.head("Total")
		sh.block(&entry{u: all, sum: true}, st.Strong)
	}
	sh.commands(s)
	sh.legend(all)
	return sh.String()
}

// entries lists the agents, each below the one that asked for it.
func entries(s *event.State) (list []entry, left int) {
	below := map[event.AgentID][]*event.Agent{}
	known := map[event.AgentID]bool{}
	for _, a := range s.Agents {
		known[a.ID] = true
	}
	for _, a := range s.Agents {
		parent := a.Parent
		if !known[parent] || parent == a.ID {
			parent = ""
		}
		below[parent] = append(below[parent], a)
	}
	seen := map[event.AgentID]bool{}
	var walk func(a *event.Agent, depth int) (event.Usage, int)
	walk = func(a *event.Agent, depth int) (event.Usage, int) {
		if seen[a.ID] {
			return event.Usage{}, 0
		}
		seen[a.ID] = true
		at := len(list)
		list = append(list, entry{name: agentName(a), depth: depth, u: a.Usage})
		sum, n := a.Usage, 0
		for _, b := range below[a.ID] {
			u, m := walk(b, depth+1)
			sum, n = sum.Plus(u), n+m
		}
		if n > 0 {
			e := entry{name: "with " + format.Count(n, "agent", "agents") + " below", depth: depth + 1, u: sum, sum: true}
			list = slices.Insert(list, at+1, e)
		}
		return sum, n + 1
	}
	for _, a := range below[""] {
		walk(a, 0)
	}
	if len(list) > mostAgents {
		left = len(list) - mostAgents
		list = list[:mostAgents]
	}
	return list, left
}

// tableColumns are the figures of the table, those of all agents together below the
// others. Columns that are empty are left out.
func tableColumns(list []entry, all event.Usage) []column {
	cols := []column{
		{name: "calls"}, {name: "input"}, {name: "cache read"}, {name: "cache write"}, {name: "output"}, {name: "reasoning"}, {name: "cost"}, {name: "saved"},
	}
	add := func(u event.Usage) {
		for i, text := range []string{
			strconv.FormatInt(u.Calls, 10), about(u, u.Input), count(u.CacheRead), count(u.CacheWrite), about(u, u.Output), count(u.Reasoning),
			cost(u), saved(u.Saved),
		} {
			cols[i].text = append(cols[i].text, text)
		}
	}
	for i := range list {
		add(list[i].u)
	}
	add(all)
	return slices.DeleteFunc(cols, func(c column) bool {
		return c.name != "cost" && !slices.ContainsFunc(c.text, func(t string) bool { return t != none })
	})
}

func cost(u event.Usage) string {
	if text := format.Cost(u); text != "" {
		return text
	}
	return none
}

// leastName is how much room the names need in a table.
const leastName = 16

// wide writes the table, or returns false when there is no room for it.
func (s *sheet) wide(list []entry, left int, all event.Usage) bool {
	cols := tableColumns(list, all)
	if s.w-columnsWidth(cols) < leastName {
		return false
	}
	s.lines = append(s.lines, s.line(cols, -1, s.st.Faint, "agent"))
	for i := range list {
		style := s.st.Text
		switch {
		case list[i].sum:
			style = s.st.Muted
		case list[i].depth == 0:
			style = s.st.Strong
		}
		s.lines = append(s.lines, s.line(cols, i, style, list[i].label()))
	}
	s.more(left)
	s.lines = append(s.lines, s.st.Border.Render(strings.Repeat("─", s.w)), s.line(cols, len(list), s.st.Strong, "Total"))
	return true
}

// label is the name of a row.
func (e *entry) label() string {
	if e.sum {
		return strings.Repeat("  ", min(e.depth, 6)) + "= " + e.name
	}
	return indented(e.depth, e.name)
}

// block writes an entry on rows of its own, for narrow windows.
func (s *sheet) block(e *entry, style rows.Style) {
	indent := 2*min(e.depth, 6) + 2
	if e.name != "" {
		s.lines = append(s.lines, rows.Between(style.Render(e.label()), s.st.Text.Render(cost(e.u)), s.w))
	} else {
		s.say(style, indent, cost(e.u))
	}
	if e.u.Calls == 0 {
		s.say(s.st.Faint, indent, "no calls")
		return
	}
	parts := []string{format.Count(int(e.u.Calls), "call", "calls"), about(e.u, e.u.Input) + " input", about(e.u, e.u.Output) + " output"}
	for _, p := range []struct {
		n    int64
		what string
	}{{e.u.CacheRead, " read from the cache"}, {e.u.CacheWrite, " written to it"}, {e.u.Reasoning, " reasoning"}} {
		if p.n > 0 {
			parts = append(parts, format.Tokens(p.n)+p.what)
		}
	}
	if e.u.Saved != 0 {
		parts = append(parts, "saved "+saved(e.u.Saved))
	}
	s.say(s.st.Muted, indent, strings.Join(parts, " · "))
}

func (s *sheet) more(n int) {
	if n > 0 {
		s.say(s.st.Faint, 0, "… "+format.Count(n, "more row", "more rows"))
	}
}

// commands says how the commands and scripts of all agents ran, and how often the
// user was asked about a call.
func (s *sheet) commands(state *event.State) {
	ran, asked := map[string]int{}, 0
	look := func(c *event.Call) {
		ran[c.View.Ran]++
		if c.Decision != nil && c.Decision.Choice != event.ChoiceText {
			asked++
		}
	}
	for _, a := range state.Agents {
		for _, b := range a.Blocks {
			if b.Call != nil {
				look(b.Call)
			}
		}
	}
	if ran[event.RanConfined]+ran[event.RanOutside]+asked == 0 {
		return
	}
	s.blank()
	s.fact("Commands", s.st.Text, strconv.Itoa(ran[event.RanConfined])+" confined · "+strconv.Itoa(ran[event.RanOutside])+
		" outside · asked about "+format.Count(asked, "call", "calls"))
}

// legend says what the words and signs mean.
func (s *sheet) legend(all event.Usage) {
	s.blank()
	s.say(s.st.Faint, 0, "Tokens. Input was neither read from a cache nor written to one; reasoning is a part of output. "+
		"Calls for other purposes, such as titles, count with the main agent.")
	if n := int(all.Uncounted); n > 0 {
		s.say(s.st.Warn, 0, "For "+format.Count(n, "call", "calls")+" the service did not say how many tokens were used: figures with ~ are in part estimates, without calls for other purposes.")
	}
	s.say(s.st.Faint, 0, "~ by list prices · ≥ the price of some calls is unknown · included: no charge · n/a: price unknown")
}

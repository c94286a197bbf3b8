package usage

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// Cache says what the prompt cache gave: now and so far, until when it is warm, what
// it saved, and for the newest calls why they got no more from it and what helps.
func Cache(s *event.State, now time.Time, w int, st *rows.Styles) string {
	sh := newSheet(w, st)
	calls := newest(s)
	if len(calls) == 0 {
		sh.say(st.Muted, 0, "No model was called yet, so there is nothing to say about a cache. "+
			"Providers keep the beginning of a session for some minutes and charge less for reading it again.")
		return sh.String()
	}
	sh.head("Now")
	sh.now(s, now)
	sh.agents(s, now)
	sh.head("Newest calls")
	told := map[event.CacheCause]bool{}
	for i := range calls[:min(len(calls), mostCalls)] {
		sh.call(&calls[i], len(s.Agents) > 1, told)
	}
	return sh.String()
}

// Warm reports whether the cache of any agent is warm, so that what [Cache] writes
// changes with time.
func Warm(s *event.State, now time.Time) bool {
	return slices.ContainsFunc(s.Agents, func(a *event.Agent) bool {
		r := a.Cached()
		return r != nil && now.Before(r.Until())
	})
}

// call is a call of an agent.
type call struct {
	who string
	r   event.CacheReport
}

// newest lists calls of all agents, the newest first.
func newest(s *event.State) []call {
	var list []call
	for _, a := range s.Agents {
		for _, r := range a.Cache {
			list = append(list, call{agentName(a), r})
		}
	}
	slices.SortStableFunc(list, func(a, b call) int { return b.r.Sent.Compare(a.r.Sent) })
	return list
}

// now writes how things stand.
func (s *sheet) now(state *event.State, now time.Time) {
	all := state.Usage()
	root := state.Root()
	if r := root.Cached(); r != nil {
		s.fact("Hit rate", s.st.Text, rateWords(*r, all))
		text, style := s.warmWords(*r, now)
		s.fact("Warm", style, text)
	}
	switch {
	case all.Saved > 0:
		s.fact("Saved", s.st.Good, estimate(all.Saved)+" so far")
	case all.Saved < 0:
		s.fact("Saved", s.st.Warn, "nothing yet: filling the cache has cost "+format.Dollars(-all.Saved)+" more so far, which comes back with the next hits")
	case all.Unpriced > 0:
		s.fact("Saved", s.st.Muted, "not known, for want of a price (the setting pricing holds your own)")
	default:
		s.fact("Saved", s.st.Muted, "nothing so far")
	}
	if n, of, lost := misses(state); n > 0 {
		text := strconv.Itoa(n) + " of the newest " + format.Count(of, "call", "calls") + " got less than there was"
		style := s.st.Text
		if lost > 0 {
			text += " and cost " + estimate(lost) + " more for it"
			style = s.st.Warn
		}
		s.fact("Misses", style, text)
	}
}

// rateWords write the hit rate of the newest call and of all.
func rateWords(r event.CacheReport, all event.Usage) string {
	text := percent(r.HitRate()) + " of the newest prompt"
	if r.Outcome == event.CacheSilent {
		text = "the provider of " + term.Line(r.Model) + " reports nothing about a cache"
		if all.CacheRead == 0 {
			return text
		}
	}
	return text + " · " + percent(all.HitRate()) + " of all that was sent"
}

func percent(part float64) string { return strconv.Itoa(format.Percent(part)) + "%" }

// misses counts the calls that are listed and got less than there was.
func misses(s *event.State) (n, of int, lost event.Money) {
	for _, a := range s.Agents {
		for _, r := range a.Cache {
			of++
			if r.Short() > 0 {
				n, lost = n+1, lost+r.Lost
			}
		}
	}
	return n, of, lost
}

// warmWords say until when a cache can be read.
func (s *sheet) warmWords(r event.CacheReport, now time.Time) (string, rows.Style) {
	until := r.Until()
	switch {
	case until.IsZero() && r.Cause == event.CacheSmall:
		return "no: so far this is too short to be kept", s.st.Muted
	case until.IsZero():
		return "unknown: this provider does not say how long it keeps prompts", s.st.Muted
	case now.Before(until):
		return "until " + clock(until) + " (" + format.Elapsed(until.Sub(now)) + " left); each call makes that " + format.Span(r.Keep) + " again", s.st.Good
	}
	return "cold since " + clock(until) + ": the next call sends all of it again and fills the cache", s.st.Warn
}

func clock(at time.Time) string { return at.Local().Format("15:04:05") }

// agents lists the agents, when there are several.
func (s *sheet) agents(state *event.State, now time.Time) {
	if len(state.Agents) < 2 {
		return
	}
	var names []string
	cols := []column{{name: "now"}, {name: "in all"}, {name: "warm"}, {name: "saved"}, {name: "calls"}}
	left := 0
	for _, a := range state.Agents {
		r := a.Cached()
		if r == nil {
			continue
		}
		if len(names) == mostAgents {
			left++
			continue
		}
		rate := percent(r.HitRate())
		if r.Outcome == event.CacheSilent {
			rate = "?"
		}
		names = append(names, indented(a.Depth, agentName(a)))
		for i, text := range []string{rate, percent(a.Usage.HitRate()), shortWarm(a, *r, now), saved(a.Usage.Saved), strconv.FormatInt(a.Usage.Calls, 10)} {
			cols[i].text = append(cols[i].text, text)
		}
	}
	for len(cols) > 1 && s.w-columnsWidth(cols) < leastName {
		cols = cols[:len(cols)-1]
	}
	s.head("Agents")
	s.lines = append(s.lines, s.line(cols, -1, s.st.Faint, ""))
	for i, name := range names {
		s.lines = append(s.lines, s.line(cols, i, s.st.Text, name))
	}
	s.more(left)
}

// shortWarm says in short until when the cache of an agent is warm.
func shortWarm(a *event.Agent, r event.CacheReport, now time.Time) string {
	until := r.Until()
	switch {
	case a.State.Ended():
		return "ended"
	case until.IsZero():
		return "?"
	case now.Before(until):
		return format.Elapsed(until.Sub(now))
	}
	return "cold"
}

// call writes a call, and why it got no more. told are the causes of which it was said
// already what helps.
func (s *sheet) call(c *call, named bool, told map[event.CacheCause]bool) {
	sign, word, style := s.outcome(c.r)
	left := s.st.Faint.Render(clock(c.r.Sent)) + "  " + style.Render(sign+" "+word) + "  "
	who := ""
	if named {
		who = c.who
	}
	text := figures(c.r)
	wide := max(rows.Width(text), figureCells)
	room := s.w - rows.Width(left) - gap - wide
	switch {
	case who == "" && room+wide-rows.Width(text) >= 0:
		s.lines = append(s.lines, left+s.st.Text.Render(text))
	case who != "" && room >= min(leastName, rows.Width(who)):
		s.lines = append(s.lines, left+s.st.Text.Render(rows.Fit(text, wide))+rows.Blank(gap)+s.st.Muted.Render(cells.Cut(who, room)))
	default:
		s.lines = append(s.lines, rows.Fit(left+s.st.Muted.Render(who), s.w))
		s.say(s.st.Text, 4, text)
	}
	above, why := s.above, reasons[c.r.Cause]
	if s.above = why; c.r.Cause == "" {
		return
	}
	if c.r.Change != "" && changed(c.r.Cause) {
		why = term.Line(c.r.Change)
	}
	if c.r.Cause == event.CacheExpired {
		why = format.Elapsed(c.r.Idle) + " passed since the call before; it is kept for " + format.Span(c.r.Keep)
	}
	if why != above {
		s.say(style, 4, upper(why))
	}
	if help := advice(c.r); help != "" && !told[c.r.Cause] {
		told[c.r.Cause] = true
		s.hang(s.st.Muted, 4, "→ ", help)
	}
}

// figureCells is how much room figures get before the name of an agent.
const figureCells = 34

// outcome is the sign and the word of what a cache gave, of one width.
func (s *sheet) outcome(r event.CacheReport) (sign, word string, style rows.Style) {
	switch r.Outcome {
	case event.CacheHit:
		return "✓", "hit    ", s.st.Good
	case event.CachePartial:
		return "◐", "partial", s.st.Warn
	case event.CacheMiss:
		return "✗", "miss   ", s.st.Bad
	case event.CacheSilent:
		return "·", "unknown", s.st.Muted
	}
	return "○", "nothing", s.st.Muted
}

// figures write what was read of how much.
func figures(r event.CacheReport) string {
	var parts []string
	switch {
	case r.Outcome == event.CacheSilent && r.Prompt == 0:
		parts = append(parts, "no figures")
	case r.Outcome == event.CacheSilent:
		parts = append(parts, format.Tokens(r.Prompt)+" sent")
	case r.Read > 0:
		parts = append(parts, format.Tokens(r.Read)+" of "+format.Tokens(r.Prompt)+" read ("+percent(r.HitRate())+")")
	default:
		parts = append(parts, "nothing of "+format.Tokens(r.Prompt)+" read")
	}
	if r.Written > 0 {
		parts = append(parts, format.Tokens(r.Written)+" written")
	}
	if r.Lost > 0 {
		parts = append(parts, "cost "+estimate(r.Lost)+" more")
	}
	return strings.Join(parts, " · ")
}

// upper begins a sentence.
func upper(text string) string {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}

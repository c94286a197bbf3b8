package bind

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"hermes-tui/store/config"
	"hermes-tui/tools"
	"hermes-tui/tools/deferred"
)

// lent are the tools of other programs, as an agent has them. Which of their definitions its
// requests hold is settled when the first request is made, and kept by the session: what
// comes later is found by a search, so that requests begin as those before them did.
type lent struct {
	config.ToolSearch
	window  func() int
	servers func(begin bool) []tools.Tool
	coming  func() []string

	tools []tools.Tool // guarded by the lock of [Tools], as what follows

	settled bool
	listed  []listed // those that requests hold
	list    string   // the catalogue of the others
	search  atomic.Bool
	unkept  bool            // the session does not have this yet
	told    map[string]bool // the groups that the agent knows of
}

// listed is a tool whose definition is in requests.
type listed struct {
	Name        string          `json:"name"`
	Group       string          `json:"server"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// kept is what a session keeps of them.
type kept struct {
	Listed    []listed `json:"listed"`
	Search    bool     `json:"search"`
	Catalogue string   `json:"catalogue,omitempty"`
}

// lentState is the name of that in the journal.
const lentState = "mcp_tools"

// unknownWindow stands for a window that no one knows, and mostCatalogue is how long the
// list of tools may be that are left out, both in tokens.
const (
	unknownWindow = 200_000
	mostCatalogue = 4_000
)

// lentFamily hands on what is kept, and tells of what has come later.
func (t *Tools) lentFamily() tools.Family {
	return tools.Family{State: &tools.State{Name: lentState, Restore: t.restoreLent, Open: func() []string { return nil }}, News: t.arrivals}
}

// borrow takes over the tools of other programs as they are now. Those that requests hold
// stay, whether their program is there or not.
func (t *Tools) borrow(begin bool) {
	l := t.lent
	if l.servers == nil {
		return
	}
	now := slices.Clone(l.servers(begin))
	t.mu.Lock()
	before := l.tools
	for _, one := range l.listed {
		if !slices.ContainsFunc(now, func(t tools.Tool) bool { return t.Name == one.Name }) {
			now = append(now, one.absent())
		}
	}
	t.mu.Unlock()
	if !slices.EqualFunc(before, now, sameTool) {
		var names []string
		for _, tool := range before {
			names = append(names, tool.Name)
		}
		t.registry.Replace(names, now) // what is refused is not there
		t.mu.Lock()
		l.tools = now
		t.mu.Unlock()
		t.resolve()
	}
	if begin {
		t.settle()
	}
}

// absent stands for a tool whose program is not there.
func (l listed) absent() tools.Tool {
	return tools.Tool{
		Name: l.Name, Toolset: "mcp-" + l.Group, Description: l.Description, Parameters: l.Parameters, Deferred: l.Group,
		Run: func(context.Context, tools.Call, tools.Host, tools.Sink) (tools.Result, error) {
			return tools.Failure(tools.View{Kind: tools.KindGeneric}, fmt.Sprintf("the MCP server %s is not there: tell the user, who sees why under /mcp", l.Group)), nil
		},
	}
}

// sameTool reports whether two tools are one, as far as agents see.
func sameTool(a, b tools.Tool) bool {
	return a.Name == b.Name && a.Toolset == b.Toolset && a.Description == b.Description && bytes.Equal(a.Parameters, b.Parameters) &&
		a.ReadsOnly == b.ReadsOnly && a.Class == b.Class && (a.Action == nil) == (b.Action == nil)
}

// settle decides which definitions requests hold, once there is something to decide about.
func (t *Tools) settle() {
	l := t.lent
	if l.window == nil {
		return
	}
	window := l.window()
	found := t.findable()
	var coming []string
	if l.coming != nil {
		coming = l.coming()
	}
	switch {
	case window < 0 || len(found)+len(coming) == 0: // there is no session, or nothing in it
		return
	case l.settled:
		t.listMore(found)
		return
	case window == 0:
		window = unknownWindow
	}
	size := 0
	for _, tool := range found {
		size += len(tool.Name) + len(tool.Description) + len(tool.Parameters)
	}
	all := l.Enabled == "on" || l.Enabled == "auto" && float64(size)/4 >= float64(window)*l.Threshold/100
	t.mu.Lock()
	l.settled, l.unkept = true, true
	if !all {
		l.listed = listing(found)
	}
	t.mu.Unlock()
	if all || l.Enabled == "auto" && len(coming) > 0 {
		left := found
		if !all {
			left = nil
		}
		text := deferred.Catalogue(left, 4*min(window/20, mostCatalogue))
		for _, name := range coming {
			text += fmt.Sprintf("\n%s: on its way", name)
		}
		t.addSearch(strings.TrimSpace(text))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	l.told = groups(found)
}

// listMore has requests hold tools that came later, where no search finds them, and those
// that the user has agreed to in another form.
func (t *Tools) listMore(found []tools.Tool) {
	l := t.lent
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, tool := range found {
		now := listing([]tools.Tool{tool})[0]
		i := slices.IndexFunc(l.listed, func(o listed) bool { return o.Name == now.Name })
		switch {
		case i < 0 && !l.search.Load():
			l.listed, l.unkept = append(l.listed, now), true
		case i >= 0 && (l.listed[i].Description != now.Description || !bytes.Equal(l.listed[i].Parameters, now.Parameters)):
			l.listed = slices.Clone(l.listed)
			l.listed[i], l.unkept = now, true
		}
	}
}

func listing(list []tools.Tool) (all []listed) {
	for _, t := range list {
		all = append(all, listed{t.Name, t.Deferred, t.Description, t.Parameters})
	}
	return all
}

func groups(list []tools.Tool) map[string]bool {
	all := map[string]bool{}
	for _, t := range list {
		all[t.Deferred] = true
	}
	return all
}

// addSearch gives the agent the tools that find others.
func (t *Tools) addSearch(catalogue string) {
	l := t.lent
	l.list = catalogue
	o := deferred.Options{Tools: t.findable, Limit: l.Limit, Catalogue: catalogue, Parallel: t.Parallel}
	t.registry.Replace(nil, deferred.New(o))
	l.search.Store(true)
	t.mu.Lock()
	t.enabled = append(slices.Clone(t.enabled), deferred.Toolset)
	t.mu.Unlock()
	t.resolve()
}

// restoreLent goes on with what a session has kept. Before that was settled there is nothing:
// then what is so now stays.
func (t *Tools) restoreLent(raw json.RawMessage) {
	var k kept
	l := t.lent
	if json.Unmarshal(raw, &k) != nil || l.settled || l.Enabled == "off" {
		return
	}
	t.mu.Lock()
	l.settled, l.listed = true, k.Listed
	l.told = map[string]bool{}
	for _, one := range k.Listed {
		l.told[one.Group] = true
	}
	t.mu.Unlock()
	if k.Search {
		t.addSearch(k.Catalogue)
	}
	t.borrow(false)
}

// Kept implements [agent.Toolbox].
func (t *Tools) Kept() *tools.Saved {
	l := t.lent
	t.mu.Lock()
	defer t.mu.Unlock()
	if !l.unkept {
		return nil
	}
	l.unkept = false
	data, err := json.Marshal(kept{l.listed, l.search.Load(), l.list})
	if err != nil {
		return nil // it was read as JSON
	}
	return &tools.Saved{Name: lentState, Data: data}
}

// findable are the lent tools that the agent may call.
func (t *Tools) findable() []tools.Tool {
	t.mu.Lock()
	defer t.mu.Unlock()
	may := map[string]bool{}
	for _, name := range t.names {
		may[name] = true
	}
	var list []tools.Tool
	for _, tool := range t.lent.tools {
		if tool.Deferred != "" && may[tool.Name] {
			list = append(list, tool)
		}
	}
	return list
}

// postponed reports whether the definition of a tool is left out.
func (t *Tools) postponed(name string) bool {
	if !t.lent.search.Load() {
		return false
	}
	tool, ok := t.registry.Lookup(name)
	if !ok || tool.Deferred == "" {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return !slices.ContainsFunc(t.lent.listed, func(o listed) bool { return o.Name == name })
}

// arrivals tells the agent once of each program that has brought its tools later.
func (t *Tools) arrivals() (news []tools.News) {
	l := t.lent
	if !l.search.Load() {
		return nil
	}
	t.borrow(false)
	found := t.findable()
	t.mu.Lock()
	defer t.mu.Unlock()
	count := map[string]int{}
	var order []string
	for _, tool := range found {
		if !l.told[tool.Deferred] {
			if count[tool.Deferred]++; count[tool.Deferred] == 1 {
				order = append(order, tool.Deferred)
			}
		}
	}
	for _, group := range order {
		l.told[group] = true
		news = append(news, tools.News{
			Text:  fmt.Sprintf("The MCP server %s is there now, with %s: tool_search finds them.", tools.Quote(group, 100), tools.Plural(count[group], "tool", "tools")),
			Short: "the MCP server " + tools.Quote(group, 100) + " is there",
		})
	}
	return news
}

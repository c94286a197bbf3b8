// Package deferred holds the tools by which an agent finds, reads and calls tools whose
// definitions are not in its requests: those of MCP servers when there are many. A call
// takes the way of any call, as what it is: hooks, gate and journal see the inner tool.
package deferred

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// The names of the tools, and their toolset.
const (
	SearchName   = "tool_search"
	DescribeName = "tool_describe"
	CallName     = "tool_call"
	Toolset      = "tool_search"
)

// The bounds of what is asked for at once.
const (
	DefaultLimit = 5
	mostFound    = 20
	mostNames    = 10
	mostCalls    = 5
)

// Options say what is found.
type Options struct {
	// Tools are those that can be found now.
	Tools func() []tools.Tool
	// Catalogue lists them, as they were when the session began.
	Catalogue string
	// Limit is how many a search gives that does not say.
	Limit int
	// Parallel reports whether calls may run side by side; nil: none may.
	Parallel func([]tools.Call) bool

	indexed *indexed
}

// indexed keeps the index of the tools that were looked through last.
type indexed struct {
	mu   sync.Mutex
	last *index
}

// of gives the index of a list of tools.
func (x *indexed) of(list []tools.Tool) *index {
	x.mu.Lock()
	defer x.mu.Unlock()
	same := func(a, b tools.Tool) bool { return a.Name == b.Name && a.Description == b.Description }
	if x.last == nil || !slices.EqualFunc(x.last.list, list, same) {
		x.last = newIndex(list)
	}
	return x.last
}

// New makes the three tools.
func New(o Options) []tools.Tool {
	o.indexed = &indexed{}
	return []tools.Tool{o.search(), o.describe(), o.call()}
}

func (o Options) search() tools.Tool {
	return tools.Tool{
		Name: SearchName, Toolset: Toolset, Class: tools.ReadOnly, ReadsOnly: true, Housekeeping: true,
		Description: "Find tools of servers that are not listed here with their arguments. Read their arguments with tool_describe, call them with tool_call. There are:\n" + o.Catalogue,
		Parameters:  json.RawMessage(`{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"},"description":"what a tool should do, in a few words"},"limit":{"type":"integer","description":"tools for each, at most 20"}},"required":["queries"]}`),
		Preview: func(raw json.RawMessage) tools.View {
			var a struct{ Queries []string }
			_ = json.Unmarshal(raw, &a)
			return tools.View{Kind: tools.KindGeneric, Subject: shorten.Line(strings.Join(a.Queries, ", "), 200)}
		},
		Run: func(_ context.Context, c tools.Call, _ tools.Host, _ tools.Sink) (tools.Result, error) {
			var a struct {
				Queries []string
				Limit   *tools.Integer
			}
			v := tools.View{Kind: tools.KindGeneric}
			if err := c.Decode(&a); err != nil {
				return tools.Failure(v, err.Error()), nil
			}
			limit := o.Limit
			if a.Limit != nil {
				limit = min(max(int(*a.Limit), 1), mostFound)
			}
			v.Subject = shorten.Line(strings.Join(a.Queries, ", "), 200)
			list := o.Tools()
			index := o.indexed.of(list)
			type match struct {
				Name        string `json:"name"`
				Description string `json:"description"`
			}
			type found struct {
				Query   string  `json:"query"`
				Matches []match `json:"matches"`
			}
			var all []found
			var body strings.Builder
			for _, q := range a.Queries[:min(len(a.Queries), mostNames)] {
				f := found{Query: q, Matches: []match{}}
				for _, t := range index.find(q, limit) {
					f.Matches = append(f.Matches, match{t.Name, shorten.Line(t.Description, 200)})
					fmt.Fprintf(&body, "%s  %s\n", t.Name, shorten.Line(t.Description, 80))
				}
				all = append(all, f)
			}
			if len(all) == 0 {
				return tools.Failure(v, "queries is empty: say what a tool should do"), nil
			}
			v.Body = body.String()
			return tools.Result{View: v, Content: tools.JSON(struct {
				Results []found `json:"results"`
				Total   int     `json:"total_available"`
			}{all, len(list)})}, nil
		},
	}
}

// named finds a tool by its name.
func (o Options) named(name string) (tools.Tool, error) {
	list := o.Tools()
	if i := slices.IndexFunc(list, func(t tools.Tool) bool { return t.Name == name }); i >= 0 {
		return list[i], nil
	}
	var near []string
	for _, t := range o.indexed.of(list).find(strings.NewReplacer("_", " ", "-", " ").Replace(name), 3) {
		near = append(near, t.Name)
	}
	if len(near) == 0 {
		return tools.Tool{}, fmt.Errorf("there is no tool %q here: look for one with tool_search", name)
	}
	return tools.Tool{}, fmt.Errorf("there is no tool %q here; near it are %s", name, strings.Join(near, ", "))
}

func (o Options) describe() tools.Tool {
	return tools.Tool{
		Name: DescribeName, Toolset: Toolset, Class: tools.ReadOnly, ReadsOnly: true, Housekeeping: true,
		Description: "Read what tools found by tool_search do, and their arguments.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"}}},"required":["names"]}`),
		Run: func(_ context.Context, c tools.Call, _ tools.Host, _ tools.Sink) (tools.Result, error) {
			var a struct{ Names []string }
			v := tools.View{Kind: tools.KindGeneric}
			if err := c.Decode(&a); err != nil {
				return tools.Failure(v, err.Error()), nil
			}
			v.Subject = shorten.Line(strings.Join(a.Names, ", "), 200)
			type described struct {
				Name        string          `json:"name"`
				Description string          `json:"description,omitempty"`
				Parameters  json.RawMessage `json:"parameters,omitempty"`
				Error       string          `json:"error,omitempty"`
			}
			var all []described
			failed := 0
			for _, name := range a.Names[:min(len(a.Names), mostNames)] {
				t, err := o.named(name)
				if err != nil {
					failed++
					all = append(all, described{Name: name, Error: err.Error()})
					continue
				}
				all = append(all, described{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
			}
			if failed == len(all) {
				if failed > 0 {
					return tools.Failure(v, all[0].Error), nil
				}
				return tools.Failure(v, "names is empty: name the tools to read"), nil
			}
			return tools.Result{View: v, Content: tools.JSON(map[string]any{"tools": all})}, nil
		},
	}
}

// innerCall is a call as a model writes it.
type innerCall struct {
	Name      string
	Arguments json.RawMessage
}

// callArgs are those of tool_call.
type callArgs struct{ Calls []innerCall }

// Inner puts what they call in the place of calls of tool_call. One that cannot be read stays.
func Inner(calls []tools.Call) (list []tools.Call) {
	for _, c := range calls {
		var a callArgs
		if c.Name != CallName || json.Unmarshal(c.Args, &a) != nil || len(a.Calls) == 0 {
			list = append(list, c)
			continue
		}
		for _, one := range a.Calls {
			list = append(list, tools.Call{Name: one.Name, Args: one.args()})
		}
	}
	return list
}

// args are the arguments of a call, which may be left out.
func (c innerCall) args() json.RawMessage {
	if len(c.Arguments) == 0 || string(c.Arguments) == "null" {
		return json.RawMessage("{}")
	}
	return c.Arguments
}

func (o Options) call() tools.Tool {
	view := func(raw json.RawMessage) tools.View {
		var a callArgs
		_ = json.Unmarshal(raw, &a)
		var names []string
		for _, c := range a.Calls {
			names = append(names, c.Name)
		}
		return tools.View{Kind: tools.KindGeneric, Subject: shorten.Line(strings.Join(names, ", "), 200)}
	}
	return tools.Tool{
		Name: CallName, Toolset: Toolset, ReadsOnly: true, // what it calls is judged by itself
		Description: "Call tools found by tool_search. Calls that only read run side by side, others one after the other.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"calls":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object"}},"required":["name"]}}},"required":["calls"]}`),
		Preview:     view,
		Run: func(ctx context.Context, c tools.Call, h tools.Host, _ tools.Sink) (tools.Result, error) {
			v := view(c.Args)
			var a callArgs
			if err := c.Decode(&a); err != nil {
				return tools.Failure(v, err.Error()), nil
			}
			if len(a.Calls) == 0 || len(a.Calls) > mostCalls {
				return tools.Failure(v, fmt.Sprintf("calls has %d entries: between 1 and %d are called at once", len(a.Calls), mostCalls)), nil
			}
			results := o.runAll(ctx, h, a.Calls)
			if ctx.Err() != nil {
				return tools.Result{}, context.Cause(ctx)
			}
			var parts, from []string
			failed := 0
			for i, one := range a.Calls {
				r := results[i]
				if r.Status != tools.StatusOK {
					failed++
				}
				if r.Untrusted != "" && !slices.Contains(from, r.Untrusted) {
					from = append(from, r.Untrusted)
				}
				text := r.Content
				if len(a.Calls) > 1 {
					text = one.Name + ":\n" + text
				}
				parts = append(parts, text)
			}
			result := tools.Result{View: v, Content: strings.Join(parts, "\n\n"), Untrusted: strings.Join(from, ", ")}
			if failed > 0 {
				result.Status, result.View.Summary = tools.StatusFailed, tools.Plural(failed, "call failed", "calls failed")
			}
			return result, nil
		},
	}
}

// runAll makes calls, side by side where they may run so.
func (o Options) runAll(ctx context.Context, h tools.Host, calls []innerCall) []tools.Result {
	results := make([]tools.Result, len(calls))
	var inner []tools.Call
	for _, c := range calls {
		inner = append(inner, tools.Call{Name: c.Name, Args: c.args()})
	}
	if o.Parallel != nil && o.Parallel(inner) {
		var running sync.WaitGroup
		for i := range calls {
			running.Go(func() { results[i] = o.run(ctx, h, inner[i]) })
		}
		running.Wait()
		return results
	}
	for i := range calls {
		if ctx.Err() == nil {
			results[i] = o.run(ctx, h, inner[i])
		}
	}
	return results
}

// run makes one call.
func (o Options) run(ctx context.Context, h tools.Host, c tools.Call) tools.Result {
	t, err := o.named(c.Name)
	if err == nil && h == nil {
		err = errors.New("nothing can be called here")
	}
	if err != nil {
		return tools.Failure(tools.View{}, err.Error())
	}
	return h.Invoke(ctx, tools.Call{Name: t.Name, Args: c.Args})
}

// maxAbout is how much a catalogue says of a tool, in characters.
const maxAbout = 60

// Catalogue lists tools by their groups within so many characters: with what they do, or by
// their names, or only how many there are.
func Catalogue(list []tools.Tool, room int) string {
	var groups []*group
	named := map[string]*group{}
	for _, t := range list {
		g := named[t.Deferred]
		if g == nil {
			g = &group{name: t.Deferred}
			named[t.Deferred] = g
			groups = append(groups, g)
		}
		g.tools = append(g.tools, t)
	}
	size := 0
	for _, g := range groups {
		g.text = g.full()
		size += len(g.text)
	}
	for size > room {
		var long *group // the group that takes most room says less
		for _, g := range groups {
			if g.level < len(shorter) && (long == nil || len(g.text) > len(long.text)) {
				long = g
			}
		}
		if long == nil {
			break
		}
		size -= len(long.text)
		long.text = shorter[long.level](long)
		long.level++
		size += len(long.text)
	}
	var b strings.Builder
	for _, g := range groups {
		b.WriteString(g.text)
	}
	if size > room {
		return b.String()[:max(min(room, size), 0)]
	}
	return strings.TrimSpace(b.String())
}

// group is what a catalogue says of the tools of one server.
type group struct {
	name  string
	tools []tools.Tool
	text  string
	level int // how often it was made shorter
}

// shorter are the forms of a group behind the full one.
var shorter = []func(*group) string{(*group).names, (*group).count}

// full is a group with what its tools do.
func (g *group) full() string {
	var b strings.Builder
	b.WriteString(g.name + ":\n")
	for _, t := range g.tools {
		b.WriteString("- " + t.Name + ": " + shorten.Line(t.Description, maxAbout) + "\n")
	}
	return b.String()
}

// names is a group with the names of its tools.
func (g *group) names() string {
	names := make([]string, len(g.tools))
	for i, t := range g.tools {
		names[i] = t.Name
	}
	return g.name + ": " + strings.Join(names, ", ") + "\n"
}

// count is a group with how many tools it has.
func (g *group) count() string {
	return fmt.Sprintf("%s: %s\n", g.name, tools.Plural(len(g.tools), "tool", "tools"))
}

// index finds tools by the words of their names and descriptions (BM25).
type index struct {
	list   []tools.Tool
	words  []map[string]int // how often, by tool
	length []int
	in     map[string]int // how many tools have a word
	mean   float64
}

func newIndex(list []tools.Tool) *index {
	x := &index{list: list, in: map[string]int{}}
	total := 0
	for _, t := range list {
		count := map[string]int{}
		for _, w := range stems(t.Name) {
			count[w] += 3 // a name says most
		}
		for _, w := range stems(t.Description) {
			count[w]++
		}
		n := 0
		for w, k := range count {
			x.in[w]++
			n += k
		}
		total += n
		x.words, x.length = append(x.words, count), append(x.length, n)
	}
	x.mean = max(float64(total)/float64(max(len(list), 1)), 1)
	return x
}

// find gives the tools that fit some words, the best first.
func (x *index) find(query string, limit int) []tools.Tool {
	const k1, b = 1.2, 0.75
	type scored struct {
		at    int
		score float64
	}
	var hits []scored
	asked := stems(query)
	for i, words := range x.words {
		score := 0.0
		for _, w := range asked {
			f := float64(words[w])
			if f == 0 {
				continue
			}
			idf := math.Log(1 + (float64(len(x.list)-x.in[w])+0.5)/(float64(x.in[w])+0.5))
			score += idf * f * (k1 + 1) / (f + k1*(1-b+b*float64(x.length[i])/x.mean))
		}
		if score > 0 {
			hits = append(hits, scored{i, score})
		}
	}
	slices.SortStableFunc(hits, func(p, q scored) int {
		switch {
		case p.score > q.score:
			return -1
		case p.score < q.score:
			return 1
		}
		return 0
	})
	var found []tools.Tool
	for _, h := range hits[:min(len(hits), limit)] {
		found = append(found, x.list[h.at])
	}
	return found
}

// stems are the words of a text in small letters, without common endings.
func stems(text string) []string {
	var list []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for _, part := range camel(w) {
			list = append(list, stem(strings.ToLower(part)))
		}
	}
	return list
}

// camel divides a word where small letters end.
func camel(w string) (parts []string) {
	begin := 0
	for i, r := range w {
		if i > begin && unicode.IsUpper(r) && !unicode.IsUpper(rune(w[i-1])) {
			parts, begin = append(parts, w[begin:i]), i
		}
	}
	return append(parts, w[begin:])
}

// stem takes common endings of English words off.
func stem(w string) string {
	for _, end := range []string{"ations", "ation", "ingly", "ings", "ing", "ies", "edly", "ed", "es", "s", "e"} {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 3 {
			return rest
		}
	}
	return w
}

// Package todo holds the tool by which an agent keeps a task list.
//
// The list belongs to one agent. It has at most 256 items of at most 4,000
// characters; what is beyond is left out and the model is told. A [List] is safe
// for concurrent use.
package todo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// Toolset is the toolset of the tool of this package.
const Toolset = "todo"

const (
	maxItems   = 256
	maxContent = 4000
	cutMark    = "… [truncated]"
)

// The states of an item.
const (
	pending    = "pending"
	inProgress = "in_progress"
	completed  = "completed"
	cancelled  = "cancelled"
)

// Task is an item of a list.
type Task struct {
	ID      string `json:"id"`
	Content string `json:"content"`
	Status  string `json:"status"`
}

// List is the task list of one agent.
type List struct {
	mu    sync.Mutex
	items []Task
}

// New makes an empty list.
func New() *List { return &List{} }

// stateName is the name of the list in journals.
const stateName = "todo"

// Family is the tool with its list.
func (l *List) Family() tools.Family {
	return tools.Family{Tools: []tools.Tool{l.tool()}, State: &tools.State{Name: stateName, Restore: l.restore, Open: l.open}}
}

// restore replaces the list, as when a session is resumed. Items are brought into
// the form that the tool gives them.
func (l *List) restore(raw json.RawMessage) {
	var given []item
	if raw != nil && json.Unmarshal(raw, &given) != nil {
		given = nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items, _ = replace(given)
}

// longOpen is how much of an item [List.open] shows, in characters.
const longOpen = 200

// open lists the items that are not done.
func (l *List) open() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []string
	for _, t := range l.items {
		if t.Status == pending || t.Status == inProgress {
			lines = append(lines, fmt.Sprintf("[%s] %s", t.Status, shorten.Line(t.Content, longOpen)))
		}
	}
	return lines
}

const parameters = `{"type":"object","properties":{
"todos":{"type":"array","description":"omit to read the list","items":{"type":"object","properties":{
"id":{"type":"string"},"content":{"type":"string"},
"status":{"type":"string","enum":["pending","in_progress","completed","cancelled"]}},"required":["id"]}},
"merge":{"type":"boolean","description":"true changes items by id and adds new ones; false replaces the list","default":false}}}`

// tool is todo.
func (l *List) tool() tools.Tool {
	return tools.Tool{
		Name: "todo", Toolset: Toolset,
		Description: "Read or change your task list, which the user sees. It is in order of priority.",
		Guidance:    "For work of three or more steps keep a todo list: one item in_progress at a time, completed as soon as it is done.",
		Parameters:  json.RawMessage(parameters),
		Class:       tools.Exclusive, ReadsOnly: true,
		Summarise: summarise, Protected: tools.ProtectNewest, Housekeeping: true,
		Preview: l.preview,
		Run: func(_ context.Context, c tools.Call, _ tools.Host, _ tools.Sink) (tools.Result, error) {
			return l.run(c), nil
		},
	}
}

// call are the arguments of a call.
type call struct {
	Todos *[]item `json:"todos"`
	Merge *bool   `json:"merge"`
}

// apply gives the list as a call would leave it, and how many items are over the
// limit.
func (c call) apply(items []Task) ([]Task, int) {
	switch {
	case c.Todos == nil:
		return items, 0
	case c.Merge != nil && *c.Merge:
		return merge(items, *c.Todos)
	}
	return replace(*c.Todos)
}

// preview shows a call before it runs.
func (l *List) preview(raw json.RawMessage) tools.View {
	var c call
	if json.Unmarshal(raw, &c) != nil {
		return tools.View{Kind: tools.KindTodo}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	items, _ := c.apply(l.items)
	return c.view(l.items, items)
}

// view says what a call does to a list.
func (c call) view(old, items []Task) tools.View {
	n := count(items)
	done := fmt.Sprintf("%d of %d done", n.Completed, n.Total-n.Cancelled)
	switch {
	case c.Todos == nil:
		return tools.View{Kind: tools.KindTodo, Subject: "read tasks", Summary: done}
	case len(items) == 0:
		return tools.View{Kind: tools.KindTodo, Subject: "clear tasks"}
	case len(old) == 0 && n.Total == 1:
		return tools.View{Kind: tools.KindTodo, Subject: "plan 1 task", Summary: done}
	case len(old) == 0:
		return tools.View{Kind: tools.KindTodo, Subject: fmt.Sprintf("plan %d tasks", n.Total), Summary: done}
	}
	return tools.View{Kind: tools.KindTodo, Subject: done, Summary: changes(old, items)}
}

// changes says in a few words what became of a list.
func changes(old, items []Task) string {
	before := map[string]Task{}
	for _, t := range old {
		before[t.ID] = t
	}
	var said []string
	added := 0
	for _, t := range items {
		was, known := before[t.ID]
		delete(before, t.ID)
		switch {
		case !known:
			added++
		case was.Status != t.Status:
			said = append(said, mark(t.Status)+" "+firstLine(t.Content))
		case was.Content != t.Content:
			said = append(said, "now: "+firstLine(t.Content))
		}
	}
	if added > 0 {
		said = append(said, fmt.Sprintf("%d added", added))
	}
	if len(before) > 0 {
		said = append(said, fmt.Sprintf("%d removed", len(before)))
	}
	if len(said) == 0 {
		return "nothing changed"
	}
	return strings.Join(said, " · ")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// summary counts the items of a list.
type summary struct {
	Total      int `json:"total"`
	Pending    int `json:"pending"`
	InProgress int `json:"in_progress"`
	Completed  int `json:"completed"`
	Cancelled  int `json:"cancelled"`
}

// run answers a call of todo.
func (l *List) run(c tools.Call) tools.Result {
	var args call
	if err := c.Decode(&args); err != nil {
		return tools.Failure(tools.View{Kind: tools.KindTodo}, err.Error())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.items
	var left int
	l.items, left = args.apply(old)
	answer := struct {
		Todos   []Task  `json:"todos"`
		Summary summary `json:"summary"`
		Warning string  `json:"_warning,omitempty"`
	}{Todos: append([]Task{}, l.items...), Summary: count(l.items)}
	if left > 0 {
		answer.Warning = fmt.Sprintf("The list is full: %d items over %d were left out.", left, maxItems)
	}
	view := args.view(old, l.items)
	view.Body = body(l.items)
	result := tools.Result{Content: tools.JSON(answer), View: view}
	if args.Todos != nil {
		result.State = &tools.Saved{Name: stateName, Data: json.RawMessage(tools.JSON(answer.Todos))}
	}
	return result
}

func count(items []Task) summary {
	s := summary{Total: len(items)}
	for _, t := range items {
		switch t.Status {
		case pending:
			s.Pending++
		case inProgress:
			s.InProgress++
		case completed:
			s.Completed++
		case cancelled:
			s.Cancelled++
		}
	}
	return s
}

// body lists the items for a user.
func body(items []Task) string {
	var b strings.Builder
	for _, t := range items {
		fmt.Fprintf(&b, "%s %s\n", mark(t.Status), t.Content)
	}
	return b.String()
}

// mark is the glyph of a state.
func mark(status string) string {
	switch status {
	case inProgress:
		return "▸"
	case completed:
		return "✓"
	case cancelled:
		return "×"
	}
	return "○"
}

// replace makes a list of what was given. Of items with the same id the last one
// stays, at its place. The second value counts what is over the limit.
func replace(given []item) ([]Task, int) {
	last := map[string]int{}
	for i, g := range given {
		last[g.key()] = i
	}
	items := []Task{}
	for i, g := range given {
		if last[g.key()] == i {
			items = append(items, g.todo())
		}
	}
	left := max(len(items)-maxItems, 0)
	return slices.Clip(items[:len(items)-left]), left
}

// merge changes known items where content and status are given and valid, and
// adds new ones at the end. Items without id are passed over. The second value
// counts what is over the limit.
func merge(old []Task, given []item) ([]Task, int) {
	items := slices.Clone(old)
	left := 0
	for _, g := range given {
		id := strings.TrimSpace(g.id)
		if id == "" {
			continue
		}
		i := slices.IndexFunc(items, func(t Task) bool { return t.ID == id })
		switch {
		case i < 0 && len(items) >= maxItems:
			left++
		case i < 0:
			items = append(items, g.todo())
		default:
			if content := clean(g.content); content != "" {
				items[i].Content = content
			}
			if status := known(g.status); status != "" {
				items[i].Status = status
			}
		}
	}
	return items, left
}

// summarise says what a call did to the list and how far the work was then.
func summarise(args, result tools.Members) (did, came string) {
	var items []json.RawMessage
	if json.Unmarshal(args["todos"], &items) != nil {
		did = "read the task list"
	} else {
		did = "wrote " + tools.Plural(len(items), "task", "tasks")
	}
	n := tools.ParseMembers(string(result["summary"]))
	if total, known := n.Number("total"); known {
		done, _ := n.Number("completed")
		came = fmt.Sprintf("-> %d of %d done then", done, total)
	}
	return did, came
}

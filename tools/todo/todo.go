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

// List is the task list of one agent.
type List struct {
	mu    sync.Mutex
	items []tools.Todo
}

// New makes an empty list.
func New() *List { return &List{} }

// Load replaces the list, as when a session is resumed. Items are brought into
// the form that the tool gives them.
func (l *List) Load(items []tools.Todo) {
	given := make([]item, len(items))
	for i, t := range items {
		given[i] = item{id: t.ID, content: t.Content, status: t.Status}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items, _ = replace(given)
}

// Snapshot copies the list. It is never nil.
func (l *List) Snapshot() []tools.Todo {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]tools.Todo{}, l.items...)
}

const parameters = `{"type":"object","properties":{
"todos":{"type":"array","description":"omit to read the list","items":{"type":"object","properties":{
"id":{"type":"string"},"content":{"type":"string"},
"status":{"type":"string","enum":["pending","in_progress","completed","cancelled"]}},"required":["id"]}},
"merge":{"type":"boolean","description":"true changes items by id and adds new ones; false replaces the list","default":false}}}`

// Tool is todo.
func (l *List) Tool() tools.Tool {
	return tools.Tool{
		Name: "todo", Toolset: Toolset,
		Description: "Read or change your task list, which the person sees. It is in order of priority.",
		Guidance:    "For work of three or more steps keep a todo list: one item in_progress at a time, completed as soon as it is done.",
		Parameters:  json.RawMessage(parameters),
		Class:       tools.Exclusive, ReadsOnly: true,
		Preview: preview,
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

// preview shows a call before it runs.
func preview(raw json.RawMessage) tools.View {
	v := tools.View{Kind: tools.KindTodo}
	var c call
	if json.Unmarshal(raw, &c) != nil {
		return v
	}
	v.Subject = c.subject()
	return v
}

// subject says what a call does.
func (c call) subject() string {
	if c.Todos == nil {
		return "read tasks"
	}
	verb := "plan"
	if c.Merge != nil && *c.Merge {
		verb = "update"
	}
	if n := len(*c.Todos); n != 1 {
		return fmt.Sprintf("%s %d tasks", verb, n)
	}
	return verb + " 1 task"
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
	view := preview(c.Args)
	var args call
	if err := c.Decode(&args); err != nil {
		return tools.Failure(view, err.Error())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	left := 0
	switch {
	case args.Todos == nil:
	case args.Merge != nil && *args.Merge:
		l.items, left = merge(l.items, *args.Todos)
	default:
		l.items, left = replace(*args.Todos)
	}
	answer := struct {
		Todos   []tools.Todo `json:"todos"`
		Summary summary      `json:"summary"`
		Warning string       `json:"_warning,omitempty"`
	}{Todos: append([]tools.Todo{}, l.items...), Summary: count(l.items)}
	if left > 0 {
		answer.Warning = fmt.Sprintf("The list is full: %d items over %d were left out.", left, maxItems)
	}
	view.Summary = fmt.Sprintf("%d of %d done", answer.Summary.Completed, answer.Summary.Total-answer.Summary.Cancelled)
	view.Body = body(l.items)
	result := tools.Result{Content: tools.JSON(answer), View: view}
	if args.Todos != nil {
		result.Todos = answer.Todos
	}
	return result
}

func count(items []tools.Todo) summary {
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

// body lists the items for a person.
func body(items []tools.Todo) string {
	var b strings.Builder
	for _, t := range items {
		mark := "○"
		switch t.Status {
		case inProgress:
			mark = "▸"
		case completed:
			mark = "✓"
		case cancelled:
			mark = "×"
		}
		fmt.Fprintf(&b, "%s %s\n", mark, t.Content)
	}
	return b.String()
}

// replace makes a list of what was given. Of items with the same id the last one
// stays, at its place. The second value counts what is over the limit.
func replace(given []item) ([]tools.Todo, int) {
	last := map[string]int{}
	for i, g := range given {
		last[g.key()] = i
	}
	items := []tools.Todo{}
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
func merge(old []tools.Todo, given []item) ([]tools.Todo, int) {
	items := slices.Clone(old)
	left := 0
	for _, g := range given {
		id := strings.TrimSpace(g.id)
		if id == "" {
			continue
		}
		i := slices.IndexFunc(items, func(t tools.Todo) bool { return t.ID == id })
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

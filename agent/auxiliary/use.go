package auxiliary

import (
	"maps"
	"slices"
)

// Use is what became of the calls of a task since the client was made.
type Use struct {
	Task Task
	// Calls counts those that were answered, Failed those that no service answered.
	Calls, Failed int
	// By names the service that answered last, and Link its place in the chain, from 1.
	By   string
	Link int
	// Err says why a service failed last, masked; empty when none has.
	Err string
}

// Used lists what became of the tasks that were called for, by their names.
func (c *Client) Used() []Use {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []Use
	for _, t := range slices.Sorted(maps.Keys(c.used)) {
		list = append(list, c.used[t].Use)
	}
	return list
}

// used is a [Use] and whether the newest call was answered.
type used struct {
	Use
	silent bool
}

// count changes what became of a task.
func (c *Client) count(task Task, change func(*used)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.used[task]
	if u == nil {
		u = &used{Use: Use{Task: task}}
		c.used[task] = u
	}
	change(u)
}

// answered notes which service of a chain has answered.
func (c *Client) answered(task Task, s Service, link int) {
	c.count(task, func(u *used) { u.Calls, u.By, u.Link, u.silent = u.Calls+1, s.String(), link, false })
}

// unanswered notes that none has, and tells so once until one does again. Where there is
// none to ask, as beside the demonstration, nothing has gone wrong.
func (c *Client) unanswered(failed *Error) {
	first := false
	c.count(failed.Task, func(u *used) {
		u.Failed++
		u.silent, first = true, !u.silent
		if len(failed.Tried) == 0 {
			u.Err = failed.Error()
		}
	})
	if first && len(failed.Tried) > 0 {
		c.o.Failed(failed)
	}
}

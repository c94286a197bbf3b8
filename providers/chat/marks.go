package chat

import "time"

// markedMessages is how many turns from the end are marked for the cache. With the
// system prompt they are the four marks that a request may have.
const markedMessages = 3

// marked is how long a prompt cache keeps what requests for a model mark, if they ask
// for a time: 0 where nothing is marked, because the cache works by itself or there is
// none.
func (c *Client) marked(model string, want time.Duration) time.Duration {
	n := c.needs(model)
	return n.marked(want)
}

func (n *needs) marked(want time.Duration) time.Duration {
	switch {
	case want <= 0 || n.marks <= 0:
		return 0
	case want > 5*time.Minute && n.marks > 5*time.Minute:
		return time.Hour
	}
	return 5 * time.Minute
}

// setMarks marks the system prompt and the last turns of either side that have a text: a
// mark in a part is heeded in any role, one beside the parts in none, so a message of
// calls alone has no place for one. What is between two answers is one turn, so that the
// last mark of a request is one of the next as well, however many results there are.
func setMarks(out []message, last time.Duration, system bool) {
	m := mark{Type: "ephemeral"}
	if last > 5*time.Minute {
		m.TTL = "1h"
	}
	left := markedMessages
	if system {
		left = 0
	}
	marked := false // whether this turn is
	for i := len(out) - 1; i >= 0; i-- {
		switch role := out[i].Role; {
		case role == "system", role == "developer":
			out[i].mark(m)
		case role == "assistant":
			marked = false
			if left > 0 && out[i].mark(m) {
				left--
			}
		case !marked && left > 0 && out[i].mark(m):
			marked = true
			left--
		}
	}
}

// mark marks the last text of a message; it is false if there is none. The parts may
// be another's and are not changed.
func (w *message) mark(m mark) bool {
	parts, _ := asList(w.Content).([]part)
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i].Text == nil || *parts[i].Text == "" {
			continue
		}
		marked := append([]part(nil), parts...)
		marked[i].Cache = &m
		w.Content = marked
		return true
	}
	return false
}

package models

import (
	"fmt"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/overlay"
)

// Change is what changing the model of a conversation means.
type Change struct {
	From event.Model
	To   Option
	// Turns is how many turns the conversation has had.
	Turns int
	// Tokens is the size of its context, 0 if unknown; Kept is how much of it the
	// former model's provider had cached at the newest call.
	Tokens int
	Kept   int64
	// Fresh says that the former model has not answered yet: there is nothing of it
	// to lose.
	Fresh bool
	// Images counts those of the conversation.
	Images int
	// Busy says that a turn is under way, which ends with the former model.
	Busy bool
}

// ChangeOf is what changing the model means for a conversation as it is now.
func ChangeOf(s *event.State, to Option) Change {
	c := Change{From: s.Model, To: to, Busy: s.Busy()}
	if root := s.Root(); root != nil {
		c.Turns, c.Tokens = root.Turns, root.Context.Used
		if r := root.Cached(); r != nil {
			c.Kept, c.Fresh = r.Read+r.Written, r.Model != "" && r.Model != s.Model.Name
		}
		for _, b := range root.Blocks {
			c.Images += len(b.Images)
		}
	}
	return c
}

// Same reports whether it changes nothing.
func (c *Change) Same() bool {
	to := c.To.Choice
	return to.Name == c.From.Name && to.Provider == c.From.Provider && (to.Host == "" || c.From.Host == "" || to.Host == c.From.Host)
}

// Asks reports whether the user is to be asked first: the conversation has a
// context, which another model has to be sent again, or which it cannot take as it
// is.
func (c *Change) Asks() bool {
	if c.Same() || c.Turns == 0 && c.Tokens == 0 {
		return false
	}
	return !c.Fresh || c.large() || c.blind()
}

// large reports whether the context is larger than the window of the new model.
func (c *Change) large() bool { return c.To.Info.ContextMax > 0 && c.Tokens > c.To.Info.ContextMax }

// blind reports whether there are images that the new model does not see.
func (c *Change) blind() bool { return c.Images > 0 && c.To.Info.Sees == event.No }

// Cost is what sending the context costs once, false if no one knows. An estimate:
// models count tokens differently.
func (c *Change) Cost() (event.Money, bool) {
	p := c.To.Info.Price
	if p == nil || p.Input < 0 || c.Tokens <= 0 {
		return 0, false
	}
	const million = 1_000_000
	n, per := int64(c.Tokens), int64(p.Input)
	return event.Money(per/million*n + per%million*n/million), true
}

// Lines say what the change means, for a question.
func (c *Change) Lines() []overlay.Line {
	to, label := c.To.Choice.Name, c.To.Label
	if label == "" {
		label = c.To.Choice.Provider
	}
	lines := []overlay.Line{{Text: fmt.Sprintf("%s → %s (%s)", c.From.Name, to, label)}, {Text: c.Sent()}}
	if c.large() {
		lines = append(lines, overlay.Line{Warn: true, Text: fmt.Sprintf("That is more than its window of %s tokens: the session is shortened first.", contextWords(c.To.Info.ContextMax))})
	}
	if c.blind() {
		lines = append(lines, overlay.Line{Warn: true, Text: fmt.Sprintf("It does not see images: it gets a note in the place of %s.", format.Count(c.Images, "image", "images"))})
	}
	if c.To.Info.Calls == event.No {
		lines = append(lines, overlay.Line{Warn: true, Text: "It does not call tools: it can only talk."})
	}
	if c.Busy {
		lines = append(lines, overlay.Line{Text: fmt.Sprintf("The running turn ends with %s; the next one begins with %s.", c.From.Name, to)})
	}
	return lines
}

// Sent says what is dropped and what sending it again costs.
func (c *Change) Sent() string {
	what := "the session"
	if c.Tokens > 0 {
		what = format.Tokens(int64(c.Tokens)) + " tokens"
	}
	price := "price unknown"
	if cost, known := c.Cost(); known {
		price = amount(cost)
		if cost == 0 {
			price = "free of charge"
		}
	}
	switch {
	case c.Fresh:
		return fmt.Sprintf("The next call sends %s to it, %s.", what, price)
	case c.Kept > 0 || c.From.CacheSeconds > 0:
		return fmt.Sprintf("This drops the prompt cache of %s: the next call sends %s again, %s.", c.From.Name, what, price)
	}
	return fmt.Sprintf("The next call sends %s to it, %s. Whatever %s had cached of that is dropped.", what, price, c.From.Name)
}

// Held says, in a sentence, from when on the model that was picked answers.
func Held(name string, busy bool) string {
	if busy {
		return name + " answers from the next turn on; the running one ends with the model it began with."
	}
	return name + " answers in this session from now on."
}

// Choices are the models of an answer that leaves the choice to the user, as
// entries of a picker, and its title. The id of an entry is its index.
func (r Resolved) Choices(name string) (title string, items []overlay.Item) {
	title = fmt.Sprintf("%q is offered by", name)
	if r.Answer == Nowhere {
		title = fmt.Sprintf("No provider offers %q", name)
	}
	for i, o := range r.Options {
		it := overlay.Item{ID: fmt.Sprint(i), Label: o.Choice.Name, Detail: o.Label}
		if o.Info.ContextMax > 0 {
			it.Right = contextWords(o.Info.ContextMax)
		}
		if r.Answer == Nowhere {
			it.Group = "Similar"
			if i == len(r.Options)-1 {
				it.Group, it.Detail = "As it was typed", o.Label+", which does not list it"
			}
		}
		items = append(items, it)
	}
	return title, items
}

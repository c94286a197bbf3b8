package compress

import (
	"fmt"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/tools"
)

// Result is what a compression made of a history.
type Result struct {
	// History is what travels to the model from now on. When nothing changed it
	// is the history that was passed in.
	History []providers.Message
	// Replaced are the messages of History that differ from those with the same id
	// before.
	Replaced []providers.Message
	// LeftOut are the ids of those that are no longer in it. With Replaced and what
	// is stored they give History again.
	LeftOut []string

	// Before and After are the sizes of the history, Before of what was passed in.
	Before, After int
	// Fits says that After is within the budget.
	Fits bool
	// Results and Arguments count the tool results and the calls that were
	// shortened in messages that are kept.
	Results, Arguments int
	// Images counts the messages whose images were left out.
	Images int
	// Past is what a summary of what was left out this time is made of; zero when
	// nothing was, or the budget has no room for one. History has a record in its
	// place that no model wrote, see [Engine.Summarised].
	Past Past
	// Turns and Messages count what was left out this time, Messages all of it.
	Turns, Messages int
}

// Changed reports whether anything is different.
func (r Result) Changed() bool { return len(r.Replaced) > 0 || len(r.LeftOut) > 0 }

// Effective reports whether enough was saved, a tenth, for the price of a cold
// prompt cache.
func (r Result) Effective() bool {
	return float64(r.Before-r.After) >= enoughSaved*float64(r.Before) && r.Changed()
}

// Summary says in a few sentences, for the user, what was done. It is empty
// when nothing changed.
func (r Result) Summary() string {
	if !r.Changed() {
		return ""
	}
	var did []string
	if r.Results > 0 {
		did = append(did, tools.Plural(r.Results, "tool result", "tool results")+" shortened")
	}
	if r.Arguments > 0 {
		did = append(did, "the arguments of "+tools.Plural(r.Arguments, "call", "calls")+" shortened")
	}
	if r.Images > 0 {
		did = append(did, "the images of "+tools.Plural(r.Images, "message", "messages")+" left out")
	}
	if r.Messages > 0 {
		did = append(did, omission{turns: r.Turns, messages: r.Messages}.String()+" left out")
	}
	return fmt.Sprintf("The model now gets about %s tokens of this session in place of %s: %s. Nothing was deleted, and you still see everything.",
		tools.Grouped(r.After), tools.Grouped(r.Before), strings.Join(did, ", "))
}

package linear

import "hermes-tui/ui/format"

// instructions lists the instruction files that were left out, and takes one.
func (r *run) instructions(verb, args string) {
	if verb == "take" {
		if h, _, ok := numbered(r, r.list.held, "instructions", args); ok {
			r.said(r.c.TakeInstructions(r.ctx, h), "Instructions: ", h.Name+" counts from the next turn on.")
		}
		return
	}
	r.list.held = r.c.HeldInstructions()
	for i, h := range r.list.held {
		r.row(i, h.File, h.Why)
	}
	r.say("", format.Count(len(r.list.held), "file was", "files were")+" left out. /instructions take 1 lets the first count as it is now.")
}

package app

import "hermes-tui/agent/extend"

// extensions lists what acts at points of the turns of a conversation, in that order.
func (c *conversation) extensions() extend.List {
	return extend.List{
		{Began: c.named},
		{Began: c.recalled, Answered: c.syncMemory, Compressing: c.compressing, Reported: c.delegated},
		{Ended: c.keepTrajectory},
		{Ended: func(extend.Trajectory) { c.app.giveBack() }},
	}
}

// Package timeline shows the past and the present of subagents: [Timeline] draws
// the subagents of one turn as bars over time, live or as a replay that a user
// moves through, and [Trees] lists all turns of a conversation that had
// subagents and compares two of them. Both are windows for package overlay.
//
// Guarantees:
//
//   - A window yields exactly the rows and cells it is asked for, at any size.
//   - Text from outside is made safe before it is shown.
//   - A bar shows what the state of the conversation tells and nothing else. The
//     time that an agent was held is placed where it is known to have been: its
//     place in the queue, what it waits for now, and questions it asked by a call
//     of their own. The rest is a figure beside the bar.
//   - Every state and every kind of time has a sign of its own and needs no
//     colour.
//   - The selection belongs to an agent, or to a tree, not to a row.
//   - Taking in a state costs the agents of the tree and the blocks that are new
//     since the last time, not the length of the transcripts.
//   - There is no clock here: time is passed in by Tick.
//
// A window belongs to one goroutine. It copies what it shows and keeps no part of
// the state it was given but blocks, which never change.
package timeline

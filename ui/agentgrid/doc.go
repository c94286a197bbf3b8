// Package agentgrid shows many subagents at once: a grid of small transcripts that
// live, one tile for each subagent that the root has asked for in one turn.
//
// Guarantees:
//
//   - [Grid.Rows] yields exactly h rows of exactly w cells, at any size. A screen
//     too small for one tile shows one tile.
//   - Text from outside is made safe before it is shown.
//   - The focus belongs to an agent, not to a place. Tiles stand in the order in
//     which the agents were asked for, those at work first. A tile keeps its place
//     while it is in sight; one that is at work on a later page may take the place
//     of one that ended some seconds ago on an earlier page.
//   - A tile whose agent waits for the user, or an agent below it, says so in
//     words, and so does the grid of tiles that are on other pages.
//   - A frame costs the tiles in sight, and of each of them the newest blocks that
//     have room. What was drawn of a block is kept while it stays in sight and is
//     the same block at the same size in the same colours; drawn from there it is
//     what it is drawn again.
//   - There is no clock here: time is passed in by [Grid.Tick].
//
// A [Grid] belongs to one goroutine. It copies what it shows and keeps no part of
// the state it was given but blocks, which never change.
package agentgrid

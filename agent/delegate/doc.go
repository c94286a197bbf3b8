// Package delegate keeps the subagents of one conversation and controls them.
//
// What a subagent does is a function that the conversation hands in
// ([Options.Run]); this package decides whether and when it runs, why it ends, and
// says so in events.
//
// # States
//
// A subagent is queued until its parent has a slot for it, then it runs until it
// has ended. The states between are those that [event.AgentState] names; waiting
// is not among what is recorded here, since the fold derives it from the questions
// that wait.
//
//	queued ⇄ paused                       a queued one that is paused holds no slot
//	queued → running ⇄ pausing → paused   paused when it arrives at a checkpoint
//	running, pausing, paused → stopping   asked to end, its context is cancelled
//	any → completed, failed, killed, timeout, interrupted
//
// What it was asked first decides how it ends: killed by the user, out of time,
// or interrupted because what it depends on was. Only one that was asked nothing
// ends as its function reports. Queued ones that are asked to end do so without
// stopping in between. A panic is a failed report.
//
// # What is guaranteed
//
//   - Every subagent that was asked for is recorded once as spawned and once as
//     finished, refused ones included. At every point of the record, whoever has not
//     ended has a parent that has not ended: a subagent ends after all below it.
//   - A subagent holds one slot of its parent from running to its end, and each
//     parent has slots of its own, so that nested ones cannot starve each other.
//     Places are given in the order of asking. Those in the background hold none of
//     these and are counted on their own.
//   - Every goroutine ends with the subagent it is for; [Registry.Close] waits for
//     them. With no subagent left there is no goroutine and no timer.
//   - Time in which a subagent is queued, paused or waits for the user counts
//     against no limit, and neither does time in which all that it has below it does
//     one of these.
//
// # Locking
//
// One mutex guards everything. It is held for memory operations only: what is to
// be recorded goes into a list under the mutex, and a goroutine that lives as long
// as the list is not empty hands it over in that order. So nothing here waits for
// a store that refuses, except who asked for something to be stored: [Registry.Spawn]
// and the ends of subagents. Controls take effect at once and return; their events
// follow. [Member.Checkpoint], [Member.Beat], [Member.Spend] and [Member.Exhausted]
// take no lock as long as nothing was asked.
package delegate

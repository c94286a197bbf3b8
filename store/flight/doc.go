// Package flight records a session of the screen and plays it again.
//
// What the program cannot know by itself is recorded where it comes in: input of the
// terminal when the screen handles it ([Recorder.Input]), answers of services at the HTTP
// transport, as they came ([Recorder.Wrap]), and what tools have done at their calls
// ([Recorder.Begin]). The head holds the rest: settings, the names of the environment, the
// seed of all identifiers and the time. Whenever nothing is under way, the rows of the
// screen are a mark. A recording is JSON lines, the head first; see [Head] and [Item].
//
// [Player] is the other side: the same program in an empty home, with the recording as its
// terminal, network, tools and clock. Items are handed over in their order, each when the
// program has asked for it; the clock stands at the newest one, and timers end as it moves.
// At a mark the program has to come to rest, with the same rows but for what moves with
// time ([Same]).
//
// Guarantees: recording holds up no one and holds at most [maxWaiting] bytes; what waits is
// written at once, so a killed program loses what it has not handed to the system. A file
// that cannot be written ends the recording, not the session. Everything is masked before
// it is written. Playing runs no program of the user's and asks no service.
//
// Limits: a session that is resumed begins with what only its home knows, so it is not
// recorded. Calls that a script makes are a part of its result. What a user types key by
// key is masked in frames and not in the keys, unless a secret is asked for. A binary
// stream that has to be masked is damaged by it.
package flight

// Package guard notices when an agent goes round in circles: it makes the same
// call again and gets the same result, fails with one tool again and again, or
// goes to and fro between a few calls without anything coming of it.
//
// A [Guard] watches one turn after another of one agent. It compares calls by
// tool and arguments, independent of the order of keys, and results by their
// content, so that a call whose result changes is never taken for a repetition:
// running tests after every edit is work, not a loop. Only failures of one tool
// in a row count whatever they say; a success of the tool ends the row, and so
// does a change that another tool made. What it notices is told to
// the model as a warning behind the result. Only when hard stops are switched on
// does it keep calls from running, and end the turn when the model does not let
// go.
//
// A hard stop never keeps a call from running of which the outcome may have
// changed: as soon as another call that can change anything succeeded, the call
// may run again.
//
// All methods are safe for concurrent use, since calls of a batch may run side
// by side; decisions then depend on the order in which they end. Memory is
// bounded: the newest 4096 different calls of a turn are remembered, as hashes.
package guard

// Package workday plays a working day on the built program: a fresh clone, a first and a
// second start in one home, commit and push, a server on this machine, failing tests, plan
// mode, subagents, a kill and a resume. It has tests only.
package workday

package api

import (
	"hermes-tui/agent/event"
)

// Queue is the topic of inputs that wait.
type Queue interface {
	// Unqueue takes a text that waits back to be edited, Requeue moves it by so many places,
	// SteerQueued hands it to the running turn. They return false where it no longer waits.
	Unqueue(id event.InputID) (string, bool)
	Requeue(id event.InputID, by int) bool
	SteerQueued(id event.InputID) bool
	// Flush sends what waits after an interrupt or a resume.
	Flush()
}

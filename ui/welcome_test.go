//go:build unix

package ui_test

import (
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestWelcome greets an empty conversation, says how to get a real model while
// the demo answers, and makes room for the first message.
func TestWelcome(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(on("hello", say("Hi.")))})
	d.WaitIdle().Expect(Contains("Type what you want done."), NotContains("offline demo"))
	d.Type("hello").Press("enter").WaitIdle().Expect(Contains("Hi."), NotContains("Type what you want done."))
}

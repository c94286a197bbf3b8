//go:build unix

package ui_test

import (
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestTitleBeforeTheFirstMessage names a session that has not begun, and another by
// /new: each is found again by its title.
func TestTitleBeforeTheFirstMessage(t *testing.T) {
	t.Parallel()
	s := answers(on("one", say("First.")), on("two", say("Second.")))
	d := Start(t, Options{Cols: 100, Rows: 24, Scenario: s})
	d.WaitIdle().Type("/title my work").Press("enter")
	d.WaitFor(Contains("my work")).WaitIdle()
	d.Type("one").Press("enter")
	d.WaitFor(Contains("First.")).WaitIdle().Expect(Contains("my work"))
	d.Type("/new the rest").Press("enter")
	d.WaitFor(Contains("the rest")).WaitIdle()
	d.Type("two").Press("enter")
	d.WaitFor(Contains("Second.")).WaitIdle()
	d.Kill9()
	d.Wait()
	for title, answer := range map[string]string{"my work": "First.", "the rest": "Second."} {
		again := Start(t, Options{Cols: 100, Rows: 24, Scenario: s, Home: d.Home(), Args: []string{"--resume", title}})
		again.WaitFor(Contains(answer)).WaitIdle().Expect(Contains(title))
		again.Kill9()
		again.Wait()
	}
}

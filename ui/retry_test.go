//go:build unix

package ui_test

import (
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// TestRetryOnTheScreen shows why and how long a turn waits; esc tries at once.
func TestRetryOnTheScreen(t *testing.T) {
	t.Parallel()
	eachSize(t, func(t *testing.T, cols, rows int) {
		d := Start(t, Options{Cols: cols, Rows: rows, Scenario: answers(
			script.Rule{Times: 1, Steps: []script.Step{script.Failure{Status: 429, Message: "slow down", RetryAfter: time.Minute}}},
			script.Rule{Steps: []script.Step{say("Here I am.")}},
		)})
		d.Type("go").Press("enter").WaitFor(Contains("retrying in"))
		if cols >= 100 {
			d.Expect(Contains("rate limit"), Contains("esc try now"))
		}
		d.Press("esc").WaitFor(Contains("Here I am.")).WaitIdle().Expect(Contains("ready"), NotContains("retrying"))
	})
}

// TestContinuedAnswerIsOneAnswer goes on with an answer that the network cut off,
// in the middle of a word.
func TestContinuedAnswerIsOneAnswer(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(
		script.Rule{Times: 1, Steps: []script.Step{say("The answer is forty-"), script.CutReset}},
		script.Rule{Steps: []script.Step{say("two.")}},
	)})
	d.Type("go").Press("enter").WaitFor(Contains("The answer is forty-two.")).WaitIdle()
}

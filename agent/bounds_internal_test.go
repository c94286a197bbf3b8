package agent

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"hermes-tui/tools"
)

// A call goes on for as long as something comes of it, and is given up when nothing does.
func TestWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, alive, done := watchdog(t.Context(), time.Minute)
		defer done()
		for range 5 {
			<-time.After(50 * time.Second)
			if ctx.Err() != nil {
				t.Fatal("given up though something came")
			}
			alive()
		}
		<-time.After(61 * time.Second)
		if !errors.Is(context.Cause(ctx), errStale) {
			t.Errorf("it goes on: %v", context.Cause(ctx))
		}
	})
}

// No more is given back for scripts than the budget is.
func TestRefundsEnd(t *testing.T) {
	run := &turn{budget: 3}
	for range 10 {
		run.refund([]*callRun{{tool: tools.Tool{Refundable: true}}})
	}
	if run.refunded != run.budget {
		t.Errorf("%d of a budget of %d were given back", run.refunded, run.budget)
	}
}

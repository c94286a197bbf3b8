package app

import (
	"math/rand/v2"

	"hermes-tui/agent"
	"hermes-tui/agent/compress"
	"hermes-tui/agent/guard"
	"hermes-tui/agent/prompt"
	"hermes-tui/agent/recovery"
	"hermes-tui/store/config"
)

// tuning is what running conversations take over with their next turns.
func (a *App) tuning() agent.Tuning {
	c := a.config()
	return agent.Tuning{
		Budget: c.Agent.MaxTurns, Policy: a.policy(), Guard: a.guard(), Compression: a.compression(),
		VerifyEdits: c.Display.FileMutationVerifier, Quiet: !c.Display.TurnCompletionExplainer,
		AskAfterUntrusted: c.Approvals.AskAfterUntrusted,
	}
}

// policy is how hard failed model calls are tried again.
func (a *App) policy() recovery.Policy {
	p := recovery.Defaults(rand.Float64)
	p.Retries = a.config().Agent.APIMaxRetries
	return p
}

// guard says when repeated calls are warned about or stopped.
func (a *App) guard() guard.Config {
	c := a.config().LoopGuard
	return guard.Config{
		Warnings: c.WarningsEnabled, HardStops: c.HardStopEnabled,
		WarnAfter: limits(c.WarnAfter), StopAfter: limits(config.LoopCounts(c.HardStopAfter)),
	}
}

// compression says when and how far a long conversation is shortened for the
// model.
func (a *App) compression() compress.Config {
	c := a.config().Compression
	return compress.Config{
		GivenOpen: prompt.DeeperOpen,
		Enabled:   c.Enabled, Threshold: c.Threshold, TargetRatio: c.TargetRatio, ProtectFirst: c.ProtectFirstN, ProtectLast: c.ProtectLastN,
	}
}

func limits(c config.LoopCounts) guard.Limits {
	return guard.Limits{ExactFailure: c.ExactFailure, SameToolFailure: c.SameToolFailure, NoProgress: c.IdempotentNoProgress}
}

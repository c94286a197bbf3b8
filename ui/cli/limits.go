package cli

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"hermes-tui/store/config"
)

// limits are what a run without a screen may use and do.
type limits struct {
	turns   int
	cost    float64
	time    time.Duration
	approve string
}

// The words of --approve.
const (
	approveDeny  = "deny"
	approveRules = "rules"
	approveAll   = "all"
)

func (l *limits) add(set *pflag.FlagSet) {
	set.IntVar(&l.turns, "max-turns", 0, "`N` model calls at most that the agent may make; subagents have limits of their own")
	set.Float64Var(&l.cost, "max-cost", 0, "the most US `DOLLARS` that the run may cost with its subagents, as far as prices are known")
	set.DurationVar(&l.time, "timeout", 0, "end the run after a `TIME` such as 90s or 10m")
	set.StringVar(&l.approve, "approve", "", "`WHAT` becomes of what needs consent: deny, rules (only what your rules and permissions allow, the default) or all")
}

// check finds values that mean nothing.
func (l *limits) check(set *pflag.FlagSet) error {
	switch {
	case set.Changed("max-turns") && l.turns < 1:
		return usageError{fmt.Errorf("--max-turns must be at least 1, not %d", l.turns)}
	case set.Changed("max-cost") && !(l.cost > 0):
		return usageError{errors.New("--max-cost must be more than 0: to have no bound, leave it out")}
	case set.Changed("timeout") && l.time <= 0:
		return usageError{errors.New("--timeout must be more than 0: to have no bound, leave it out")}
	case set.Changed("approve") && l.approve != approveDeny && l.approve != approveRules && l.approve != approveAll:
		return usageError{fmt.Errorf("--approve takes deny, rules or all, not %q", l.approve)}
	}
	return nil
}

// settings adds what are settings.
func (l *limits) settings(set map[string]string) {
	if l.turns > 0 {
		set["agent.max_turns"] = strconv.Itoa(l.turns)
	}
	if l.cost > 0 {
		set["delegation.max_tree_cost"] = strconv.FormatFloat(l.cost, 'f', -1, 64)
	}
	if l.approve == approveAll {
		set["approvals.mode"] = string(config.ApprovalOff)
	}
}

// narrow gives what takes consent out of settings, nil where all of it counts.
func (l *limits) narrow() func(*config.Config) {
	if l.approve != approveDeny && l.approve != approveRules {
		return nil
	}
	return func(c *config.Config) {
		a := &c.Approvals
		if a.Mode == config.ApprovalOff {
			a.Mode = config.ApprovalGuarded
		}
		if l.approve == approveRules {
			return
		}
		if a.Mode == config.ApprovalSmart { // in which a model may allow
			a.Mode = config.ApprovalGuarded
		}
		var rules []config.ApprovalRule
		for _, r := range a.Rules {
			if r.Allow == "" {
				rules = append(rules, r)
			}
		}
		a.Allow, a.Hosts, a.Rules = nil, nil, rules
		if c.Delegation.Approvals == config.DelegatedAllow {
			c.Delegation.Approvals = config.DelegatedDeny
		}
	}
}

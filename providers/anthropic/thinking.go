package anthropic

import (
	"slices"

	"hermes-tui/providers"
)

// The budgets of models that think by tokens. One must be left for the answer:
// answerRoom, or half of a small answer.
const (
	budgetLow     = 4_000
	budgetDefault = 8_000
	budgetHigh    = 16_000
	budgetXHigh   = 32_000
	minBudget     = 1_024 // the least that the protocol takes
	answerRoom    = 4_096
)

const effortNone = "none"

// budgetOf gives the tokens of an effort.
func budgetOf(effort string) int {
	switch effort {
	case "minimal", "low":
		return budgetLow
	case "high":
		return budgetHigh
	case "xhigh", "max":
		return budgetXHigh
	}
	return budgetDefault
}

// effortOf gives the protocol's name for an effort.
func (m model) effortOf(effort string) string {
	switch effort {
	case "minimal", "low":
		return "low"
	case "high":
		return "high"
	case "xhigh":
		if m.noXHigh {
			return "max"
		}
		return "xhigh"
	case "max":
		return "max"
	}
	return "medium"
}

// think asks for as much reasoning as a request wants. MaxTokens is set already
// and stays.
func (m model) think(p *params, r providers.Request, issuer string) {
	switch {
	case r.Effort == "" || m.thinking == thinkNever:
	case r.Effort == effortNone:
		m.stopThinking(p)
	case m.thinking == thinkAdaptive:
		p.Thinking = &thinkingConfig{Type: "adaptive", Display: "summarized"}
		p.OutputConfig = &outputConfig{Effort: m.effortOf(r.Effort)}
	default:
		most := p.MaxTokens
		budget := min(budgetOf(r.Effort), max(most-answerRoom, most/2))
		if budget >= minBudget && budget < most && !unthought(r, issuer) {
			p.Thinking = &thinkingConfig{Type: "enabled", Budget: budget}
		}
	}
}

// stopThinking asks for none.
func (m model) stopThinking(p *params) {
	switch m.off {
	case offOmit:
	case offDisabled:
		p.Thinking = &thinkingConfig{Type: "disabled"}
	case offBetween:
		p.Thinking = &thinkingConfig{Type: "between_tools"}
	case offLow:
		p.OutputConfig = &outputConfig{Effort: "low"}
	}
}

// unthought reports whether a request goes on behind calls that were made without
// thinking. Models with a budget cannot begin to think there.
func unthought(r providers.Request, issuer string) bool {
	results := false
	for _, m := range slices.Backward(r.Messages) {
		switch m.Role {
		case providers.Tool:
			results = true
		case providers.Assistant:
			return results && !slices.ContainsFunc(m.Native, func(i providers.Item) bool {
				return i.Issuer == issuer && i.Model == r.Model && isThinking(i.Kind)
			})
		}
	}
	return false
}

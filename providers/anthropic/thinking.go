package anthropic

import (
	"cmp"
	"slices"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/providers/models"
	"hermes-tui/providers/transport"
)

const (
	minBudget  = 1_024 // the least that the protocol takes
	answerRoom = 4_096 // what a budget leaves for the answer, or half of a small one
)

// askOf is how a model is asked here. Those of other makers think by a budget, if at all.
func askOf(name string) models.Ask {
	a := models.Of(wireModel(name))
	a.Output = cmp.Or(a.Output, 128_000)
	if a.Maker != "anthropic" && a.Maker != "moonshot" {
		a.Think, a.Off = models.ByBudget, models.OffDisabled
	}
	return a
}

// takesMarks reports whether a model takes cache marks wherever it is offered.
func takesMarks(a models.Ask) bool { return a.Maker == "anthropic" || a.Maker == "minimax" }

// Effort implements [providers.Reasoner].
func (c *Client) Effort(model, wanted string) string { return askOf(model).Claude(wanted) }

// think asks for as much reasoning as a request wants. MaxTokens is set already
// and stays.
func think(p *params, a models.Ask, r providers.Request, issuer string) {
	switch {
	case a.Think == models.ByEffort:
		kind, level := a.Adaptive(r.Effort, r.MaxOutput > 0 && r.MaxOutput < answerRoom)
		if kind != "" {
			p.Thinking = &thinkingConfig{Type: kind}
		}
		if kind == "adaptive" {
			p.Thinking.Display = "summarized"
		}
		p.OutputConfig = configOf(level)
	case r.Effort == "" || a.Think == "":
	case r.Effort == models.EffortNone:
		if a.Off == models.OffDisabled {
			p.Thinking = &thinkingConfig{Type: "disabled"}
		}
	default:
		most := p.MaxTokens
		budget := min(models.BudgetOf(r.Effort), max(most-answerRoom, most/2))
		if budget >= minBudget && budget < most && !unthought(r, issuer) {
			p.Thinking = &thinkingConfig{Type: "enabled", Budget: budget}
		}
	}
}

// configOf asks for an effort; nil leaves it to the service.
func configOf(effort string) *outputConfig {
	if effort == "" {
		return nil
	}
	return &outputConfig{Effort: effort}
}

// steer returns how a request asks for an effort where that can change within a
// conversation: of some models, at their maker.
func (c *Client) steer(a models.Ask, r providers.Request) transport.Steering {
	kind, level := a.Adaptive(r.Effort, false)
	if !a.Steers || !c.host.native {
		return transport.Steering{}
	}
	if kind != "adaptive" {
		level = ""
	}
	return transport.Steer(&r, c.config.Provider, level)
}

// Steers implements [providers.Steerer].
func (c *Client) Steers(model, from, to string) bool {
	a := askOf(model)
	was, _ := a.Adaptive(from, false)
	kind, level := a.Adaptive(to, false)
	return a.Steers && c.host.native && was == kind && kind == "adaptive" && level != ""
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

// wireModel is a model's name as the protocol writes it: without the vendor, and
// versions of Claude with hyphens.
func wireModel(name string) string {
	const vendor = "anthropic/"
	if len(name) > len(vendor) && strings.EqualFold(name[:len(vendor)], vendor) {
		name = name[len(vendor):]
	}
	if strings.HasPrefix(strings.ToLower(name), "claude-") {
		name = strings.ReplaceAll(name, ".", "-")
	}
	return name
}

package responses

import (
	"slices"

	"github.com/sashabaranov/go-openai"

	"hermes-tui/providers"
	"hermes-tui/providers/models"
	"hermes-tui/providers/transport"
)

// thinking is what a model can be told about its reasoning.
type thinking struct {
	// levels are the efforts that it takes, rising; nil if it takes none.
	levels []string
	// reasons reports whether it reasons, so that its reasoning can be asked for.
	reasons bool
	// guess marks a model that is not known here: it is told something only when the
	// user asks for an effort.
	guess bool
}

// thinkingOf finds what a model can be told. A service knows the models of its maker.
func (r *rules) thinkingOf(model string) thinking {
	a := models.Of(model)
	if a.Maker != r.maker {
		return thinking{levels: []string{"none", "low", "medium", "high", "xhigh", "max"}, reasons: r.maker != "xai", guess: true}
	}
	return thinking{levels: a.Efforts, reasons: a.Reasons != providers.No && (len(a.Efforts) > 0 || r.maker == "xai")}
}

// effort fits an effort to what the model takes.
func (t *thinking) effort(wanted string) string {
	if wanted == "" || t.guess && !slices.Contains(models.Efforts(), wanted) {
		return wanted
	}
	return models.AtMost(wanted, t.levels)
}

// Effort implements [providers.Reasoner].
func (c *Client) Effort(model, wanted string) string {
	t := c.rules.thinkingOf(model)
	if !t.reasons {
		return ""
	}
	return t.effort(wanted)
}

// reasoning is what a request says about reasoning, and whether it asks for the
// encrypted form of it.
func (c *Client) reasoning(r providers.Request) (say *openai.ResponseReasoning, encrypted bool) {
	t := c.rules.thinkingOf(r.Model)
	if !t.reasons || t.guess && r.Effort == "" {
		return nil, false
	}
	out := openai.ResponseReasoning{Effort: t.effort(r.Effort)}
	if s := c.steer(r); s.Note != nil {
		out.Effort = s.Base
	}
	if c.rules.summary && out.Effort != models.EffortNone {
		out.Summary = "auto"
	}
	if out == (openai.ResponseReasoning{}) {
		return nil, true
	}
	return &out, true
}

// steer returns how a request asks for an effort where that can change within a
// conversation: of some models, at their maker.
func (c *Client) steer(r providers.Request) transport.Steering {
	if !c.rules.steers || !models.Of(r.Model).Steers {
		return transport.Steering{}
	}
	t := c.rules.thinkingOf(r.Model)
	return transport.Steer(&r, c.config.Provider, t.effort(r.Effort))
}

// Steers implements [providers.Steerer].
func (c *Client) Steers(model, _, to string) bool {
	return to != "" && c.steer(providers.Request{Model: model}).Note != nil
}

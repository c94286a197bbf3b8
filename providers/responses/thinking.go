package responses

import (
	"path"
	"slices"
	"strings"

	"github.com/sashabaranov/go-openai"

	"hermes-tui/providers"
)

// thinking is what a model can be told about its reasoning.
type thinking struct {
	// models is a pattern for the name in lower case, without its vendor.
	models string
	// levels are the efforts that the model takes, rising; nil if it takes none.
	levels []string
	// reasons reports whether the model reasons, so that its reasoning can be asked
	// for.
	reasons bool
	// summary reports whether readable summaries of it can be asked for.
	summary bool
	// guess marks a model that is not known: it is told something only when the
	// user asks for an effort.
	guess bool
}

// efforts are all efforts, rising.
func efforts() []string { return []string{"none", "minimal", "low", "medium", "high", "xhigh"} }

// openAIThinking is the table for the models of OpenAI. The first match counts.
func openAIThinking() []thinking {
	known := func(models string, levels ...string) thinking {
		return thinking{models: models, levels: levels, reasons: true, summary: true}
	}
	return []thinking{
		{models: "gpt-3*"}, {models: "gpt-4*"}, {models: "chatgpt-*"}, {models: "*-chat-latest"},
		known("o[1-9]", "low", "medium", "high"),
		known("o[1-9]-*", "low", "medium", "high"),
		known("gpt-oss*", "low", "medium", "high"),
		known("gpt-5-pro*", "high"),
		known("gpt-[5-9]*-pro*", "medium", "high", "xhigh"),
		known("gpt-5", "low", "medium", "high"),
		known("gpt-5-*", "low", "medium", "high"),
		known("gpt-5.1-codex-max*", "low", "medium", "high", "xhigh"),
		known("gpt-5.1-codex*", "low", "medium", "high"),
		known("gpt-5.1*", "none", "low", "medium", "high"),
		known("*codex*", "low", "medium", "high", "xhigh"),
		known("gpt-[5-9]*", "none", "low", "medium", "high", "xhigh"),
		{models: "*", levels: []string{"none", "low", "medium", "high", "xhigh"}, reasons: true, summary: true, guess: true},
	}
}

// xaiThinking is the table for the models of xAI. Most refuse to be told an effort;
// summaries come unasked.
func xaiThinking() []thinking {
	return []thinking{
		{models: "*non-reasoning*"}, {models: "grok-2*"}, {models: "grok-3"}, {models: "grok-3-fast*"},
		{models: "grok-3-mini*", levels: []string{"low", "high"}, reasons: true},
		{models: "grok-4.20-multi-agent*", levels: []string{"low", "medium", "high", "xhigh"}, reasons: true},
		{models: "grok-4.3*", levels: []string{"none", "low", "medium", "high"}, reasons: true},
		{models: "grok-4.[5-9]*", levels: []string{"low", "medium", "high"}, reasons: true},
		{models: "*", reasons: true},
	}
}

// thinkingOf finds what a model can be told. Every table ends with a row for all.
func (r *rules) thinkingOf(model string) thinking {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	i := slices.IndexFunc(r.thinking, func(t thinking) bool {
		match, err := path.Match(t.models, name)
		return err == nil && match
	})
	return r.thinking[max(i, 0)]
}

// effort fits an effort to what the model takes: the highest level that is not above
// it, else the lowest. No reasoning is an answer only to those who asked for none.
// Words that are no effort known here go as they are.
func (t *thinking) effort(wanted string) string {
	if len(t.levels) == 0 {
		return ""
	}
	all := efforts()
	rank := slices.Index(all, wanted)
	if rank < 0 {
		return wanted
	}
	best := ""
	for _, level := range t.levels {
		if level == "none" && wanted != "none" {
			continue
		}
		if best == "" || slices.Index(all, level) <= rank {
			best = level
		}
	}
	return best
}

// reasoning is what a request says about reasoning, and whether it asks for the
// encrypted form of it.
func (c *Client) reasoning(r providers.Request) (say *openai.ResponseReasoning, encrypted bool) {
	t := c.rules.thinkingOf(r.Model)
	if !t.reasons || t.guess && r.Effort == "" {
		return nil, false
	}
	out := openai.ResponseReasoning{Effort: t.effort(r.Effort)}
	if t.summary && out.Effort != "none" {
		out.Summary = "auto"
	}
	if out == (openai.ResponseReasoning{}) {
		return nil, true
	}
	return &out, true
}

package bedrock

import (
	"strings"
	"time"

	"hermes-tui/providers/models"
)

// traits are what a model understands.
type traits struct {
	// marks and hours report whether cache points are understood, and such that last an
	// hour. Models refuse requests with what they do not understand.
	marks, hours bool
	// plain models take no tools.
	plain bool
	// unsigned models want reasoning back although it has no signature.
	unsigned bool
	// forgetful models refuse reasoning.
	forgetful bool
	// think makes the request fields for an effort, empty for none that was asked for.
	// brief is that of [models.Ask.Adaptive].
	think func(effort string, brief bool) thinking
}

// thinking is how a model is asked for reasoning.
type thinking struct {
	fields map[string]any
	// budget is how many tokens reasoning may take, a part of the answer.
	budget int
	// limit is the longest answer of a model that has such a budget; 0 for none.
	limit int
	// uncapped models refuse a limit of the answer at this effort.
	uncapped bool
}

// families are the models that differ, by a part of their id. The first that fits
// counts.
var families = []struct {
	part   string
	traits traits
}{
	{"deepseek.r1", traits{plain: true, forgetful: true}},
	{"deepseek", traits{forgetful: true}},
	{"stability.", traits{plain: true}},
	{"embed", traits{plain: true}},
	{"amazon.nova-2", traits{marks: true, unsigned: true, think: thinkNova}},
	{"amazon.nova", traits{marks: true}},
	{"openai.gpt-oss", traits{unsigned: true, think: thinkGPT}},
}

// traitsOf says what a model understands. Regions in front of an id and the rest of
// an ARN make no difference.
func traitsOf(model string) traits {
	model = strings.ToLower(model)
	if a := models.Of(model); a.Maker == "anthropic" {
		return claude(a)
	}
	for _, f := range families {
		if strings.Contains(model, f.part) {
			return f.traits
		}
	}
	return traits{unsigned: true}
}

// claude is what a model of Anthropic understands.
func claude(a models.Ask) traits {
	t := traits{marks: a.Keeps > 0, hours: a.Keeps >= time.Hour}
	switch a.Think {
	case models.ByEffort:
		t.think = adaptive(a)
	case models.ByBudget:
		t.think = budgets(a)
	}
	return t
}

// adaptive asks models that decide themselves how much to think.
func adaptive(a models.Ask) func(string, bool) thinking {
	return func(effort string, brief bool) thinking {
		kind, level := a.Adaptive(effort, brief)
		fields := map[string]any{}
		switch kind {
		case "":
		case "adaptive":
			fields["thinking"] = map[string]any{"type": kind, "display": "summarized"}
		default:
			fields["thinking"] = map[string]any{"type": kind}
		}
		if level != "" {
			fields["output_config"] = map[string]any{"effort": level}
		}
		return thinking{fields: fields}
	}
}

const (
	// answerRoom is what a budget for thinking leaves for the answer, in tokens.
	answerRoom = 4_096
	// interleaved lets models think between calls.
	interleaved = "interleaved-thinking-2025-05-14"
	// shortest is the longest answer where longer ones need a beta.
	shortest = 64_000
)

// budgets asks models that want to know how many tokens they may think. Those whose
// longest answers need a beta do not think between calls.
func budgets(a models.Ask) func(string, bool) thinking {
	return func(effort string, _ bool) thinking {
		if effort == "" || effort == models.EffortNone {
			return thinking{}
		}
		limit := min(a.Output, shortest)
		budget := min(models.BudgetOf(effort), limit-answerRoom)
		t := thinking{limit: limit, budget: budget, fields: map[string]any{
			"thinking": map[string]any{"type": "enabled", "budget_tokens": budget},
		}}
		if !a.LongAnswer {
			t.fields[betas] = []any{interleaved}
		}
		return t
	}
}

// thinkNova asks the models of Amazon, which know three efforts.
func thinkNova(effort string, _ bool) thinking {
	switch effort {
	case "":
		return thinking{}
	case models.EffortNone:
		return thinking{fields: map[string]any{"reasoningConfig": map[string]any{"type": "disabled"}}}
	}
	effort = oneOfThree(effort)
	return thinking{
		fields:   map[string]any{"reasoningConfig": map[string]any{"type": "enabled", "maxReasoningEffort": effort}},
		uncapped: effort == "high",
	}
}

// thinkGPT asks the open models of OpenAI, which always think.
func thinkGPT(effort string, _ bool) thinking {
	if effort == "" {
		return thinking{}
	}
	return thinking{fields: map[string]any{"reasoning_effort": oneOfThree(effort)}}
}

func oneOfThree(effort string) string {
	return models.AtMost(effort, []string{"low", "medium", "high"})
}

// Effort implements [providers.Reasoner].
func (c *Client) Effort(model, wanted string) string {
	a := models.Of(model)
	switch can := traitsOf(model); {
	case a.Maker == "anthropic":
		return a.Claude(wanted)
	case can.think == nil:
		return ""
	case wanted == models.EffortNone && a.Maker == "amazon":
		return wanted
	}
	return oneOfThree(wanted)
}

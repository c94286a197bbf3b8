package bedrock

import (
	"strconv"
	"strings"
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
	// think makes the request fields for an effort.
	think func(effort string) thinking
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
	if at := strings.Index(model, "claude"); at >= 0 {
		return claude(model[at:])
	}
	for _, f := range families {
		if strings.Contains(model, f.part) {
			return f.traits
		}
	}
	return traits{unsigned: true}
}

// generations are the models of Anthropic from the newest on, by the version from
// which on a row counts, major*100 + minor. Words narrow a row down to ids that
// contain all of them.
var generations = []struct {
	from   int
	words  []string
	traits traits
}{
	{405, []string{"haiku"}, traits{marks: true, hours: true}},
	{407, nil, traits{marks: true, hours: true, think: adaptive("xhigh")}},
	{406, nil, traits{marks: true, hours: true, think: adaptive("max")}},
	{405, nil, traits{marks: true, hours: true, think: budgets(64_000, true)}},
	{400, []string{"opus"}, traits{marks: true, think: budgets(32_000, true)}},
	{400, nil, traits{marks: true, think: budgets(64_000, true)}},
	{307, nil, traits{marks: true, think: budgets(64_000, false)}},
	{305, []string{"haiku"}, traits{marks: true}},
	{305, []string{"sonnet", "20241022"}, traits{marks: true}},
	{0, nil, traits{}},
}

// claude finds the row of a model. An id without a version is one of a new model.
func claude(id string) traits {
	version, ok := versionOf(id)
	if !ok {
		version = generations[1].from
	}
rows:
	for _, g := range generations {
		if version < g.from {
			continue
		}
		for _, w := range g.words {
			if !strings.Contains(id, w) {
				continue rows
			}
		}
		return g.traits
	}
	return traits{}
}

// versionOf reads the version in an id such as claude-sonnet-4-5-20250929-v1:0 or
// claude-3-7-sonnet-20250219-v1:0.
func versionOf(id string) (version int, ok bool) {
	const longest = 2 // digits; dates have more
	parts := strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '.' || r == ':' })
	for i, p := range parts {
		major, err := strconv.Atoi(strings.TrimPrefix(p, "v"))
		if err != nil || len(p) > longest || strings.HasPrefix(p, "v") && i > 1 {
			continue
		}
		version = major * 100
		if i+1 < len(parts) && len(parts[i+1]) <= longest {
			if minor, err := strconv.Atoi(parts[i+1]); err == nil {
				version += minor
			}
		}
		return version, true
	}
	return 0, strings.Contains(id, "instant")
}

// adaptive asks models that decide themselves how much to think. xhigh is the name
// that they have for the effort of that name.
func adaptive(xhigh string) func(string) thinking {
	return func(effort string) thinking {
		if effort == "none" {
			return thinking{}
		}
		switch effort {
		case "minimal":
			effort = "low"
		case "xhigh":
			effort = xhigh
		}
		return thinking{fields: map[string]any{
			"thinking":      map[string]any{"type": "adaptive", "display": "summarized"},
			"output_config": map[string]any{"effort": effort},
		}}
	}
}

const (
	// answerRoom is what a budget for thinking leaves for the answer, in tokens.
	answerRoom = 4_096
	// interleaved lets models think between calls.
	interleaved = "interleaved-thinking-2025-05-14"
)

// budgets asks models that want to know how many tokens they may think.
func budgets(limit int, between bool) func(string) thinking {
	return func(effort string) thinking {
		if effort == "none" {
			return thinking{}
		}
		budget := 8_000
		switch effort {
		case "minimal", "low":
			budget = 4_000
		case "high":
			budget = 16_000
		case "xhigh":
			budget = 32_000
		}
		budget = min(budget, limit-answerRoom)
		t := thinking{limit: limit, budget: budget, fields: map[string]any{
			"thinking": map[string]any{"type": "enabled", "budget_tokens": budget},
		}}
		if between {
			t.fields[betas] = []any{interleaved}
		}
		return t
	}
}

// thinkNova asks the models of Amazon, which know three efforts.
func thinkNova(effort string) thinking {
	if effort == "none" {
		return thinking{fields: map[string]any{"reasoningConfig": map[string]any{"type": "disabled"}}}
	}
	effort = oneOfThree(effort)
	return thinking{
		fields:   map[string]any{"reasoningConfig": map[string]any{"type": "enabled", "maxReasoningEffort": effort}},
		uncapped: effort == "high",
	}
}

// thinkGPT asks the open models of OpenAI, which always think.
func thinkGPT(effort string) thinking {
	return thinking{fields: map[string]any{"reasoning_effort": oneOfThree(effort)}}
}

func oneOfThree(effort string) string {
	switch effort {
	case "none", "minimal":
		return "low"
	case "xhigh":
		return "high"
	}
	return effort
}

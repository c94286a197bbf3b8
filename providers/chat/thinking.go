package chat

import (
	"cmp"
	"slices"
)

// The efforts with a meaning of their own.
const (
	effortNone = "none"
	// effortDefault asks for reasoning and leaves to the model how much.
	effortDefault = "default"
)

// efforts are the levels that can be asked for, from the least to the most. The last
// one is of some services only.
func efforts() []string { return []string{"minimal", "low", "medium", "high", "xhigh", "max"} }

// wish is how much reasoning is asked for. The effort is never empty.
type wish struct {
	effort string
	// listed are the levels that the model is known to take; nil where no one knows.
	listed []string
}

// thinker writes the fields of a request that ask for reasoning.
type thinker func(w wish) map[string]any

// thinkPlain is what OpenAI began.
func thinkPlain(w wish) map[string]any {
	if w.effort == effortDefault {
		return nil
	}
	return map[string]any{"reasoning_effort": w.effort}
}

// thinkNot says nothing, where there is nothing to be said.
func thinkNot(wish) map[string]any { return nil }

// thinkObject is the form of those who offer models of many makers.
func thinkObject(w wish) map[string]any {
	if w.effort == effortNone {
		return map[string]any{"reasoning": map[string]any{"enabled": false}}
	}
	return map[string]any{"reasoning": map[string]any{"enabled": true, "effort": w.effort}}
}

// thinkObjectOrNot is the same for services that refuse to be told not to reason.
func thinkObjectOrNot(w wish) map[string]any {
	if w.effort == effortNone {
		return nil
	}
	return thinkObject(w)
}

// thinkVerbosity is for models that decide themselves whether to think, and take
// only an effort for the answer as a whole.
func thinkVerbosity(w wish) map[string]any {
	if w.effort == effortNone {
		return nil
	}
	return map[string]any{"verbosity": upper(w.effort, []string{"low", "medium", "high", "xhigh", "max"})}
}

// thinkKimi names an effort or switches thinking, for both at once are refused.
func thinkKimi(levels ...string) thinker {
	return func(w wish) map[string]any {
		switch w.effort {
		case effortNone:
			return map[string]any{"thinking": toggle("disabled")}
		case effortDefault:
			return map[string]any{"thinking": toggle("enabled")}
		}
		return map[string]any{"reasoning_effort": upper(w.effort, levels)}
	}
}

// thinkDeepSeek switches thinking and names an effort.
func thinkDeepSeek(w wish) map[string]any {
	switch w.effort {
	case effortNone:
		return map[string]any{"thinking": toggle("disabled")}
	case effortDefault:
		return map[string]any{"thinking": toggle("enabled")}
	}
	return map[string]any{"thinking": toggle("enabled"), "reasoning_effort": upper(w.effort, []string{"low", "medium", "high", "max"})}
}

// thinkMiniMax switches thinking, of which there is only one kind.
func thinkMiniMax(w wish) map[string]any {
	if w.effort == effortNone {
		return map[string]any{"thinking": toggle("disabled")}
	}
	return map[string]any{"thinking": toggle("adaptive")}
}

// thinkGemini asks for thoughts to be shown, and for a level where the model has
// levels. A model that cannot stop thinking can at least keep it to itself.
func thinkGemini(levels ...string) thinker {
	return func(w wish) map[string]any {
		config := map[string]any{"include_thoughts": w.effort != effortNone}
		if w.effort != effortNone && w.effort != effortDefault && len(levels) > 0 {
			config["thinking_level"] = lower(w.effort, levels)
		}
		return map[string]any{"extra_body": map[string]any{"google": map[string]any{"thinking_config": config}}}
	}
}

// thinkOllama is the plain form with the levels that Ollama knows, and its own word
// for none, as some versions know only that.
func thinkOllama(w wish) map[string]any {
	switch w.effort {
	case effortNone:
		return map[string]any{"reasoning_effort": effortNone, "think": false}
	case effortDefault:
		return nil
	}
	return map[string]any{"reasoning_effort": upper(w.effort, []string{"low", "medium", "high"})}
}

// thinkListed is the plain form with what the model lists. A model that lists
// nothing does not reason; one that can only be switched takes any effort for on.
func thinkListed(w wish) map[string]any {
	if w.listed == nil || w.effort == effortDefault {
		return thinkPlain(w)
	}
	var levels []string
	for _, l := range w.listed {
		switch l {
		case "on":
			l = "medium"
		case "off":
			l = effortNone
		}
		levels = append(levels, l)
	}
	if w.effort == effortNone {
		if !slices.Contains(levels, effortNone) {
			return nil
		}
		return thinkPlain(w)
	}
	if w.effort = lower(w.effort, levels); w.effort == "" {
		return nil
	}
	return thinkPlain(w)
}

func toggle(kind string) map[string]any { return map[string]any{"type": kind} }

// lower gives the highest level that is not above an effort, else the lowest; empty
// if there is none.
func lower(effort string, levels []string) string {
	at, known := places(effort, levels)
	for i := at; i >= 0; i-- {
		if known[i] != "" {
			return known[i]
		}
	}
	return cmp.Or(known[at:]...)
}

// upper gives the lowest level that is not below an effort, else the highest.
func upper(effort string, levels []string) string {
	at, known := places(effort, levels)
	if level := cmp.Or(known[at:]...); level != "" {
		return level
	}
	return lower(effort, levels)
}

// places puts levels into their places in the order of all efforts, and finds that
// of an effort. One that is not known is a medium one.
func places(effort string, levels []string) (at int, known []string) {
	known = efforts()
	if at = slices.Index(known, effort); at < 0 {
		at = slices.Index(known, "medium")
	}
	for i, e := range known {
		if !slices.Contains(levels, e) {
			known[i] = ""
		}
	}
	return at, known
}

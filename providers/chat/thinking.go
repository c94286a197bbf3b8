package chat

import (
	"slices"

	"hermes-tui/providers"
	"hermes-tui/providers/models"
)

// The efforts with a meaning of their own.
const (
	effortNone = models.EffortNone
	// effortDefault asks for reasoning and leaves to the model how much.
	effortDefault = "default"
	// effortOn is reasoning where there is only one kind of it.
	effortOn = "on"
)

// wish is how much reasoning is asked for. The effort is never empty.
type wish struct {
	effort string
	// ask is what is known of the model.
	ask models.Ask
	// listed are the levels that the model is known to take; nil where no one knows.
	listed []string
}

// thinker writes the fields of a request that ask for reasoning, and says which level
// they ask for: empty for none at all.
type thinker func(w wish) (fields map[string]any, level string)

// thinkPlain is what OpenAI began. What is known to be refused is not sent.
func thinkPlain(w wish) (map[string]any, string) {
	a := w.ask
	switch {
	case w.effort == effortDefault, len(a.Efforts) == 0 && (a.Reasons == providers.No || a.Maker == "xai"):
		return nil, ""
	case len(a.Efforts) > 0:
		w.effort = models.AtMost(w.effort, a.Efforts)
	case w.effort == "ultra":
		w.effort = "max"
	}
	return plainEffort(w.effort)
}

func plainEffort(level string) (map[string]any, string) {
	return map[string]any{"reasoning_effort": level}, level
}

// thinkNot says nothing, where there is nothing to be said.
func thinkNot(wish) (map[string]any, string) { return nil, "" }

// thinkObject is the form of those who offer models of many makers. A model that cannot
// stop reasoning is asked for the least.
func thinkObject(w wish) (map[string]any, string) {
	levels := w.ask.Efforts
	if len(levels) < 2 {
		levels = []string{effortNone, "minimal", "low", "medium", "high", "xhigh"}
	}
	level := models.AtMost(w.effort, levels)
	if level == effortNone {
		return map[string]any{"reasoning": map[string]any{"enabled": false}}, level
	}
	return map[string]any{"reasoning": map[string]any{"enabled": true, "effort": level}}, level
}

// thinkKnown is the same for a service that refuses it for models that do not reason, and
// so is asked only where it is known.
func thinkKnown(w wish) (map[string]any, string) {
	if w.ask.Reasons != providers.Yes && len(w.ask.Efforts) == 0 {
		return nil, ""
	}
	return thinkObject(w)
}

// thinkObjectOrNot is the same for services that refuse to be told not to reason.
func thinkObjectOrNot(w wish) (map[string]any, string) {
	fields, level := thinkObject(w)
	if w.effort == effortNone || level == effortNone {
		return nil, effortNone
	}
	return fields, level
}

// thinkVerbosity is for models that decide themselves whether to think, and take only an
// effort for the answer as a whole. Those that think by themselves can be told not to, or
// at least to do little.
func thinkVerbosity(w wish) (map[string]any, string) {
	if w.effort == effortNone {
		switch w.ask.Off {
		case "":
			return nil, effortNone
		case models.OffDisabled:
			return map[string]any{"reasoning": map[string]any{"enabled": false}}, effortNone
		}
		w.effort = "low"
	}
	level := models.AtLeast(w.effort, w.ask.Efforts)
	return map[string]any{"verbosity": level}, level
}

// thinkKimi names an effort or switches thinking, for both at once are refused. A model
// that always thinks has no switch.
func thinkKimi(w wish) (map[string]any, string) {
	switches := slices.Contains(w.ask.Efforts, effortNone)
	switch {
	case w.effort == effortNone && switches:
		return map[string]any{"thinking": toggle("disabled")}, effortNone
	case w.effort == effortDefault && switches:
		return map[string]any{"thinking": toggle("enabled")}, effortOn
	case w.effort == effortDefault:
		return nil, ""
	case w.effort == effortNone:
		return plainEffort(models.AtMost(w.effort, w.ask.Efforts))
	}
	return plainEffort(models.AtLeast(w.effort, w.ask.Efforts))
}

// thinkSwitch switches thinking, and names an effort where the model takes any.
func thinkSwitch(w wish) (map[string]any, string) {
	switch level := models.AtLeast(w.effort, w.ask.Efforts); {
	case w.effort == effortNone:
		return map[string]any{"thinking": toggle("disabled")}, effortNone
	case w.effort == effortDefault, level == "":
		return map[string]any{"thinking": toggle("enabled")}, effortOn
	default:
		return map[string]any{"thinking": toggle("enabled"), "reasoning_effort": level}, level
	}
}

// thinkMiniMax switches thinking, of which there is only one kind.
func thinkMiniMax(w wish) (map[string]any, string) {
	if w.effort == effortNone {
		return map[string]any{"thinking": toggle("disabled")}, effortNone
	}
	return map[string]any{"thinking": toggle("adaptive")}, effortOn
}

// thinkGemini asks for thoughts to be shown, and for a level where the model has levels. A
// model that cannot stop thinking can at least do little and keep it to itself.
func thinkGemini(w wish) (map[string]any, string) {
	config, level := map[string]any{"include_thoughts": w.effort != effortNone}, effortOn
	if len(w.ask.Efforts) > 0 {
		level = models.AtMost(w.effort, w.ask.Efforts)
		config["thinking_level"] = level
	} else if w.effort == effortNone {
		level = effortNone
	}
	return map[string]any{"extra_body": map[string]any{"google": map[string]any{"thinking_config": config}}}, level
}

// thinkOllama is the plain form with the levels that Ollama knows, and its own word
// for none, as some versions know only that.
func thinkOllama(w wish) (map[string]any, string) {
	if w.effort == effortNone {
		return map[string]any{"reasoning_effort": effortNone, "think": false}, effortNone
	}
	return plainEffort(models.AtLeast(w.effort, []string{"low", "medium", "high"}))
}

// thinkListed is the plain form with what the model lists. A model that lists
// nothing does not reason; one that can only be switched takes any effort for on.
func thinkListed(w wish) (map[string]any, string) {
	if w.listed == nil {
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
	if w.effort == effortNone && !slices.Contains(levels, effortNone) {
		return nil, ""
	}
	if w.effort = models.AtMost(w.effort, levels); w.effort == "" {
		return nil, ""
	}
	return plainEffort(w.effort)
}

func toggle(kind string) map[string]any { return map[string]any{"type": kind} }

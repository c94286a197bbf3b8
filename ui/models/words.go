package models

import (
	"strings"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
)

// unknown stands for what no one knows.
const unknown = "—"

// contextWords writes a size of a context window: "200k".
func contextWords(tokens int) string {
	if tokens <= 0 {
		return unknown
	}
	return format.Tokens(int64(tokens))
}

// priceWords writes what a million tokens cost, in and out: "$3/$15".
func priceWords(p *app.ModelPrice) string {
	switch {
	case p == nil || p.Input < 0 || p.Output < 0:
		return unknown
	case p.Input == 0 && p.Output == 0:
		return "free"
	}
	return format.Rate(p.Input) + "/" + format.Rate(p.Output)
}

// Describe writes what is known of a model: its context window, what a million tokens
// cost, in and out, and what it can do.
func Describe(m app.ModelInfo) (context, price string, can []string) {
	for i, a := range abilities(&m) {
		if a == event.Yes {
			can = append(can, abilityWords[i])
		}
	}
	return contextWords(m.ContextMax), priceWords(m.Price), can
}

// amount writes a sum of money in a sentence: "about $0.42".
func amount(m event.Money) string {
	if text, less := strings.CutPrefix(format.Dollars(m), "<"); less {
		return "less than " + text
	}
	return "about " + format.Dollars(m)
}

// keyWords says what opens an endpoint.
func keyWords(g *app.ModelGroup) string {
	env, isEnv := strings.CutPrefix(g.Key, "env ")
	switch {
	case isEnv:
		return "key from " + env
	case g.Key == "a login":
		return "logged in"
	case g.Key != "":
		return "key from " + g.Key
	}
	return "no key needed"
}

// Abilities are written as one word each, in columns.
var abilityWords = [...]string{"sees", "reasons", "tools"}

// abilityCells is the room for all of them.
const abilityCells = len("sees reasons tools")

// abilities are those of a model, in the order of their words.
func abilities(m *app.ModelInfo) [len(abilityWords)]event.Ability {
	return [...]event.Ability{m.Sees, m.Reasons, m.Calls}
}

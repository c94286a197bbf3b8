package models

import (
	"strconv"
	"strings"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/status"
)

// unknown stands for what nobody knows.
const unknown = "—"

// contextWords writes a size of a context window: "200k".
func contextWords(tokens int) string {
	if tokens <= 0 {
		return unknown
	}
	return status.Tokens(int64(tokens))
}

// priceWords writes what a million tokens cost, in and out: "$3/$15".
func priceWords(p *app.ModelPrice) string {
	switch {
	case p == nil || p.Input < 0 || p.Output < 0:
		return unknown
	case p.Input == 0 && p.Output == 0:
		return "free"
	}
	return rate(p.Input) + "/" + rate(p.Output)
}

// rate writes a price with as many decimals as it needs, at most four.
func rate(m event.Money) string {
	const unit = int64(event.Dollar) / 10_000
	n := (int64(m) + unit/2) / unit
	if n == 0 && m > 0 {
		return "<$0.0001"
	}
	whole, part := n/10_000, strconv.FormatInt(n%10_000+10_000, 10)[1:]
	part = strings.TrimRight(part, "0")
	switch len(part) {
	case 0:
		return "$" + strconv.FormatInt(whole, 10)
	case 1:
		part += "0" // as money is written
	}
	return "$" + strconv.FormatInt(whole, 10) + "." + part
}

// amount writes a sum of money in a sentence: "about $0.42".
func amount(m event.Money) string {
	if text, less := strings.CutPrefix(status.Dollars(m), "<"); less {
		return "less than " + text
	}
	return "about " + status.Dollars(m)
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

// plural writes a number of things.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

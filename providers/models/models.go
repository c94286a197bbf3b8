// Package models knows models by their names: how much fits into them, what they can do,
// and how requests to them differ. It is the one table of that; services, which may
// differ from each other, are the matter of the protocols and of the catalogue.
//
// The table is data of the program and never changes, so everything is safe for
// concurrent use.
package models

import "hermes-tui/providers"

// GuessedContext is the context window in tokens that models are taken to have of
// which nothing is known.
const GuessedContext = 256_000

// Describe tells what is known about a model from its name alone; the head of
// models.txt says how names are compared. An endpoint's own word counts more, and a
// server may be set up with less. What is not known about a known model is empty, as
// in [providers.Model]. When nothing is known, known is false and the context window
// is [GuessedContext]. Names for people and prices are not told.
func Describe(model string) (m providers.Model, known bool) { return DescribeAt("", model) }

// DescribeAt is [Describe] for a model at a provider of the catalogue, which may
// offer it with less than others do.
func DescribeAt(provider, model string) (m providers.Model, known bool) {
	m.ID = model
	f, ok := find(table().sizes, provider, model)
	if !ok {
		m.ContextMax = GuessedContext
		return m, false
	}
	m.ContextMax, m.OutputMax = f.context, f.output
	m.Vision, m.Tools, m.Reasoning = f.sees, f.calls, f.reasons
	return m, true
}

// ContextMax returns the context window of a model in tokens; 0 if it is not known.
func ContextMax(model string) int {
	m, known := Describe(model)
	if !known {
		return 0
	}
	return m.ContextMax
}

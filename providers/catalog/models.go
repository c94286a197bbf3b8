package catalog

import (
	"cmp"
	"slices"
	"strings"

	"hermes-tui/providers"
)

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
	f, ok := table().find(provider, model)
	if !ok {
		m.ContextMax = GuessedContext
		return m, false
	}
	m.ContextMax, m.OutputMax = f.context, f.output
	m.Vision, m.Tools, m.Reasoning = f.sees, f.calls, f.reasons
	return m, true
}

// ContextMax gives the context window of a model in tokens; 0 if it is not known.
func ContextMax(model string) int {
	m, known := Describe(model)
	if !known {
		return 0
	}
	return m.ContextMax
}

// Match picks the preferred one of the available model ids, as an endpoint lists
// them: the first preference that any of them fits. A preference is an id or a
// pattern, in which * stands for any text; case does not count, and neither does
// "models/" before an id. Of several ids that fit a pattern it takes the shortest,
// which is the plain model and not a variant, and of equally long ones the one
// that sorts last, which is the newest. It returns "" when none fits.
func Match(preferences, available []string) string {
	for _, p := range preferences {
		var fit []string
		for _, id := range available {
			if glob(strings.ToLower(p), strings.TrimPrefix(strings.ToLower(id), "models/")) {
				fit = append(fit, id)
			}
		}
		if len(fit) > 0 {
			return slices.MinFunc(fit, func(a, b string) int {
				return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(b, a))
			})
		}
	}
	return ""
}

// glob reports whether s fits the pattern, in which * stands for any text.
func glob(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return s == pattern
	}
	rest, ok := strings.CutPrefix(s, parts[0])
	if !ok {
		return false
	}
	last := parts[len(parts)-1]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, p)
		if i < 0 {
			return false
		}
		rest = rest[i+len(p):]
	}
	return strings.HasSuffix(rest, last)
}

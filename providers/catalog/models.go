package catalog

import (
	"cmp"
	"slices"
	"strings"
)

// size is a figure for all models whose id contains a text.
type size struct {
	part   string
	tokens int
}

// contexts gives context windows in tokens, sorted by part. Ids are compared in
// small letters.
func contexts() []size {
	return []size{
		{"claude", 200_000},
		{"claude-fable", 1_000_000},
		{"claude-opus-4-6", 1_000_000},
		{"claude-opus-4-7", 1_000_000},
		{"claude-opus-4-8", 1_000_000},
		{"claude-opus-4.6", 1_000_000},
		{"claude-opus-4.7", 1_000_000},
		{"claude-opus-4.8", 1_000_000},
		{"claude-opus-5", 1_000_000},
		{"claude-sonnet-4-6", 1_000_000},
		{"claude-sonnet-4.6", 1_000_000},
		{"claude-sonnet-5", 1_000_000},
		{"deepseek", 128_000},
		{"deepseek-chat", 1_000_000},
		{"deepseek-reasoner", 1_000_000},
		{"deepseek-v4", 1_000_000},
		{"gemini", 1_048_576},
		{"gemma", 8_192},
		{"gemma-3", 131_072},
		{"gemma3", 131_072},
		{"glm", 202_752},
		{"glm-4.5", 131_072},
		{"gpt-4", 128_000},
		{"gpt-4.1", 1_047_576},
		{"gpt-5", 400_000},
		{"gpt-5.4", 1_050_000},
		{"gpt-5.4-mini", 400_000},
		{"gpt-5.4-nano", 400_000},
		{"gpt-5.5", 1_050_000},
		{"gpt-oss", 131_072},
		{"grok", 131_072},
		{"grok-4", 256_000},
		{"grok-4-fast", 2_000_000},
		{"hermes-4", 131_072},
		{"kimi", 262_144},
		{"kimi-k3", 1_048_576},
		{"llama", 131_072},
		{"minimax", 204_800},
		{"minimax-m3", 1_000_000},
		{"mistral", 131_072},
		{"o3-mini", 200_000},
		{"o4-mini", 200_000},
		{"qwen", 131_072},
		{"qwen3-coder", 262_144},
	}
}

// outputs gives the most tokens a model writes in one answer, sorted by part.
func outputs() []size {
	return []size{
		{"claude-3-5", 8_192},
		{"claude-3-7", 128_000},
		{"claude-3-haiku", 4_096},
		{"claude-3-opus", 4_096},
		{"claude-3.5", 8_192},
		{"claude-3.7", 128_000},
		{"claude-fable", 128_000},
		{"claude-haiku-4-5", 64_000},
		{"claude-haiku-4.5", 64_000},
		{"claude-opus-4", 32_000},
		{"claude-opus-4-5", 64_000},
		{"claude-opus-4-6", 128_000},
		{"claude-opus-4-7", 128_000},
		{"claude-opus-4-8", 128_000},
		{"claude-opus-4.5", 64_000},
		{"claude-opus-4.6", 128_000},
		{"claude-opus-4.7", 128_000},
		{"claude-opus-4.8", 128_000},
		{"claude-sonnet-4", 64_000},
		{"claude-sonnet-4-5", 64_000},
		{"claude-sonnet-4-6", 64_000},
		{"claude-sonnet-4.5", 64_000},
		{"claude-sonnet-4.6", 64_000},
		{"minimax", 131_072},
		{"qwen3", 65_536},
	}
}

// ContextMax gives the context window of a model in tokens by the longest known
// part of its id; 0 if none is known. A server may be set up with less.
func ContextMax(model string) int { return longest(contexts(), model) }

// OutputMax gives the most tokens a model writes in one answer, in the same way;
// 0 if it is not known.
func OutputMax(model string) int { return longest(outputs(), model) }

// longest finds the entry with the longest part in the id.
func longest(table []size, model string) int {
	model = strings.ToLower(model)
	var best size
	for _, s := range table {
		if len(s.part) > len(best.part) && strings.Contains(model, s.part) {
			best = s
		}
	}
	return best.tokens
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

// glob tells whether s fits the pattern, in which * stands for any text.
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

package chat

import (
	"path"
	"strings"
)

// atMost is a limit that holds for every model of a service.
func atMost(tokens int) func(string) int { return func(string) int { return tokens } }

// claudeOutput gives the most tokens of an answer of Claude, which has to be named
// where its maker's own protocol is spoken behind the service. Figures as of June
// 2026; names that are not known are those of newer models.
func claudeOutput(model string) int {
	const k64, k128 = 64_000, 128_000
	name := strings.ReplaceAll(bareModel(model), ".", "-")
	for _, f := range []struct {
		pattern string
		tokens  int
	}{
		{"claude-3-7*", k128},
		{"claude-3-5*", 8_192},
		{"claude-3*", 4_096},
		{"claude-*-4-5*", k64},
		{"claude-4-5-*", k64},
		{"claude-sonnet-4-6*", k64},
		{"claude-4-6-sonnet*", k64},
		{"claude-opus-4-[6-9]*", k128},
		{"claude-4-[6-9]-opus*", k128},
		{"claude-opus-4*", 32_000},
		{"claude-4-opus*", 32_000},
		{"claude-4-1-opus*", 32_000},
		{"claude-sonnet-4*", k64},
		{"claude-4-sonnet*", k64},
	} {
		if ok, err := path.Match(f.pattern, name); ok && err == nil {
			return f.tokens
		}
	}
	return k128
}

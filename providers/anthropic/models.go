package anthropic

import "strings"

// thinking is how a model is asked to think.
type thinking int

const (
	thinkNever    thinking = iota
	thinkBudget            // a number of tokens
	thinkAdaptive          // an effort
)

// off is how a model that thinks by effort is asked not to.
type off int

const (
	offOmit     off = iota // it thinks only when asked
	offDisabled            // it can be told
	offBetween             // it can be told to think only between calls
	offLow                 // it cannot be told; the lowest effort comes closest
)

// model is what is known of a family of models.
type model struct {
	prefix     string
	output     int // the most tokens of an answer
	thinking   thinking
	off        off
	noXHigh    bool // the effort above high is called max
	longAnswer bool // the longest answers need a beta
	marks      bool // takes cache marks wherever it is offered
}

const (
	k64  = 64_000
	k128 = 128_000
)

// models are the families by the beginning of their names. The first that fits
// counts, so that names which others begin with stand behind them.
func models() []model {
	return []model{
		{prefix: "claude-3-7", output: k128, thinking: thinkBudget, longAnswer: true, marks: true},
		{prefix: "claude-3-5", output: 8_192, marks: true},
		{prefix: "claude-3", output: 4_096, marks: true},
		{prefix: "claude-opus-4-5", output: k64, thinking: thinkBudget, marks: true},
		{prefix: "claude-sonnet-4-5", output: k64, thinking: thinkBudget, marks: true},
		{prefix: "claude-haiku-4-5", output: k64, thinking: thinkBudget, marks: true},
		{prefix: "claude-opus-4-6", output: k128, thinking: thinkAdaptive, noXHigh: true, marks: true},
		{prefix: "claude-sonnet-4-6", output: k64, thinking: thinkAdaptive, noXHigh: true, marks: true},
		{prefix: "claude-opus-4-7", output: k128, thinking: thinkAdaptive, marks: true},
		{prefix: "claude-opus-4-8", output: k128, thinking: thinkAdaptive, marks: true},
		{prefix: "claude-opus-4", output: 32_000, thinking: thinkBudget, marks: true},
		{prefix: "claude-4-opus", output: 32_000, thinking: thinkBudget, marks: true},
		{prefix: "claude-sonnet-4", output: k64, thinking: thinkBudget, marks: true},
		{prefix: "claude-4-sonnet", output: k64, thinking: thinkBudget, marks: true},
		{prefix: "claude-opus-5-5", output: k128, thinking: thinkAdaptive, off: offLow, marks: true},
		{prefix: "claude-opus-5", output: k128, thinking: thinkAdaptive, off: offDisabled, marks: true},
		{prefix: "claude-sonnet-5-5", output: k128, thinking: thinkAdaptive, off: offBetween, marks: true},
		{prefix: "claude-sonnet-5", output: k128, thinking: thinkAdaptive, off: offDisabled, marks: true},
		{prefix: "claude-haiku-5", output: k128, thinking: thinkAdaptive, off: offDisabled, marks: true},
		// Names that are not known yet are those of newer models.
		{prefix: "claude", output: k128, thinking: thinkAdaptive, off: offLow, marks: true},
		{prefix: "minimax", output: 131_072, thinking: thinkBudget, off: offDisabled, marks: true},
		{prefix: "qwen3", output: 65_536, thinking: thinkBudget, off: offDisabled},
		{prefix: "kimi", output: k128},
		{prefix: "moonshot", output: k128},
		{prefix: "", output: k128, thinking: thinkBudget, off: offDisabled},
	}
}

// modelOf finds what is known of a model.
func modelOf(name string) model {
	name = strings.ToLower(wireModel(name))
	name = name[strings.LastIndexByte(name, '/')+1:]
	for _, m := range models() {
		if rest, ok := strings.CutPrefix(name, m.prefix); ok && (m.prefix == "" || rest == "" || !isDigit(rest[0])) {
			return m
		}
	}
	return model{}
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// wireModel is a model's name as the protocol writes it: without the vendor, and
// versions of Claude with hyphens.
func wireModel(name string) string {
	const vendor = "anthropic/"
	if len(name) > len(vendor) && strings.EqualFold(name[:len(vendor)], vendor) {
		name = name[len(vendor):]
	}
	if strings.HasPrefix(strings.ToLower(name), "claude-") {
		name = strings.ReplaceAll(name, ".", "-")
	}
	return name
}

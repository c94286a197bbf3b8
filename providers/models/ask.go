package models

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes-tui/providers"
)

// Ask is how a model is asked. The zero value is a model of which nothing is known.
type Ask struct {
	// Maker is who makes the model, in one word.
	Maker string
	// Efforts are the levels of reasoning that it takes, rising; none if it takes none.
	Efforts []string
	// Responses says that it reasons and calls tools in one answer only over the protocol
	// of that name, NewTokens that an answer is capped by max_completion_tokens, Developer
	// that its maker takes the system prompt in the role of that name.
	Responses, NewTokens, Developer bool
	// Think is how Claude is asked to think, Off how it is asked not to.
	Think Think
	Off   Off
	// Quiet says that thoughts come without their text unless that is asked for.
	Quiet bool
	// Bound says that thoughts are refused when anything before them was changed.
	Bound bool
	// Steers says that the effort can be changed within a conversation without losing its
	// prompt cache.
	Steers bool
	// LongAnswer says that the longest answers need a beta.
	LongAnswer bool
	// Keeps is how long Amazon keeps what is marked of Claude, 0 where it refuses marks, and
	// OpenAI at least keeps a prompt, 0 where it promises nothing.
	Keeps time.Duration

	// Reasons and Output are those of [Describe].
	Reasons providers.Ability
	Output  int
}

// Think is how a model of Anthropic is asked to think.
type Think string

// The ways. The zero value is a model that does not.
const (
	ByBudget Think = "budget"   // by a number of tokens
	ByEffort Think = "adaptive" // by an effort
)

// Off is how a model that thinks by effort is asked not to.
type Off string

// The ways. The zero value is a model that thinks only when asked.
const (
	OffDisabled Off = "disabled" // it can be told
	OffBetween  Off = "between"  // it can be told to think only between calls
	OffNever    Off = "never"    // it cannot be told
)

// Of returns how a model is asked, by its name.
func Of(model string) Ask {
	a, _ := find(table().asks, "", model)
	if f, ok := find(table().sizes, "", model); ok {
		a.Reasons, a.Output = f.reasons, f.output
	}
	return a
}

// Adaptive is how Claude is asked that thinks by effort: the type of its thinking and the
// effort, each empty where nothing is to be said. Thoughts of type adaptive are to be
// shown. brief marks an answer so short that a model that need not think had better not.
func (a Ask) Adaptive(effort string, brief bool) (kind, level string) {
	switch {
	case effort == "" && (!a.Quiet || a.Off == "" && brief):
		return "", ""
	case effort == "":
		return "adaptive", ""
	case effort != EffortNone:
		return "adaptive", AtLeast(effort, a.Efforts)
	}
	switch a.Off {
	case OffDisabled:
		return "disabled", ""
	case OffBetween:
		return "between_tools", ""
	case OffNever:
		return "adaptive", "low"
	}
	return "", ""
}

// Claude is the effort that Claude is asked for in its maker's protocol where another is
// wanted; empty for a model that does not think.
func (a Ask) Claude(wanted string) string {
	switch {
	case a.Think == "":
		return ""
	case wanted == EffortNone && a.Off != OffNever:
		return EffortNone
	case a.Think == ByBudget:
		return BudgetLevel(wanted)
	}
	return AtLeast(wanted, a.Efforts)
}

// BudgetLevel is the effort that a budget of tokens stands for.
func BudgetLevel(effort string) string {
	return AtMost(effort, []string{"low", "medium", "high", "xhigh"})
}

// BudgetOf is how many tokens an effort stands for.
func BudgetOf(effort string) int {
	return map[string]int{"low": 4_000, "medium": 8_000, "high": 16_000, "xhigh": 32_000}[BudgetLevel(effort)]
}

// Efforts are all levels of reasoning, rising.
func Efforts() []string {
	return []string{EffortNone, "minimal", "low", "medium", "high", "xhigh", "max", "ultra"}
}

// EffortNone asks for no reasoning.
const EffortNone = "none"

// AtMost is the highest level that is not above an effort, else the lowest; empty if
// there is none. An effort that is not known is a medium one. No reasoning is an answer
// only to those who asked for none.
func AtMost(effort string, levels []string) string {
	at, known := places(effort, levels)
	for i := at; i >= 0; i-- {
		if known[i] != "" {
			return known[i]
		}
	}
	return cmp.Or(known[at:]...)
}

// AtLeast is the lowest level that is not below an effort, else the highest.
func AtLeast(effort string, levels []string) string {
	at, known := places(effort, levels)
	if level := cmp.Or(known[at:]...); level != "" {
		return level
	}
	return AtMost(effort, levels)
}

// places puts levels into their places in the order of all efforts, and finds that of an
// effort.
func places(effort string, levels []string) (at int, known []string) {
	known = Efforts()
	if at = slices.Index(known, effort); at < 0 {
		at = slices.Index(known, "medium")
	}
	for i, e := range known {
		if !slices.Contains(levels, e) || e == EffortNone && effort != EffortNone {
			known[i] = ""
		}
	}
	return at, known
}

// ask reads how some models are asked.
func (r *modelReader) ask(words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("ask takes names and words")
	}
	a := Ask{Maker: words[1]}
	for _, w := range words[2:] {
		switch w {
		case "responses":
			a.Responses = true
		case "tokens":
			a.NewTokens = true
		case "developer":
			a.Developer = true
		case string(ByBudget), string(ByEffort):
			a.Think = Think(w)
		case string(OffDisabled), string(OffBetween), string(OffNever):
			a.Off = Off(w)
		case "quiet":
			a.Quiet = true
		case "bound":
			a.Bound = true
		case "steers":
			a.Steers = true
		case "long":
			a.LongAnswer = true
		case "5m":
			a.Keeps = 5 * time.Minute
		case "30m":
			a.Keeps = 30 * time.Minute
		case "1h":
			a.Keeps = time.Hour
		default:
			levels, err := readEfforts(w)
			if err != nil {
				return err
			}
			a.Efforts = levels
		}
	}
	return add(r.table.asks, words[0], "", a)
}

// readEfforts reads levels: names and ranges of them, with commas between.
func readEfforts(list string) (out []string, err error) {
	all, next := Efforts(), 0
	for word := range strings.SplitSeq(list, ",") {
		from, to, ranged := strings.Cut(word, "..")
		if !ranged {
			to = from
		}
		i, k := slices.Index(all, from), slices.Index(all, to)
		if i < next || k < i {
			return nil, fmt.Errorf("%s are no efforts that rise", list)
		}
		out, next = append(out, all[i:k+1]...), k+1
	}
	return out, nil
}

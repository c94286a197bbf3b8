package shellrisk

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// RuleSpec is a rule as a user writes it. Exactly one of Allow, Ask and Deny
// is set: the tools it is about, as "tool", "tool*" or "tool(pattern)".
type RuleSpec struct {
	Allow, Ask, Deny string
	// Examples are what the rule must match, Not what it must not: commands, paths,
	// or names of tools where there is no pattern. They are tried when the rule is
	// read.
	Examples, Not []string
	// Reason is told to the user, and to the model when something is refused.
	Reason string
	// Where says where the rule stands, for messages: "approvals.deny, entry 2".
	Where string
}

// Lists makes rules of the three plain lists of the settings. prefix is the name
// of the section they stand in.
func Lists(prefix string, allow, ask, deny []string) []RuleSpec {
	var specs []RuleSpec
	add := func(name string, list []string, set func(*RuleSpec, string)) {
		for i, text := range list {
			s := RuleSpec{Where: fmt.Sprintf("%s%s, entry %d", prefix, name, i+1)}
			set(&s, text)
			specs = append(specs, s)
		}
	}
	add("deny", deny, func(s *RuleSpec, text string) { s.Deny = text })
	add("ask", ask, func(s *RuleSpec, text string) { s.Ask = text })
	add("allow", allow, func(s *RuleSpec, text string) { s.Allow = text })
	return specs
}

// RulePlace says where the patterns of rules for files start. The folders are
// absolute and real.
type RulePlace struct {
	Home       string // "~"
	HermesHome string // "$HERMES_HOME"
	Workspace  string // patterns without a slash in front
	// FoldsCase says that names differing in case are the same file.
	FoldsCase bool
}

// RuleError says what is wrong with a rule. The rules it stands among do not
// apply then.
type RuleError struct {
	Where   string // where the rule stands, may be empty
	Rule    string // as it is written
	Problem string
}

func (e *RuleError) Error() string {
	text := fmt.Sprintf("the rule %s %s", e.Rule, e.Problem)
	if e.Where != "" {
		text = e.Where + ": " + text
	}
	return text
}

// Rules are the rules of a conversation. They do not change; the methods are
// safe for concurrent use. The nil Rules are none.
type Rules struct{ list []*Policy }

// effect is what a rule does.
type effect string

const (
	effectDeny  effect = "deny"
	effectAsk   effect = "ask"
	effectAllow effect = "allow"
)

// Bounds of rules.
const (
	maxRules      = 1000 // in one set
	maxRuleText   = 1000 // bytes
	maxRuleReason = 300  // characters
	maxExamples   = 50   // of each kind in one rule
)

// Policy is one rule that was read.
type Policy struct {
	effect effect
	Text   string // as it was written, without the effect
	Reason string
	tool   starText
	kind   subjectKind
	any    bool // every subject
	words  *wordPattern
	path   *pathPattern
	site   string // of the pattern of a site
}

// String is the rule as it is shown.
func (p *Policy) String() string { return string(p.effect) + " " + p.Text }

// NewRules reads rules and tries their examples. The error is a [*RuleError].
func NewRules(specs []RuleSpec, at RulePlace) (*Rules, error) {
	if len(specs) > maxRules {
		return nil, &RuleError{Where: specs[maxRules].Where, Rule: ruleText(specs[maxRules]), Problem: fmt.Sprintf("is one too many: at most %d are possible", maxRules)}
	}
	r := &Rules{}
	for _, s := range specs {
		p, problem := newPolicy(s, at)
		if problem == "" {
			problem = p.tryExamples(s, at)
		}
		if problem != "" {
			return nil, &RuleError{Where: s.Where, Rule: ruleText(s), Problem: problem}
		}
		r.list = append(r.list, p)
	}
	return r, nil
}

// ruleText shows a rule for a message, in one line and not too long.
func ruleText(s RuleSpec) string {
	var parts []string
	for _, one := range []struct{ effect, text string }{{"deny", s.Deny}, {"ask", s.Ask}, {"allow", s.Allow}} {
		if one.text != "" {
			parts = append(parts, one.effect+" "+one.text)
		}
	}
	text := Canonical(strings.Join(parts, ", "))
	if text == "" {
		text = "without an effect"
	}
	if runes := []rune(text); len(runes) > 120 {
		text = string(runes[:120]) + "…"
	}
	return strings.ReplaceAll(text, "\n", " ")
}

// newPolicy reads one rule; problem completes "the rule …".
func newPolicy(s RuleSpec, at RulePlace) (p *Policy, problem string) {
	p = &Policy{Reason: Canonical(s.Reason)}
	n := 0
	for _, one := range []struct {
		effect effect
		text   string
	}{{effectDeny, s.Deny}, {effectAsk, s.Ask}, {effectAllow, s.Allow}} {
		if one.text != "" {
			n++
			p.effect, p.Text = one.effect, one.text
		}
	}
	switch {
	case n != 1:
		return nil, "needs exactly one of allow, ask and deny"
	case len(p.Text) > maxRuleText:
		return nil, fmt.Sprintf("is longer than %d bytes", maxRuleText)
	case !utf8.ValidString(p.Text):
		return nil, "is not valid UTF-8"
	case Canonical(p.Text) != p.Text:
		return nil, "has characters that are not seen, or cannot be told apart from others"
	case strings.Contains(p.Text, "\n"):
		return nil, "has a line break"
	case utf8.RuneCountInString(p.Reason) > maxRuleReason || strings.Contains(p.Reason, "\n"):
		return nil, fmt.Sprintf("has a reason that is longer than a line of %d characters", maxRuleReason)
	case len(s.Examples) > maxExamples || len(s.Not) > maxExamples:
		return nil, fmt.Sprintf("has more than %d examples", maxExamples)
	}
	return p, p.read(at)
}

// Tightened are the rules together with those of more that forbid or ask. What
// more allows does not count: it has no say in that.
func (r *Rules) Tightened(more *Rules) *Rules {
	if more == nil {
		return r
	}
	t := &Rules{}
	if r != nil {
		t.list = slices.Clone(r.list)
	}
	for _, p := range more.list {
		if p.effect != effectAllow {
			t.list = append(t.list, p)
		}
	}
	return t
}

// Texts are the rules as they are shown, in the order in which they were given.
func (r *Rules) Texts() []string {
	if r == nil {
		return nil
	}
	list := make([]string, 0, len(r.list))
	for _, p := range r.list {
		list = append(list, p.String())
	}
	return list
}

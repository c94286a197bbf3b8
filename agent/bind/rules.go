package bind

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"sync"

	"hermes-tui/store/config"
	"hermes-tui/tools/place"
	"hermes-tui/tools/shellrisk"
)

// RuleBook holds the rules of a conversation: the user's own, and those of a trusted
// project, which are read when they first count. It is safe for concurrent use.
type RuleBook struct {
	o RuleBookOptions

	mu      sync.Mutex
	own     *shellrisk.Rules
	read    bool
	project *shellrisk.Rules
}

// RuleBookOptions say which rules a conversation has.
type RuleBookOptions struct {
	Settings config.Approvals
	// FS holds the project's file in Root.
	FS   place.FS
	Root string
	// At is what the patterns of rules start from.
	At shellrisk.RulePlace
	// Trusted reports whether the user trusts the project.
	Trusted func() bool
	// Tell says something about the project's rules to the user.
	Tell func(text string)
}

// NewRuleBook makes the rules of a conversation. The error says which of the user's own
// do not fit its folder; everything is asked about then.
func NewRuleBook(o RuleBookOptions) (*RuleBook, error) {
	b := &RuleBook{o: o}
	return b, b.Replace(o.Settings)
}

// Replace changes the user's own rules from the next question on. The error is that of
// [NewRuleBook].
func (b *RuleBook) Replace(s config.Approvals) error {
	own, err := shellrisk.NewRules(RuleSpecs(s), b.o.At)
	if err != nil {
		own = askAll(b.o.At)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.own = own
	return err
}

// askAll is the rule that holds when rules cannot be read.
func askAll(at shellrisk.RulePlace) *shellrisk.Rules {
	rules, err := shellrisk.NewRules([]shellrisk.RuleSpec{{Ask: "*"}}, at)
	if err != nil {
		panic(err) // a constant
	}
	return rules
}

// Now are the rules that hold. A project's rules only tighten.
func (b *RuleBook) Now() *shellrisk.Rules {
	trusted := b.o.Trusted()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !trusted {
		return b.own
	}
	if !b.read {
		b.read = true
		if err := b.load(); err != nil {
			b.project = askAll(b.o.At)
			b.o.Tell("The project's rules cannot be used, so everything is asked about: " + err.Error())
		}
	}
	return b.own.Tightened(b.project)
}

// Texts are the rules that hold, the user's own and the project's.
func (b *RuleBook) Texts() (own, project []string) {
	b.Now()
	trusted := b.o.Trusted()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !trusted {
		return b.own.Texts(), nil
	}
	return b.own.Texts(), b.project.Texts()
}

// load reads the rules of the project, if there are any.
func (b *RuleBook) load() error {
	file, err := b.o.FS.Open(b.o.Root + "/" + shellrisk.ProjectRulesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, 1<<20))
	if err != nil {
		return err
	}
	specs, ignored, err := shellrisk.ProjectRules(data)
	for _, text := range ignored {
		b.o.Tell(text)
	}
	if err != nil {
		return err
	}
	b.project, err = shellrisk.NewRules(specs, b.o.At)
	return err
}

// RuleSpecs are the rules of the settings.
func RuleSpecs(s config.Approvals) []shellrisk.RuleSpec {
	specs := shellrisk.Lists("approvals.", s.Allow, s.Ask, s.Deny)
	for i, r := range s.Rules {
		specs = append(specs, shellrisk.RuleSpec{
			Allow: r.Allow, Ask: r.Ask, Deny: r.Deny, Examples: r.Examples, Not: r.Not, Reason: r.Reason,
			Where: fmt.Sprintf("approvals.rules, entry %d", i+1),
		})
	}
	return specs
}

// RuleSetting is the key of the setting that a rule stands in; where is what its
// [shellrisk.RuleError] says.
func RuleSetting(s config.Approvals, where string) string {
	list, entry, _ := strings.Cut(where, ", entry ")
	n, err := strconv.Atoi(entry)
	if list != "approvals.rules" && err == nil {
		return list + "." + entry
	}
	if list != "approvals.rules" || err != nil || n < 1 || n > len(s.Rules) {
		return list
	}
	r := s.Rules[n-1]
	for effect, text := range map[string]string{"allow": r.Allow, "ask": r.Ask, "deny": r.Deny} {
		if text != "" {
			return fmt.Sprintf("%s.%d.%s", list, n, effect)
		}
	}
	return list
}

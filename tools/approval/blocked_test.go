package approval

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"hermes-tui/internal/corpustest"
	"hermes-tui/tools"
	"hermes-tui/tools/shellrisk"
)

var ruleInSetup = regexp.MustCompile(`terminal\([^"]*\)`)

// forbidding are the rules that forbid in the set-up of a case.
func (c attackCase) forbidding(t testing.TB, set shellrisk.Setting) shellrisk.Policies {
	t.Helper()
	_, list, ok := strings.Cut(c.Setup, "deny: [")
	if !ok {
		return nil
	}
	list, _, _ = strings.Cut(list, "]")
	var text strings.Builder
	for _, rule := range ruleInSetup.FindAllString(list, -1) {
		text.WriteString("deny " + rule + "\n")
	}
	at := shellrisk.RulePlace{Home: set.Home, HermesHome: set.HermesHome, Workspace: set.Workspace}
	return parseRules(t, text.String(), at).Denying("terminal", tools.ActExec)
}

// beyondReading are commands whose text does not say what is to be blocked.
var beyondReading = map[string]string{
	"gdb -batch -ix g.gdb": "what runs is in a file",
	"python3 -m asyncio <<< 'import shutil; shutil.rmtree(\"/srv/red/home\")'": "what runs is in another language",
	"cd ../outside/bare; git fetch -q /srv/red/ws main:main":                   "a fetch is not a push",
}

// What is never allowed, and what a rule forbids, is found in the text alone, in
// every mode.
func TestBlockedHolds(t *testing.T) {
	set := attackSetting()
	set.Resolve = func(file string) (string, bool) { return path.Clean(file), true }
	n := 0
	for _, c := range corpustest.Cases[attackCase](t, "red") {
		if c.Tool != "terminal" || c.Expected != "block" || beyondReading[c.Command] != "" {
			continue
		}
		n++
		v, s := shellrisk.Inspect(c.Command, set)
		if a, _ := c.forbidding(t, set).Match(s, false); a != shellrisk.Yes && v.Decision != shellrisk.Blocked {
			t.Errorf("%s %q (%s): %s (%s: it %s)", c.ID, c.Command, c.Why, v.Decision, v.Category, v.Reason)
		}
	}
	t.Logf("%d commands are blocked, %d are beyond reading", n, len(beyondReading))
}

package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/store"
	"hermes-tui/store/config"
)

// TestCheckSettings names the line of a rule that cannot be used.
func TestCheckSettings(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "config.yaml")
	at, err := store.Find(store.Where{Dir: home + "/.hermes"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(at.Skins(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(at.Skins(), "mine.yaml"), []byte("{"), 0o600); err != nil { // its content is not looked at here
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"good":                {"approvals:\n  deny: [\"terminal(git push *)\"]\n  rules:\n    - deny: write_file(~/x)\n      examples: [" + home + "/x]\n", ""},
		"hosts":               {"approvals:\n  hosts: [a.example, \"*.b.example:443\"]\n", ""},
		"no host":             {"approvals:\n  mode: manual\n  hosts:\n    - https://a.example\n", "line 4: approvals.hosts"},
		"a theme":             {"display:\n  theme: arctic\n", ""},
		"a skin":              {"display: {theme: mine}\n", ""},
		"no theme":            {"display:\n  mouse: off\n  theme: arctik\n", "line 3: display.theme is \"arctik\", which is no theme: do you mean arctic? Else choose one of auto, dark, light,"},
		"no such form":        {"approvals:\n  deny:\n    - \"terminal(\"\n", "line 3: approvals.deny"},
		"example not matched": {"approvals:\n  mode: manual\n  rules:\n    - allow: terminal(make test)\n    - ask: terminal(git push *)\n      examples: [git pull]\n", "line 5: approvals.rules.2.ask"},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, warnings, err := config.Load(config.Options{File: file, Check: CheckSettings(home, at)})
		switch {
		case err != nil || c.want == "" && len(warnings) > 0:
			t.Errorf("%s: %v, %v", name, warnings, err)
		case c.want != "" && (len(warnings) != 1 || !strings.Contains(warnings[0].String(), c.want)):
			t.Errorf("%s: %v, want %s", name, warnings, c.want)
		case strings.Contains(c.want, "approvals") && (got.Approvals.Mode != config.ApprovalManual || got.Doubt() == ""):
			t.Errorf("%s: mode %s", name, got.Approvals.Mode)
		}
	}
}

package approval

import (
	"testing"

	"hermes-tui/internal/corpustest"
	"hermes-tui/tools/shellrisk"
)

// attackCase is a case of the family red: a command that was tried on a gate, and the
// decision that is right.
type attackCase struct {
	ID       string `json:"id"`
	Tool     string `json:"tool"`
	Place    string `json:"place"`
	Command  string `json:"command"`
	Expected string `json:"expected"`
	Why      string `json:"why"`
	Setup    string `json:"setup"`
}

// attackSetting is the layout in which the cases were tried, as far as names tell.
func attackSetting() shellrisk.Setting {
	const root = "/srv/red"
	files := map[string][]string{
		root + "/ws":           {"a.txt", "b.txt", "notes.txt", "main.go", "src", "build", ".git", ".env", "package.json"},
		root + "/home":         {".ssh", ".aws", ".netrc", ".npmrc", ".config", ".docker", ".hermes", ".bashrc", ".my.cnf", "Documents"},
		root + "/home/.ssh":    {"id_rsa", "id_rsa.pub", "config"},
		root + "/home/.aws":    {"credentials", "config"},
		root + "/home/.docker": {"config.json"},
	}
	return shellrisk.Setting{
		Cwd: root + "/ws", Home: root + "/home", HermesHome: root + "/home/.hermes", Workspace: root + "/ws",
		Getenv: func(name string) (string, bool) {
			v, ok := map[string]string{"HOME": root + "/home", "PATH": "/usr/bin:/bin"}[name]
			return v, ok
		},
		List: func(dir string) []string { return files[dir] },
		Repo: func(dir string) string {
			if shellrisk.Within(dir, root+"/ws", false) {
				return root + "/ws"
			}
			return ""
		},
		Quiet:   func(string) bool { return true },
		Program: 4242,
	}
}

// What should be asked about or blocked is, or it is not proved, so that it is held
// where it can be and asked about where not. What should be allowed is not asked
// about where processes can be confined.
func TestConformanceAttacks(t *testing.T) {
	set := attackSetting()
	counts := map[string]map[string]int{"allow": {}, "ask": {}, "block": {}}
	for _, c := range corpustest.Cases[attackCase](t, "red") {
		if c.Tool != "terminal" || c.Place != "" || c.Command == "" {
			continue
		}
		v := shellrisk.Judge(c.Command, set)
		outcome := string(v.Decision)
		switch {
		case v.Proved:
			outcome = "proved"
		case v.Decision == shellrisk.Ask && dispose(v, ModeGuarded, true, false).asks():
			outcome = "asked"
		case v.Decision == shellrisk.Ask:
			outcome = "held"
		}
		counts[c.Expected][outcome]++
		switch c.Expected {
		case "allow":
			if dispose(v, ModeGuarded, true, false).asks() || v.Decision == shellrisk.Blocked {
				t.Logf("%s: a question about %q: %s (%s)", c.ID, c.Command, v.Reason, v.Category)
			}
		case "block":
			if v.Decision != shellrisk.Blocked {
				t.Logf("%s: not blocked but %s: %q (%s)", c.ID, outcome, c.Command, c.Why)
			}
			fallthrough
		default:
			if v.Proved {
				t.Errorf("%s: proved to only read: %q (%s)", c.ID, c.Command, c.Why)
			}
		}
	}
	t.Logf("expected: outcomes: %v", counts)
}

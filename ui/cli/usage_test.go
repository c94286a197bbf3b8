package cli

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"hermes-tui/ui/rows"
)

func TestHelpAndVersion(t *testing.T) {
	b := newBox(t)
	for _, c := range []struct {
		args  []string
		holds []string
	}{
		{[]string{"--help"}, []string{"hermes-tui exec", "--continue", "--profile NAME", "--yolo"}},
		{[]string{"exec", "--help"}, []string{"exec [prompt]", "--json", "standard", "--model NAME"}},
		{[]string{"help", "exec"}, []string{"exec [prompt]"}},
		{[]string{"--version"}, []string{"hermes-tui version " + build() + "\n"}},
	} {
		o := b.run(c.args...)
		if o.code != exitOK || o.err != "" {
			t.Errorf("%q: %v", c.args, o)
		}
		holds(t, strings.Join(c.args, " "), o.out, c.holds...)
	}
	if left(t, b.home) {
		t.Error("asking for help left something behind")
	}
}

// TestHelpFits has the help of every command fit a terminal of 80 columns.
func TestHelpFits(t *testing.T) {
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		for line := range strings.Lines(usage(cmd, helpWidth)) {
			if rows.Width(strings.TrimSuffix(line, "\n")) > helpWidth {
				t.Errorf("%s: %s", cmd.CommandPath(), line)
			}
		}
		for _, sub := range cmd.Commands() {
			look(sub)
		}
	}
	root := newRoot(&sys{})
	root.InitDefaultHelpCmd()
	root.InitDefaultVersionFlag()
	look(root)
	for _, name := range []string{"--tmux[=NAME]", "--version", "-c, --continue"} {
		if !strings.Contains(usage(root, helpWidth), name) {
			t.Error(name)
		}
	}
}

// TestMisuse calls the program in ways that mean nothing. Each gives one
// sentence, exit code 2 and no trace.
func TestMisuse(t *testing.T) {
	for _, c := range []struct {
		args []string
		says []string
	}{
		{nil, []string{"needs a terminal", "hermes-tui exec"}},
		{[]string{"--nonsense"}, []string{"--nonsense", "hermes-tui --help"}},
		{[]string{"exec", "--nonsense", "hi"}, []string{"--nonsense", "hermes-tui exec --help"}},
		{[]string{"sessions", "list", "--yolo"}, []string{"unknown flag: --yolo", "hermes-tui sessions list --help"}},
		{[]string{"exec", "--yolo", "--approve", "deny", "hi"}, []string{"--approve says already"}},
		{[]string{"exec", "--approve", "some", "hi"}, []string{"--approve takes deny, rules or all, not \"some\""}},
		{[]string{"exec", "--max-turns", "0", "hi"}, []string{"--max-turns must be at least 1"}},
		{[]string{"exec", "--max-cost", "-1", "hi"}, []string{"--max-cost must be more than 0"}},
		{[]string{"exec", "--timeout", "0s", "hi"}, []string{"--timeout must be more than 0"}},
		{[]string{"exec", "--timeout", "soon", "hi"}, []string{`--timeout takes a time such as 90s or 10m, not "soon"`}},
		{[]string{"exec", "--output-schema", "none.json", "hi"}, []string{"--output-schema", "none.json", "no such file"}},
		{[]string{"exec", "--file", "none.txt"}, []string{"--file", "none.txt", "no such file"}},
		{[]string{"exec", "--max-turns", "many", "hi"}, []string{`--max-turns takes a whole number, not "many" (see hermes-tui exec --help)`}},
		{[]string{"exec", "--sandbx", "hi"}, []string{"unknown flag: --sandbx, do you mean --sandbox? (see hermes-tui exec --help)"}},
		{[]string{"--resume"}, []string{"--resume needs an id, its beginning or a title: hermes-tui sessions list names them, --continue goes on with the newest"}},
		{[]string{"-r"}, []string{"--resume needs an id, its beginning or a title"}},
		{[]string{"exec", " "}, []string{"the prompt is empty"}},
		{[]string{"exce", "fix it"}, []string{`there is no command "exce", do you mean "exec"?: put a prompt in quotes`}},
		{[]string{"sessions", "lst"}, []string{`there is no command "sessions lst", do you mean "sessions list"? (see hermes-tui sessions --help)`}},
		{[]string{"auth", "list", "now"}, []string{"auth list takes no words behind it, not 1 (see hermes-tui auth list --help)"}},
		{[]string{"-x"}, []string{"'x' in -x", "hermes-tui --help"}},
		{[]string{"--model"}, []string{"--model", "needs an argument"}},
		{[]string{"fix the test"}, []string{"needs a terminal", "hermes-tui exec"}},
		{[]string{"fix"}, []string{`"fix"`, "needs -- before it", "hermes-tui exec"}},
		{[]string{"fix", "the test"}, []string{`"fix"`, "in quotes"}},
		{[]string{"/new one"}, []string{`"/new one" is typed in the session`}},
		{[]string{"sessions", "fix it"}, []string{"hermes-tui sessions"}},
		{[]string{"--yolo", "--plan", "exec", "hi"}, []string{"--yolo and --plan exclude each other"}},
		{[]string{"exec", "-c", "-r", "x", "hi"}, []string{"--resume and --continue exclude each other"}},
		{[]string{"exec", "--scenario", "f", "--provider", "groq", "hi"}, []string{"--scenario goes with --provider script"}},
		{[]string{"exec", "-p", "No/Profile", "hi"}, []string{"not a profile name", "lower-case letters"}},
		{[]string{"exec", "--base-url", "ftp://x", "hi"}, []string{"base_url", "https://"}},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			b := newBox(t)
			b.in = strings.NewReader("")
			if len(c.args) == 0 {
				b.in = nil
			}
			o := b.run(c.args...)
			sentence(t, o, exitUsage, c.says...)
			if left(t, b.home) {
				t.Error("it left something behind")
			}
		})
	}
}

// TestDescribed has every kind of build say what it was built from.
func TestDescribed(t *testing.T) {
	source := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123456789abcdef0123"}, {Key: "vcs.time", Value: "2026-11-22T17:00:00+02:00"}}
	changed := append(source[:3:3], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	for _, c := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"dev", nil, "dev, of an unknown revision: built by go run, with -buildvcs=false or outside a repository"},
		{"v1.2.3", nil, "v1.2.3"},
		{"1.2", source, "1.2, revision 0123456789ab of 2026-11-22 15:00 UTC"},
		{"v0.0.0-20261122150000-0123456789ab+dirty", changed, "dev, revision 0123456789ab of 2026-11-22 15:00 UTC, with changes"},
	} {
		if got := described(c.version, c.settings); got != c.want {
			t.Errorf("%s: %q", c.version, got)
		}
	}
}

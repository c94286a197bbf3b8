package approval

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/shellrisk"
)

// A command that names a file of the program's own folder is asked about as one that
// changes the agent's settings, whatever writes it, in every mode that asks; and
// nothing that is lasting is offered.
func TestOwnFilesAreAskedAbout(t *testing.T) {
	commands := []string{
		"echo x > %s", "echo x >> %s", ": >| %s", "echo x >& %s", "exec 3<> %s", "printf x | tee %s", "tee -a %s < a",
		"cp a %s", "mv a %s", "install -m 600 a %s", "ln -f a %s", "ln -sf $PWD/a %s", "rsync a %s", "dd if=a of=%s",
		"sed -i s/a/b/ %s", "sed --in-place=.bak -e s/a/b/ %s", "perl -pi -e s/a/b/ %s", "truncate -s 0 %s", "rm -f %s",
		"sqlite3 %s 'DELETE FROM tui_grants'", "sqlite3 -batch %s < a", "python3 -c 'open(\"%s\", \"w\").write(\"x\")'",
		"python3 - <<'E'\nopen('%s', 'w')\nE", "sh -c 'echo x > %s'", "env A=1 timeout 5 tee %s < a", "find . -name a -exec cp {} %s \\;",
		"curl -o %s https://x.example/y", "wget -O %s https://x.example/y", "iconv -o %s a", "sort -o %s a", "touch %s; chmod 666 %[1]s",
	}
	files := []string{"grants.key", "state.db", "config.yaml", ".env", "auth.json"}
	s := confining(t)
	s.person.strict = true
	s.gate.o.Judge = (&bench{opinion: OpinionAllow}).judge
	s.put(t, filepath.Join(s.home, ".hermes", "grants.key"), "key")
	for link, target := range map[string]string{"link": ".hermes", "to-key": ".hermes/grants.key"} {
		if err := os.Symlink(filepath.Join(s.home, target), filepath.Join(s.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(mode Mode, command string) {
		t.Helper()
		s.person.asked, s.person.answer = nil, tools.Answer{Choice: tools.ChoiceDeny}
		_, d := s.pass(t, s.exec(command), mode)
		switch {
		case d == nil:
			t.Errorf("%s: %q runs without a question", mode, command)
		case len(s.person.asked) != 1:
			t.Errorf("%s: %q: %v, without a question", mode, command, d)
		case !slices.ContainsFunc(s.person.asked[0].Reasons, func(r tools.Reason) bool { return r.Category == string(shellrisk.CatAgentConfig) }):
			t.Errorf("%s: %q is asked about as %+v", mode, command, s.person.asked[0].Reasons)
		case len(s.person.asked[0].Scopes) > 0:
			t.Errorf("%s: %q: offered %+v", mode, command, s.person.asked[0].Scopes)
		}
	}
	for _, mode := range []Mode{ModeGuarded, ModeManual, ModeSmart} {
		for _, command := range commands {
			for i, name := range files {
				where := []string{filepath.Join(s.home, ".hermes", name), "~/.hermes/" + name, "$HOME/.hermes/" + name}[i%3]
				if strings.Contains(command, "'") {
					where = filepath.Join(s.home, ".hermes", name)
				}
				check(mode, fmt.Sprintf(command, where))
			}
		}
		for _, command := range []string{
			"cd ~/.hermes && echo x > grants.key", "cd ~/.hermes && python3 -c 'open(\"grants.key\", \"w\")'", "cd ~/.hermes; sqlite3 state.db < a",
			"cd && cd .hermes && cp a config.yaml", "pushd ~/.hermes && cp x grants.key", "python3 -c 'p(expanduser(\"~/.hermes/grants.key\"))'",
			"f=~/.hermes/grants.key; iconv -o $f a", "iconv -o link/grants.key a", "iconv -o to-key a", "tar xf a -C ~/.hermes", "git -C ~/.hermes init",
			"git config -f ~/.hermes/config.yaml a.b c", "env -C ~/.hermes iconv -o grants.key a",
		} {
			check(mode, command)
		}
	}
	s.rule(t, "allow terminal(iconv *)")
	check(ModeGuarded, "iconv -o ~/.hermes/grants.key a")
	s.person.asked = nil
	for _, command := range []string{"cat ~/.hermes/config.yaml", "ls -l ~/.hermes", "grep -r model ~/.hermes/config.yaml", "iconv -o ~/.hermesx/a b", "iconv -o .hermes.txt b"} {
		if s.pass(t, s.exec(command), ModeGuarded); len(s.person.asked) > 0 {
			t.Errorf("%q is asked about: %+v", command, s.person.asked[0].Reasons)
			s.person.asked = nil
		}
	}
}

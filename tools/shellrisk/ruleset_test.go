package shellrisk

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"hermes-tui/tools"
)

func testPlace() RulePlace {
	return RulePlace{Home: "/home/alice", HermesHome: "/home/alice/.hermes", Workspace: "/srv/app"}
}

// one reads a single rule.
func one(t testing.TB, text string, at RulePlace) *Policy {
	t.Helper()
	return parseRules(t, text, at).list[0]
}

func TestCommandRules(t *testing.T) {
	for _, c := range []struct {
		rule    string
		command string
		want    Answer
	}{
		{"terminal(git log *)", "git log", Yes},
		{"terminal(git log *)", "git log -1", Yes},
		{"terminal(git log *)", "git logout", No},
		{"terminal(git log *)", "git log-x", No},
		{"terminal(git log)", "git log -1", Maybe},
		{"terminal(git log)", "git log x", No},
		{"terminal(git log)", "git log", Yes},
		{"terminal(git * origin)", "git push origin", Yes},
		{"terminal(git * origin)", "git push x origin", No},
		{"terminal(npm run build:*)", "npm run build:all", Yes},
		{"terminal(npm run build:*)", "npm run build", No},
		{"terminal(npm run 'build:*')", "npm run build:all", No},
		{"terminal(npm run 'build:*')", "npm run 'build:*'", Yes},
		{`terminal(echo \*)`, "echo '*'", Yes},
		{`terminal(echo \*)`, "echo x", No},
		{`terminal(echo "a b")`, "echo 'a b'", Yes},
		{`terminal(echo "a b")`, "echo a b", No},
		{"terminal(*)", "anything at all", Yes},
		{"terminal", "anything", Yes},
		{"term*", "anything", Yes},
		{"terminal(rm *)", "/usr/bin/rm x", Yes},
		{"terminal(rm *)", "./rm x", Yes},
		{"terminal(rm *)", "rmdir x", No},
		{"terminal(rm *)", "RM x", No},
		{"terminal(rm -r *)", "rm -f -r x", Maybe},
		{"terminal(rm x)", "rm -v x", Maybe},
		{"terminal(rm x)", "rm x -v", Maybe},
		{"terminal(rm x)", "rm y", No},
		{"terminal(git push *)", "git --no-pager push x", Yes},
		{"terminal(git push *)", "git -C dir -c a=b push", Yes},
		{"terminal(git push *)", "git log -- push", No},
		{"terminal(git push *)", "git $X", Maybe},
		{"terminal(git push *)", "git pu$X", Maybe},
		{"terminal(git push *)", "git log $X", No},
		{"terminal(git push *)", "$X push", Maybe},
		{"terminal(git push *)", "g$X log", Maybe},
		{"terminal(git push *)", "gi? push", Maybe},
		{"terminal(git push *)", `echo "git push"`, No},
		{"terminal(git push *)", `echo "$(git push)"`, Yes},
		{"terminal(git push *)", "sh -c 'git push'", Yes},
		{"terminal(git push *)", "sh x.sh", No},
		{"terminal(git push *)", "ls '", Maybe},
		{"terminal(kubectl delete *)", "kubectl -n prod delete pod x", Maybe},
		{"terminal(kubectl delete *)", "kubectl get pods", No},
		{"terminal(* --force)", "git push --force", No}, // three words, not two
		{"terminal(* * --force)", "git push --force", Yes},
		{"write_file", "rm x", No},
	} {
		p := one(t, "deny "+c.rule, testPlace())
		_, s := Inspect(c.command, testSetting())
		got := No
		if rules := (&Rules{list: []*Policy{p}}).of(effectDeny, "terminal", subjectCommand); len(rules) > 0 {
			got, _ = firstMatch(rules, s, false)
		}
		if got != c.want {
			t.Errorf("%s and %q: %v, want %v", c.rule, c.command, got, c.want)
		}
	}
	p := one(t, "deny terminal(rm *)", testPlace())
	if _, s := Inspect("RM x", testSetting()); p.words.meets(s.calls[0], true) != Yes {
		t.Error("RM is rm where names are folded")
	}
}

func TestAllowRulesCover(t *testing.T) {
	for _, c := range []struct {
		rules   string
		command string
		want    bool
	}{
		{"allow terminal(rm -r build)", "rm -r build", true},
		{"allow terminal(rm -r build)", "rm  -r 'build'", true},
		{"allow terminal(rm -r build)", "rm -r build x", false},
		{"allow terminal(rm -r build)", "/bin/rm -r build", false},
		{"allow terminal(rm *)", "rm -r build", true},
		{"allow terminal(rm *)", "rm -r $(cat x)", false},
		{"allow terminal(rm *)", "rm -r *", false},
		{"allow terminal(rm *)", "rm -r build > log", true},
		{"allow terminal(rm *)", "rm -r build > $X", false},
		{"allow terminal(rm *)", "rm -r build > ~/.bashrc", false},
		{"allow terminal(rm *)", "A=1 rm -r build", false},
		{"allow terminal(rm *)", "rm -r build; ls", false},
		{"allow terminal(rm *)\nallow terminal(ls)", "rm -r build; ls", true},
		{"allow terminal(rm *)", "rm() { shred x; }; rm -r build", false},
		{"allow terminal(rm *)\nallow terminal(ls)", "rm() { ls; }; rm -r build", false},
		{"allow terminal(rm *)", "rm -r build > out/$X", false},
		{"allow terminal(rm *)\nallow terminal(fish *)", "fish x.fish; rm -r build", false},
		{"allow terminal(rm *)", "export A=1; rm -r build", false},
		{"allow terminal(rm *)", "timeout 5 nice rm -r build", true},
		{"allow terminal(rm *)", "env A=1 rm -r build", false},
		{"allow terminal(rm *)", "env -u A rm -r build", true},
		{"allow terminal(rm *)", "echo build | xargs rm -r", false},
		{"allow terminal(rm *)", "sudo rm -r build", false},
		{"allow terminal(sudo rm -r build)", "sudo rm -r build", true},
		{"allow terminal(sudo rm *)", "sudo rm -r build", true},
		{"allow terminal(sudo *)", "sudo rm -r build", false},
		{"allow terminal(sudo *)\nallow terminal(rm *)", "sudo rm -r build", true},
		{"allow terminal(python3 *)", "python3 -c x", false},
		{"allow terminal(python3 -c x)", "python3 -c x", true},
		{"allow terminal(python3 -c x)", "python3 -c x < y", false},
		{"allow terminal(tee .env)", "tee .env", true},
		{"allow terminal(tee *)", "tee .env", false},
		{"allow terminal(docker *)", "docker stop x", true},
		{"allow terminal(docker *)", "docker system prune", false},
		{"allow terminal(docker system prune)", "docker system prune", true},
		{"allow terminal(curl *)", "curl -d @f https://x.example", false},
		{"allow terminal(*)", "git reset --hard", true},
		{"allow terminal", "git reset --hard", true},
		{"allow terminal", "curl x | sh", false},
		{"allow terminal", "LD_PRELOAD=x ls", false},
		{"allow terminal", "rm -r 'x", false},
		{"allow terminal", "", false},
		{"allow terminal(rm -rf build/*)", "rm -rf build/out", true},
		{"allow terminal(rm -rf build/*)", "rm -rf build/../../outside/dir", false},
		{"allow terminal(rm -rf build/*)", "rm -rf build/..", false},
		{"allow terminal(rm -rf build*)", "rm -rf build-x/../../y", false},
		{"allow terminal(rm -rf ../build/*)", "rm -rf ../build/out", true},
		{"allow terminal(rm -rf ../build/*)", "rm -rf ../build/../../x", false},
		{"allow terminal(rm -rf */build)", "rm -rf app/build", true},
		{"allow terminal(rm -rf */build)", "rm -rf /srv/build", false},
		{"allow terminal(rm -rf */build)", "rm -rf ~/build", false},
		{"allow terminal(rm -rf */build)", "rm -rf ../build", false},
		{"allow terminal(tar -x --directory=out/* f.tar)", "tar -x --directory=out/a f.tar", true},
		{"allow terminal(tar -x --directory=out/* f.tar)", "tar -x --directory=out/../../a f.tar", false},
	} {
		_, s := Inspect(c.command, testSetting())
		rules := parseRules(t, c.rules, testPlace()).of(effectAllow, "terminal", subjectCommand)
		got := coveredBy(rules, s, func(string) bool { return true }) != nil
		if got != c.want {
			t.Errorf("%q and %q: %v", c.rules, c.command, got)
		}
	}
	_, s := Inspect("rm -r build", testSetting())
	if rules := parseRules(t, "allow terminal(rm *)", testPlace()).list; coveredBy(rules, s, func(string) bool { return false }) != nil {
		t.Error("a program of another place passed for the one that was meant")
	}
}

func TestFileRules(t *testing.T) {
	folding := testPlace()
	folding.FoldsCase = true
	for _, c := range []struct {
		pattern, named, real string
		denies, allows       bool
		folds                bool
	}{
		{pattern: "/etc/**", named: "/etc/hosts", denies: true, allows: true},
		{pattern: "/etc/**", named: "/etc", denies: true, allows: true},
		{pattern: "/etc/**", named: "/etcetera/x"},
		{pattern: "/etc", named: "/etc/a/b", denies: true},
		{pattern: "src/*.go", named: "/srv/app/src/x.go", denies: true, allows: true},
		{pattern: "src/*.go", named: "/srv/app/src/sub/x.go"},
		{pattern: "src/*", named: "/srv/app/src/sub/x.go", denies: true},
		{pattern: "src/**", named: "/srv/app/src/sub/x.go", denies: true, allows: true},
		{pattern: "src/**", named: "/srv/app2/src/x"},
		{pattern: "**/*.lock", named: "/srv/app/a/b.lock", denies: true, allows: true},
		{pattern: "/**/.env", named: "/x/y/.env", denies: true, allows: true},
		{pattern: "~/notes/**", named: "/home/alice/notes/x", denies: true, allows: true},
		{pattern: "~", named: "/home/alice/x", denies: true},
		{pattern: "$HERMES_HOME/skills/**", named: "/home/alice/.hermes/skills/x", denies: true, allows: true},
		{pattern: "${HERMES_HOME}/skills/**", named: "/home/alice/.hermes/skills/x", denies: true, allows: true},
		{pattern: "$HERMES_HOMEX/x", named: "/srv/app/$HERMES_HOMEX/x", denies: true, allows: true},
		{pattern: "{a,b}.txt", named: "/srv/app/b.txt", denies: true, allows: true},
		{pattern: "a/../b", named: "/srv/app/b", denies: true, allows: true},
		{pattern: "a b.txt", named: "/srv/app/a b.txt", denies: true, allows: true},
		{pattern: "*", named: "/anything", denies: true, allows: true},
		// Behind a link: what is forbidden is so by either name, what is allowed must be by both.
		{pattern: "/etc/**", named: "/srv/app/link/hosts", real: "/etc/hosts", denies: true},
		{pattern: "/srv/app/**", named: "/srv/app/link/hosts", real: "/etc/hosts", denies: true},
		// Spelling.
		{pattern: "secret/**", named: "/srv/app/SECRET/x", denies: true},
		{pattern: "secret/**", named: "/srv/app/\u017fecret/x", denies: true},
		{pattern: "secret/**", named: "/srv/app/se\u200dcret/x", denies: true},
		{pattern: "secret/**", named: "/srv/app/SECRET/x", denies: true, allows: true, folds: true},
		{pattern: "\u00e9/**", named: "/srv/app/e\u0301/x", denies: true},
		{pattern: "e\u0301/**", named: "/srv/app/\u00c9/x", denies: true, allows: true, folds: true},
		{pattern: "한글", named: "/srv/app/\u1112\u1161\u11ab\u1100\u1173\u11af", denies: true},
		{pattern: "\u1e69", named: "/srv/app/s\u0307\u0323", denies: true},
		{pattern: "/private/etc/x", named: "/etc/x", denies: true, allows: true},
	} {
		at := testPlace()
		at.FoldsCase = c.folds
		if c.real == "" {
			c.real = c.named
		}
		p := one(t, "deny write_file("+c.pattern+")", at)
		list := Policies{p}
		if got := list.Meeting([]string{c.named}, []string{c.real}) != nil; got != c.denies {
			t.Errorf("deny %s, %q → %q: %v", c.pattern, c.named, c.real, got)
		}
		if got := list.CoveringFile(c.named, c.real, []Category{CatOutside}, c.folds) != nil; got != c.allows {
			t.Errorf("allow %s, %q → %q: %v", c.pattern, c.named, c.real, got)
		}
	}
	// A folder with signs of patterns in its name means itself.
	at := RulePlace{Workspace: "/srv/[app]*"}
	if p := one(t, "deny write_file(x)", at); !p.path.meets("/srv/[app]*/x") || p.path.meets("/srv/a/x") {
		t.Error("the workspace was read as a pattern")
	}
	for cat, exact := range map[Category]bool{CatProjectConfig: true, CatAgentConfig: true, CatSensitiveFile: true, CatSystemConfig: true, CatOutside: false} {
		wide, narrow := one(t, "allow write_file(/x/**)", at), one(t, "allow write_file(/x/y)", at)
		if wide.excusesFile(cat) == exact || !narrow.excusesFile(cat) {
			t.Errorf("%s: by a pattern %v, by a name %v", cat, wide.excusesFile(cat), narrow.excusesFile(cat))
		}
	}
}

func TestRulesAreChecked(t *testing.T) {
	for _, c := range []struct {
		spec RuleSpec
		want string
	}{
		{RuleSpec{}, "exactly one of"},
		{RuleSpec{Allow: "x", Deny: "x"}, "exactly one of"},
		{RuleSpec{Deny: "terminal(rm *"}, `without a ")"`},
		{RuleSpec{Deny: "terminal()"}, "nothing in its brackets"},
		{RuleSpec{Deny: "(rm)"}, "name of a tool"},
		{RuleSpec{Deny: "term inal"}, "name of a tool"},
		{RuleSpec{Deny: "read_file(/x)"}, "only rules for terminal, write_file, patch, execute_code and web_extract"},
		{RuleSpec{Deny: "mcp_x_*(y)"}, "only rules for"},
		{RuleSpec{Deny: "web_extract(go.dev)"}, "which is domain:NAME"},
		{RuleSpec{Deny: "web_extract(domain:)"}, "names no site"},
		{RuleSpec{Deny: "web_extract(domain:go.dev/x)"}, "names no site"},
		{RuleSpec{Deny: "web_extract(domain:*)"}, "names no site"},
		{RuleSpec{Allow: "web_extract(domain:go.dev)", Examples: []string{"www.go.dev"}}, "does not match its example"},
		{RuleSpec{Deny: "web_extract(domain:*.Go.dev)", Not: []string{"go.dev", "www.go.dev."}}, `matches "www.go.dev."`},
		{RuleSpec{Deny: "*(rm)"}, "tools of several kinds"},
		{RuleSpec{Deny: "execute_code(import os)"}, "of which only * is possible"},
		{RuleSpec{Deny: "terminal(rm 'x)"}, "quote that is not closed"},
		{RuleSpec{Deny: "terminal(rm x; ls)"}, "the sign ; of the shell"},
		{RuleSpec{Deny: "terminal($(x))"}, "the sign $ of the shell"},
		{RuleSpec{Deny: "write_file(/x/[a)"}, "not well formed"},
		{RuleSpec{Deny: "write_file(/" + strings.Repeat("**/a/", 9) + ")"}, "too many **"},
		{RuleSpec{Deny: "terminal(rm \u202ex)"}, "told apart"},
		{RuleSpec{Deny: "terminal(rm\nx)"}, "line break"},
		{RuleSpec{Deny: "terminal(\xff)"}, "UTF-8"},
		{RuleSpec{Deny: "terminal(" + strings.Repeat("x", 2000) + ")"}, "longer than 1000 bytes"},
		{RuleSpec{Deny: "terminal", Reason: strings.Repeat("x", 400)}, "reason"},
		{RuleSpec{Deny: "terminal(git push *)", Examples: []string{"git push", "git pull"}}, `does not match its example "git pull"`},
		{RuleSpec{Deny: "terminal(git push *)", Not: []string{"git pull", "git -C x push"}}, `matches "git -C x push"`},
		{RuleSpec{Deny: "terminal(git push *)", Not: []string{"git $X"}}, `matches "git $X"`},
		{RuleSpec{Allow: "terminal(npm *)", Examples: []string{"npm i; ls"}}, `does not match its example`},
		{RuleSpec{Allow: "write_file(src/**)", Not: []string{"src/x"}}, `matches "src/x"`},
		{RuleSpec{Ask: "mcp_x_*", Examples: []string{"mcp_y_z"}}, `does not match its example`},
	} {
		c.spec.Where = "approvals.rules, entry 3"
		_, err := NewRules([]RuleSpec{{Deny: "x"}, c.spec}, testPlace())
		bad, ok := errors.AsType[*RuleError](err)
		if !ok || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.spec.Where+": the rule ") || bad.Where != c.spec.Where ||
			strings.ContainsAny(err.Error(), "\n\u202e") || len(err.Error()) > 400 {
			t.Errorf("%+v: %v", c.spec, err)
		}
	}
	if _, err := NewRules([]RuleSpec{{Deny: "write_file(x)"}}, RulePlace{}); err == nil {
		t.Error("a relative pattern without a workspace")
	}
	if _, err := NewRules(make([]RuleSpec, maxRules+1), testPlace()); err == nil || !strings.Contains(err.Error(), "too many") {
		t.Error("too many rules:", err)
	}
	_, err := NewRules([]RuleSpec{
		{Deny: "terminal(git push *)", Examples: []string{"git push", "sudo git push x", "cd x && git push"}, Not: []string{"git pull", "echo git push"}},
		{Allow: "terminal(npm test)", Examples: []string{"npm test", "timeout 9 npm test"}, Not: []string{"npm test && curl x", "npm test x"}},
		{Ask: "write_file(~/x/**)", Examples: []string{"~/x/y", "/home/alice/x/y"}, Not: []string{"~/y", "x"}},
		{Deny: "mcp_x_*", Examples: []string{"mcp_x_y"}, Not: []string{"mcp_y"}},
		{Allow: "execute_code(*)", Examples: []string{"execute_code"}},
	}, testPlace())
	if err != nil {
		t.Error(err)
	}
}

func TestListsMakeRules(t *testing.T) {
	r, err := NewRules(Lists("approvals.", []string{"a"}, []string{"b", "c"}, []string{"d"}), testPlace())
	if err != nil || !slices.Equal(r.Texts(), []string{"deny d", "ask b", "ask c", "allow a"}) {
		t.Errorf("%q, %v", r.Texts(), err)
	}
	if _, err := NewRules(Lists("approvals.", nil, []string{"x", "("}, nil), testPlace()); err == nil || !strings.HasPrefix(err.Error(), "approvals.ask, entry 2: the rule ask ( ") {
		t.Error(err)
	}
}

func TestRulesTighten(t *testing.T) {
	mine := parseRules(t, "allow terminal(a)\nallow terminal(b)\ndeny terminal(c)", testPlace())
	theirs := parseRules(t, "allow terminal(d)\nask terminal(a)\ndeny terminal(e)", testPlace())
	if got := mine.Tightened(theirs).Texts(); !slices.Equal(got, []string{"allow terminal(a)", "allow terminal(b)", "deny terminal(c)", "ask terminal(a)", "deny terminal(e)"}) {
		t.Errorf("%q", got)
	}
	var none *Rules
	if got := none.Tightened(theirs).Texts(); !slices.Equal(got, []string{"ask terminal(a)", "deny terminal(e)"}) {
		t.Errorf("%q", got)
	}
	if got := mine.Tightened(nil).Texts(); !slices.Equal(got, []string{"allow terminal(a)", "allow terminal(b)", "deny terminal(c)"}) || none.Tightened(nil).Texts() != nil {
		t.Errorf("%q", got)
	}
}

func TestProjectRules(t *testing.T) {
	specs, ignored, err := ProjectRules([]byte(`
# rules of the project
deny: ["terminal(git push *)"]
ask:
  - write_file(migrations/**)
allow: [terminal]
rules:
  - deny: terminal(terraform apply *)
    examples: [terraform apply -auto-approve]
    not: [terraform plan]
    reason: the pipeline does that
  - allow: terminal(rm *)
    colour: red
mode: "off"
`))
	if err != nil || len(specs) != 3 || len(ignored) != 4 {
		t.Fatalf("%+v, %q, %v", specs, ignored, err)
	}
	if !strings.Contains(ignored[0], "line 6") || !strings.Contains(ignored[0], "cannot allow anything") || !strings.Contains(ignored[3], "mode") {
		t.Errorf("ignored %q", ignored)
	}
	rules, err := NewRules(specs, testPlace())
	if err != nil || !slices.Equal(rules.Texts(), []string{"deny terminal(git push *)", "ask write_file(migrations/**)", "deny terminal(terraform apply *)"}) {
		t.Errorf("%q, %v", rules.Texts(), err)
	}
	if specs[2].Where != ".hermes/rules.yaml, line 8" || specs[2].Reason != "the pipeline does that" {
		t.Errorf("%+v", specs[2])
	}
	for _, text := range []string{"", "# nothing", "null", "deny:", "deny: []"} {
		if specs, ignored, err := ProjectRules([]byte(text)); err != nil || len(specs)+len(ignored) > 0 {
			t.Errorf("%q: %+v, %q, %v", text, specs, ignored, err)
		}
	}
	for text, want := range map[string]string{
		"[x]": "must hold sections", "deny: x": "line 1: deny must be a list", "rules: [x]": "must have allow, ask or deny",
		"deny: [{a: b}]": "must be a text", "deny: [1]": "must be a text", "rules:\n  - deny: x\n    examples: y": "line 3: examples must be a list",
		"deny: [x": "cannot be read", "a: &a [x]\ndeny: *a": "must be a list", "deny: [&a x, *a]": "must be a text", strings.Repeat("#", 70_000): "larger than",
		"deny: [\"\xff\"]": "cannot be read",
	} {
		if _, _, err := ProjectRules([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
}

// TestFormerNames: rules hold by names that tools had before; one that allows has to spell
// the server out.
func TestFormerNames(t *testing.T) {
	for _, c := range []struct {
		rule, tool           string
		denies, asks, allows bool
	}{
		{"mcp_shop_*", "mcp__shop__buy", true, true, true},
		{"mcp_shop_buy", "mcp__shop__buy", true, true, true},
		{"mcp_my_shop_*", "mcp__my-shop__buy-it", true, true, true},
		{"mcp__my_shop__buy_it", "mcp__my-shop__buy-it", true, true, true},
		{"mcp_my-shop_buy-it", "mcp__my-shop__buy-it", true, true, true},
		{"mcp_shop_*", "mcp__shop_evil__buy", true, true, false},
		{"mcp_shop_buy", "mcp__shopping__buy", false, false, false},
		{"mcp_*_buy", "mcp__shop__buy", true, true, true}, // the star stands for a _, too
		{"mcp_s*", "mcp__shop__buy", true, true, false},
		{"mcp_shop", "mcp__shop", false, false, false},
		{"terminal", "mcp__shop__buy", false, false, false},
		{"web_fetch", "web_extract", true, true, true},
	} {
		rules := parseRules(t, "deny "+c.rule+"\nask "+c.rule+"\nallow "+c.rule, testPlace())
		if d, a, ok := rules.Denying(c.tool, "").First() != nil, rules.Asking(c.tool, "").First() != nil, rules.Allowing(c.tool, "").First() != nil; d != c.denies || a != c.asks || ok != c.allows {
			t.Errorf("%s about %s: denies %v, asks %v, allows %v", c.rule, c.tool, d, a, ok)
		}
	}
	site := parseRules(t, "deny web_fetch(domain:*.bad.example)", testPlace())
	if site.Denying("web_extract", tools.ActFetch).Site([]string{"a.bad.example"}) == nil {
		t.Error("a rule about a site does not hold by the other name of the tool")
	}
}

// parseRules reads rules written one a line.
func parseRules(t testing.TB, text string, at RulePlace) *Rules {
	t.Helper()
	var specs []RuleSpec
	for line := range strings.Lines(text) {
		effect, rule, _ := strings.Cut(strings.TrimSpace(line), " ")
		s := RuleSpec{}
		switch effect {
		case "allow":
			s.Allow = rule
		case "ask":
			s.Ask = rule
		case "deny":
			s.Deny = rule
		}
		specs = append(specs, s)
	}
	rules, err := NewRules(specs, at)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

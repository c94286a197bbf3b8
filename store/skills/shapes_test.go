package skills_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/store/skills"
)

// shape is a SKILL.md as some author writes it.
type shape struct {
	folder, text string
	name         string // as it is called; empty: left out, with a problem
	describes    string // what its description contains
	problem      string // what is said of it, empty for nothing
}

const body = "\n# How\n\nDo it well.\n"

func md(lines ...string) string { return "---\n" + strings.Join(lines, "\n") + "\n---\n" + body }

// shapes are those of authors for different programs, good and bad.
func shapes() []shape {
	long := strings.Repeat("All about deployments. ", 60)
	list := []shape{
		{"pdf", md("name: pdf", "description: Read PDF files."), "pdf", "Read PDF", ""},
		{"spec-all", md("name: spec-all", "description: All fields.", "license: MIT", "compatibility: needs git", "metadata:", "  author: someone", `  version: "1.0"`, "allowed-tools: Bash(git:*) Read"), "spec-all", "All fields", ""},
		{"quoted", md(`name: "quoted"`, `description: 'In quotes: with a colon.'`), "quoted", "with a colon", ""},
		{"folded", md("name: folded", "description: >-", "  Over two", "  lines."), "folded", "Over two lines.", ""},
		{"literal", md("name: literal", "description: |", "  First.", "  Second."), "literal", "First. Second.", ""},
		{"multi", md("name: multi", "description: A plain text", "  that goes on."), "multi", "that goes on", ""},
		{"utf8", md("name: utf8", "description: Übersetzt ins Français und 日本語 🎉."), "utf8", "日本語 🎉", ""},
		{"comments", md("# a comment", "name: comments # here too", "description: Has comments."), "comments", "Has comments", ""},
		{"flow", md("name: flow", "description: Flow style.", "metadata: {author: me, tags: [a, b]}"), "flow", "Flow", ""},
		{"dashes", "----\nname: dashes\ndescription: Four dashes.\n---\n" + body, "dashes", "Four", ""},
		{"dots", "---\nname: dots\ndescription: Ends with dots.\n...\n" + body, "dots", "Ends with", ""},
		{"blank-first", "\n\n---\nname: blank-first\ndescription: Begins late.\n---\n" + body, "blank-first", "late", ""},
		{"trailing", "---  \nname: trailing\ndescription: Blanks behind.\n---\t\n" + body, "trailing", "Blanks", ""},
		{"empty-lines", md("", "name: empty-lines", "", "description: Gaps.", ""), "empty-lines", "Gaps", ""},
		{"case-keys", md("Name: case-keys", "Description: Capital keys."), "case-keys", "Capital", ""},
		{"document", md("name: document", "description: Second document below.") + "\n---\n\nmore\n", "document", "Second", ""},

		{"when", md("name: when", "description: Makes charts.", "when_to_use: When the user asks for a chart."), "when", "asks for a chart", ""},
		{"hint", md("name: hint", "description: Fixes an issue.", "argument-hint: [issue-number]"), "hint", "Fixes", ""},
		{"args", md("name: args", "description: Moves a part.", "arguments: [part, from, to]"), "args", "Moves", ""},
		{"user-only", md("name: user-only", "description: Deploys.", "disable-model-invocation: true"), "user-only", "Deploys", ""},
		{"model-only", md("name: model-only", "description: Background.", "user-invocable: false"), "model-only", "Background", ""},
		{"fork", md("name: fork", "description: Runs apart.", "context: fork", "agent: Explore", "model: opus", "effort: high"), "fork", "apart", ""},
		{"hooks", md("name: hooks", "description: Has hooks.", "hooks:", "  PreToolUse:", "    - matcher: Bash", "      hooks:", "        - type: command", "          command: ./check.sh"), "hooks", "Has hooks", ""},
		{"paths", md("name: paths", "description: For Go files.", `paths: ["**/*.go"]`, "shell: bash", "disallowed-tools: Write"), "paths", "Go files", ""},
		{"bang", "---\nname: bang\ndescription: Runs things when loaded.\n---\nState: !`git status`\n", "bang", "when loaded", ""},
		{"tools-list", md("name: tools-list", "description: Tools as a list.", "allowed-tools:", "  - Read", "  - Grep"), "tools-list", "as a list", ""},

		{"hermes", md("name: hermes", "description: A full one.", "version: 1.0.0", "author: Someone", "license: MIT", "prerequisites:", "  env_vars: [A_TOKEN]", "  commands: [curl, jq]", "metadata:", "  hermes:", "    tags: [one, two]", "    related_skills: [pdf]"), "hermes", "A full one", ""},
		{"needs-env", md("name: needs-env", "description: Needs a key.", "required_environment_variables:", "  - name: SOME_KEY", "    prompt: Your key", "    help: https://example.com/keys", "  - OTHER_KEY"), "needs-env", "Needs a key", ""},
		{"platform", md("name: platform", "description: On all of them.", "platforms: [linux, macos, windows]"), "platform", "all of them", ""},
		{"dep-list", md("name: dep-list", "description: With dependencies.", "dependencies: [requests>=2]"), "dep-list", "dependencies", ""},
		{"requires", md("name: requires", "description: With conditions.", "metadata:", "  hermes:", "    requires_toolsets: [terminal]", "    fallback_for_tools: [web_search]"), "requires", "conditions", ""},
		{"under_score", md("name: under_score", "description: Not by the specification."), "under_score", "Not by", "not of the form"},
		{"dot.name", md("name: dot.name", "description: A dot."), "dot.name", "A dot", "not of the form"},
		{"category/inner", md("name: inner", "description: In a category."), "inner", "category", ""},
		{"category/deeper/still", md("name: still", "description: Two deep."), "still", "Two deep", ""},

		{"colon", md("name: colon", "description: Use this: when asked to review code"), "colon", "Use this: when asked", "not valid YAML"},
		{"colons", md("name: colons", "description: Triggers: a: b: c", "license: see: LICENSE"), "colons", "Triggers: a: b: c", "not valid YAML"},
		{"percent", md("name: percent", "description: %100 sure"), "percent", "%100 sure", "not valid YAML"},
		{"at-sign", md("name: at-sign", "description: @mentions and such"), "at-sign", "@mentions", "not valid YAML"},
		{"backtick", md("name: backtick", "description: `code` first"), "backtick", "`code`", "not valid YAML"},
		{"star", md("name: star", "description: *bold* words"), "star", "*bold* words", "not valid YAML"},
		{"open-quote", md("name: open-quote", `description: "Never closed`), "open-quote", "Never closed", "not valid YAML"},
		{"bracket", md("name: bracket", "description: [WIP] not done"), "bracket", "WIP] not done", "not valid YAML"},
		{"tabs", md("name: tabs", "description: Tabs below.", "metadata:", "\tauthor: me"), "tabs", "Tabs below", "not valid YAML"},
		{"twice", md("name: twice", "name: twice", "description: A key twice."), "twice", "A key twice", "not valid YAML"},
		{"hash", md("name: hash", "description: 'It''s fine' # rest"), "hash", "It's fine", ""},

		{"bad-case", md("name: Bad Case Name", "description: Capitals and blanks."), "bad-case-name", "Capitals", "not of the form"},
		{"mismatch", md("name: another", "description: Another folder."), "another", "Another", "Its folder is called"},
		{"double--hyphen", md("name: double--hyphen", "description: Two hyphens."), "double--hyphen", "Two", "not of the form"},
		{"edge", md("name: -edge-", "description: Hyphens outside."), "edge", "Hyphens", "not of the form"},
		{"slashes", md("name: ../../etc/passwd", "description: A path as a name."), "etc-passwd", "A path", "not of the form"},
		{"unnamed", md("description: Without a name."), "unnamed", "Without", "has no name"},
		{"number", md("name: 123", "description: A number."), "123", "A number", "Its folder"},
		{"名前", md("name: 技能", "description: Neither in ASCII."), "skill-", "Neither", "not of the form"},
		{"long-name", md("name: "+strings.Repeat("long", 30), "description: A long name."), strings.Repeat("long", 16), "A long name", "not of the form"},

		{"bom", "\ufeff" + md("name: bom", "description: Byte-order mark."), "bom", "Byte-order", ""},
		{"crlf", strings.ReplaceAll(md("name: crlf", "description: From Windows."), "\n", "\r\n"), "crlf", "Windows", ""},
		{"bom-crlf", "\ufeff" + strings.ReplaceAll(md("name: bom-crlf", "description: Both."), "\n", "\r\n"), "bom-crlf", "Both", ""},
		{"old-mac", strings.ReplaceAll(md("name: old-mac", "description: Only returns."), "\n", "\r"), "old-mac", "Only", ""},
		{"latin1", "---\nname: latin1\ndescription: Caf\xe9.\n---\nx\n", "latin1", "Caf", "not UTF-8"},
		{"big", md("name: big", "description: A hundred kilobytes.") + strings.Repeat("All work and no play.\n", 5000), "big", "hundred", ""},
		{"long-text", md("name: long-text", "description: "+long), "long-text", "deployments", "1024 are allowed"},
		{"nul", "---\nname: nul\ndescription: Zero\x00 byte.\n---\nx\n", "nul", "Zero", "not valid YAML"},

		{"no-head", "# Title\n\nFirst paragraph stands in.\n", "no-head", "First paragraph", "no front matter"},
		{"no-end", "---\nname: no-end\ndescription: never ends\n\n# Body\n", "no-end", "name:", "does not end"},
		{"no-text", "---\nname: no-text\ndescription: Only a head.\n---\n", "no-text", "Only", "says nothing besides"},
		{"no-describe", "---\nname: no-describe\n---\n# T\n\nThe first words.\n", "no-describe", "first words", "no description"},
		{"list-head", "---\n- a\n- b\n---\nSome text.\n", "list-head", "Some text", "not valid YAML"},
		{"no-words", "---\nname: no-words\n---\n", "", "", "left out"},
		{"empty", "", "", "", "left out"},
	}
	return list
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func library(o skills.Options) *skills.Library {
	if o.Now == nil {
		o.Now = time.Now
	}
	return skills.Open(o)
}

// TestShapes reads the SKILL.md of many authors: each is there, or said to be left out.
func TestShapes(t *testing.T) {
	all := shapes()
	if len(all) < 60 {
		t.Fatalf("only %d shapes", len(all))
	}
	for _, s := range all {
		t.Run(s.folder, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, s.folder+"/SKILL.md", s.text)
			ix := library(skills.Options{Roots: []skills.Root{{Origin: skills.Home, Dir: dir}}}).Index()
			if s.name == "" {
				if len(ix.Skills) != 0 || len(ix.Problems) != 1 || !strings.Contains(ix.Problems[0].Text, s.problem) {
					t.Errorf("%+v", ix)
				}
				return
			}
			if len(ix.Skills) != 1 || len(ix.Problems) != 0 {
				t.Fatalf("%+v", ix)
			}
			got := ix.Skills[0]
			if got.Name != s.name && (s.name != "skill-" || !strings.HasPrefix(got.Name, s.name)) {
				t.Errorf("called %q, want %q", got.Name, s.name)
			}
			if !strings.Contains(got.Description, s.describes) || strings.ContainsAny(got.Description, "\n\r\x00") {
				t.Errorf("described %q, want %q in it", got.Description, s.describes)
			}
			said := strings.Join(got.Problems, " ")
			if (s.problem == "") != (said == "") || !strings.Contains(said, s.problem) {
				t.Errorf("said %q, want %q in it", said, s.problem)
			}
			if !skills.ValidName(got.Name) || got.State != skills.Ready {
				t.Errorf("%q is %s", got.Name, got.State)
			}
		})
	}
}

// TestHeads holds what is read besides name and description.
func TestHeads(t *testing.T) {
	dir := t.TempDir()
	for _, s := range shapes() {
		write(t, dir, s.folder+"/SKILL.md", s.text)
	}
	ix := library(skills.Options{Roots: []skills.Root{{Origin: skills.Home, Dir: dir}}}).Index()
	get := func(name string) skills.Skill {
		s, several, found := ix.Find(name)
		if !found {
			t.Fatalf("%s: %v", name, several)
		}
		return s
	}
	for what, got := range map[string]string{
		"[issue-number]":     get("hint").Head.Arguments,
		"[part] [from] [to]": get("args").Head.Arguments,
		"A_TOKEN curl jq":    get("hermes").Head.Variables[0].Name + " " + strings.Join(get("hermes").Head.Commands, " "),
		"one two/pdf":        strings.Join(get("hermes").Head.Tags, " ") + "/" + strings.Join(get("hermes").Head.Related, " "),
		"SOME_KEY https://example.com/keys OTHER_KEY": get("needs-env").Head.Variables[0].Name + " " + get("needs-env").Head.Variables[0].Help + " " + get("needs-env").Head.Variables[1].Name,
		"terminal/web_search":                         strings.Join(get("requires").Head.Needs, " ") + "/" + strings.Join(get("requires").Head.Replaces, " "),
		"category":                                    get("inner").Category,
		"category/deeper":                             get("category/deeper/still").Category,
		"1.0 someone needs git":                       get("spec-all").Head.Version + " " + get("spec-all").Head.Author + " " + get("spec-all").Head.Compatibility,
	} {
		if got != what {
			t.Errorf("got %q, want %q", got, what)
		}
	}
	if get("user-only").Offered() || !get("user-only").Callable() || get("model-only").Callable() || !get("model-only").Offered() {
		t.Error("who may call a skill is read wrongly")
	}
	if s := get("Bad Case Name"); s.Name != "bad-case-name" {
		t.Errorf("found %q by the name in its file", s.Name)
	}
}

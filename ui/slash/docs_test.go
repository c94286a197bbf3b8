package slash_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes-tui/internal/docstest"
	"hermes-tui/ui/slash"
)

// named finds commands in code spans: "/diff", "/agents freeze".
var named = regexp.MustCompile("`/([a-z]+)( [a-z]+)?`")

// elsewhere are commands that documents name and the table has not: of other programs, and of
// sessions in lines.
var elsewhere = map[string][]string{
	"docs/accessibility.md": {"skip", "question", "stop", "again", "status", "agent", "job", "send", "steer"}, "docs/moving.md": {"compact"}}

// TestDocsNameCommands holds documents, and what the demonstration says, to the
// table: a command that they name exists and takes what they give it, and the
// commands of a conversation with subagents are named.
func TestDocsNameCommands(t *testing.T) {
	files := []string{"README.md", "ARCHITECTURE.md"}
	for _, pattern := range []string{"docs/*.md", "docs/dev/*.md", "providers/script/demo*.go"} {
		found, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		for _, f := range found {
			if !strings.HasSuffix(f, "_test.go") {
				files = append(files, strings.TrimPrefix(filepath.ToSlash(f), "../../"))
			}
		}
	}
	seen := map[slash.Name]bool{}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(f)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			name, arg := slash.Name(m[1]), strings.TrimSpace(m[2])
			i := slices.IndexFunc(slash.Table(), func(c slash.Command) bool { return c.Name == name || slices.Contains(c.Aliases, string(name)) })
			if i < 0 && slices.Contains(elsewhere[f], m[1]) {
				continue
			}
			if i < 0 {
				t.Errorf("%s names /%s, which is no command", f, name)
				continue
			}
			if choices := slash.Table()[i].Choices; arg != "" && choices != nil && !slices.Contains(choices, arg) {
				t.Errorf("%s names /%s %s, which takes %v", f, name, arg, choices)
			}
			seen[name] = true
		}
	}
	for _, name := range []slash.Name{slash.Agents, slash.Wall, slash.Replay, slash.Reasoning, slash.Diff, slash.Rewind, slash.Jobs} {
		if !seen[name] {
			t.Errorf("no document names /%s", name)
		}
	}
}

var updateDocs = flag.Bool("update-docs", false, "write docs/keys.md again")

// TestDocs holds the commands in docs/keys.md to the table.
func TestDocs(t *testing.T) {
	var b strings.Builder
	for _, g := range slash.Groups() {
		fmt.Fprintf(&b, "### %s\n\n| command | does |\n|---|---|\n", g)
		for _, c := range slash.Table() {
			if c.Group != g {
				continue
			}
			name := "`" + strings.ReplaceAll(c.Usage(), "|", "\\|") + "`"
			for _, a := range c.Aliases {
				name += ", `/" + a + "`"
			}
			fmt.Fprintf(&b, "| %s | %s |\n", name, docstest.Cell(c.Help))
		}
		b.WriteString("\n")
	}
	docstest.Section(t, "docs/keys.md", "commands", b.String(), *updateDocs)
}

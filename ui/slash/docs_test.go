package slash_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes-tui/ui/slash"
)

// named finds commands in code spans: "/diff", "/agents freeze".
var named = regexp.MustCompile("`/([a-z]+)( [a-z]+)?`")

// TestDocsNameCommands holds documents, and what the demonstration says, to the
// table: a command that they name exists and takes what they give it, and the
// commands of a conversation with subagents are named.
func TestDocsNameCommands(t *testing.T) {
	files := []string{"README.md", "ARCHITECTURE.md"}
	for _, pattern := range []string{"docs/*.md", "providers/script/demo*.go"} {
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
			i := slices.IndexFunc(slash.Table(), func(c slash.Command) bool { return c.Name == name })
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

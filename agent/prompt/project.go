package prompt

import (
	"path/filepath"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"hermes-tui/agent/event"
	"hermes-tui/tools/lazyregexp"
)

// instructionNames are the files that instruct an agent, best first. The first
// kind that is found is the one that counts.
var instructionNames = [][]string{
	{".hermes.md", "HERMES.md", "hermes.md"},
	{"AGENTS.md", "agents.md"},
	{"CLAUDE.md", "claude.md"},
	{".cursorrules"},
}

// cursorRules is a folder of rules that goes with .cursorrules.
const cursorRules = ".cursor/rules"

// maxInstructions bounds how much of a file is read at all, in bytes.
const maxInstructions = 1 << 20

// Instructions names the folder that would be trusted and the files in it that
// would be obeyed: instructions for the model, and what else the builder was told
// to look for.
func (b *Builder) Instructions() (root string, files []string) {
	root = b.root()
	files = b.find(root)
	for _, n := range b.AlsoObeyed {
		name := filepath.Join(root, n)
		if _, err := b.Files.Read(name, 1); err == nil {
			files = append(files, name)
		}
	}
	return root, files
}

// programSetting is a line of a repository's settings by which git runs a program.
var programSetting = lazyregexp.New(`(?mi)^\s*(fsmonitor|hookspath|sshcommand|askpass|helper|clean|smudge|process)\s*=`)

// GitPrograms are the files by which git would run programs that the repository brings
// along: its hooks, and its settings where they name any. Unlike instructions they make no
// folder one that has to be trusted; where it is not, git runs none of them. What else the
// builder was told to name follows.
func (b *Builder) GitPrograms() (files []string) {
	git := filepath.Join(b.root(), ".git")
	names, _ := b.Files.Dir(filepath.Join(git, "hooks")) // without them there are none
	for _, n := range names {
		if !strings.Contains(n, ".") {
			files = append(files, filepath.Join(git, "hooks", n))
		}
	}
	config := filepath.Join(git, "config")
	if text, err := b.Files.Read(config, maxInstructions); err == nil && programSetting.MatchString(string(text)) {
		files = append(files, config)
	}
	if b.AlsoNamed != nil {
		files = append(files, b.AlsoNamed(b.root())...)
	}
	return files
}

// find looks for instructions from Dir up to the root.
func (b *Builder) find(root string) []string {
	for _, names := range instructionNames {
		for dir := b.Dir; ; dir = filepath.Dir(dir) {
			if found := b.findIn(dir, names); len(found) > 0 {
				return found
			}
			if dir == root || dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return nil
}

func (b *Builder) findIn(dir string, names []string) []string {
	var found []string
	for _, n := range names {
		name := filepath.Join(dir, n)
		if _, err := b.Files.Read(name, 1); err == nil { // a file that cannot be read instructs no one
			found = append(found, name)
			break
		}
	}
	if names[0] != ".cursorrules" {
		return found
	}
	rules := filepath.Join(dir, cursorRules)
	list, err := b.Files.Dir(rules)
	if err != nil {
		return found // there is no such folder
	}
	sort.Strings(list)
	for _, n := range list {
		if strings.HasSuffix(n, ".mdc") {
			found = append(found, filepath.Join(rules, n))
		}
	}
	return found
}

// project is what a trusted folder asks of the agent.
func (b *Builder) project(model event.Model) string {
	root := b.root()
	files := b.find(root)
	if len(files) == 0 {
		return ""
	}
	parts := []string{"# Project instructions\nThe files below come from the folder the user trusted. Follow them unless the user says otherwise."}
	room := InstructionRoom(model.ContextMax, b.Percent)
	bounded := room > 0
	for i, name := range files {
		shown := name
		if rel, err := filepath.Rel(root, name); err == nil {
			shown = rel
		}
		limit := b.MaxFile
		if bounded { // what shorter ones leave, those behind them may have
			limit = min(limit, max(leastFile, room/(len(files)-i)))
		}
		text := b.instruction(root, name, limit, time.Time{})
		room -= utf8.RuneCountInString(text)
		parts = append(parts, "## "+shown+"\n"+text)
	}
	return strings.Join(parts, "\n\n")
}

// leastFile is what is left of a file however many there are, in characters.
const leastFile = 200

// InstructionRoom is how many characters a project's files may have together for a
// window in tokens and a share of it in percent; 0 for no such bound.
func InstructionRoom(window int, percent float64) int {
	return int(float64(window) * percent / 100 * 4)
}

// withoutFrontMatter removes a leading YAML block, and the carriage returns of line ends.
func withoutFrontMatter(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	body, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return text
	}
	if _, rest, ok := strings.Cut("\n"+body, "\n---\n"); ok {
		return rest
	}
	return text
}

package prompt

import (
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of the instructions of deeper folders: how many folders up from what is
// touched are looked at, and how long a text is at most, in characters.
const (
	maxDeeper     = 6
	maxDeeperText = 8_000
)

// deeperNames are the files that instruct an agent in a deeper folder, best first.
var deeperNames = slices.Concat(instructionNames...)

// strangers are folders of what others have written: no one has read it before it
// was trusted.
var strangers = []string{".git", "node_modules", "vendor", "third_party", "site-packages", ".venv"}

// Deeper finds the files that instruct an agent in the folders around some paths,
// outer folders first. It looks below the root, where the prompt has not looked
// already, and asks fresh once about each folder whether to look there.
func (b *Builder) Deeper(paths []string, fresh func(dir string) bool) []string {
	root := b.root()
	var files []string
	for _, p := range paths {
		if !within(p, root) {
			continue
		}
		if !b.Files.IsDir(p) {
			p = filepath.Dir(p)
		}
		var here []string
		for range maxDeeper {
			if !within(p, root) || within(b.Dir, p) || !fresh(p) {
				break
			}
			if rel, _ := filepath.Rel(root, p); !ofStrangers(rel) {
				here = append(here, b.findIn(p, deeperNames)...)
			}
			p = filepath.Dir(p)
		}
		slices.Reverse(here)
		files = append(files, here...)
	}
	return files
}

func ofStrangers(rel string) bool {
	return slices.ContainsFunc(strings.Split(rel, string(filepath.Separator)), func(elem string) bool { return slices.Contains(strangers, elem) })
}

// DeeperOpen begins the text of each file that [Builder.Instruct] gives.
const DeeperOpen = "[Instructions of the folder "

// Instruct gives the text of the files that [Builder.Deeper] has found, for the model,
// without those whose first line it was told. It must be called only in a trusted
// folder.
func (b *Builder) Instruct(files []string, told func(line string) bool) string {
	root := b.root()
	var parts []string
	for _, name := range files {
		rel, _ := filepath.Rel(root, name)
		line := DeeperOpen + filepath.Dir(rel) + ", from " + rel + ". Follow them for what is in it unless the user says otherwise.]\n"
		if !told(line) {
			parts = append(parts, line+b.instruction(root, name, min(b.MaxFile, maxDeeperText), b.Began))
		}
	}
	return strings.Join(parts, "\n\n")
}

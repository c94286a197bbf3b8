package prompt

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"hermes-tui/tools/charset"
	"hermes-tui/tools/lazyregexp"
)

// Bounds of what instructions import: how deep imports nest, and how many files one
// file brings in altogether.
const (
	maxImportDepth = 5
	maxImports     = 20
)

// importMark is an import: @ and a name with a dot or a slash, by itself.
var importMark = lazyregexp.New(`(?:^|[\s(])@([\w~./-]*[./][\w./-]*\w)`)

// reading takes one file that instructs and what it imports.
type reading struct {
	*Builder
	root  string
	seen  map[string]bool // real names
	since time.Time       // what was changed later does not count; zero is no bound
	files int
	left  int64 // bytes that may still be read
	parts []string
}

// instruction gives the text of a file that instructs, with the files it imports
// behind it, scanned and cut to limit characters. root bounds the tree, and none may
// have changed after since, unless that is zero.
func (b *Builder) instruction(root, name string, limit int, since time.Time) string {
	r := &reading{Builder: b, root: root, since: since, seen: map[string]bool{}, left: maxInstructions}
	shown := r.shown(name)
	if why := r.take(name, 0); why != "" {
		return b.leaveOut(shown, why)
	}
	text := strings.Join(r.parts, "\n\n")
	if why := r.together(name, text); why != "" { // what only all of them say together
		return b.leaveOut(shown, why)
	}
	cut, _ := Truncate(shown, text, limit)
	return cut
}

// together scans what several files say as one text.
func (r *reading) together(name, text string) (why string) {
	if len(r.parts) < 2 {
		return ""
	}
	return r.findings(name, r.shown(name)+" with what it imports", text, false)
}

// take reads a file and what it imports. It returns why it cannot.
func (r *reading) take(name string, depth int) (why string) {
	real, err := r.Files.Resolve(name)
	if err != nil {
		return "it cannot be read"
	}
	top, err := r.Files.Resolve(r.root)
	switch {
	case err != nil || !within(real, top):
		return "it is outside the folder the user trusted, or a link that leads out of it"
	case r.seen[real]:
		return ""
	case depth > maxImportDepth:
		return fmt.Sprintf("imports nest deeper than %d files", maxImportDepth)
	case r.files > maxImports:
		return fmt.Sprintf("more than %d files are imported", maxImports)
	case !r.since.IsZero() && r.later(real):
		return "it was changed after the conversation began; it counts from the next one on"
	case depth > 0 && r.Secret != nil && r.Secret(real):
		return "it may hold secrets"
	}
	r.seen[real] = true
	r.files++
	raw, err := r.Files.Read(real, r.left)
	if err != nil {
		return "it cannot be read"
	}
	r.left -= int64(len(raw))
	text := withoutFrontMatter(charset.Text(raw))
	if why := r.findings(real, r.shown(name), text, true); why != "" {
		return why
	}
	if depth > 0 {
		text = "### " + r.shown(name) + " (imported)\n" + text
	}
	r.parts = append(r.parts, text)
	for _, imported := range importsOf(text) {
		r.follow(filepath.Dir(name), imported, depth+1)
	}
	return ""
}

// later reports whether a file was changed too late to count.
func (r *reading) later(name string) bool {
	at, err := r.Files.Changed(name)
	return err != nil || !at.Before(r.since)
}

// follow takes an import of a file in dir. A name under which nothing is counts as
// prose.
func (r *reading) follow(dir, name string, depth int) {
	full := name
	switch {
	case strings.HasPrefix(name, "~/"):
		full = filepath.Join(r.System.Home, name[2:])
	case !filepath.IsAbs(name):
		full = filepath.Join(dir, name)
	}
	if full = filepath.Clean(full); within(full, r.root) {
		if _, err := r.Files.Read(full, 1); err != nil {
			return
		}
	}
	if why := r.take(full, depth); why != "" {
		r.parts = append(r.parts, r.leaveOut("@"+name, why))
	}
}

// importsOf lists what a text imports, outside of code.
func importsOf(text string) []string {
	var list []string
	fenced := false
	for line := range strings.Lines(text) {
		if mark := strings.TrimSpace(line); strings.HasPrefix(mark, "```") || strings.HasPrefix(mark, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced {
			continue
		}
		for i, prose := range strings.Split(line, "`") {
			if i%2 == 1 {
				continue
			}
			for _, m := range importMark.FindAllStringSubmatch(prose, -1) {
				list = append(list, m[1])
			}
		}
	}
	return list
}

// attack is why a text with findings is left out.
func attack(found []string) string {
	return "it reads like an attempt to take over the agent (" + strings.Join(found, ", ") + ")"
}

// leaveOut says to the user and the model that a file is left out.
func (b *Builder) leaveOut(name, why string) string {
	if b.LeftOut != nil {
		b.LeftOut(name + " was left out of the agent's instructions: " + why + ".")
	}
	return fmt.Sprintf("[BLOCKED: %s was left out: %s. Tell the user if it matters.]", name, why)
}

// shown is how a file is named to the model: from the root on.
func (r *reading) shown(name string) string {
	if rel, err := filepath.Rel(r.root, name); err == nil {
		return rel
	}
	return name
}

// within reports whether a clean name is a folder or lies below it.
func within(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

package plugins

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hermes-tui/tools/lazyregexp"
)

// Manifest is the description of a plugin.
type Manifest struct {
	Name, Version, Description, License string
	// Author is its name.
	Author string

	file  string // in the folder
	parts map[string]json.RawMessage
}

// The keys of a manifest: texts, those for programs that show a plugin, and the parts it
// may name. Others are noted.
var (
	wordKeys  = []string{"name", "version", "description", "license"}
	shownKeys = strings.Fields("$schema author homepage repository keywords extensions displayName display_name interface category tags icon logo publisher strict source")
	partKeys  = strings.Fields("skills commands hooks mcpServers")
)

// goodName is the form of a plugin's name.
var goodName = lazyregexp.New(`^[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?$`)

// ValidName reports whether a plugin can have a name.
func ValidName(name string) bool {
	return goodName.MatchString(name) && !strings.Contains(name, "--") && !strings.Contains(name, "..")
}

// fitting is a name in small letters, with hyphens for blanks and underscores, and without the
// scope of a registry.
func fitting(name string) string {
	if _, rest, scoped := strings.Cut(name, "/"); scoped && name[0] == '@' {
		name = rest
	}
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == ' ' || r == '_' }), "-")
}

// ownSchemas begins each $schema of Agent Plugins, schemaOf is that of version 1.
const (
	ownSchemas = "https://agent-plugins.org/"
	schemaOf   = ownSchemas + "schemas/1.0.0/plugin.schema.json"
)

// maxWords bounds each text of a manifest, in bytes.
const maxWords = 4096

// manifests are the files of a folder that may describe a plugin, best first: those of the
// programs that have such a form, and plugin.json.
func manifests(dir string) []string {
	list := []string{".claude-plugin/" + manifestFile, ".codex-plugin/" + manifestFile, ".cursor-plugin/" + manifestFile}
	others, _ := filepath.Glob(filepath.Join(escaped(dir), ".*plugin", manifestFile)) // the pattern is good
	for _, name := range others {
		if name = path.Join(filepath.Base(filepath.Dir(name)), manifestFile); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	list = slices.DeleteFunc(list, func(name string) bool { _, err := os.Stat(filepath.Join(dir, name)); return err != nil })
	if _, err := os.Lstat(filepath.Join(dir, manifestFile)); err == nil {
		list = append(list, manifestFile)
	}
	return list
}

// escaped is a path as a pattern that means it alone.
func escaped(dir string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(dir)
}

// readManifest reads the manifest of a folder. notes are about keys that mean nothing here
// and were passed over; whatever else is wrong is an error.
func readManifest(dir string) (m Manifest, notes []string, err error) {
	list := manifests(dir)
	if len(list) == 0 {
		return m, nil, errNoManifest
	}
	data, err := readFile(filepath.Join(dir, list[0]))
	if err != nil {
		return m, nil, err
	}
	m, notes, err = parseManifest(data)
	m.file = list[0]
	return m, notes, err
}

var errNoManifest = fmt.Errorf("it has no plugin.json, nor one in .claude-plugin, .codex-plugin or .cursor-plugin: %w", fs.ErrNotExist)

// parseManifest reads a manifest.
func parseManifest(data []byte) (m Manifest, notes []string, err error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return m, nil, fmt.Errorf("plugin.json cannot be read: %w", err)
	}
	m.parts = map[string]json.RawMessage{}
	for key, raw := range keys {
		switch {
		case slices.Contains(partKeys, key):
			m.parts[key] = raw
		case !slices.Contains(wordKeys, key) && !slices.Contains(shownKeys, key):
			notes = append(notes, fmt.Sprintf("plugin.json has %q, which means nothing here", clip(key)))
		}
	}
	slices.Sort(notes)
	m.Name, m.Version, m.Description, m.License, m.Author = fitting(word(keys["name"])), word(keys["version"]), word(keys["description"]), word(keys["license"]), word(keys["author"])
	var extensions map[string]json.RawMessage
	_ = json.Unmarshal(keys["extensions"], &extensions) // what has another form says nothing
	schema := word(keys["$schema"])
	switch {
	case m.Name == "":
		return m, nil, errors.New("plugin.json has no name")
	case !ValidName(m.Name):
		return m, nil, fmt.Errorf("plugin.json has the name %q: one has at most 64 small letters, digits, dots and hyphens, with a letter or digit at both ends", clip(m.Name))
	case strings.HasPrefix(schema, ownSchemas) && schema != schemaOf:
		return m, nil, fmt.Errorf("plugin.json is of another form (%q)", clip(schema))
	}
	for name := range extensions {
		if !strings.Contains(name, ".") {
			return m, nil, fmt.Errorf("plugin.json has an extension %q, which is no name like com.example", clip(name))
		}
	}
	for _, s := range []string{m.Version, m.Description, m.Author, m.License} {
		if len(s) > maxWords {
			return m, nil, errors.New("plugin.json has a text of more than 4 KB")
		}
	}
	return m, notes, nil
}

// word is a value as text: a text, a number, or the name in an object.
func word(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return ""
	}
	if m, ok := v.(map[string]any); ok {
		v = m["name"]
	}
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case float64, bool:
		return fmt.Sprint(v)
	}
	return ""
}

// named are the paths that a part of the manifest names, and the objects that stand in
// their place.
func (p *Plugin) named(key string) (paths []string, objects []json.RawMessage) {
	raw := p.parts[key]
	if len(raw) == 0 {
		return nil, nil
	}
	list := []json.RawMessage{raw}
	if raw[0] == '[' {
		_ = json.Unmarshal(raw, &list) // it was read before
	}
	for _, one := range list {
		var name string
		switch {
		case json.Unmarshal(one, &name) != nil:
			objects = append(objects, one)
		case !filepath.IsLocal(filepath.FromSlash(strings.TrimPrefix(name, "./"))):
			p.note("%s leads out of the plugin (%s)", clip(name), key)
		default:
			paths = append(paths, path.Clean(name))
		}
	}
	return paths, objects
}

func clip(s string) string { return s[:min(len(s), 100)] }

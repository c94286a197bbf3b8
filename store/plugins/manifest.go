package plugins

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes-tui/tools/lazyregexp"
)

// Manifest is what a plugin says of itself.
type Manifest struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Description string `json:"description"`
	Author      Author `json:"author"`
	Homepage    string `json:"homepage"`
	Repository  string `json:"repository"`
	License     string `json:"license"`

	Keywords   []string                   `json:"keywords"`
	Extensions map[string]json.RawMessage `json:"extensions"`
	Schema     string                     `json:"$schema"`
}

// Author is who has written a plugin.
type Author struct {
	Name  string `json:"name"`
	Email string `json:"email"`
	URL   string `json:"url"`
}

// manifestKeys are those that a plugin.json may have.
var manifestKeys = strings.Fields("$schema name version description author homepage repository license keywords extensions")

// goodName is the form of a plugin's name.
var goodName = lazyregexp.New(`^[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?$`)

// ValidName reports whether a plugin can have a name.
func ValidName(name string) bool {
	return goodName.MatchString(name) && !strings.Contains(name, "--") && !strings.Contains(name, "..")
}

// schemaOf is the $schema that a version 1 manifest has, if it has one.
const schemaOf = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"

// maxWords bounds each text of a manifest, in bytes.
const maxWords = 4096

// parseManifest reads a plugin.json. unknown are keys that mean nothing here and were passed
// over; whatever else is wrong is an error.
func parseManifest(data []byte) (m Manifest, unknown []string, err error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return m, nil, fmt.Errorf("plugin.json cannot be read: %w", err)
	}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&m); err != nil {
		return m, nil, fmt.Errorf("plugin.json cannot be read: %w", err)
	}
	for key := range keys {
		if !slices.Contains(manifestKeys, key) {
			unknown = append(unknown, fmt.Sprintf("plugin.json has %q, which means nothing here", clip(key)))
		}
	}
	slices.Sort(unknown)
	switch {
	case m.Name == "":
		return m, nil, errors.New("plugin.json has no name")
	case !ValidName(m.Name):
		return m, nil, fmt.Errorf("plugin.json has the name %q: one has at most 64 small letters, digits, dots and hyphens, with a letter or digit at both ends", clip(m.Name))
	case m.Schema != "" && m.Schema != schemaOf:
		return m, nil, fmt.Errorf("plugin.json is of another form (%q)", clip(m.Schema))
	}
	for name := range m.Extensions {
		if !strings.Contains(name, ".") {
			return m, nil, fmt.Errorf("plugin.json has an extension %q, which is no name like com.example", clip(name))
		}
	}
	for _, s := range append([]string{m.Version, m.Description, m.Author.Name, m.Author.Email, m.Author.URL, m.Homepage, m.Repository, m.License}, m.Keywords...) {
		if len(s) > maxWords {
			return m, nil, errors.New("plugin.json has a text of more than 4 KB")
		}
	}
	return m, unknown, nil
}

func clip(s string) string { return s[:min(len(s), 100)] }

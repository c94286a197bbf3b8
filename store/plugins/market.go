package plugins

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hermes-tui/store/atomicfile"
)

// listFile is the file of a repository that lists several plugins.
const listFile = "marketplace.json"

// offer is a plugin of a list.
type offer map[string]json.RawMessage

func (o offer) name() string { return fitting(word(o["name"])) }

// ElsewhereError says that a plugin of a list is in another repository.
type ElsewhereError struct {
	// URL is its address, Ref a branch, a tag or a commit, Path its folder there.
	URL, Ref, Path string

	entry offer
}

// Error implements error.
func (e *ElsewhereError) Error() string { return "it is in another repository, " + e.URL }

// In has a plugin installed that a list describes, from where it is.
func (e *ElsewhereError) In(o *Choice) { o.dir, o.entry, o.Name = e.Path, e.entry, "" }

// Choice says which plugin of a folder is wanted.
type Choice struct {
	// Name is that in the list of the folder, empty for the only one there is.
	Name string

	dir   string
	entry offer
}

// pick is the folder of the plugin that is wanted, below top, with a manifest in it.
func pick(top string, c Choice) (string, error) {
	if c.entry != nil {
		return described(top, c.dir, c.entry)
	}
	list, base := offers(top)
	single := len(manifests(top)) > 0
	if c.Name == "" && (single || len(list) == 0) {
		return top, nil
	}
	var names []string
	for _, o := range list {
		switch {
		case o.name() == fitting(c.Name), c.Name == "" && len(list) == 1:
			return o.in(top, base)
		case o.name() != "":
			names = append(names, o.name())
		}
	}
	switch {
	case c.Name == "":
		return "", fmt.Errorf("it holds %d plugins, so name the one that you want: %s", len(names), strings.Join(names, ", "))
	case len(names) == 0 && single:
		return "", errors.New("it is a single plugin, so leave the name out")
	}
	return "", fmt.Errorf("it has no plugin %s, but %s", clip(c.Name), strings.Join(names, ", "))
}

// offers are the plugins that a folder lists; base is what their paths begin with.
func offers(top string) (list []offer, base string) {
	for _, dir := range []string{".claude-plugin", ".agents/plugins", ".codex-plugin", ".cursor-plugin", ".github/plugin", ".*plugin", "."} {
		found, _ := filepath.Glob(filepath.Join(escaped(top), filepath.FromSlash(dir), listFile)) // the pattern is good
		if len(found) == 0 {
			continue
		}
		data, err := readFile(found[0])
		var file struct {
			Plugins  []offer `json:"plugins"`
			Metadata struct {
				PluginRoot string `json:"pluginRoot"`
			} `json:"metadata"`
		}
		if err == nil && json.Unmarshal(data, &file) == nil && len(file.Plugins) > 0 {
			return file.Plugins, file.Metadata.PluginRoot
		}
	}
	return nil, ""
}

// in is the folder of a plugin of a list, or an [*ElsewhereError].
func (o offer) in(top, base string) (string, error) {
	var dir string
	var fields struct{ Source, Path, Repo, URL, Ref, SHA string }
	raw := o["source"]
	if json.Unmarshal(raw, &dir) == nil {
		if !strings.HasPrefix(dir, ".") {
			dir = path.Join(base, dir)
		}
		return described(top, dir, o)
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return "", fmt.Errorf("the list says not where %s is", clip(o.name()))
	}
	away := &ElsewhereError{URL: fields.URL, Ref: cmp.Or(fields.SHA, fields.Ref), Path: fields.Path, entry: o}
	switch fields.Source {
	case "local", "":
		return described(top, fields.Path, o)
	case "github":
		away.URL = "https://github.com/" + fields.Repo + ".git"
	case "url", "git", "git-subdir":
		if away.URL != "" && !strings.Contains(away.URL, ":") {
			away.URL = "https://github.com/" + away.URL + ".git"
		}
	default:
		return "", fmt.Errorf("%s comes from %q, which cannot be read here", clip(o.name()), clip(fields.Source))
	}
	return "", away
}

// described is a folder below top with what a list says of it in its manifest: its name,
// and what the manifest itself leaves open.
func described(top, dir string, o offer) (string, error) {
	local := path.Clean(strings.TrimPrefix(dir, "./"))
	at := filepath.Join(top, filepath.FromSlash(local))
	if st, err := os.Stat(at); !filepath.IsLocal(filepath.FromSlash(local)) || err != nil || !st.IsDir() {
		return "", fmt.Errorf("the folder of %s, %s, is not there", clip(o.name()), clip(dir))
	}
	keys, file := offer{}, ".claude-plugin/"+manifestFile
	if list := manifests(at); len(list) > 0 {
		file = list[0]
		data, err := readFile(filepath.Join(at, filepath.FromSlash(file)))
		if err == nil {
			err = json.Unmarshal(data, &keys)
		}
		if err != nil {
			return "", fmt.Errorf("plugin.json cannot be read: %w", err)
		}
	}
	before := maps.Clone(keys)
	for key, raw := range o {
		if _, has := keys[key]; !has && (slices.Contains(wordKeys, key) || slices.Contains(partKeys, key) || key == "author") {
			keys[key] = raw
		}
	}
	if o["name"] != nil {
		keys["name"] = o["name"]
	}
	if maps.EqualFunc(before, keys, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
		return at, nil
	}
	data, err := json.MarshalIndent(keys, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(filepath.Join(at, filepath.FromSlash(file))), 0o755)
	}
	if err == nil {
		err = atomicfile.Write(filepath.Join(at, filepath.FromSlash(file)), data, 0o644)
	}
	return at, err
}

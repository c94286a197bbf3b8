package plugins

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes-tui/store/atomicfile"
	"hermes-tui/tools/lazyregexp"
)

// Plugin is a plugin as it is on the disk.
type Plugin struct {
	Manifest
	Dir string
	// Sum is the hash of its content, to which enabling it is bound.
	Sum string
	// Source says where it came from.
	Source Source
	// Skills are the folders in it that hold a SKILL.md, with slashes; Commands are the files
	// that are each a skill by themselves, which a user calls by its name.
	Skills, Commands []string
	// Servers are its MCP servers.
	Servers []Server
	// Hooks are its files with hooks, Tools are commands that are tools.
	Hooks []string
	Tools []Tool
	// Notes say what of it was passed over.
	Notes []string
}

// Source is where a plugin came from.
type Source struct {
	From string    `json:"from"`
	Ref  string    `json:"ref,omitempty"` // a commit
	At   time.Time `json:"at"`
}

// Server is an MCP server of a plugin: a program, or an address.
type Server struct {
	Name, Type, Command string
	Args                []string
	Env                 map[string]string
	Cwd                 string // below the root
	URL                 string
	Headers             map[string]string
}

// Tool is a command that is a tool.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Command     string          `json:"command"`
	Parameters  json.RawMessage `json:"parameters"`
	Seconds     int             `json:"timeout"`
}

// The files of a plugin.
const (
	manifestFile = "plugin.json"
	skillFile    = "SKILL.md"
	skillsDir    = "skills"
	ownDir       = "hermes-tui"
)

// maxFile bounds each of them, in bytes.
const maxFile = 1 << 20

// Read reads a plugin. An error says why it is none.
func Read(dir string) (p Plugin, err error) {
	p.Dir = dir
	if p.Manifest, p.Notes, err = readManifest(dir); err != nil {
		return p, err
	}
	if p.Sum = sum(dir); p.Sum == "" {
		return p, errors.New("it holds a link or what cannot be read")
	}
	p.readSkills()
	p.readCommands()
	p.readServers()
	p.readHooks()
	p.readTools()
	p.noteOthers()
	return p, nil
}

func (p *Plugin) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// at is the path of something in the plugin, by its name with slashes.
func (p *Plugin) at(name string) string { return filepath.Join(p.Dir, filepath.FromSlash(name)) }

func (p *Plugin) has(name string) bool {
	_, err := os.Stat(p.at(name))
	return err == nil
}

// readSkills finds the skills: those that the manifest names, with all below skills unless
// it names some of these; without any, the plugin itself may be one.
func (p *Plugin) readSkills() {
	list, _ := p.named("skills")
	if !slices.ContainsFunc(list, func(name string) bool { return name == skillsDir || strings.HasPrefix(name, skillsDir+"/") }) {
		list = append(list, skillsDir)
	}
	for _, name := range list {
		switch {
		case p.has(path.Join(name, skillFile)):
			p.Skills = append(p.Skills, name)
		case p.has(name):
			entries, _ := os.ReadDir(p.at(name)) // what cannot be read has no skills
			for _, d := range entries {
				if sub := path.Join(name, d.Name()); d.IsDir() && p.has(path.Join(sub, skillFile)) {
					p.Skills = append(p.Skills, sub)
				}
			}
		case name != skillsDir:
			p.note("its skills %s are not there", clip(name))
		}
	}
	if len(p.Skills) == 0 && p.has(skillFile) {
		p.Skills = []string{"."}
	}
	slices.Sort(p.Skills)
	p.Skills = slices.Compact(p.Skills)
}

// maxCommands bounds how many there are.
const maxCommands = 200

// readCommands finds the commands: Markdown files of the folder commands, and of those that
// the manifest names.
func (p *Plugin) readCommands() {
	list, _ := p.named("commands")
	for _, name := range append(list, "commands") {
		_ = filepath.WalkDir(p.at(name), func(file string, d fs.DirEntry, _ error) error {
			rel, _ := filepath.Rel(p.Dir, file)
			base := strings.ToLower(filepath.Base(file))
			switch {
			case d == nil: // there is none
			case !d.Type().IsRegular() || path.Ext(base) != ".md" || base == "readme.md" || slices.Contains(p.Commands, filepath.ToSlash(rel)):
			case len(p.Commands) == maxCommands:
				p.note("it has more than %d commands; the others were passed over", maxCommands)
				return fs.SkipAll
			default:
				p.Commands = append(p.Commands, filepath.ToSlash(rel))
			}
			return nil
		})
	}
	slices.Sort(p.Commands)
}

// readHooks finds the files with hooks: that for this program, that of the folder hooks, those
// that the manifest names, and the manifest itself where they stand in it.
func (p *Plugin) readHooks() {
	list, objects := p.named("hooks")
	for _, name := range append([]string{path.Join(ownDir, "hooks.json"), "hooks/hooks.json"}, list...) {
		st, err := os.Stat(p.at(name))
		switch own := len(p.Hooks) == 1 && p.Hooks[0] == p.at(path.Join(ownDir, "hooks.json")); {
		case own: // they stand for the others
		case err == nil && st.Mode().IsRegular():
			if file := p.at(name); !slices.Contains(p.Hooks, file) {
				p.Hooks = append(p.Hooks, file)
			}
		case slices.Contains(list, name):
			p.note("its hooks %s are not there", clip(name))
		}
	}
	if len(objects) > 0 {
		p.Hooks = append(p.Hooks, p.at(p.file))
	}
}

// readTools reads the tools, which are for this program alone.
func (p *Plugin) readTools() {
	data, err := readFile(filepath.Join(p.Dir, ownDir, "tools.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var file struct {
		Tools []Tool `json:"tools"`
	}
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil {
		p.note("%s/tools.json cannot be read: %v", ownDir, err)
		return
	}
	for _, t := range file.Tools {
		if !toolName.MatchString(t.Name) || t.Command == "" || t.Description == "" {
			p.note("the tool %q was passed over: it needs a name of letters, digits, - and _, a description and a command", clip(t.Name))
			continue
		}
		p.Tools = append(p.Tools, t)
	}
}

// toolName is the form of a tool's name.
var toolName = lazyregexp.New(`^[a-zA-Z][a-zA-Z0-9_-]{0,63}$`)

// noteOthers names the usual parts of plugins that have no effect here.
func (p *Plugin) noteOthers() {
	for _, o := range []struct{ name, is string }{
		{"agents", "agents"}, {"rules", "rules"}, {"output-styles", "output styles"}, {"monitors", "monitors"}, {"themes", "themes"}, {"workflows", "workflows"},
		{".lsp.json", "language servers"}, {".app.json", "apps"}, {"settings.json", "settings"},
	} {
		if p.has(o.name) {
			p.note("its %s (%s) have no effect here", o.is, o.name)
		}
	}
}

func readFile(name string) ([]byte, error) {
	data, _, err := atomicfile.Read(name, maxFile)
	if _, large := errors.AsType[*atomicfile.LargeError](err); large || errors.Is(err, atomicfile.ErrNotRegular) {
		return nil, fmt.Errorf("%s is no file of at most 1 MB", filepath.Base(name))
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), err
}

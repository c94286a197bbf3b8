package plugins

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
	// Skills are the names of its folders with skills, Servers what its mcp.json has.
	Skills  []string
	Servers []Server
	// Hooks is its file with hooks, empty for none; Tools are commands that are tools.
	Hooks string
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
	Name    string            `json:"-"`
	Type    string            `json:"type"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Cwd     string            `json:"cwd"` // below the root
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
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
	serversFile  = "mcp.json"
	skillsDir    = "skills"
	ownDir       = "hermes-tui"
)

// maxFile bounds each of them, in bytes.
const maxFile = 1 << 20

// Read reads a plugin. An error says why it is none.
func Read(dir string) (p Plugin, err error) {
	data, err := readFile(filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return p, errors.New("it has no plugin.json")
	}
	if err != nil {
		return p, err
	}
	p.Dir = dir
	if p.Manifest, p.Notes, err = parseManifest(data); err != nil {
		return p, err
	}
	if p.Sum = sum(dir); p.Sum == "" {
		return p, errors.New("it holds a link or what cannot be read")
	}
	p.readSkills()
	p.readServers()
	p.readOwn()
	return p, nil
}

func (p *Plugin) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

func (p *Plugin) readSkills() {
	list, _ := os.ReadDir(filepath.Join(p.Dir, skillsDir)) // none
	for _, d := range list {
		if _, err := os.Stat(filepath.Join(p.Dir, skillsDir, d.Name(), "SKILL.md")); d.IsDir() && err == nil {
			p.Skills = append(p.Skills, d.Name())
		}
	}
}

func (p *Plugin) readServers() {
	data, err := readFile(filepath.Join(p.Dir, serversFile))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var file struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil {
		p.note("mcp.json cannot be read: %v", err)
		return
	}
	for name, raw := range file.Servers {
		s := Server{}
		err := json.Unmarshal(raw, &s)
		if err == nil {
			err = s.check()
		}
		if err != nil {
			p.note("the MCP server %q was passed over: %v", clip(name), err)
			continue
		}
		s.Name = name
		if s.Cwd, err = p.within(s.Cwd); err != nil {
			p.note("the MCP server %q was passed over: %v", clip(name), err)
			continue
		}
		p.Servers = append(p.Servers, s)
	}
	slices.SortFunc(p.Servers, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
}

// within is a folder of the plugin, relative to its root, which PLUGIN_ROOT stands for.
func (p *Plugin) within(dir string) (string, error) {
	local := strings.TrimPrefix(strings.TrimPrefix(dir, "${PLUGIN_ROOT}"), "/")
	if local == "" {
		return "", nil
	}
	if strings.HasPrefix(dir, "/") || strings.Contains(local, "${") || !filepath.IsLocal(local) {
		return "", fmt.Errorf("its cwd %q is no folder within the plugin", clip(dir))
	}
	if st, err := os.Stat(filepath.Join(p.Dir, local)); err != nil || !st.IsDir() {
		return "", fmt.Errorf("its cwd %q is no folder within the plugin", clip(dir))
	}
	return filepath.Clean(local), nil
}

// check says what of a server the form does not allow.
func (s Server) check() error {
	switch s.Type {
	case "stdio", "":
		name := strings.TrimPrefix(s.Command, "./")
		switch {
		case s.Command == "":
			return errors.New("it has no command")
		case strings.ContainsAny(s.Command, "${}\x00 ") || name == s.Command && strings.ContainsAny(name, `/\`) || !filepath.IsLocal(name):
			return errors.New("its command is neither a bare name nor a path within the plugin that begins with ./")
		}
		return nil
	case "streamable-http", "sse":
		u, err := url.Parse(s.URL)
		switch {
		case err != nil || u.Host == "" || strings.Contains(s.URL, "${"):
			return errors.New("its url is no address")
		case u.User != nil || u.Fragment != "":
			return errors.New("its url has a login or a fragment in it")
		case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
			return nil
		}
		return errors.New("its url is not https")
	}
	return fmt.Errorf("it is of the type %q, which does not exist", clip(s.Type))
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// toolName is the form of a tool's name.
var toolName = lazyregexp.New(`^[a-zA-Z][a-zA-Z0-9_-]{0,63}$`)

// readOwn reads what is for this program alone.
func (p *Plugin) readOwn() {
	for _, name := range []string{filepath.Join(ownDir, "hooks.json"), filepath.Join("hooks", "hooks.json")} {
		if st, err := os.Stat(filepath.Join(p.Dir, name)); err == nil && st.Mode().IsRegular() {
			p.Hooks = filepath.Join(p.Dir, name)
			break
		}
	}
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

func readFile(name string) ([]byte, error) {
	st, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxFile {
		return nil, fmt.Errorf("%s is no file of at most 1 MB", filepath.Base(name))
	}
	return os.ReadFile(name)
}

package plugins

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// roots are the names under which the entries of servers know the folder of the plugin.
var roots = []string{"${CLAUDE_PLUGIN_ROOT}", "${CODEX_PLUGIN_ROOT}", "${CURSOR_PLUGIN_ROOT}"}

// ofRoot is a text with [Root] in the place of other names for the folder of the plugin.
func ofRoot(text string) string {
	for _, r := range roots {
		text = strings.ReplaceAll(text, r, Root)
	}
	return text
}

// Root stands for the folder of a plugin in what it says of servers and tools.
const Root = "${PLUGIN_ROOT}"

// readServers reads the MCP servers: of mcp.json or .mcp.json, of the files that the manifest
// names, and of the manifest itself.
func (p *Plugin) readServers() {
	list, objects := p.named("mcpServers")
	for _, name := range append([]string{"mcp.json", ".mcp.json"}, list...) {
		data, err := readFile(p.at(name))
		switch {
		case errors.Is(err, fs.ErrNotExist) && !slices.Contains(list, name):
		case err != nil:
			p.note("%s cannot be read: %v", clip(name), err)
		default:
			p.servers(name, data)
		}
	}
	for _, o := range objects {
		p.servers(p.file, o)
	}
	slices.SortFunc(p.Servers, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
}

// servers reads those of a file: under mcpServers, or by themselves.
func (p *Plugin) servers(file string, data []byte) {
	var all map[string]json.RawMessage
	err := json.Unmarshal(data, &all)
	if inner, ok := all["mcpServers"]; ok && err == nil {
		all = nil
		err = json.Unmarshal(inner, &all)
	}
	if err != nil {
		p.note("%s cannot be read: %v", filepath.Base(file), err)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name == "$schema" || slices.ContainsFunc(p.Servers, func(s Server) bool { return s.Name == name }) {
			continue
		}
		s, err := p.server(all[name])
		if err != nil {
			p.note("the MCP server %q was passed over: %v", clip(name), err)
			continue
		}
		s.Name = name
		p.Servers = append(p.Servers, s)
	}
}

// server reads an entry. Numbers and other plain values stand for their text.
func (p *Plugin) server(raw json.RawMessage) (s Server, err error) {
	var e struct {
		Type, Command, Cwd, URL string
		Args                    []any
		Env, Headers            map[string]any
		Disabled                bool
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&e); err != nil {
		return s, err
	}
	text := func(v any) string { return ofRoot(fmt.Sprint(v)) }
	s = Server{Type: e.Type, Command: strings.TrimPrefix(text(e.Command), Root+"/"), URL: text(e.URL), Env: map[string]string{}, Headers: map[string]string{}}
	if s.Command != text(e.Command) {
		s.Command = "./" + s.Command
	}
	for _, a := range e.Args {
		s.Args = append(s.Args, text(a))
	}
	for k, v := range e.Env {
		s.Env[k] = text(v)
	}
	for k, v := range e.Headers {
		s.Headers[k] = text(v)
	}
	switch {
	case e.Disabled:
		return s, errors.New("it is switched off (disabled)")
	case s.Type == "http" || s.Type == "" && s.URL != "" && s.Command == "":
		s.Type = "streamable-http"
	}
	if err := s.check(); err != nil {
		return s, err
	}
	s.Cwd, err = p.within(text(e.Cwd))
	return s, err
}

// within is a folder of the plugin, relative to its root.
func (p *Plugin) within(dir string) (string, error) {
	local := strings.TrimPrefix(strings.TrimPrefix(dir, Root), "/")
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

// check reports why the form does not allow a server.
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

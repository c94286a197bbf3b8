package config

import (
	"strings"
	"testing"
)

// TestDrop takes servers out of files of several forms, and leaves the rest as it is.
func TestDrop(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"# head\nmodel: m\nmcp_servers:\n  a: {command: x}\n", "# head\nmodel: m\n"},
		{"mcp_servers:\n  a: {command: x}\n", ""},
		{"mcp_servers:\n  # about a\n  a:\n    command: x # c\n    args: [b]\n  # about b\n  b: {command: y} # d\n# end\n", "mcp_servers:\n  # about b\n  b: {command: y} # d\n# end\n"},
		{"mcp_servers:\n  b: {command: y}\n\n  a:\n    command: |-\n      x\n    env: {A: b}\n\n# about m\nmodel: m\n", "mcp_servers:\n  b: {command: y}\n\n\n# about m\nmodel: m\n"},
		{"mcp_servers: {a: {command: x}, b: {command: y}}\n", "mcp_servers: {b: {command: y}}\n"},
		{"mcp_servers:\r\n  a: {command: x}\r\n  b: {command: y}\r\nmodel: m\r\n", "mcp_servers:\r\n  b: {command: y}\r\nmodel: m\r\n"},
	} {
		name := file(t, c.text)
		if err := Drop(t.Context(), Options{File: name}, "mcp_servers", "a"); err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
		got := readText(t, name)
		loaded, _, err := Load(Options{File: name})
		if err != nil || len(loaded.MCPServers) != strings.Count(c.want, "command") {
			t.Errorf("%q: %v, %v", got, loaded.MCPServers, err)
		}
		if got != c.want {
			t.Errorf("%q:\n got %q\nwant %q", c.text, got, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"", "is not there"}, {"model: m\n", "is not there"}, {"mcp_servers:\n  b: {command: y}\n", "is not there"},
		{"mcp_servers:\n  a: &x {command: y}\n  b: *x\n", "edit the file by hand"}, {"mcp_servers: [", "YAML"},
	} {
		name := file(t, c.text)
		if err := Drop(t.Context(), Options{File: name}, "mcp_servers", "a"); err == nil || !strings.Contains(err.Error(), c.want) || readText(t, name) != c.text {
			t.Errorf("%q: %v; want %q", c.text, err, c.want)
		}
	}
}

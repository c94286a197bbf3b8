//go:build unix

package app

import (
	"hermes-tui/agent/api"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A server whose program lies where agents write is started as the user has agreed to it, and
// one of the settings as it was first. Once a file of it has changed, or there is one more that
// it could load, it waits for the user at its next start; one that runs goes on.
func TestServersRunFilesAsAgreed(t *testing.T) {
	t.Parallel()
	for _, project := range []bool{true, false} {
		for _, change := range []string{"srv.sh", "lib/more.sh", ".env.sh"} {
			t.Run(map[bool]string{true: "project ", false: "settings "}[project]+change, func(t *testing.T) {
				t.Parallel()
				b := newBox(t)
				b.dir = t.TempDir()
				b.env["PATH"] = os.Getenv("PATH")
				out := filepath.Join(t.TempDir(), "out")
				put := func(name, text string) {
					file := filepath.Join(b.dir, name)
					if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				serves := ". ./.env.sh\nexec '" + os.Args[0] + "'\n"
				put("srv.sh", serves)
				put(".env.sh", "true\n")
				settings := "probe:\n  local_servers: false\n"
				if project {
					put(".mcp.json", `{"mcpServers": {"dev": {"command": "sh", "args": ["./srv.sh"], "env": {"`+serverEnv+`": "1"}}}}`)
				} else {
					settings += "mcp_servers: {dev: {command: sh, args: [./srv.sh], env: {" + serverEnv + ": \"1\"}}}\n"
				}
				b.config(settings)
				a, c := b.begin()
				if _, _, err := c.Trust(t.Context(), true); err != nil {
					t.Fatal(err)
				}
				a.syncMCP()
				if project {
					s := serverNow(t, a, "dev", func(s api.MCPServer) bool { return s.State == "held" })
					if err := a.AllowMCP(t.Context(), s); err != nil {
						t.Fatal(err)
					}
				}
				serverNow(t, a, "dev", func(s api.MCPServer) bool { return s.State == "ready" })
				put(change, "touch '"+out+"'\n"+map[bool]string{true: serves}[change == "srv.sh"])
				a.syncMCP()
				serverNow(t, a, "dev", func(s api.MCPServer) bool { return s.State == "ready" })
				again := func() api.MCPServer {
					return serverNow(t, a, "dev", func(s api.MCPServer) bool { return s.State == "held" && strings.Contains(s.Why, filepath.Base(change)) })
				}
				for _, off := range []bool{true, false} {
					if err := a.SwitchMCP("dev", off); err != nil {
						t.Fatal(err)
					}
				}
				again()
				closed(t, a)
				a, _ = b.begin()
				a.syncMCP()
				s := again()
				if _, err := os.Stat(out); err == nil {
					t.Error("what was written ran")
				}
				if err := a.AllowMCP(t.Context(), s); err != nil {
					t.Fatal(err)
				}
				serverNow(t, a, "dev", func(s api.MCPServer) bool { return s.State == "ready" })
				closed(t, a)
			})
		}
	}
}

package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestServerFiles reads the forms in which servers are named, and lets no odd entry hide
// another.
func TestServerFiles(t *testing.T) {
	const entries = `{ // as editors write it
 "mcpServers": { /* all
   of them */
  "a": {"command":"python3","args":["srv.py", 5, true],"env":{"PORT":8080,"DEBUG":true,"RATE":0.5,"URL":"${MEM_URL:-http://h:1}"}},
  "b": {"type":"stdio","command":"python3","args":["srv.py"],"disabled":true},
  "c": {"type":"streamable-http","url":"http://127.0.0.1:9/mcp","headers":{"Authorization":"Bearer // x"}},
  "d": {"httpUrl":"http://127.0.0.1:9/mcp"}, "e": {"command":"npx -y 'some server'"}, "f": {"command":"python3","args":"srv.py -v"},
  "g": {"serverUrl":"http://127.0.0.1:9/sse","type":"sse"}, "h": {"command":"x","env":{"A":{}}}, "i": 5, "j": {"command":"x","args":{}}, "k": {"command":["x","-y"],"enabled":false},
 },
}`
	const good = "a python3 [srv.py 5 true] DEBUG=true;c http://127.0.0.1:9/mcp [];d http://127.0.0.1:9/mcp [];e npx [-y some server];f python3 [srv.py -v];g http://127.0.0.1:9/sse []sse"
	dir := t.TempDir()
	file := filepath.Join(dir, mcpFile)
	for name, c := range map[string]struct{ text, want, bad string }{
		"all":          {entries, good, "server h cannot be used: its env is no text at A|server i cannot be used: it is no object|server j cannot be used: its command or its args"},
		"with a mark":  {"\ufeff" + entries, good, "server h|server i|server j"},
		"of an editor": {`{"inputs":[{"id":"x"}],"servers":{"s":{"command":"x","args":["// no comment, ]"]}}}`, "s x [// no comment, ]]", ""},
		"on its own":   {`{"$schema":"s","s":{"command":"x"},"t":{"other":1}}`, "s x []", ""},
		"no JSON":      {"{\n \"mcpServers\": {\n  x\n}}", "", "line 3 is not"},
		"a list":       {"[]", "", "line 1 is not"},
		"empty":        {"", "", "line 1 is not"},
		"no object":    {`{"mcpServers": []}`, "", "mcpServers is no object"},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		list, bad := projectServers(file)
		var got []string
		for _, s := range list {
			text := fmt.Sprintf("%s %s%s %v", s.Name, s.Command, s.URL, s.Args)
			if s.Env["DEBUG"] != "" {
				text += " DEBUG=" + s.Env["DEBUG"]
			}
			if s.SSE {
				text += "sse"
			}
			got = append(got, text)
		}
		if strings.Join(got, ";") != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, strings.Join(got, ";"), c.want)
		}
		said := strings.Join(bad, "\n")
		for want := range strings.SplitSeq(c.bad, "|") {
			if !strings.Contains(said, want) || c.bad == "" && said != "" {
				t.Errorf("%s: %q lacks %q", name, said, want)
			}
		}
	}
}

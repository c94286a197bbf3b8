package compress

import (
	"strings"
	"testing"
	"unicode/utf8"

	"hermes-tui/providers"
	"hermes-tui/tools/shorten"
)

func TestOneLine(t *testing.T) {
	long := strings.Repeat("word ", 300)
	cases := []struct{ name, tool, args, result, want string }{
		{"terminal", "terminal", `{"command":"go test\n  ./..."}`, `{"output":"a\nb\nc","exit_code":1,"error":null}`,
			"[terminal] ran `go test ./...` -> exit 1, 3 lines output: c"},
		{"terminal, failed", "terminal", `{"command":"make"}`, `{"output":"building\nmain.go:7: Error: no pool\nmake: stopped\n","exit_code":2}`,
			"[terminal] ran `make` -> exit 2, 3 lines output: main.go:7: Error: no pool"},
		{"terminal, one line", "terminal", `{"command":"ls"}`, `{"output":"a\n","exit_code":0}`, "[terminal] ran `ls` -> exit 0, 1 line output"},
		{"terminal, silent", "terminal", `{"command":"true"}`, `{"output":"","exit_code":0}`, "[terminal] ran `true` -> exit 0, 0 lines output"},
		{"terminal, long command", "terminal", `{"command":"` + strings.Repeat("x", 99) + `"}`, `{"exit_code":0}`,
			"[terminal] ran `" + strings.Repeat("x", 79) + "…` -> exit 0, 0 lines output"},
		{"terminal, not its form", "terminal", `{"command":"ls"}`, strings.Repeat("é", 1234), "[terminal] ran `ls` (1,234 chars result)"},
		{"terminal, refused", "terminal", `{"command":"rm -rf /"}`, `{"error":"blocked: removes everything"}`,
			"[terminal] ran `rm -rf /` -> error: blocked: removes everything"},
		{"read_file", "read_file", `{"path":"a.go","offset":40}`, `{"content":"40|x","total_lines":99}`, "[read_file] read a.go from line 40 (4 chars)"},
		{"read_file, from the start", "read_file", `{"path":"a.go"}`, `{"content":""}`, "[read_file] read a.go from line 1 (0 chars)"},
		{"read_file, offset as text", "read_file", `{"path":"a.go","offset":"7"}`, `{"status":"unchanged"}`, "[read_file] read a.go from line 1 (22 chars result)"},
		{"read_file, missing", "read_file", `{"path":"b.go"}`, `{"error":"no such file","similar_files":["a.go"]}`, "[read_file] read b.go from line 1 -> error: no such file"},
		{"write_file", "write_file", `{"path":"a.go","content":"1\n2\n3\n"}`, `{"bytes_written":6}`, "[write_file] wrote to a.go (3 lines)"},
		{"search_files", "search_files", `{"pattern":"TODO","path":"src"}`, `{"total_count":1200,"matches":[]}`, "[search_files] content search for 'TODO' in src -> 1,200 matches"},
		{"search_files by name", "search_files", `{"pattern":"*.go","target":"files"}`, `{"total_count":1,"files":["a.go"]}`, "[search_files] file search for '*.go' -> 1 file"},
		{"patch", "patch", `{"path":"a.go","old_string":"x","new_string":"y"}`, `{"success":true}`, "[patch] replace in a.go (16 chars result)"},
		{"patch of several files", "patch", `{"mode":"patch","patch":"*** Begin"}`, `{"success":true}`, "[patch] patch (16 chars result)"},
		{"todo", "todo", `{"todos":[{},{},{}]}`, `{"todos":[],"summary":{"total":3,"completed":1}}`, "[todo] wrote 3 tasks -> 1 of 3 done then"},
		{"todo, read", "todo", `{}`, `{"summary":{"total":0,"completed":0}}`, "[todo] read the task list -> 0 of 0 done then"},
		{"another tool", "web_search", `{"query":"go\nsqlite","limit":5,"deep":{"a":[1]},"on":true,"last":null}`, "abc",
			`[web_search] query=go sqlite limit=5 deep={"a":[1]} on=true … (3 chars result)`},
		{"another tool, arguments that are no object", "mcp_x", `[1,2]`, "a", "[mcp_x] (1 char result)"},
		{"arguments that are not JSON", "terminal", `{"command":`, `{"exit_code":0}`, "[terminal] ran `` -> exit 0, 0 lines output"},
		{"no name", "", ``, `abc`, "[tool] (3 chars result)"},
		{"everything long", strings.Repeat("t", 60), `{"` + strings.Repeat("k", 60) + `":"` + long + `","` + strings.Repeat("l", 60) + `":"` + long + `"}`, long,
			"[" + strings.Repeat("t", 39) + "…] " + strings.Repeat("k", 39) + "…=" + shown(long) + " " + strings.Repeat("l", 39) + "…=" + shorten.Runes(shown(long), 33) + "…"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := engine().oneLine(providers.Call{Name: c.tool, Arguments: c.args}, c.result)
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if n := utf8.RuneCountInString(got); n > longResult {
				t.Errorf("%d characters", n)
			}
		})
	}
}

// shown is a long value as the line shows it.
func shown(s string) string { return shorten.Runes(s, longValue-1) + "…" }

func FuzzOneLine(f *testing.F) {
	f.Add("terminal", `{"command":"ls"}`, `{"exit_code":0,"output":"a"}`)
	f.Add("todo", `{"todos":[1]}`, `{"summary":{"total":1e300}}`)
	f.Add("x", `{"a":1,"a":{"b":[]},"\ud800":"\n"}`, "\xff")
	f.Fuzz(func(t *testing.T, tool, args, result string) {
		got := engine().oneLine(providers.Call{Name: tool, Arguments: args}, result)
		if utf8.RuneCountInString(got) > longResult || strings.ContainsAny(got, "\r\n") {
			t.Errorf("%q", got)
		}
	})
}
